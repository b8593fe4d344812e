/* SPDX-License-Identifier: MIT */
/*
 * Predistortion without the library: the actors' own kernels called in turn for one block after the other.
 * A stream is periods of PERIOD samples; which branches are active is another set in each, or always the
 * same. Its source and its sink are here, too, for networks that do the same.
 */
#ifndef PENSTOCK_BENCHMARKS_HAMMERSTEIN_H
#define PENSTOCK_BENCHMARKS_HAMMERSTEIN_H

#include <penstock/actors.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	HAMMERSTEIN_BRANCHES = 10,
	HAMMERSTEIN_PERIOD = 65536, /* samples; a multiple of every block */
	HAMMERSTEIN_PAST = 9,       /* samples that a filter remembers */
	HAMMERSTEIN_RANDOM = 0      /* in place of a number of active branches: another set each period */
};

/* The coefficients of the program. */
extern const struct pstk_polynomial_branch hammerstein_terms[HAMMERSTEIN_BRANCHES];
const struct pstk_cf32 *hammerstein_taps(unsigned branch, unsigned *count);
struct pstk_cf32 hammerstein_constant(void);

/* Before anything else. */
void hammerstein_open(void);
void hammerstein_close(void);

/* The set of active branches of a period; active: how many are always, or HAMMERSTEIN_RANDOM. */
uint32_t hammerstein_set(unsigned active, uint64_t period);

/* Samples from .. from + n - 1 of the signal; from and n are multiples of 64. */
void hammerstein_source(float *re, float *im, uint64_t from, size_t n);

/* The polynomial, a filter and the adder, for n samples; the branches that are not in the set are neither
 * read nor written. A filter changes `past`, the last samples before the block, to the block's last. Any
 * thread. */
struct hammerstein_signal {
	float *re, *im;
};
struct hammerstein_past {
	float re[HAMMERSTEIN_PAST], im[HAMMERSTEIN_PAST];
};
void hammerstein_polynomial(
	const struct hammerstein_signal *branches, uint32_t set, struct hammerstein_signal in, size_t n);
void hammerstein_filter(unsigned branch, struct hammerstein_signal out, struct hammerstein_past *past,
	struct hammerstein_signal in, size_t n);
void hammerstein_add(
	struct hammerstein_signal sum, const struct hammerstein_signal *branches, uint32_t set, size_t n);

/* What a filter remembers after a block of n samples. */
void hammerstein_remember(struct hammerstein_past *past, struct hammerstein_signal in, size_t n);

/* What of the output's block number `index` goes into the sum that tells one output from another. */
uint64_t hammerstein_sink(const float *re, const float *im, uint64_t index, size_t n);

/* Periods first .. end - 1 of a stream, in blocks of so many samples: the sum of its blocks' sinks. What
 * the filters remember at its beginning is computed again from the periods before. Any thread. */
uint64_t hammerstein_run(unsigned active, size_t block, uint64_t first, uint64_t end);

#ifdef __cplusplus
}
#endif

#endif
