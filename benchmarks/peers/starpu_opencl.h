/* SPDX-License-Identifier: MIT */
/* Motion detection's device actors as StarPU codelets, with the library's own kernels and work sizes. */
#ifndef PENSTOCK_BENCHMARKS_PEERS_STARPU_OPENCL_H
#define PENSTOCK_BENCHMARKS_PEERS_STARPU_OPENCL_H

#include "actors/common/cl_direct.h"

#include <starpu.h>
#include <stdint.h>

enum { STARPU_OPENCL_TOKENS = 16 }; /* at most */

struct starpu_opencl_options {
	uint32_t w, h;
	uint32_t tokens, batch; /* in flight, and frames in one */
	uint32_t threshold;
	unsigned cores; /* workers of the processor beside the device's */
	unsigned tasks; /* that the device's worker polls at a time; 0: it waits for one, asleep */
};

/* Their buffers, in this order: gauss frames, blurred; threshold blurred, the token's before, moved; median
 * moved, clean; all frames, blurred, the token's before, moved, clean. Handles are vectors of bytes. The
 * argument is the token's number. */
extern struct starpu_codelet starpu_opencl_gauss, starpu_opencl_threshold, starpu_opencl_median,
	starpu_opencl_all;

/* A second buffer of a window begins there: frames must be multiples of so many bytes. */
enum { STARPU_OPENCL_ALIGN = 128 };

/* Starts StarPU with one worker for the first device and builds the kernels. on_cpu: that is one that StarPU
 * takes only when told so. Ends the program on an error. Between the two no other may be open. */
void starpu_opencl_open(const struct starpu_opencl_options *, bool on_cpu);
void starpu_opencl_close(void);

/* The device's memory, for starpu_data_prefetch_on_node(). */
unsigned starpu_opencl_node(void);

#endif
