/* SPDX-License-Identifier: MIT */
/* What predistortion should write, in double precision, from the definition alone. */
#ifndef PREDISTORTION_CHECK_MODEL_H
#define PREDISTORTION_CHECK_MODEL_H

#include "apps/predistortion/coefficients.h"

#include <stddef.h>
#include <stdint.h>

/* n samples of `in` (re, im, re, ..) to n of `out`. sets: one a period of `period` samples, `count` of them,
 * the last one holds. Only the plain data of the coefficients are used. */
void model_run(const struct coefficients *, const uint32_t *sets, size_t count, size_t period,
	const float *in, size_t n, double *out);

/* Samples of which a part is not finite. */
size_t model_not_finite(const float *samples, size_t n);

/* Fails the test unless `got` agrees to 1e-5 of the largest sample; a sample that is not finite is so in
 * both. what: for the message. */
void model_expect(const float *got, const double *expected, size_t n, const char *what);

/* Random samples, magnitude at most 0.9. The caller frees them. */
float *model_input(size_t n, uint64_t seed);

/* Random coefficients: `count` branches of any orders up to 9 with 1 to `most_taps` taps.
 * coefficients_free()'s business is the caller's: free(branches[i].taps). */
void model_coefficients(struct coefficients *, unsigned count, unsigned most_taps, uint64_t seed);

/* Writes them as a coefficient file. */
void model_write(const struct coefficients *, const char *path);

#endif
