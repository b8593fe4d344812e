/* SPDX-License-Identifier: MIT */
/*
 * Histogram: how often which value came, in fixed memory. Buckets are as wide as 1/32 of what they begin with, those up
 * to 64 hold one value each (log-linear, as G. Tene's HdrHistogram). One thread adds; any thread reads.
 */
#ifndef PENSTOCK_HISTOGRAM_H
#define PENSTOCK_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

/* The last bucket holds what is larger, too: in nanoseconds 19 hours. */
enum {
	PS_HISTOGRAM_BITS = 5,
	PS_HISTOGRAM_OCTAVES = 41,
	PS_HISTOGRAM_BUCKETS = (PS_HISTOGRAM_OCTAVES + 1) << 5
};

struct ps_histogram {
	_Atomic uint64_t count, sum, most;
	_Atomic uint64_t buckets[PS_HISTOGRAM_BUCKETS];
};

/* The thread that adds. */
void ps_histogram_add(struct ps_histogram *, uint64_t value);

/* The smallest value of a bucket. */
uint64_t ps_histogram_from(unsigned bucket);

/* A value that so large a share, 0 to 1, of all values does not exceed: the largest one of its bucket. 0: none came. */
uint64_t ps_histogram_within(const struct ps_histogram *, double share);

#endif
