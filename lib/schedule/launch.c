/* SPDX-License-Identifier: MIT */
#include "lib/schedule/launch.h"
#include "lib/firing/backend.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/thread.h"
#include "lib/schedule/thread_wait.h"

/* A launch helps its neighbours in turn: so far down one stack. */
enum { HELP_DEPTH = 16 };

static bool takes(const struct pstk_actor *a)
{
	return a->backend && !a->type.fire_cl && a->core < 0 && !a->network->environment.launch_own &&
	       !a->backend->relays(a);
}

static int prepare_actor(struct pstk_actor *a)
{
	int err = pthread_mutex_init(&a->claim, NULL);

	if (err)
		return -err;
	a->has_claim = true;
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

	for (unsigned i = 0; i < net->actor_count && !err; i++)
		if (net->actors[i]->runner == &ps_launch_runner)
			err = prepare_actor(net->actors[i]);
	return err;
}

/* Call with the claim held. */
static enum ps_firing_state fire_on(struct pstk_actor *a, struct ps_fifo_end **end, unsigned *port)
{
	struct pstk_actor *former = ps_actor_enter(a); /* for the crash handler's message */
	struct pstk_firing *firing;
	enum ps_firing_state state = PS_FIRING_READY;

	if (atomic_load_explicit(&a->waits_for, memory_order_relaxed))
		atomic_store(&a->waits_for, NULL);
	while (!atomic_load(&a->over) && state == PS_FIRING_READY) {
		state = ps_firing_take(a, &firing, end, port);
		if (state == PS_FIRING_READY)
			ps_firing_run(firing);
		else if (state == PS_FIRING_ENDED)
			atomic_store(&a->over, true);
	}
	ps_actor_leave(former);
	if (!atomic_load(&a->over) && *end) {
		ps_thread_wait_note(a, *end);
		atomic_store(&a->waits_for, *end);
	}
	return atomic_load(&a->over) ? PS_FIRING_ENDED : state;
}

static enum ps_firing_state take_and_fire(struct pstk_actor *a, struct ps_fifo_end **end, unsigned *port)
{
	enum ps_firing_state state;

	do {
		pthread_mutex_lock(&a->claim);
		atomic_store(&a->again, false);
		state = fire_on(a, end, port);
		pthread_mutex_unlock(&a->claim);
	} while (state == PS_FIRING_WAIT && atomic_load(&a->again));
	return state;
}

/* false: somebody else has the claim, and will read the note. */
static bool try_fire(struct pstk_actor *a)
{
	struct ps_fifo_end *end = NULL;
	enum ps_firing_state state;
	unsigned port;
	bool ended;

	if (pthread_mutex_trylock(&a->claim))
		return false;
	atomic_store(&a->again, false);
	ended = atomic_load(&a->over);
	state = fire_on(a, &end, &port);
	pthread_mutex_unlock(&a->claim);
	/* what its own thread does: end it, or wait until fewer of its firings are in flight */
	if (!ended && (state == PS_FIRING_ENDED || (!end && !a->backend->waits_since(a))))
		ps_actor_nudge(a); /* who waits for room already looks again by itself */
	if (state == PS_FIRING_WAIT && end)
		ps_detector_look(a);
	return true;
}

void ps_launch_help(struct pstk_actor *a)
{
	static _Thread_local unsigned depth;

	atomic_store(&a->again, true);
	if (depth == HELP_DEPTH) {
		ps_actor_nudge(a);
		return;
	}
	depth++;
	while (atomic_load(&a->again) && try_fire(a))
		;
	depth--;
}

/* The actor's own thread: launches where no other thread does, waits for its commands, ends it. */
static void run(struct pstk_actor *a)
{
	struct ps_fifo_end *end;
	enum ps_firing_state state;
	unsigned port;

	while ((state = take_and_fire(a, &end, &port)) != PS_FIRING_ENDED)
		if (end)
			ps_thread_wait(a, port, end);
		else
			a->backend->wait_room(a);
}

static bool wants_help(const struct pstk_actor *a, const struct pstk_actor *by)
{
	(void)a;
	(void)by;
	return true;
}

static bool hold(struct pstk_actor *a)
{
	return !pthread_mutex_trylock(&a->claim);
}

static void let_go(struct pstk_actor *a)
{
	pthread_mutex_unlock(&a->claim);
	if (atomic_load(&a->again)) /* the thread that has left this note found the claim taken */
		ps_actor_nudge(a);
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
