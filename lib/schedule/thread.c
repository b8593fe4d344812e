/* SPDX-License-Identifier: MIT */
#include "lib/schedule/thread.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/firing/backend.h"
#include "lib/firing/crash.h"
#include "lib/firing/delegate.h"
#include "lib/firing/firing.h"
#include "lib/firing/kahn.h"
#include "lib/firing/reorder.h"
#include "lib/firing/tracing.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread_wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

/* A thread that fires one task only. */
struct ps_own_thread {
	struct ps_task *task;
	pthread_t thread;
	void *alternate_stack; /* for the crash handler; constant after start */
};

/* Fires until the actor ends: its only thread. */
static void fire_windows(struct ps_task *t)
{
	struct pstk_firing *firing;
	struct ps_fifo_end *end;
	unsigned port;

	for (;;) {
		switch (ps_firing_take(t, &firing, &end, &port)) {
		case PS_FIRING_ENDED:
			return;
		case PS_FIRING_WAIT:
			if (end)
				ps_thread_wait(t, port, end);
			else
				ps_thread_wait_room(t);
			break;
		case PS_FIRING_READY:
			if (!ps_firing_run(firing))
				return;
		}
	}
}

/* Until one of those in flight is through; of one that moves, at its device. Call with the claim held. */
static void wait_for_order(struct ps_task *t)
{
	uint64_t begin = t->trace ? ps_clock_ns() : 0;

	if (!ps_firing_all_in_flight(t)) {
		if (t->actor->backend)
			ps_thread_wait_room(t);
		return;
	}
	pthread_mutex_lock(&t->order_lock);
	while (ps_firing_all_in_flight(t))
		pthread_cond_wait(&t->order_changed, &t->order_lock);
	pthread_mutex_unlock(&t->order_lock);
	if (t->trace)
		ps_tracing_waited(t, PS_NO_PORT, NULL, begin, ps_clock_ns() - begin);
}

enum ps_firing_state ps_thread_take(
	struct ps_task *t, struct pstk_firing **firing, bool (*goes_on)(void *), void *data)
{
	enum ps_firing_state state = PS_FIRING_WAIT;
	struct ps_fifo_end *end;
	unsigned port;

	pthread_mutex_lock(&t->claim);
	while ((!goes_on || goes_on(data)) &&
		(state = ps_firing_take(t, firing, &end, &port)) == PS_FIRING_WAIT)
		if (end)
			ps_thread_wait(t, port, end);
		else
			wait_for_order(t);
	pthread_mutex_unlock(&t->claim);
	return state;
}

void ps_thread_fire(struct pstk_firing *firing)
{
	struct ps_task *t = firing->task;

	ps_firing_fire(firing);
	ps_reorder_done(firing);
	pthread_mutex_lock(&t->order_lock);
	pthread_cond_signal(&t->order_changed);
	pthread_mutex_unlock(&t->order_lock);
	if (atomic_load(&t->over))
		ps_task_nudge(t); /* another one may wait at a port */
	else if (!ps_reorder_in_flight(t) && atomic_load(&t->waits_for))
		/* while this one fired, the thread that waits was not stuck */
		ps_detector_look(t->actor);
}

/* Side by side with the actor's other threads. */
static void fire_aside(struct ps_task *t)
{
	struct pstk_firing *firing;

	while (ps_thread_take(t, &firing, NULL, NULL) == PS_FIRING_READY)
		ps_thread_fire(firing);
}

/* The same for a kahn actor, which waits inside of fire(). When it is over it is fired once more: NULL
 * windows tell it so, and it can tell others (push and pull do). */
static void fire_kahn(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	bool over;

	do {
		over = ps_firing_over(t);
	} while (ps_firing_run(t->slots) && !over);
	if (!pstk_network_failed(a->network))
		ps_kahn_flush(t->slots);
}

static bool takes(const struct ps_task *t)
{
	(void)t;
	return true;
}

static void run(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;

	if (a->type.kahn)
		fire_kahn(t);
	else if (t->slot_count > 1)
		fire_aside(t);
	else
		fire_windows(t);
}

void ps_thread_nudge(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			ps_fifo_nudge(&ps_counters(f)->reader);
		else
			for (; f; f = f->next)
				ps_fifo_nudge(&ps_counters(f)->writer);
	}
	if (ps_backend_anywhere(a))
		ps_backend_anywhere(a)->nudge(a);
}

const struct ps_runner ps_thread_runner = {
	.name = "thread",
	.takes = takes,
	.run = run,
	.wait = ps_thread_wait,
	.nudge = ps_thread_nudge,
};

