/* SPDX-License-Identifier: MIT */
/* The rows of a frame by OpenMP. */
#include "benchmarks/apps/mapping_rows.h"

bool mapping_rows_openmp(struct mapping_rows *r, unsigned threads)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
	for (size_t y = 0; y < r->height; y++)
		mapping_rows_filter(r, y, y + 1);
	return true;
#else
	(void)r;
	(void)threads;
	return false;
#endif
}
