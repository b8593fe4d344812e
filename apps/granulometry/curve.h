/* SPDX-License-Identifier: MIT */
/* The curve of a granulometry and its pattern spectrum, for gnuplot. */
#ifndef GRANULOMETRY_CURVE_H
#define GRANULOMETRY_CURVE_H

#include <stdint.h>
#include <stdio.h>

/* Writes the commands. counts: `length` of them, at least 1, summed over so many images. What goes wrong in writing
 * stays in the stream. */
void curve_write(FILE *, const uint64_t *counts, uint32_t length, uint64_t images);

#endif
