/* SPDX-License-Identifier: MIT */
/* Footprint: the bytes of a network's FIFOs. */
#include "lib/model/network.h"
#include "lib/plan/settle.h"
#include "lib/plan/sharing.h"

size_t pstk_network_fifo_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	if (net)
		ps_plan_settle(net);
	for (unsigned i = 0; net && i < net->fifo_count; i++)
		if (net->fifos[i]->crossing != PS_CROSSES_ELSEWHERE &&
			__builtin_add_overflow(sum, net->fifos[i]->fifo.layout.bytes, &sum))
			return SIZE_MAX;
	return sum;
}

size_t pstk_network_shared_bytes(const struct pstk_network *net)
{
	if (!net)
		return 0;
	ps_plan_settle(net);
	return ps_sharing_bytes(net);
}

size_t pstk_network_allocated_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	for (unsigned i = 0; net && i < net->fifo_count; i++)
		sum += net->fifos[i]->fifo.allocated;
	return sum;
}
