/* SPDX-License-Identifier: MIT */
/* Runs filters in a network of their own, and what they should give, in double precision. */
#ifndef PENSTOCK_ACTORS_CHECK_FILTER_H
#define PENSTOCK_ACTORS_CHECK_FILTER_H

#include "penstock/actors.h"
#include "tests/common/common.h"

struct filter_signal {
	float *re, *im;
	size_t count;
};

/* source -> filter -> sink, or two filters, one after the other. */
struct filter_run {
	const struct pstk_cf32 *taps;
	unsigned count;
	uint32_t rate, depth; /* depth: of all FIFOs, 0: 2 */
	const char *device;   /* of the filter, or moving_device(); NULL: the cores */
	bool twice;
	/* The filter between a polynomial and an adder of one branch, x: window i goes through if sets[i]
	 * is 1. Only such windows are in `out`; all windows are full, and the last of the sets is 1. NULL:
	 * no such thing */
	const uint32_t *sets;
	size_t set_count;
	struct filter_signal in, out;
	size_t next; /* source only */
	size_t seen; /* sink only: windows */
};

/* Random taps and samples; the caller frees. */
struct pstk_cf32 *filter_taps(struct test_rng *, unsigned count);
struct filter_signal filter_noise(struct test_rng *, size_t count);
void filter_free(struct filter_signal *);

/* Builds, runs and destroys it, and asserts that all is well and as many samples came as went in. */
void filter_run(struct filter_run *);

/* Fails unless got is taps' output for x, to 1e-5 of the largest output. Of long signals it looks at a
 * part. */
void filter_check(const struct pstk_cf32 *taps, size_t count, const struct filter_signal *x,
	const struct filter_signal *got, const char *what);

#endif
