/* SPDX-License-Identifier: MIT */
#include "lib/schedule/schedule.h"
#include "lib/base/memory.h"
#include "lib/firing/runner.h"

#include <errno.h>

int ps_schedule_create(struct pstk_network *net)
{
	net->schedule = ps_memory_zalloc(1, sizeof *net->schedule);
	return net->schedule ? 0 : -ENOMEM;
}

void ps_schedule_free(struct pstk_network *net)
{
	ps_memory_free(net->schedule);
}

void ps_schedule_expect(struct pstk_network *net, unsigned threads)
{
	net->schedule->running = threads;
}

void ps_schedule_open_gate(struct pstk_network *net, bool go_on)
{
	net->schedule->gate = go_on ? PS_GATE_OPEN : PS_GATE_CANCELLED;
	pthread_cond_broadcast(&net->changed);
}

bool ps_schedule_pass_gate(struct pstk_network *net)
{
	bool open;

	pthread_mutex_lock(&net->lock);
	while (net->schedule->gate == PS_GATE_SHUT)
		pthread_cond_wait(&net->changed, &net->lock);
	open = net->schedule->gate == PS_GATE_OPEN;
	pthread_mutex_unlock(&net->lock);
	return open;
}

void ps_schedule_leave(struct pstk_network *net)
{
	bool alone;

	pthread_mutex_lock(&net->lock);
	if (!--net->schedule->running) {
		enum ps_network_fate unknown = PS_FATE_UNKNOWN;

		atomic_compare_exchange_strong(&net->fate, &unknown, PS_FATE_OVER);
		pthread_cond_broadcast(&net->changed);
	}
	alone = net->schedule->running == 1 && net->schedule->alone;
	pthread_mutex_unlock(&net->lock);
	if (alone) /* the last one has yet to leave: the network is still there */
		net->schedule->alone(net);
}

unsigned ps_schedule_running(const struct pstk_network *net)
{
	return net->schedule->running;
}

bool ps_schedule_rests(const struct pstk_network *net)
{
	return net->schedule->poller && net->schedule->poller->rests(net);
}
