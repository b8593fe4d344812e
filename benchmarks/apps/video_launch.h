/* SPDX-License-Identifier: MIT */
/*
 * Launch: a kernel of a video application by itself, launched by hand on the first device, many times in one queue, so
 * that the time of a launch's round trip does not count.
 */
#ifndef PENSTOCK_BENCHMARKS_VIDEO_LAUNCH_H
#define PENSTOCK_BENCHMARKS_VIDEO_LAUNCH_H

#include "actors/common/cl_direct.h"
#include "benchmarks/common/rounds.h"

enum { VIDEO_LAUNCH_ARGS = 10 };

/* An argument: a buffer of so many bytes, which begins with what `value` has, if it is there; or a value. */
struct video_arg {
	bool buffer;
	size_t bytes;
	const void *value;
};

struct video_launch {
	struct pstk_kernel kernel;
	struct video_arg args[VIDEO_LAUNCH_ARGS]; /* those without bytes are none */
	size_t global[3], local[3];
	struct rounds_cost cost;
	/* filled by the first run */
	struct cl_direct cl;
	cl_command_queue queue;
	cl_kernel built;
	cl_mem buffers[VIDEO_LAUNCH_ARGS];
};

/* For rounds: a launch; the hash is 0. */
uint64_t video_launch_run(const void *launch, uint64_t items);
void video_launch_end(struct video_launch *);

#endif
