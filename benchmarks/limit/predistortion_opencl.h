/* SPDX-License-Identifier: MIT */
/*
 * Predistortion on an OpenCL device as an expert writes it by hand, a kernel an actor, one host thread,
 * nothing waited for but what has come out: the limit that the library is measured against. Kernels and
 * work sizes are the actors' own; of a block only the branches that are on are launched, and the kernels
 * get NULL for the others. All that lies between the host's windows stays on the device.
 */
#ifndef PENSTOCK_BENCHMARKS_PREDISTORTION_OPENCL_H
#define PENSTOCK_BENCHMARKS_PREDISTORTION_OPENCL_H

#include "actors/common/cl_direct.h"
#include "penstock/actors.h"

#include <stdint.h>

enum { DPD_BRANCHES = 10, DPD_TAPS = 10, DPD_WINDOWS = 4 };

struct dpd_options {
	uint32_t block;       /* samples */
	bool fine;            /* fine-grain SVM for the host's windows; else coarse, mapped ahead of time */
	bool queue_per_actor; /* with events between them; else one queue, and no events */
};

/* What is to be computed. Constant. */
struct dpd_model {
	struct pstk_kernel polynomial, fir,
		adder; /* the actors' forms; texts are borrowed until dpd_init() has returned */
	struct pstk_cf32 taps[DPD_BRANCHES][DPD_TAPS];
	struct pstk_cf32 constant; /* what the adder adds */
};

/* Samples are two arrays of floats. */
struct dpd_samples {
	float *re, *im;
};

struct dpd_run {
	struct dpd_samples in, out;     /* rings */
	uint64_t in_blocks, out_blocks; /* .. of so many blocks */
	uint64_t blocks;                /* to be done */
	const uint32_t *sets;           /* bit b: branch b is on; for `period` blocks each, again and again */
	uint64_t set_count, period;
};

struct dpd;

/* Can this device do it that way? */
bool dpd_can(const struct cl_direct *, const struct dpd_options *);

/* cl is borrowed until dpd_free(). Ends the program on an error, as do all of these. */
struct dpd *dpd_init(const struct cl_direct *cl, const struct dpd_options *, const struct dpd_model *);

/* From filters without a past. May be called again. */
void dpd_run(struct dpd *, const struct dpd_run *);

void dpd_free(struct dpd *);

#endif
