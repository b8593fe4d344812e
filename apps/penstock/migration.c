/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/migration.h"
#include "apps/common/arguments.h"
#include "lib/base/near_name.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char wanted_paths[] =
	"two paths such as 6:3,4:2: of the original and of the migrated one the buffers, 0 to 1000, and how "
	"many of them lie before the actor";

/* B:h, up to `end`. NULL: it is none. */
static const char *take_path(const char *text, char end, struct pstk_path *path)
{
	uint64_t buffers = 0, before = 0;
	const char *at = arguments_number(text, ':', 0, PSTK_PATH_BUFFERS, &buffers);

	at = at ? arguments_number(at + 1, end, 0, UINT32_MAX, &before) : NULL;
	*path = (struct pstk_path){ (uint32_t)buffers, (uint32_t)before };
	return at;
}

static int refuse_before(const char *value, const struct pstk_path *p)
{
	return app_fail(EXIT_USAGE,
		"--migration: '%s': of %" PRIu32 " buffer%s %" PRIu32 " can't lie before the actor", value,
		p->buffers, ps_plural(p->buffers), p->before);
}

int migration_take_paths(struct migration *m, const char *value)
{
	const char *comma = take_path(value, ',', &m->original);

	m->paths = value;
	if (!comma && take_path(value, '\0', &m->original))
		return app_fail(EXIT_USAGE,
			"--migration: '%s' is the original path alone: the migrated one follows a comma, as "
			"in 6:3,4:2",
			value);
	if (!comma || !take_path(comma + 1, '\0', &m->migrated))
		return arguments_wrong("migration", value, wanted_paths);
	if (m->original.before > m->original.buffers)
		return refuse_before(value, &m->original);
	return m->migrated.before > m->migrated.buffers ? refuse_before(value, &m->migrated) : -1;
}

int migration_take_move(struct migration *m, const char *value)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return arguments_wrong("move", value, "ACTOR=PLACE, such as normalizations=h/g0");
	m->move = value;
	m->to = equals + 1;
	free(m->actor);
	m->actor = strndup(value, (size_t)(equals - value));
	return m->actor ? -1 : app_out_of_memory();
}

/* Seconds that an iteration may take, up to `end`. NULL: they are none. */
static const char *take_seconds(const char *text, char end, double *seconds)
{
	char *after;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return NULL;
	*seconds = strtod(text, &after);
	if (*after != end || *seconds < PSTK_ITERATION_LEAST || *seconds > PSTK_ITERATION_MOST)
		return NULL;
	return after;
}

int migration_take_times(struct migration *m, const char *value)
{
	const char *comma = take_seconds(value, ',', &m->run.original);

	m->times = value;
	if (!comma || !take_seconds(comma + 1, '\0', &m->run.migrated))
		return arguments_wrong("times", value,
			"two times in seconds, 1e-12 to 1e12, such as 0.04,0.02: of an iteration before the "
			"move, and after it");
	return -1;
}

int migration_settle(const struct migration *m)
{
	const char *word = m->times ? "times" : m->iterations ? "iterations" : m->at ? "at" : NULL;

	if (m->paths && m->move)
		return app_fail(EXIT_USAGE, "--migration and --move: expected one of both");
	if (word && !m->paths && (m->times || !m->move))
		return app_fail(EXIT_USAGE, "--%s is of --migration%s", word,
			m->move    ? ": with --move the plan knows the times"
			: m->times ? ": give both"
				   : " and --move: give one of them, too");
	if (!m->iterations != !m->at)
		return app_fail(EXIT_USAGE,
			"--iterations N and --at A go together: how many a run has, and in which of them "
			"the move begins");
	if (m->paths && m->iterations && !m->times)
		return app_fail(EXIT_USAGE,
			"--iterations: how long does one take? --times ORIGINAL,MIGRATED says it in seconds");
	return 0;
}

int migration_take_count(const char *option, const char *value, uint64_t *count)
{
	if (arguments_number(value, '\0', 1, MIGRATION_ITERATIONS, count))
		return -1;
	return arguments_wrong(option, value, "a number from 1 to 9007199254740992");
}

