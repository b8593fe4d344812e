/* SPDX-License-Identifier: MIT */
/*
 * Stage: one stage of a video application by itself, in a network of which it is the only work: sources copy a window
 * only once to each place where it may lie, and sinks look at the last one.
 */
#ifndef PENSTOCK_BENCHMARKS_VIDEO_STAGE_H
#define PENSTOCK_BENCHMARKS_VIDEO_STAGE_H

#include "benchmarks/common/rounds.h"

#include <penstock/pipeline.h>
#include <penstock/vision.h>

enum { VIDEO_STAGE_PORTS = 2 };

/* A port of the stage. token: what is given, `rate` of them; NULL: an output. data: bytes behind the head. */
struct video_port {
	const char *name;
	size_t bytes, data; /* of a token */
	const void *tokens;
	uint32_t rate;
};

struct video_stage {
	struct pstk_actor *(*add)(struct pstk_network *, const void *data);
	const void *data;
	struct video_port in[VIDEO_STAGE_PORTS], out[VIDEO_STAGE_PORTS]; /* those without a name are none */
};

/* A way to run it. configuration: of a pipeline; NULL: one thread does all. */
struct video_way {
	const struct video_stage *stage;
	const char *configuration, *device;
	uint32_t cores;
	struct rounds_cost *cost; /* gets what the items took, without the network's start */
};

/* For rounds: a way; the hash is of the last item's outputs. */
uint64_t video_stage_run(const void *way, uint64_t items);

#endif