static void fire(struct ps_task *t)
{
	if (t->polled) { /* the runner that polls closes it */
		t->delegate->run(t);
		return;
	}
	t->runner->run(t);
	if (atomic_fetch_sub(&t->threads_left, 1) > 1)
		return;
	ps_firing_close(t);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firing%s", t->actor->name,
		(unsigned long long)atomic_load(&t->firings), ps_plural(atomic_load(&t->firings)));
}

static void *thread_main(void *arg)
{
	struct ps_own_thread *own = arg;
	struct ps_task *t = own->task;
	struct pstk_network *net = t->network;
	char name[16];

	snprintf(name, sizeof name, "%s", t->actor->name); /* the kernel keeps 15 letters */
	pthread_setname_np(pthread_self(), name);
	ps_crash_thread_begin(own->alternate_stack);
	ps_actor_current = t->actor;
	if (net->trace)
		ps_trace_enter(net->trace, PS_TRACE_THREAD_OF, t->actor->index);
	if (ps_schedule_pass_gate(net))
		fire(t);
	ps_actor_current = NULL;
	ps_crash_thread_end(own->alternate_stack);
	ps_schedule_leave(net);
	return NULL;
}

int ps_thread_begin(pthread_t *thread, const cpu_set_t *cores, void *(*body)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t none, former;
	int err = pthread_attr_init(&attr);

	if (!err && cores)
		err = pthread_attr_setaffinity_np(&attr, sizeof *cores, cores);
	if (!err) {
		/* signals are for the program's own threads, but for those that a fault raises in the actor
		 */
		sigfillset(&none);
		ps_crash_remove_faults(&none);
		pthread_sigmask(SIG_SETMASK, &none, &former);
		err = pthread_create(thread, &attr, body, arg);
		pthread_sigmask(SIG_SETMASK, &former, NULL);
	}
	pthread_attr_destroy(&attr);
	return err;
}

/* -ENOMEM: what POSIX's init functions can fail with. */
static int init_locks(struct ps_task *t)
{
	if (pthread_mutex_init(&t->claim, NULL))
		return -ENOMEM;
	t->has_claim = true;
	if (pthread_mutex_init(&t->order_lock, NULL))
		return -ENOMEM;
	if (pthread_cond_init(&t->order_changed, NULL)) {
		pthread_mutex_destroy(&t->order_lock);
		return -ENOMEM;
	}
	t->has_locks = true;
	return 0;
}

int ps_thread_prepare(struct ps_task *t)
{
	t->threads = ps_memory_zalloc(ps_thread_count(t), sizeof *t->threads);
	if (!t->threads)
		return -ENOMEM;
	for (unsigned i = 0; i < ps_thread_count(t); i++) {
		int err = ps_crash_prepare(t->network, &t->threads[i].alternate_stack);

		t->threads[i].task = t;
		if (err)
			return err;
	}
	return t->slot_count > 1 && !t->polled ? init_locks(t) : 0;
}

void ps_thread_free(struct ps_task *t)
{
	for (unsigned i = 0; t->threads && i < ps_thread_count(t); i++)
		ps_memory_free(t->threads[i].alternate_stack);
	ps_memory_free(t->threads);
	if (t->has_locks) {
		pthread_cond_destroy(&t->order_changed);
		pthread_mutex_destroy(&t->order_lock);
	}
	if (t->has_claim)
		pthread_mutex_destroy(&t->claim);
}

unsigned ps_thread_count(const struct ps_task *t)
{
	return t->thread_count ? t->thread_count : t->polled ? 0 : t->slot_count;
}

int ps_thread_create(struct ps_task *t, unsigned *created)
{
	const struct pstk_actor *a = t->actor;
	cpu_set_t set;
	char reason[64];

	CPU_ZERO(&set);
	if (a->core >= 0)
		CPU_SET((unsigned)a->core, &set);
	atomic_store(&t->threads_left, ps_thread_count(t));
	for (*created = 0; *created < ps_thread_count(t); ++*created) {
		struct ps_own_thread *own = &t->threads[*created];
		int err = ps_thread_begin(&own->thread, a->core >= 0 ? &set : NULL, thread_main, own);

		if (err)
			return ps_network_fail(a->network, -err, "'%s': cannot create its thread: %s",
				a->name, ps_strerror(err, reason, sizeof reason));
	}
	return 0;
}

void ps_thread_join(struct ps_task *t, unsigned created)
{
	for (unsigned i = 0; i < created; i++)
		pthread_join(t->threads[i].thread, NULL);
}
