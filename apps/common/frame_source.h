/* SPDX-License-Identifier: MIT */
/* Frame source: frames of inputs, each with its own size, as <penstock/vision.h> has them. */
#ifndef COMMON_FRAME_SOURCE_H
#define COMMON_FRAME_SOURCE_H

#include <penstock/vision.h>

#include "apps/common/inputs.h"

struct frame_source {
	struct inputs *inputs;
	uint64_t left; /* frames that are still to come, at most */
};

/* Port: out. arg: struct frame_source, borrowed. */
const struct pstk_actor_type *frame_source_type(const struct frame_source *);

#endif
