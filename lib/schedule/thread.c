/* SPDX-License-Identifier: MIT */
#include "lib/schedule/thread.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/firing/backend.h"
#include "lib/firing/crash.h"
#include "lib/firing/firing.h"
#include "lib/firing/kahn.h"
#include "lib/firing/reorder.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/thread_wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

/* Fires until the actor ends: its only thread. */
static void fire_windows(struct pstk_actor *a)
{
	struct pstk_firing *firing;
	struct ps_fifo_end *end;
	unsigned port;

	for (;;) {
		switch (ps_firing_take(a, &firing, &end, &port)) {
		case PS_FIRING_ENDED:
			return;
		case PS_FIRING_WAIT:
			if (end)
				ps_thread_wait(a, port, end);
			else
				a->backend->wait_room(a);
			break;
		case PS_FIRING_READY:
			if (!ps_firing_run(firing))
				return;
		}
	}
}

/* Until one of those in flight is through. Call with the claim held. */
static void wait_for_order(struct pstk_actor *a)
{
	pthread_mutex_lock(&a->order_lock);
	while (atomic_load(&a->taken) - atomic_load(&a->published) >= a->slot_count)
		pthread_cond_wait(&a->order_changed, &a->order_lock);
	pthread_mutex_unlock(&a->order_lock);
}

/* One of the actor's threads: the one that has the claim waits for windows, the others for the claim. NULL: the actor
 * ends. */
static struct pstk_firing *take_one(struct pstk_actor *a)
{
	struct pstk_firing *firing = NULL;
	enum ps_firing_state state;
	struct ps_fifo_end *end;
	unsigned port;

	pthread_mutex_lock(&a->claim);
	while ((state = ps_firing_take(a, &firing, &end, &port)) == PS_FIRING_WAIT)
		if (end)
			ps_thread_wait(a, port, end);
		else
			wait_for_order(a);
	pthread_mutex_unlock(&a->claim);
	return state == PS_FIRING_READY ? firing : NULL;
}

/* Side by side with the actor's other threads. */
static void fire_aside(struct pstk_actor *a)
{
	struct pstk_firing *firing;

	while ((firing = take_one(a))) {
		ps_firing_fire(firing);
		ps_reorder_done(firing);
		pthread_mutex_lock(&a->order_lock);
		pthread_cond_signal(&a->order_changed);
		pthread_mutex_unlock(&a->order_lock);
		if (atomic_load(&a->over))
			ps_actor_nudge(a); /* another one may wait at a port */
		else if (!ps_reorder_in_flight(a) && atomic_load(&a->waits_for))
			ps_detector_look(a); /* while this one fired, who waits was not stuck */
	}
}

/* The same for a kahn actor, which waits inside of fire(). When it is over it is fired once more: NULL
 * windows tell it so, and it can tell others (push and pull do). */
static void fire_kahn(struct pstk_actor *a)
{
	bool over;

	do {
		over = ps_firing_over(a);
	} while (ps_firing_run(a->slots) && !over);
	if (!pstk_network_failed(a->network))
		ps_kahn_flush(a->slots);
}

bool ps_thread_pass_gate(struct pstk_network *net)
{
	bool open;

	pthread_mutex_lock(&net->lock);
	while (net->gate == PS_GATE_SHUT)
		pthread_cond_wait(&net->changed, &net->lock);
	open = net->gate == PS_GATE_OPEN;
	pthread_mutex_unlock(&net->lock);
	return open;
}

void ps_thread_has_ended(struct pstk_network *net)
{
	pthread_mutex_lock(&net->lock);
	if (!--net->running) {
		enum ps_network_fate unknown = PS_FATE_UNKNOWN;

		atomic_compare_exchange_strong(&net->fate, &unknown, PS_FATE_OVER);
		pthread_cond_broadcast(&net->changed);
	}
	pthread_mutex_unlock(&net->lock);
}

static bool takes(const struct pstk_actor *a)
{
	(void)a;
	return true;
}

