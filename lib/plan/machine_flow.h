/* SPDX-License-Identifier: MIT */
/* Machine flow: a network on a machine as the numbers that lib/mapping plans with. */
#ifndef PENSTOCK_MACHINE_FLOW_H
#define PENSTOCK_MACHINE_FLOW_H

#include "lib/base/text.h"
#include "lib/mapping/flow.h"
#include "lib/model/type.h"

/* Is this port an output that is connected? */
static inline bool ps_machine_flow_writes(const struct pstk_actor *a, unsigned port)
{
	return !ps_port_reads(a->type.ports[port].kind) && a->ports[port].fifo;
}

/*
 * Makes it; the flow's end is to be called in any case. Its outputs are those of the network that are connected, in the
 * order of the actors and their ports.
 * what: why there is none, a line. -EINVAL, -ENOENT, -ENOMEM, -EOVERFLOW.
 */
int ps_machine_flow(
	struct ps_flow *, const struct pstk_network *, struct pstk_machine *, struct ps_text *what);

#endif
