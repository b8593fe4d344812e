/* SPDX-License-Identifier: MIT */
/*
 * Saliency on a device by hand: the kernels of libpenstock-saliency and clFFT's calls, without the library. One thread
 * feeds in-order queues that are never empty, buffers are made once, and only maps come back to the host. A lane is a
 * queue with buffers of its own. Frames go to the lanes in turn: with two of them a kernel's last work-groups run
 * beside the first ones of the other frame.
 */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_OPENCL_H
#define PENSTOCK_BENCHMARKS_SALIENCY_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

enum { SALIENCY_HAND_LANES = 2, SALIENCY_HAND_STEPS = 7 };

struct saliency_hand;

/* The first device of this type on a platform whose name has this in it. NULL: there is none, or this build has no
 * clFFT. All that fails later ends the program. Between open and close no actor of the library may use clFFT, which is
 * set up once for a process. */
struct saliency_hand *saliency_hand_open(
	const char *platform, cl_device_type, uint32_t width, uint32_t height, unsigned lanes);
void saliency_hand_close(struct saliency_hand *);

/* What runs: frame k is frames[k % ring]. take() gets each map, in order, as long as the call lasts. */
struct saliency_hand_run {
	const uint8_t *frames;
	unsigned ring;
	uint64_t count,
		first; /* is timed from frame `first` on, which begins when those before are through */
	void (*take)(void *data, uint64_t k, const float *map);
	void *data;
};

/* Seconds a frame. */
double saliency_hand_run(struct saliency_hand *, const struct saliency_hand_run *);

/* Seconds of each step of one frame, by the device's clock: medians over some frames that run one at a time. */
void saliency_hand_steps(struct saliency_hand *, const uint8_t *frame, double steps[SALIENCY_HAND_STEPS]);

#endif
