/* SPDX-License-Identifier: MIT */
/*
 * Ways: the hosts over which windows of a FIFO go from its writer's host to its reader's. Where no link of the machine
 * joins the two, these are the hosts in between on its route (lib/machine/route.h), each of which passes the windows on
 * (parts.h). All ways from one host make a tree, as routes do: an output reaches each host from one other host only.
 *
 * Hosts are numbers of places of the machine.
 */
#ifndef PENSTOCK_WAYS_H
#define PENSTOCK_WAYS_H

#include "lib/machine/route.h"
#include "lib/model/network.h"

struct ps_way {
	unsigned count;
	unsigned hosts[]; /* those in between, in the order in which windows come to them */
};

/* The way between two hosts that have a route; NULL: it is direct. Free it with ps_memory_free(). -ENOMEM. */
int ps_way_find(struct ps_routes *, unsigned from, unsigned to, struct ps_way **);

/* BUILD. The FIFO takes a copy; NULL: it leads directly. -ENOMEM. */
int ps_way_set(struct pstk_fifo *, const struct ps_way *);

/* Does the FIFO's way lead over this host, which is neither the writer's nor the reader's? */
bool ps_way_crosses(const struct pstk_fifo *, unsigned host);

/* The hosts behind and before one that is on the FIFO's way, which has such. */
unsigned ps_way_next(const struct pstk_fifo *, unsigned host);
unsigned ps_way_before(const struct pstk_fifo *, unsigned host);

/* What carries the windows of the FIFO's output to a host on its way: the first of the output's FIFOs that leads there,
 * or over it. */
const struct pstk_fifo *ps_way_channel(const struct pstk_fifo *, unsigned host);

#endif
