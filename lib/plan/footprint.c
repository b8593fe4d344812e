/* SPDX-License-Identifier: MIT */
/* Footprint: the bytes of a network's FIFOs. */
#include "lib/model/adopted.h"
#include "lib/plan/settle.h"
#include "lib/plan/sharing.h"

static size_t bytes_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);

	return adopted ? adopted->info.bytes : f->fifo.layout.bytes;
}

size_t pstk_network_fifo_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	if (net)
		ps_plan_settle(net);
	for (unsigned i = 0; net && i < net->fifo_count; i++)
		if (ps_fifo_is_known(net->fifos[i]) &&
			__builtin_add_overflow(sum, bytes_of(net->fifos[i]), &sum))
			return SIZE_MAX;
	return sum;
}

size_t pstk_network_shared_bytes(const struct pstk_network *net)
{
	const struct ps_adopted *d = net ? atomic_load(&net->adopted) : NULL;
	size_t sum;

	if (!net)
		return 0;
	ps_plan_settle(net);
	sum = ps_sharing_bytes(net);
	if (d && __builtin_add_overflow(sum, atomic_load(&d->shared_bytes), &sum))
		return SIZE_MAX;
	return sum;
}

size_t pstk_network_allocated_bytes(const struct pstk_network *net)
{
	const struct ps_adopted *d = net ? atomic_load(&net->adopted) : NULL;
	size_t sum = d ? atomic_load(&d->allocated) : 0;

	for (unsigned i = 0; net && i < net->fifo_count; i++)
		sum += net->fifos[i]->fifo.allocated;
	return sum;
}