/* Rates and times, if it is known how long an iteration takes. */
static int predict(struct migration *m)
{
	uint64_t least = m->at + m->result.duration - !!m->result.duration;

	m->run.iterations = m->iterations;
	m->run.first = m->at;
	if (!(m->run.original > 0 && m->run.migrated > 0)) {
		m->run.original = 0;
		return m->iterations
		               ? app_fail(EXIT_USAGE,
					 "--iterations: the plan knows no times: times: in the graph, or "
					 "--measure, says them")
		               : 0;
	}
	if (pstk_migration_predict(&m->result, &m->run, &m->prediction) == -ERANGE)
		return app_fail(EXIT_USAGE,
			"--iterations %" PRIu64 ": a move that begins in iteration %" PRIu64
			" and takes %" PRIu32 " needs at least %" PRIu64,
			m->iterations, m->at, m->result.duration, least);
	return 0;
}

int migration_find(struct migration *m)
{
	/* the paths were looked at when they were read */
	pstk_migration_find(&m->original, &m->migrated, &m->result);
	return predict(m);
}

static struct pstk_actor *find_actor(const struct migration *m, const struct pstk_network *network)
{
	char hint[PS_NEAR_NAME_HINT];
	struct ps_near_name near;

	ps_near_name_begin(&near, m->actor);
	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		struct pstk_actor *a = pstk_network_actor(network, i);

		if (!strcmp(pstk_actor_name(a), m->actor))
			return a;
		ps_near_name_offer(&near, pstk_actor_name(a));
	}
	app_fail(EXIT_USAGE, "--move %s: the graph has no actor '%s'%s", m->move, m->actor,
		ps_near_name_hint(&near, hint));
	return NULL;
}

static int find_path(const struct migration *m, const struct pstk_plan *plan, struct pstk_path *path)
{
	switch (pstk_plan_get_path(plan, m->actor, path)) {
	case 0:
		return 0;
	case -ENOMEM:
		return app_out_of_memory();
	case -ENOTSUP:
		return app_fail(EXIT_USAGE,
			"--move %s: '%s' has not one input and one reader: only of such an actor it is known "
			"what a move costs",
			m->move, m->actor);
	case -ELOOP:
		return app_fail(EXIT_USAGE,
			"--move %s: '%s' lies on a cycle of FIFOs: what a move costs there is not known",
			m->move, m->actor);
	default:
		return app_fail(EXIT_USAGE, "--move %s: its path has more than %u buffers", m->move,
			PSTK_PATH_BUFFERS);
	}
}

static void find_neighbours(struct migration *m, const struct pstk_network *network)
{
	struct pstk_fifo_info f;

	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++) {
		if (pstk_fifo_get_info(pstk_network_fifo(network, i), &f))
			continue;
		if (!strcmp(pstk_actor_name(f.dst), m->actor))
			m->pred = pstk_actor_name(f.src);
		if (!strcmp(pstk_actor_name(f.src), m->actor))
			m->succ = pstk_actor_name(f.dst);
	}
}

/* How long an iteration takes: as executed, else by the largest load. */
static double period_of(struct migration *m, const struct pstk_plan *plan)
{
	struct pstk_plan_summary s = { 0 };

	pstk_plan_get_summary(plan, &s);
	m->untimed = m->untimed ? m->untimed : s.untimed;
	return isnan(s.simulated) ? s.period : s.simulated;
}

static const char *place_of(const struct pstk_plan *plan, const char *actor)
{
	struct pstk_planned_actor a;

	for (unsigned i = 0; !pstk_plan_get_actor(plan, i, &a); i++)
		if (!strcmp(a.name, actor))
			return a.place;
	return NULL;
}

int migration_plan(struct migration *m, const struct loading *l, const struct pstk_plan *plan)
{
	struct pstk_actor *actor = find_actor(m, l->network);
	int status = actor ? find_path(m, plan, &m->original) : EXIT_USAGE;

	if (status)
		return status;
	m->from = place_of(plan, m->actor);
	find_neighbours(m, l->network);
	if (pstk_actor_place(actor, m->to))
		return app_out_of_memory();
	m->plan = pstk_plan_create(l->network, pstk_graph_machine(l->graph),
		PSTK_PLAN(.no_overlap = l->no_overlap, .no_merge = l->no_merge));
	if (pstk_plan_result(m->plan))
		return loading_refuse_plan(l, m->plan);
	status = find_path(m, m->plan, &m->migrated);
	if (status)
		return status;
	m->run.original = period_of(m, plan);
	m->run.migrated = period_of(m, m->plan);
	return migration_find(m);
}

void migration_free(struct migration *m)
{
	pstk_plan_destroy(m->plan);
	free(m->actor);
}
