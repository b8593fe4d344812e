/* SPDX-License-Identifier: MIT */
/*
 * Diffusion: the arithmetic of SRAD, row by row, which the stages and the loop share: so they give the same bits.
 *
 * Rows have w values, 1 at least. A row's neighbours above and below are rows; where there is none, the row itself.
 */
#ifndef PENSTOCK_ACTORS_DIFFUSION_H
#define PENSTOCK_ACTORS_DIFFUSION_H

#include "actors/srad/srad.h"

#include <stddef.h>
#include <stdint.h>

/* Sums of J and of its squares, each of which is rounded to single precision before it is added. A row is of LANES
 * sums, each of every LANES-th value, added pairwise; rows are added one after the other. */
struct ps_srad_sums {
	double values, squares;
};

/* exp(i / 255), i = 0 .. 255. */
void ps_srad_make_table(float table[PS_SRAD_LEVELS]);

void ps_srad_extract_row(float *to, const uint8_t *from, size_t w, const float table[PS_SRAD_LEVELS]);
void ps_srad_square_row(float *to, const float *from, size_t w);
/* squares: NULL: of the values */
void ps_srad_sum_row(struct ps_srad_sums *, const float *values, const float *squares, size_t w);
struct ps_srad_stats ps_srad_stats(const struct ps_srad_sums *, uint64_t pixels);

/* The coefficients c of a row. */
void ps_srad_coefficient_row(float *to, const float *north, const float *row, const float *south, size_t w,
	const struct ps_srad_stats *);
/* The row after a step. rate: lambda / 4; below: the coefficients of the row to the south. */
void ps_srad_step_row(float *to, const float *north, const float *row, const float *south, const float *c,
	const float *below, size_t w, float rate);

void ps_srad_compress_row(uint8_t *to, const float *from, size_t w);

#endif
