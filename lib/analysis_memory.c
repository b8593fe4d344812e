/* SPDX-License-Identifier: MIT */
/* The memory bound where readers of one output share a buffer. */
#include "lib/analysis.h"
#include "lib/placement.h"

#include <string.h>

static bool same_initial(const struct pstk_fifo *a, const struct pstk_fifo *b)
{
	if (!a->initial || !b->initial)
		return a->initial == b->initial;
	return !memcmp(a->initial, b->initial, a->fifo.layout.delay * a->fifo.layout.token_size);
}

static bool on_cores(const struct pstk_fifo *f)
{
	return !f->src->device && !ps_placement_reader(f) && !f->src->type.kahn;
}

/* Of a broadcast's readers on the cores, the one whose buffer the others use: the first with delay
 * tokens, or else the * first. NULL: each has its own, because their delay tokens or depths differ, or
 * there are none. */
static const struct pstk_fifo *owner_on_cores(const struct pstk_fifo *first)
{
	const struct pstk_fifo *best = NULL;

	for (const struct pstk_fifo *f = first; f; f = f->next)
		if (on_cores(f) && (!best || (!best->fifo.layout.delay && f->fifo.layout.delay)))
			best = f;
	for (const struct pstk_fifo *f = first; f; f = f->next) {
		const struct ps_layout *l = &f->fifo.layout;

		if (!on_cores(f))
			continue;
		if (l->depth != best->fifo.layout.depth ||
			(l->delay && (l->delay != best->fifo.layout.delay || !same_initial(f, best))))
			return NULL;
	}
	return best;
}

/* All FIFOs of one output. false: more than can be counted. */
static bool add_output(const struct pstk_fifo *first, size_t *sum)
{
	const struct pstk_fifo *owner = owner_on_cores(first);

	for (const struct pstk_fifo *f = first; f; f = f->next) {
		bool own = on_cores(f) ? !owner || f == owner : ps_placement_owner(f) == f;

		if (own && __builtin_add_overflow(*sum, f->fifo.layout.bytes, sum))
			return false;
	}
	return true;
}

size_t ps_analysis_shared_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];

		if (f->src->ports[f->src_port].fifo == f && !add_output(f, &sum))
			return SIZE_MAX;
	}
	return sum;
}
