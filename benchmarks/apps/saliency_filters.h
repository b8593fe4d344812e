/* SPDX-License-Identifier: MIT */
/* The 24 Gabor filters as a picture (PACCO, fig. 22): what the actor makes of a spectrum of ones. */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_FILTERS_H
#define PENSTOCK_BENCHMARKS_SALIENCY_FILTERS_H

#include <penstock/saliency.h>

/* A row for each band, a column for each orientation; each filter is a square with frequency 0 in its middle. */
enum {
	FILTERS_SIDE = 128,
	FILTERS_WIDTH = FILTERS_SIDE * PSTK_SALIENCY_ORIENTATIONS,
	FILTERS_HEIGHT = FILTERS_SIDE * PSTK_SALIENCY_BANDS
};

/* Writes a PGM file, 8 bit: 255 is 1. Ends the program where it can't be written. */
void saliency_filters_write(const char *path);

#endif
