/* SPDX-License-Identifier: MIT */
/* Frame source: frames of inputs, each with its own size, as <penstock/vision.h> has them. */
#ifndef COMMON_FRAME_SOURCE_H
#define COMMON_FRAME_SOURCE_H

#include <penstock/vision.h>

#include "apps/common/inputs.h"

/* More frames than can be between the source and a sink. */
enum { FRAME_SOURCE_RING = 1024 };

/* Where a frame comes from. */
struct frame_origin {
	uint32_t input;  /* from 0 */
	uint64_t number; /* in it, from 0 */
};

struct frame_source {
	struct inputs *inputs;
	uint64_t left;  /* frames that are still to come, at most */
	uint64_t count; /* those that have come */
	/* Of the last frames. The source writes one before its frame goes into a FIFO, and a sink reads it before it
	 * frees that frame's window. */
	struct frame_origin ring[FRAME_SOURCE_RING];
};

/* The sink's thread: where frame n, that it has, comes from. */
static inline struct frame_origin frame_source_origin(const struct frame_source *s, uint64_t n)
{
	return s->ring[n % FRAME_SOURCE_RING];
}

/* Port: out. arg: struct frame_source, borrowed. */
const struct pstk_actor_type *frame_source_type(const struct frame_source *);

#endif
