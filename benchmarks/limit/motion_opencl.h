/* SPDX-License-Identifier: MIT */
/*
 * Motion detection on an OpenCL device as an expert writes it by hand: the limit that the library is measured against.
 * The kernels and work sizes are the actors' own. Between source and sink nothing is copied: threshold finds the
 * previous frame where gauss5x5 has put it, in the window before.
 */
#ifndef PENSTOCK_BENCHMARKS_MOTION_OPENCL_H
#define PENSTOCK_BENCHMARKS_MOTION_OPENCL_H

#include "actors/common/cl_direct.h"

#include <stdint.h>

/* How the host reaches the device's windows. */
enum motion_memory {
	MOTION_FINE,   /* fine-grain SVM: writes and reads them */
	MOTION_COARSE, /* coarse-grain SVM, mapped ahead of time */
	MOTION_MEMORIES
};

enum motion_queues {
	MOTION_ONE_QUEUE,
	MOTION_QUEUE_A_STAGE, /* with events between them */
	MOTION_QUEUES
};

struct motion_options {
	uint32_t w, h, rate;
	uint32_t windows; /* in flight; 2 .. MOTION_WINDOWS_MAX */
	uint32_t threshold;
	enum motion_memory memory;
	enum motion_queues queues;
	bool two_threads; /* one that feeds, one that drains; else one does both */
};

enum { MOTION_WINDOWS_MAX = 8 };

struct motion;

extern const char *const motion_memory_names[MOTION_MEMORIES];
extern const char *const motion_queues_names[MOTION_QUEUES];

/* Can this device do it that way? */
bool motion_can(const struct cl_direct *, const struct motion_options *);

/* cl is borrowed until motion_free(). Ends the program on an error, as do all of these. */
struct motion *motion_init(const struct cl_direct *cl, const struct motion_options *);

/* Sends `windows` windows through, those of frames[0 .. frame_windows) again and again, the first one after an all-zero
 * frame. Window i of the maps goes to maps[i % map_windows]. May be called again. */
void motion_run(struct motion *, const uint8_t *frames, size_t frame_windows, uint8_t *maps,
	size_t map_windows, uint64_t windows);

void motion_free(struct motion *);

#endif
