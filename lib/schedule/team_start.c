/* SPDX-License-Identifier: MIT */
/* Team: what belongs to it, and its threads. */
#include "lib/base/clock.h"
#include "lib/base/cores.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/firing/crash.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/plan/threads.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team_member.h"
#include "lib/schedule/thread.h"
#include "lib/trace/trace.h"

#include <errno.h>
#include <stdio.h>

/* More actors than this: a bit each says whether it was fed, because looking at all of them costs a cache line each. */
enum { FEW = 64 };

static void join(struct ps_task *t, struct ps_team *team)
{
	struct pstk_actor *a = t->actor;

	t->member = a->core < 0 ? -1 : a->core % (int)team->count;
	if (a->core >= 0) {
		struct ps_member *m = &team->members[t->member];

		team->bound = true;
		m->on_cores = true;
		CPU_SET((unsigned)a->core, &m->cores);
	}
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			f->fifo.reader_polled = true;
		else
			for (; f; f = f->next)
				f->fifo.writer_polled = true;
	}
}

/*
 * The order of looking: a depth-first search along the FIFOs leaves an actor when it has left all that it feeds (but in
 * cycles), so sinks come first. Without recursion: networks may be deep.
 */

struct step {
	struct pstk_actor *actor;
	unsigned port;
	const struct pstk_fifo *fifo; /* the next one to follow, of that port */
};

struct search {
	struct ps_team *team;
	struct step *path;
	unsigned depth;
	bool *seen;
};

static void enter(struct search *s, struct pstk_actor *a)
{
	if (s->seen[a->index])
		return;
	s->seen[a->index] = true;
	s->path[s->depth++] = (struct step){ .actor = a };
}

/* The next actor that this one feeds; NULL: there are no more. */
static struct pstk_actor *next_fed(struct step *at)
{
	const struct pstk_actor *a = at->actor;

	while (!at->fifo && at->port < a->type.port_count) {
		if (!ps_port_reads(a->type.ports[at->port].kind))
			at->fifo = a->ports[at->port].fifo;
		at->port++;
	}
	if (!at->fifo)
		return NULL;
	a = at->fifo->dst;
	at->fifo = at->fifo->next;
	return (struct pstk_actor *)a;
}

static void leave(struct ps_team *team, const struct pstk_actor *a)
{
	struct ps_task *t = a->task;

	if (t->runner != &ps_team_runner || t->actor != a)
		return;
	t->rank = team->task_count;
	team->order[team->task_count++] = t;
}

static void search_from(struct search *s, struct pstk_actor *a)
{
	enter(s, a);
	while (s->depth) {
		struct step *at = &s->path[s->depth - 1];
		struct pstk_actor *fed = next_fed(at);

		if (fed)
			enter(s, fed);
		else
			leave(s->team, s->path[--s->depth].actor);
	}
}

static int find_order(struct ps_team *team)
{
	struct pstk_network *net = team->net;
	struct search s = { .team = team,
		.path = ps_memory_zalloc(net->actor_count, sizeof *s.path),
		.seen = ps_memory_zalloc(net->actor_count, sizeof *s.seen) };
	int err = s.path && s.seen ? 0 : -ENOMEM;

	for (unsigned i = 0; i < net->actor_count && !err; i++)
		search_from(&s, net->actors[i]);
	ps_memory_free(s.path);
	ps_memory_free(s.seen);
	return err;
}

/* Threads beside the team's, and commands of devices, need the cores that looking again would keep busy. */
static bool may_spin(const struct ps_team *team)
{
	return !team->places && team->task_count == team->net->task_count && team->count <= ps_cores();
}

static int fill(struct ps_team *team)
{
	struct pstk_network *net = team->net;
	int err;

	for (unsigned i = 0; i < team->count; i++)
		team->members[i] = (struct ps_member){ .team = team, .index = i };
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		if (a->task->runner == &ps_team_runner)
			join(a->task, team);
		team->places |= ps_backend_anywhere(a) != NULL;
	}
	err = find_order(team);
	if (err)
		return err;
	if (team->task_count > FEW) {
		team->fed_words = (team->task_count + 63) / 64;
		team->fed = ps_memory_zalloc(team->fed_words, sizeof *team->fed);
		if (!team->fed)
			return -ENOMEM;
	}
	team->spins = may_spin(team);
	atomic_store(&team->live, team->task_count);
	atomic_store(&team->dirty, true); /* nothing may ever move */
	for (unsigned i = 0; i < team->count && !err; i++)
		err = ps_crash_prepare(net, &team->members[i].alternate_stack);
	return err;
}

