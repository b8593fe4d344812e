/* SPDX-License-Identifier: MIT */
/* SRAD's iterations by OpenMP, over rows, with the library's arithmetic of rows (actors/srad/diffusion.h). */
#ifndef PENSTOCK_BENCHMARKS_SRAD_OPENMP_H
#define PENSTOCK_BENCHMARKS_SRAD_OPENMP_H

#include <stdbool.h>
#include <stddef.h>

/* maps[0]: the picture, and what it becomes if iterations are even, else maps[1]; c: room for a map */
struct srad_openmp {
	float *maps[2], *c;
	size_t w, h;
	float lambda;
	unsigned iterations, threads;
};

/* false: this build has no OpenMP */
bool srad_openmp(struct srad_openmp *);

#endif
