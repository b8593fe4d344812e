/* SPDX-License-Identifier: MIT */
#include "tests/common/simulator.h"
#include "lib/firing/reorder.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/run/runners.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread.h"
#include "tests/common/common.h"

#include <stdlib.h>

enum { LONGEST = 100 }; /* ticks of a firing */

/* A firing that has begun. */
struct flight {
	struct pstk_firing *firing;
	uint64_t end;
};

/* All of it belongs to the simulating thread, while it runs; the network's start and end see it before and after. */
static struct simulation {
	struct pstk_network *net;
	struct test_rng rng;
	struct flight *flights;
	unsigned flight_count, flight_room;
	unsigned live;
	pthread_t thread;
	struct simulator_trace trace;
} simulation;

static uint64_t seed;

static bool takes(const struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;

	return !a->type.kahn && !a->type.blocks && !a->backend;
}

/* No thread waits at these ends. */
static void poll_port(struct ps_port *port, bool reads)
{
	if (reads)
		port->fifo->fifo.reader_polled = true;
	else
		for (struct pstk_fifo *f = port->fifo; f; f = f->next)
			f->fifo.writer_polled = true;
}

static int prepare(struct pstk_network *net)
{
	struct simulation *s = &simulation;

	*s = (struct simulation){ .net = net, .rng = { .state = seed } };
	for (unsigned i = 0; i < net->task_count; i++) {
		const struct pstk_actor *a = net->tasks[i]->actor;

		if (!net->tasks[i]->polled)
			continue;
		s->live++;
		for (unsigned p = 0; p < a->type.port_count; p++)
			poll_port(&a->ports[p], ps_port_reads(a->type.ports[p].kind));
	}
	return 0;
}

static void note(struct simulation *s, const struct pstk_actor *a, unsigned what)
{
	s->trace.steps++;
	s->trace.order = (s->trace.order ^ (a->index * 2u + what)) * UINT64_C(0x100000001b3);
}

static void close_task(struct simulation *s, struct ps_task *t)
{
	ps_firing_close(t);
	s->live--;
}

/* Of a task that will not fire again: with its last firing in flight, that one's end closes it. */
static void end_task(struct simulation *s, struct ps_task *t)
{
	atomic_store(&t->ending, true);
	if (!ps_reorder_in_flight(t) && !atomic_load(&t->ended))
		close_task(s, t);
}

static void begin_flight(struct simulation *s, struct pstk_firing *firing)
{
	if (s->flight_count == s->flight_room) {
		s->flight_room = s->flight_room ? 2 * s->flight_room : 16;
		s->flights = realloc(s->flights, s->flight_room * sizeof *s->flights);
		ck_assert_ptr_nonnull(s->flights);
	}
	s->flights[s->flight_count++] =
		(struct flight){ firing, s->trace.clock + test_between(&s->rng, 1, LONGEST) };
	if (s->flight_count > s->trace.most)
		s->trace.most = s->flight_count;
}

static bool in_flight(const struct simulation *s, const struct ps_task *t)
{
	for (unsigned i = 0; i < s->flight_count; i++)
		if (s->flights[i].firing->task == t)
			return true;
	return false;
}

/* false: it can't begin a firing now. */
static bool begin_firing(struct simulation *s, struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	struct pstk_actor *former;
	struct pstk_firing *firing;
	struct ps_fifo_end *end;
	enum ps_firing_state state;
	unsigned port;

	if (atomic_load(&t->ended) || (t->slot_count == 1 && in_flight(s, t)) || !ps_firing_may_take(t))
		return false;
	atomic_store(&t->again, false);
	former = ps_actor_enter(a);
	state = ps_firing_take(t, &firing, &end, &port);
	if (state == PS_FIRING_READY) {
		note(s, a, 0);
		s->trace.firings++;
		ps_firing_fire(firing);
		begin_flight(s, firing);
	} else if (state == PS_FIRING_ENDED) {
		end_task(s, t);
	}
	ps_actor_leave(former);
	return state != PS_FIRING_WAIT;
}

