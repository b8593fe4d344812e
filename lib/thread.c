/* SPDX-License-Identifier: MIT */
#include "lib/thread.h"
#include "lib/actor.h"
#include "lib/device.h"
#include "lib/error.h"
#include "lib/firing.h"
#include "lib/kahn.h"
#include "lib/launch.h"
#include "lib/log.h"
#include "lib/signal.h"
#include "lib/wait.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>

/* Fires until the actor ends. */
static void fire_windows(struct pstk_actor *a)
{
	struct ps_fifo_end *end;
	unsigned port;

	for (;;) {
		switch (a->launched ? ps_launch_run(a, &end, &port)
				    : ps_firing_take(&a->firing, &end, &port)) {
		case PS_FIRING_ENDED:
			return;
		case PS_FIRING_WAIT:
			if (end)
				ps_wait(a, port, end);
			else
				ps_device_wait_room(a);
			break;
		case PS_FIRING_READY:
			if (!ps_firing_run(&a->firing))
				return;
		}
	}
}

/* The same for a kahn actor, which waits inside of fire(). When it is over it is fired once more: NULL
 * windows tell it so, and it can tell others (push and pull do). */
static void fire_kahn(struct pstk_actor *a)
{
	bool over;

	do {
		over = ps_firing_over(a);
	} while (ps_firing_run(&a->firing) && !over);
	if (!pstk_network_failed(a->network))
		ps_kahn_flush(&a->firing);
}

/* Waits for the start's word: false when the start has failed. */
static bool pass_gate(struct pstk_network *net)
{
	bool open;

	pthread_mutex_lock(&net->lock);
	while (net->gate == PS_GATE_SHUT)
		pthread_cond_wait(&net->changed, &net->lock);
	open = net->gate == PS_GATE_OPEN;
	pthread_mutex_unlock(&net->lock);
	return open;
}

static void *thread_main(void *arg)
{
	struct pstk_actor *a = arg;
	struct pstk_network *net = a->network;
	char name[16];

	snprintf(name, sizeof name, "%s", a->name); /* the kernel keeps 15 letters */
	pthread_setname_np(pthread_self(), name);
	ps_signal_thread_begin(a->alternate_stack);
	ps_actor_current = a;
	if (pass_gate(net)) {
		if (a->type.kahn)
			fire_kahn(a);
		else
			fire_windows(a);
		ps_firing_close(&a->firing);
		ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firings", a->name,
			(unsigned long long)a->firing.index);
	}
	ps_actor_current = NULL;
	ps_signal_thread_end(a->alternate_stack);
	pthread_mutex_lock(&net->lock);
	if (!--net->running) {
		enum ps_network_fate unknown = PS_FATE_UNKNOWN;

		atomic_compare_exchange_strong(&net->fate, &unknown, PS_FATE_OVER);
		pthread_cond_broadcast(&net->changed);
	}
	pthread_mutex_unlock(&net->lock);
	return NULL;
}

static int set_core(pthread_attr_t *attr, int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)core, &set);
	return pthread_attr_setaffinity_np(attr, sizeof set, &set);
}

int ps_thread_create(struct pstk_actor *a)
{
	pthread_attr_t attr;
	sigset_t none, former;
	char reason[64];
	int err = pthread_attr_init(&attr);

	if (!err && a->core >= 0)
		err = set_core(&attr, a->core);
	if (!err) {
		/* signals are for the program's own threads, but for those that a fault raises in the actor
		 */
		sigfillset(&none);
		ps_signal_remove_faults(&none);
		pthread_sigmask(SIG_SETMASK, &none, &former);
		err = pthread_create(&a->thread, &attr, thread_main, a);
		pthread_sigmask(SIG_SETMASK, &former, NULL);
	}
	pthread_attr_destroy(&attr);
	if (err)
		return ps_network_fail(a->network, -err, "'%s': cannot create its thread: %s", a->name,
			ps_strerror(err, reason, sizeof reason));
	return 0;
}