static bool takes(const struct ps_task *t)
{
	return ps_threads_on_team(t->actor);
}

static int prepare(struct pstk_network *net)
{
	struct ps_team *team;

	if (!pstk_network_threads(net))
		return 0;
	team = net->schedule->team = ps_memory_zalloc(1, sizeof *team);
	if (!team)
		return -ENOMEM;
	team->net = net;
	team->count = pstk_network_threads(net);
	team->members = ps_memory_zalloc(team->count, sizeof *team->members);
	team->order = ps_memory_zalloc(net->actor_count, sizeof(*team->order));
	team->eventcount = ps_eventcount_get();
	if (!team->members || !team->order || !team->eventcount)
		return -ENOMEM;
	return fill(team);
}

static void free_team(struct pstk_network *net)
{
	struct ps_team *team = net->schedule->team;

	if (!team)
		return;
	for (unsigned i = 0; team->members && i < team->count; i++)
		ps_memory_free(team->members[i].alternate_stack);
	ps_eventcount_put(team->eventcount);
	ps_memory_free((void *)team->fed);
	ps_memory_free(team->order);
	ps_memory_free(team->members);
	ps_memory_free(team);
	net->schedule->team = NULL;
}

static unsigned threads(const struct pstk_network *net)
{
	return net->schedule->team ? net->schedule->team->count : 0;
}

static void *member_main(void *arg)
{
	struct ps_member *m = arg;
	struct pstk_network *net = m->team->net;
	char name[16];

	snprintf(name, sizeof name, "pstk-team-%u", m->index);
	pthread_setname_np(pthread_self(), name);
	ps_crash_thread_begin(m->alternate_stack);
	if (net->trace)
		ps_trace_enter(net->trace, PS_TRACE_MEMBER, m->index);
	if (ps_schedule_pass_gate(net))
		ps_member_run(m);
	ps_crash_thread_end(m->alternate_stack);
	ps_schedule_leave(net);
	return NULL;
}

static int begin(struct pstk_network *net, unsigned *created)
{
	struct ps_team *team = net->schedule->team;
	uint64_t now = ps_clock_ns();
	char reason[64];

	/* since then they wait, for a snapshot before they have fired */
	for (unsigned i = 0; team && i < team->task_count; i++)
		atomic_store(&team->order[i]->since, now);
	if (team)
		atomic_store(&team->judged_at, now); /* a member that never sleeps judges first in a while */
	for (*created = 0; team && *created < team->count; ++*created) {
		struct ps_member *m = &team->members[*created];
		int err = ps_thread_begin(&m->thread, m->on_cores ? &m->cores : NULL, member_main, m);

		if (err)
			return ps_network_fail(net, -err,
				"network '%s': cannot create thread %u of its team: %s", net->name, m->index,
				ps_strerror(err, reason, sizeof reason));
	}
	return 0;
}

static void join_threads(struct pstk_network *net, unsigned created)
{
	for (unsigned i = 0; i < created; i++)
		pthread_join(net->schedule->team->members[i].thread, NULL);
}

static bool wants_help(const struct ps_task *t, const struct ps_task *by)
{
	return t->network->schedule->team->fed || t->member >= 0 || by->runner != &ps_team_runner ||
	       by->delegate;
}

const struct ps_runner ps_team_runner = {
	.name = "team",
	.takes = takes,
	.prepare = prepare,
	.free = free_team,
	.threads = threads,
	.begin = begin,
	.join = join_threads,
	.nudge = ps_team_nudge,
	.help = ps_team_help,
	.wants_help = wants_help,
	.hold = ps_team_hold,
	.let_go = ps_team_let_go,
	.suspect = ps_team_suspect,
	.rests = ps_team_rests,
};