static void end_flight(struct simulation *s, unsigned i)
{
	struct pstk_firing *firing = s->flights[i].firing;
	struct pstk_actor *a = firing->actor, *former = ps_actor_enter(a);
	struct ps_task *t = firing->task;

	if (s->flights[i].end > s->trace.clock)
		s->trace.clock = s->flights[i].end;
	s->flights[i] = s->flights[--s->flight_count];
	note(s, a, 1);
	if (t->slot_count > 1)
		ps_reorder_done(firing);
	else if (!ps_firing_publish(firing))
		atomic_store(&t->over, true);
	if (atomic_load(&t->over) || atomic_load(&t->ending))
		end_task(s, t);
	ps_actor_leave(former);
}

static unsigned first_to_end(const struct simulation *s)
{
	unsigned first = 0;

	for (unsigned i = 1; i < s->flight_count; i++)
		if (s->flights[i].end < s->flights[first].end)
			first = i;
	return first;
}

/* From a random actor on, the first one that can begin. */
static bool begin_any(struct simulation *s)
{
	unsigned count = s->net->task_count, from = (unsigned)test_between(&s->rng, 0, count - 1);

	for (unsigned i = 0; i < count; i++) {
		struct ps_task *t = s->net->tasks[(from + i) % count];

		if (t->polled && begin_firing(s, t))
			return true;
	}
	return false;
}

/* Nothing can begin, nothing is in flight: actors with threads of their own, a stop or an abort may change that. */
static void rest(struct simulation *s)
{
	s->trace.judged++;
	ps_detector_judge(s->net);
	sched_yield();
}

static void simulate(struct simulation *s)
{
	while (s->live) {
		bool ends = s->flight_count && test_between(&s->rng, 0, 1);

		if (!ends && begin_any(s))
			continue;
		if (s->flight_count)
			end_flight(s, first_to_end(s));
		else if (!begin_any(s))
			rest(s);
	}
}

static void *simulator_main(void *arg)
{
	struct simulation *s = arg;

	if (ps_schedule_pass_gate(s->net))
		simulate(s);
	ps_schedule_leave(s->net);
	return NULL;
}

static unsigned threads(const struct pstk_network *net)
{
	(void)net;
	return 1;
}

static int begin(struct pstk_network *net, unsigned *created)
{
	int err = ps_thread_begin(&simulation.thread, NULL, simulator_main, &simulation);

	*created = !err;
	return err ? ps_network_fail(net, -err, "cannot create the simulator's thread") : 0;
}

static void join(struct pstk_network *net, unsigned created)
{
	(void)net;
	if (created)
		pthread_join(simulation.thread, NULL);
}

static void free_simulation(struct pstk_network *net)
{
	(void)net;
	free(simulation.flights);
	simulation.flights = NULL;
}

/* One thread does everything, and looks at every actor again anyway. */
static void nudge(struct ps_task *t)
{
	atomic_store(&t->again, true);
}

static bool hold(struct ps_task *t)
{
	(void)t;
	return true;
}

static void let_go(struct ps_task *t)
{
	(void)t;
}

static void suspect(struct pstk_network *net)
{
	(void)net;
}

static bool rests(const struct pstk_network *net)
{
	(void)net;
	return false;
}

static const struct ps_runner simulator = {
	.name = "simulator",
	.takes = takes,
	.prepare = prepare,
	.threads = threads,
	.begin = begin,
	.join = join,
	.free = free_simulation,
	.nudge = nudge,
	.hold = hold,
	.let_go = let_go,
	.suspect = suspect,
	.rests = rests,
};

void simulator_begin(uint64_t with)
{
	seed = with;
	ps_runners_first = &simulator;
}

void simulator_end(void)
{
	ps_runners_first = NULL;
}

struct simulator_trace simulator_trace(void)
{
	return simulation.trace;
}
