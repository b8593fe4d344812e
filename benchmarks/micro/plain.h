/* SPDX-License-Identifier: MIT */
/* What the reusable actors compute, as one would write it down: a loop over pixels or samples, for the
 * compiler to make fast. It is what the actors' own kernels have to beat, and what they are compared with. */
#ifndef PENSTOCK_BENCHMARKS_PLAIN_H
#define PENSTOCK_BENCHMARKS_PLAIN_H

#include "penstock/actors.h"

#include <stddef.h>
#include <stdint.h>

void plain_gauss5x5(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);
void plain_median5(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);
void plain_threshold(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	int least, size_t n);
void plain_equalize(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
void plain_overlay_rgb(
	uint8_t *restrict rgb, const uint8_t *restrict map, const uint8_t *restrict frame, size_t n);
void plain_overlay_ycc(
	uint8_t *restrict planes, const uint8_t *restrict map, const uint8_t *restrict frame, size_t n);

/* Branch b of out, 2 streams of `stride` floats each, is of order 2 b + 1. */
void plain_polynomial(float *restrict out, size_t stride, size_t branches, const float *restrict re,
	const float *restrict im, size_t n);
void plain_adder(float *restrict sum, float *const *in, unsigned count, float constant, size_t n);
/* Nothing is before the first sample. */
void plain_fir(float *restrict re_out, float *restrict im_out, const float *restrict re,
	const float *restrict im, size_t n, const struct pstk_cf32 *taps, size_t count);

/* As cf32.h says. */
uint32_t plain_split(float *restrict re, float *restrict im, const float *restrict words, size_t n);
uint32_t plain_join(float *restrict words, const float *restrict re, const float *restrict im, size_t n);
double plain_peak(const float *restrict re, const float *restrict im, size_t n);

#endif
