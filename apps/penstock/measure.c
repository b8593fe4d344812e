/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/measure.h"
#include "apps/penstock/yaml.h"
#include "lib/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Firings that each actor is to have had, and seconds after which that no longer matters. */
enum { FIRINGS = 3, LONGEST = 60 };

/* Where an actor can be. */
struct mover {
	char *name;
	bool moves, on_host, on_device;
};

/* What is known of the network before it is run. */
struct survey {
	struct mover *movers;
	unsigned mover_count;
	char **places; /* that something can run at */
	bool *is_host; /* of each */
	unsigned place_count;
};

static void free_survey(struct survey *s)
{
	for (unsigned i = 0; i < s->mover_count; i++)
		free(s->movers[i].name);
	for (unsigned i = 0; i < s->place_count; i++)
		free(s->places[i]);
	free(s->movers);
	free(s->places);
	free(s->is_host);
}

static bool is_fixed(const struct loading *l, const char *actor)
{
	const char *const *fixed = pstk_graph_fixed(l->graph);

	while (fixed && *fixed && strcmp(*fixed, actor) != 0)
		fixed++;
	return fixed && *fixed;
}

static bool survey_actors(struct survey *s, const struct loading *l)
{
	unsigned count = pstk_network_actor_count(l->network);

	s->movers = calloc(count + 1u, sizeof *s->movers);
	if (!s->movers)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct pstk_actor *a = pstk_network_actor(l->network, i);
		const struct pstk_actor_type *type = pstk_actor_get_type(a);

		s->movers[i] = (struct mover){ .name = strdup(pstk_actor_name(a)),
			.moves = !is_fixed(l, pstk_actor_name(a)),
			.on_host = type->fire != NULL,
			.on_device = type->kernel || type->fire_cl };
		s->mover_count++;
		if (!s->movers[i].name)
			return false;
	}
	return true;
}

/* Places of the host at which the first actor is: the machine that this is. */
static bool survey_places(struct survey *s, const struct loading *l)
{
	struct pstk_machine *machine = pstk_graph_machine(l->graph);
	unsigned count = pstk_machine_place_count(machine);
	const struct pstk_actor *first = pstk_network_actor(l->network, 0);
	const char *given = first ? pstk_actor_given_place(first) : NULL;
	int at = given ? pstk_machine_find(machine, given) : 0;
	struct pstk_place here = { .host = 0 }, place;

	s->places = calloc(count + 1u, sizeof *s->places);
	s->is_host = calloc(count + 1u, sizeof *s->is_host);
	if (!s->places || !s->is_host)
		return false;
	pstk_machine_get_place(machine, at < 0 ? 0 : (unsigned)at, &here);
	for (unsigned i = 0; !pstk_machine_get_place(machine, i, &place); i++) {
		if (place.host != here.host || (place.host != i && !place.selector))
			continue;
		s->is_host[s->place_count] = place.host == i;
		s->places[s->place_count] = strdup(place.name);
		if (!s->places[s->place_count++])
			return false;
	}
	return true;
}

static bool has_fired(const struct pstk_network *network)
{
	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		struct pstk_actor_stats stats = { 0 };

		if (!pstk_actor_get_stats(pstk_network_actor(network, i), &stats) && stats.firings < FIRINGS)
			return false;
	}
	return true;
}

static int run(struct pstk_network *network, double seconds)
{
	uint64_t slice = (uint64_t)(seconds * 1e9), spent = 0;
	int err = pstk_network_handle_signals(network);

	if (!err)
		err = pstk_network_start(network);
	if (!err)
		do {
			err = pstk_network_wait_for(network, slice);
			spent += slice;
		} while (err == -ETIMEDOUT && !has_fired(network) && spent < LONGEST * (uint64_t)1000000000);
	if (err == -ETIMEDOUT) {
		pstk_network_stop(network);
		err = pstk_network_wait(network);
	}
	if (pstk_network_signal(network))
		return app_fail(EXIT_INTERRUPTED, "interrupted");
	if (err)
		app_fail(EXIT_FAILED, "%s", pstk_network_error(network));
	return err == -EDEADLK ? EXIT_DEADLOCKED : err ? EXIT_FAILED : 0;
}

static bool has(const struct measure *m, const char *actor, const char *place)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->times[i].actor, actor) && !strcmp(m->times[i].place, place))
			return true;
	return false;
}

static int keep(struct measure *m, struct measured_time time)
{
	struct measured_time *times = realloc(m->times, (m->count + 1) * sizeof *times);
	char text[PS_TEXT_TIME];

	if (times)
		m->times = times;
	time.actor = strdup(time.actor);
	time.place = strdup(time.place);
	if (!times || !time.actor || !time.place) {
		free(time.actor);
		free(time.place);
		return app_out_of_memory();
	}
	m->times[m->count++] = time;
	app_say(stderr, "measured: '%s' at %s: %s a firing, %llu firing%s\n", time.actor, time.place,
		ps_text_time((double)time.ns, text), (unsigned long long)time.firings,
		ps_plural(time.firings));
	return 0;
}