static void run(struct pstk_actor *a)
{
	if (a->type.kahn)
		fire_kahn(a);
	else if (a->slot_count > 1)
		fire_aside(a);
	else
		fire_windows(a);
}

void ps_thread_nudge(struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			ps_fifo_nudge(&f->fifo.reader);
		else
			for (; f; f = f->next)
				ps_fifo_nudge(&f->fifo.writer);
	}
	if (a->backend)
		a->backend->nudge(a);
}

const struct ps_runner ps_thread_runner = {
	.name = "thread",
	.takes = takes,
	.run = run,
	.wait = ps_thread_wait,
	.nudge = ps_thread_nudge,
};

static void fire(struct pstk_actor *a)
{
	a->runner->run(a);
	if (atomic_fetch_sub(&a->threads_left, 1) > 1)
		return;
	ps_firing_close(a);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firing%s", a->name,
		(unsigned long long)atomic_load(&a->firings), ps_plural(atomic_load(&a->firings)));
}

static void *thread_main(void *arg)
{
	struct ps_own_thread *t = arg;
	struct pstk_actor *a = t->actor;
	struct pstk_network *net = a->network;
	char name[16];

	snprintf(name, sizeof name, "%s", a->name); /* the kernel keeps 15 letters */
	pthread_setname_np(pthread_self(), name);
	ps_crash_thread_begin(t->alternate_stack);
	ps_actor_current = a;
	if (ps_thread_pass_gate(net))
		fire(a);
	ps_actor_current = NULL;
	ps_crash_thread_end(t->alternate_stack);
	ps_thread_has_ended(net);
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
static int init_locks(struct pstk_actor *a)
{
	if (pthread_mutex_init(&a->claim, NULL))
		return -ENOMEM;
	a->has_claim = true;
	if (pthread_mutex_init(&a->order_lock, NULL))
		return -ENOMEM;
	if (pthread_cond_init(&a->order_changed, NULL)) {
		pthread_mutex_destroy(&a->order_lock);
		return -ENOMEM;
	}
	a->has_locks = true;
	return 0;
}

int ps_thread_prepare(struct pstk_actor *a)
{
	a->threads = ps_memory_zalloc(ps_thread_count(a), sizeof *a->threads);
	if (!a->threads)
		return -ENOMEM;
	for (unsigned i = 0; i < ps_thread_count(a); i++) {
		int err = ps_crash_prepare(a->network, &a->threads[i].alternate_stack);

		a->threads[i].actor = a;
		if (err)
			return err;
	}
	return ps_thread_count(a) > 1 ? init_locks(a) : 0;
}

void ps_thread_free(struct pstk_actor *a)
{
	for (unsigned i = 0; a->threads && i < ps_thread_count(a); i++)
		ps_memory_free(a->threads[i].alternate_stack);
	ps_memory_free(a->threads);
	if (a->has_locks) {
		pthread_cond_destroy(&a->order_changed);
		pthread_mutex_destroy(&a->order_lock);
	}
	if (a->has_claim)
		pthread_mutex_destroy(&a->claim);
}

unsigned ps_thread_count(const struct pstk_actor *a)
{
	return a->polled ? 0 : a->slot_count;
}

int ps_thread_create(struct pstk_actor *a, unsigned *created)
{
	cpu_set_t set;
	char reason[64];

	CPU_ZERO(&set);
	if (a->core >= 0)
		CPU_SET((unsigned)a->core, &set);
	atomic_store(&a->threads_left, ps_thread_count(a));
	for (*created = 0; *created < ps_thread_count(a); ++*created) {
		struct ps_own_thread *t = &a->threads[*created];
		int err = ps_thread_begin(&t->thread, a->core >= 0 ? &set : NULL, thread_main, t);

		if (err)
			return ps_network_fail(a->network, -err, "'%s': cannot create its thread: %s",
				a->name, ps_strerror(err, reason, sizeof reason));
	}
	return 0;
}

void ps_thread_join(struct pstk_actor *a, unsigned created)
{
	for (unsigned i = 0; i < created; i++)
		pthread_join(a->threads[i].thread, NULL);
}
