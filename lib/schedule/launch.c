/* SPDX-License-Identifier: MIT */
#include "lib/schedule/launch.h"
#include "lib/firing/backend.h"
#include "lib/firing/firing.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/thread.h"
#include "lib/schedule/thread_wait.h"

/* A launch helps its neighbours in turn: so far down one stack. */
enum { HELP_DEPTH = 16 };

static bool takes(const struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;

	return a->backend && !ps_place_moves(a) && !a->type.fire_cl && a->core < 0 &&
	       !a->network->environment.launch_own && !a->backend->relays(a);
}

static int prepare_task(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	int err = pthread_mutex_init(&t->claim, NULL);

	if (err)
		return -err;
	t->has_claim = true;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			f->fifo.reader.quiet = true;
		else
			for (; f; f = f->next)
				f->fifo.writer.quiet = true;
	}
	return 0;
}

static int prepare(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < net->task_count && !err; i++)
		if (net->tasks[i]->runner == &ps_launch_runner)
			err = prepare_task(net->tasks[i]);
	return err;
}

/* Call with the claim held. */
static enum ps_firing_state fire_on(struct ps_task *t, struct ps_fifo_end **end, unsigned *port)
{
	struct pstk_actor *a = t->actor;
	struct pstk_actor *former = ps_actor_enter(a); /* for the crash handler's message */
	struct pstk_firing *firing;
	enum ps_firing_state state = PS_FIRING_READY;

	if (atomic_load_explicit(&t->waits_for, memory_order_relaxed))
		atomic_store(&t->waits_for, NULL);
	while (!atomic_load(&t->over) && state == PS_FIRING_READY) {
		state = ps_firing_take(t, &firing, end, port);
		if (state == PS_FIRING_READY)
			ps_firing_run(firing);
		else if (state == PS_FIRING_ENDED)
			atomic_store(&t->over, true);
	}
	ps_actor_leave(former);
	if (!atomic_load(&t->over) && *end) {
		ps_thread_wait_note(t, *end);
		atomic_store(&t->waits_for, *end);
	}
	return atomic_load(&t->over) ? PS_FIRING_ENDED : state;
}

static enum ps_firing_state take_and_fire(struct ps_task *t, struct ps_fifo_end **end, unsigned *port)
{
	enum ps_firing_state state;

	do {
		pthread_mutex_lock(&t->claim);
		atomic_store(&t->again, false);
		state = fire_on(t, end, port);
		pthread_mutex_unlock(&t->claim);
	} while (state == PS_FIRING_WAIT && atomic_load(&t->again));
	return state;
}

/* false: another thread has the claim, and will read the note. */
static bool try_fire(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	struct ps_fifo_end *end = NULL;
	enum ps_firing_state state;
	unsigned port;
	bool ended;

	if (pthread_mutex_trylock(&t->claim))
		return false;
	atomic_store(&t->again, false);
	ended = atomic_load(&t->over);
	state = fire_on(t, &end, &port);
	pthread_mutex_unlock(&t->claim);
	/* what its own thread does: end it, or wait until fewer of its firings are in flight */
	if (!ended && (state == PS_FIRING_ENDED || (!end && !a->backend->waits_since(a))))
		ps_task_nudge(t); /* a thread that waits for room already looks again by itself */
	if (state == PS_FIRING_WAIT && end)
		ps_detector_look(t->actor);
	return true;
}

void ps_launch_help(struct ps_task *t)
{
	static _Thread_local unsigned depth;

	atomic_store(&t->again, true);
	if (depth == HELP_DEPTH) {
		ps_task_nudge(t);
		return;
	}
	depth++;
	while (atomic_load(&t->again) && try_fire(t))
		;
	depth--;
}

/* The actor's own thread: launches where no other thread does, waits for its commands, ends it. */
static void run(struct ps_task *t)
{
	struct ps_fifo_end *end;
	enum ps_firing_state state;
	unsigned port;

	while ((state = take_and_fire(t, &end, &port)) != PS_FIRING_ENDED)
		if (end)
			ps_thread_wait(t, port, end);
		else
			ps_thread_wait_room(t);
}

static bool wants_help(const struct ps_task *t, const struct ps_task *by)
{
	(void)t;
	(void)by;
	return true;
}

static bool hold(struct ps_task *t)
{
	return !pthread_mutex_trylock(&t->claim);
}

static void let_go(struct ps_task *t)
{
	pthread_mutex_unlock(&t->claim);
	if (atomic_load(&t->again)) /* the thread that has left this note found the claim taken */
		ps_task_nudge(t);
}

const struct ps_runner ps_launch_runner = {
	.name = "launch",
	.takes = takes,
	.prepare = prepare,
	.run = run,
	.nudge = ps_thread_nudge,
	.help = ps_launch_help,
	.wants_help = wants_help,
	.hold = hold,
	.let_go = let_go,
};
