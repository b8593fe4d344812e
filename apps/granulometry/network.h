/* SPDX-License-Identifier: MIT */
/*
 * Granulometry as a network: source, small (openings 1 .. split), large (the others), sink.
 *
 *	source --image--> small --image--> large --counts--> sink
 *	                    \----------------counts---------/
 *
 * The opening of size `split`, which small hands on, stands for the image there: openings of larger sizes are the same
 * of both. Where split is the number of openings there is no large.
 */
#ifndef GRANULOMETRY_NETWORK_H
#define GRANULOMETRY_NETWORK_H

#include <penstock/actors.h>
#include <penstock/plan.h>

#include "apps/common/moves.h"
#include "apps/common/team.h"
#include "apps/common/size.h"

enum { GRANULOMETRY_PARTS = 2 }; /* small, large */

enum granulometry_overlap {
	GRANULOMETRY_UNPLANNED, /* the library's depths */
	GRANULOMETRY_OFF,       /* planned without overlap of transfers and work */
	GRANULOMETRY_ON         /* planned with it */
};

/* What is built, and what the network's ends are. All of it is borrowed until the network is destroyed. */
struct granulometry_spec {
	struct size size;
	uint32_t element;                        /* enum pstk_element */
	uint32_t openings, split;                /* 1 <= split <= openings */
	const char *devices[GRANULOMETRY_PARTS]; /* selectors; NULL: on the cores */
	enum granulometry_overlap overlap;
	double unit_ns
		[GRANULOMETRY_PARTS]; /* of an erosion or dilation at each place, for the plan; 0: not known */
	double source_ns;             /* of an image there, for the plan; 0: not known */
	struct team team;
	const struct moves *moves;            /* of small and large while images flow; NULL: none */
	const struct pstk_actor_type *source; /* port out: images of 1 bit a pixel */
	void *source_arg;
	/* ports small (split + 1 counts) and, with split < openings, large (openings - split) */
	const struct pstk_actor_type *sink;
	void *sink_arg;
};

struct granulometry {
	struct pstk_network *network;
	struct pstk_fifo *last; /* into the sink: its written tokens are the images */
	bool uses_device, is_planned;
	double period; /* planned, s for an image; of what has a time. 0: not known */
};

/* Builds it. 0, or what to exit with; said then. In both cases granulometry_destroy() follows. */
int granulometry_build(struct granulometry *, const struct granulometry_spec *);

void granulometry_destroy(struct granulometry *);

/* Do both parts run at one place where only one of them works at a time: one device, or a single core? */
bool granulometry_is_together(const char *const devices[GRANULOMETRY_PARTS]);

#endif
