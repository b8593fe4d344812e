/* SPDX-License-Identifier: MIT */
/* Samples: times of the items of an experiment, and the median of them, which one outlier does not change. */
#ifndef PENSTOCK_SAMPLES_H
#define PENSTOCK_SAMPLES_H

#include "penstock/mapper.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PS_STAGES_MOST = PSTK_MAPPER_STAGES,
	PS_SAMPLES = 64 /* items whose times are kept */
};

/* ns */
struct ps_samples {
	unsigned count, round_count;
	/* of threads side by side: when each round of items was through, and how long threads had waited by then */
	uint64_t rounds[PS_SAMPLES], waits[PS_SAMPLES];
	uint64_t stage[PS_SAMPLES][PS_STAGES_MOST];
	uint64_t to_device[PS_SAMPLES][PS_STAGES_MOST + 1], to_host[PS_SAMPLES][PS_STAGES_MOST + 1];
};

/* Sorts them. count: at least 1 */
double ps_median(double *values, unsigned count);

/* Of a column of samples, in s: `first` and each `stride` behind it. A time that no clock can tell is the least, 1 ns.
 */
double ps_samples_median(const uint64_t *first, size_t stride, unsigned count);

#endif
