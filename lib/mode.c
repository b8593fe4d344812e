/* SPDX-License-Identifier: MIT */
#include "lib/mode.h"
#include "lib/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void ps_mode_init(struct pstk_network *net)
{
	const char *text = getenv("PENSTOCK_TEAM");

	net->threads = text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

uint32_t ps_mode_depth(const struct pstk_network *net)
{
	return net->threads ? 2 * net->threads : 2;
}

int pstk_network_set_threads(struct pstk_network *net, unsigned threads)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (threads > PS_THREADS_MAX)
		return ps_network_problem(net, -EINVAL,
			"pstk_network_set_threads: %u threads: expected 0 to %d", threads, PS_THREADS_MAX);
	net->threads = threads;
	return 0;
}

unsigned pstk_network_threads(const struct pstk_network *net)
{
	return net ? net->threads : 0;
}

int pstk_actor_set_concurrency(struct pstk_actor *a, unsigned n)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (err)
		return err;
	a->concurrency = n;
	return 0;
}

unsigned pstk_actor_concurrency(const struct pstk_actor *a, char *why, size_t size)
{
	unsigned n;

	if (why && size)
		*why = 0;
	if (!a)
		return 0;
	n = a->concurrency                             ? a->concurrency
	    : a->type.stateless && a->network->threads ? a->network->threads
	                                               : 1;
	for (unsigned i = 0; i < a->network->fifo_count; i++) {
		const struct pstk_fifo *f = a->network->fifos[i];
		if ((f->src == a || f->dst == a) && f->fifo.layout.depth < n)
			n = f->fifo.layout.depth;
	}
	return a->device ? 1 : n;
}

int pstk_network_set_depth_budget(struct pstk_network *net, size_t bytes)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	net->depth_budget = bytes;
	return 0;
}
