/* SPDX-License-Identifier: MIT */
/*
 * Search: the mapping with the least period, as the bound of loads.c says it. Of mappings whose periods are within 1e-9
 * of each other the one with the least self-timed period counts, then the fewest bytes over links, then the least
 * latency.
 *
 * Branch and bound: actors are given places one after the other, those with the longest times first, each first the
 * place that leaves the least period. What the places and links have to do for a partial mapping only grows, so a
 * branch whose period is beyond that of the best mapping is left.
 */
#ifndef PENSTOCK_SEARCH_H
#define PENSTOCK_SEARCH_H

#include "lib/mapping/flow.h"

struct ps_search {
	struct ps_flow *flow; /* its actors' and readers' places, and the actors' times, are changed */
	/* of actor i at place p, at i x places + p: seconds of its firings of an iteration; NAN: it can't be there */
	const double *seconds;
	bool overlap; /* of the outlines that decide between mappings of one period */
	/* Of the actors that can be at several places those at one follow each other in the schedule, as in a
	 * pipeline of as many stages as places. */
	bool contiguous;
	uint64_t
		most; /* steps: partial mappings, at most; comparing two mappings of one period counts as 100 */

	/* The result; the flow has the mapping. */
	double period;
	uint64_t steps;
	bool proven; /* all mappings were looked at, or were worse for sure */
};

/* 0; -ENOENT: there is no mapping (an actor can be nowhere, or links are missing), or none was found; -ENOMEM. */
int ps_search_run(struct ps_search *);

#endif
