/* SPDX-License-Identifier: MIT */
/* Plan: what is decided about threads and memory before a network starts. For lib/plan alone. */
#ifndef PENSTOCK_PLAN_H
#define PENSTOCK_PLAN_H

#include "lib/model/merging.h"
#include "lib/model/network.h"

struct ps_places;
struct ps_ranks;
struct ps_rates;

struct ps_plan {
	pthread_mutex_t
		declaring; /* held while actors' rates() are called; net->lock may be taken under it */
	/* constant after start */
	unsigned threads;         /* of the team; 0: a thread per actor */
	size_t depth_budget;      /* 0: the default */
	uint32_t depth;           /* that FIFOs built without one have got; 0: not all the same (depth.c) */
	struct ps_rates *rates;   /* repetitions and rooms (rates.h) */
	struct ps_places *places; /* what a plan over a machine is made of (places.h) */
	struct ps_ranks *ranks;   /* processes (ranks.h); NULL: this is the only one */
	unsigned planned_actors,
		planned_fifos;     /* so many the plan knew that was applied last (machine_apply.c) */
	bool sharing_decided;      /* the FIFOs know whose memory they use (sharing.h) */
	bool bundled;              /* .. and whose counters (bundles.h) */
	struct ps_merging merging; /* on the cores (merges.h) */
};

#endif
