/* SPDX-License-Identifier: MIT */
#include "lib/plan/depth.h"
#include "lib/firing/backend.h"
#include "lib/model/pipeline.h"
#include "lib/plan/plan.h"
#include "lib/plan/rates.h"
#include "lib/plan/sharing.h"

#include <errno.h>
#include <unistd.h>

/* PLAIN: the depth of threads of their own. The others with PSTK_DEPTH_AUTO. More than 32 windows fall out of the
 * cache, whatever the budget is. An actor on a device has few firings in flight: four windows towards the host keep it
 * busy, two towards an actor on a device. */
enum { PLAIN = 2, MOST_ON_CORES = 32, MOST_WITH_HOST = 4, MOST_ON_DEVICES = 2, BUDGET = 512 * 1024 };

uint32_t ps_depth_default(unsigned threads)
{
	return threads ? 2 * threads : PLAIN;
}

static int layout_with(const struct pstk_fifo *f, uint32_t depth, struct ps_layout *layout)
{
	*layout = f->fifo.layout;
	layout->depth = depth;
	layout->room = 0;
	return ps_layout_init(layout);
}

int ps_depth_fits(const struct pstk_network *net, unsigned threads, const struct pstk_fifo **which)
{
	struct ps_layout layout;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		*which = net->fifos[i];
		if (ps_depth_is_open(*which) && layout_with(*which, ps_depth_default(threads), &layout))
			return -EOVERFLOW;
	}
	return 0;
}

uint32_t ps_depth_auto(const struct pstk_network *net)
{
	return net->plan->depth;
}

size_t ps_depth_budget(const struct pstk_network *net)
{
	long cache = 0;

	if (net->plan->depth_budget)
		return net->plan->depth_budget;
#ifdef _SC_LEVEL2_CACHE_SIZE
	cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	return cache > 0 ? (size_t)cache / 2 : BUDGET;
}

/* The depth of a FIFO when all get `depth`. */
static uint32_t depth_of(const struct pstk_fifo *f, uint32_t depth)
{
	uint32_t least = ps_depth_default(f->src->network->plan->threads), windows = ps_pipeline_windows(f);
	/* where they are at first: the same whether they may move or not */
	bool writes = f->src->backend, reads = ps_backend_of_reader(f) && f->dst->backend;
	uint32_t most = writes && reads ? MOST_ON_DEVICES : writes || reads ? MOST_WITH_HOST : MOST_ON_CORES;

	depth = depth < most ? depth : most;
	least = least > windows ? least : windows;
	return depth > least ? depth : least;
}

/* false: a FIFO would have more bytes than there can be. */
static bool set_depths(const struct pstk_network *net, uint32_t depth)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];
		struct ps_layout layout;

		if (!ps_depth_is_open(f))
			continue;
		if (layout_with(f, depth_of(f, depth), &layout))
			return false;
		f->fifo.layout = f->fifo.shape = layout; /* before the start no FIFO shares memory */
	}
	return true;
}

static bool fits(const struct pstk_network *net, size_t most)
{
	size_t bytes = ps_sharing_bytes(net);

	return bytes <= most && bytes != SIZE_MAX;
}

/* From the top, because fewer windows may take more bytes: readers on a device share only at equal depths. */
static uint32_t largest(struct pstk_network *net, uint32_t least)
{
	size_t most = ps_depth_budget(net);

	for (uint32_t depth = MOST_ON_CORES; depth > least; depth--)
		if (set_depths(net, depth) && fits(net, most)) {
			ps_rates_settle(net); /* rooms that grow only make it more */
			if (fits(net, most))
				return depth;
		}
	return least;
}

void ps_depth_reset(struct pstk_network *net)
{
	set_depths(net, ps_depth_default(net->plan->threads));
}

void ps_depth_decide(struct pstk_network *net)
{
	uint32_t depth = ps_depth_default(net->plan->threads);

	if (net->flags & PSTK_DEPTH_AUTO)
		depth = largest(net, depth);
	else if (depth == net->plan->depth && !net->pipelines) /* new FIFOs were made with it */
		return;
	set_depths(net, depth);
	net->plan->depth = depth;
}
