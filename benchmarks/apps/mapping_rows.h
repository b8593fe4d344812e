/* SPDX-License-Identifier: MIT */
/* Rows: a filter of 25 weights over rows of a frame, one pixel at a time: what --real-medium spreads over cores. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_ROWS_H
#define PENSTOCK_BENCHMARKS_MAPPING_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping_rows {
	uint8_t *to;
	const uint8_t *from;
	size_t width, height;
};

/* Rows first .. end - 1. data: a struct mapping_rows. */
void mapping_rows_filter(void *data, size_t first, size_t end);

/* All rows, by OpenMP's parallel for. false: this build has no OpenMP. */
bool mapping_rows_openmp(struct mapping_rows *, unsigned threads);

#endif