/* What a run has shown that is not known yet. */
static int collect(struct measure *m, const struct loading *l)
{
	struct pstk_place first = { .name = "" };
	int status = 0;

	pstk_machine_get_place(pstk_graph_machine(l->graph), 0, &first);
	for (unsigned i = 0; i < pstk_network_actor_count(l->network) && !status; i++) {
		struct pstk_actor *a = pstk_network_actor(l->network, i);
		const char *given = pstk_actor_given_place(a);
		struct measured_time time = { .actor = (char *)(uintptr_t)pstk_actor_name(a),
			.place = (char *)(uintptr_t)(given ? given : first.name) };
		struct pstk_actor_stats stats = { 0 };
		struct pstk_device_info device;
		uint64_t ns;

		if (pstk_actor_get_stats(a, &stats) || has(m, time.actor, time.place))
			continue;
		ns = stats.fire_ns;
		/* what enqueueing takes longer than the commands keeps the device waiting */
		if (!pstk_actor_device(a, &device))
			ns = !stats.device_ns ? 0 : ns > stats.device_ns ? ns : stats.device_ns;
		if (!stats.firings || !ns) {
			app_say(stderr, "not measured: '%s' at %s: %s\n", time.actor, time.place,
				stats.firings ? "its device tells no times" : "it has not fired");
			continue;
		}
		time.firings = stats.firings;
		time.ns = (ns + stats.firings / 2) / stats.firings;
		time.ns += !time.ns;
		status = keep(m, time);
	}
	return status;
}

/* Loads it, runs it, takes down what it shows. */
static int run_once(struct measure *m, struct loading *l)
{
	int status = loading_open(l, false);

	if (status)
		return status;
	pstk_network_set_flags(l->network, pstk_network_flags(l->network) | PSTK_PROFILE);
	status = run(l->network, m->seconds);
	return status ? status : collect(m, l);
}

/* Puts all actors that can move at one place. texts: gets what was said, [mover_count], to be freed. */
static int move_all(struct loading *l, const struct survey *s, unsigned place, char **texts)
{
	int status = -1;

	for (unsigned i = 0; i < s->mover_count && status == -1; i++) {
		const struct mover *v = &s->movers[i];

		if (!v->moves || !(s->is_host[place] ? v->on_host : v->on_device))
			continue;
		if (asprintf(&texts[i], "%s=%s", v->name, s->places[place]) < 0) {
			texts[i] = NULL;
			return app_out_of_memory();
		}
		status = loading_take(l, LOADING_DEVICE, texts[i]);
	}
	return status == -1 ? 0 : status;
}

static int run_at(struct measure *m, struct loading *l, const struct survey *s, unsigned place)
{
	struct loading_mark mark = loading_mark(l);
	char **texts = calloc(s->mover_count + 1u, sizeof *texts);
	int status = texts ? 0 : app_out_of_memory();

	if (!l->team.given)
		l->team = (struct team){ .given = true, .threads = 1, .depth = l->team.depth };
	if (!status && m->everywhere)
		status = move_all(l, s, place, texts);
	if (!status)
		status = run_once(m, l);
	loading_unload(l, mark);
	for (unsigned i = 0; texts && i < s->mover_count; i++)
		free(texts[i]);
	free(texts);
	return status;
}

/* At each place in turn. One at which the network can't run is none for it; what was wrong is said. */
static int run_everywhere(struct measure *m, struct loading *l, const struct survey *s)
{
	int status = 0;

	for (unsigned i = 0; i < s->place_count; i++) {
		int one = run_at(m, l, s, i);

		if (one == EXIT_INTERRUPTED)
			return one;
		if (one)
			app_say(stderr, "not measured: what can be at %s\n", s->places[i]);
		status = one ? one : status;
	}
	return m->count ? 0 : status;
}

int measure_run(struct measure *m, struct loading *l)
{
	struct loading_mark mark = loading_mark(l);
	struct survey survey = { .movers = NULL };
	int status;

	l->plans = true;
	status = loading_open(l, true);
	if (status)
		return status;
	if (pstk_graph_machine(l->graph)) {
		if (!survey_actors(&survey, l) || !survey_places(&survey, l))
			status = app_out_of_memory();
		loading_unload(l, mark);
		l->plans = false;
		if (!status)
			status = m->everywhere ? run_everywhere(m, l, &survey) : run_at(m, l, &survey, 0);
		l->plans = true;
		free_survey(&survey);
	} else {
		loading_unload(l, mark);
	}
	return status;
}

static struct pstk_actor *find(const struct loading *l, const char *name)
{
	for (unsigned i = 0; i < pstk_network_actor_count(l->network); i++)
		if (!strcmp(pstk_actor_name(pstk_network_actor(l->network, i)), name))
			return pstk_network_actor(l->network, i);
	return NULL;
}

int measure_apply(const struct measure *m, const struct loading *l)
{
	for (size_t i = 0; i < m->count; i++) {
		struct pstk_actor *a = find(l, m->times[i].actor);

		if (a && pstk_actor_set_time(a, m->times[i].place, m->times[i].ns))
			return app_out_of_memory();
	}
	return 0;
}

/* Times of an actor at all places where one is known. */
static void yaml_actor(const struct loading *l, const struct pstk_actor *a, FILE *out)
{
	struct pstk_place place;
	bool any = false;
	uint64_t ns;

	fputs("  ", out);
	yaml_text(pstk_actor_name(a), out);
	fputs(": {", out);
	for (unsigned i = 0; !pstk_machine_get_place(pstk_graph_machine(l->graph), i, &place); i++) {
		if (pstk_actor_get_time(a, place.name, &ns))
			continue;
		fputs(any ? ", " : "", out);
		yaml_text(place.name, out);
		fprintf(out, ": %.9g", 1e-9 * (double)ns);
		any = true;
	}
	fputs("}\n", out);
}

void measure_yaml(const struct measure *m, const struct loading *l, FILE *out)
{
	if (m->count)
		fputs("times:\n", out);
	for (unsigned i = 0; m->count && i < pstk_network_actor_count(l->network); i++) {
		const struct pstk_actor *a = pstk_network_actor(l->network, i);
		bool measured = false;

		for (size_t k = 0; k < m->count && !measured; k++)
			measured = !strcmp(m->times[k].actor, pstk_actor_name(a));
		if (measured)
			yaml_actor(l, a, out);
	}
}

void measure_free(struct measure *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->times[i].actor);
		free(m->times[i].place);
	}
	free(m->times);
}
