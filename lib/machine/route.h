/* SPDX-License-Identifier: MIT */
/*
 * Route: the links from one place to another.
 *
 * A route has the fewest hops that there can be, then the fewest links; of several the first one in the order in which
 * the links were added. A hop is a transfer, so a shared link is none. All routes from one place make a tree: two of
 * them part once and do not meet again. So a broadcast crosses each link once.
 */
#ifndef PENSTOCK_ROUTE_H
#define PENSTOCK_ROUTE_H

#include "lib/machine/machine.h"

#define PS_NO_ROUTE 0xffffffffu

/* The routes of a machine, found as they are asked for. One thread. */
struct ps_routes {
	const struct pstk_machine *machine;
	/* of each place: the link towards it from each other place, or PS_NO_ROUTE; NULL: not yet known */
	unsigned **next;
	uint64_t *distance; /* of each place, in one search */
	unsigned *queue;
};

/* -ENOMEM; the end is to be called in any case. */
int ps_routes_init(struct ps_routes *, const struct pstk_machine *);
void ps_routes_fini(struct ps_routes *);

/* The first link on the route between two places that are not the same. 0, -ENOENT: there is no route, -ENOMEM. */
int ps_routes_next(struct ps_routes *, unsigned from, unsigned to, unsigned *link);

#endif
