/* SPDX-License-Identifier: MIT */
/*
 * Numbers in the options of the benchmarks. All of the text must be the number: no sign, no space, nothing behind it. A
 * function returns false for any other text and for a number that is out of range.
 */
#ifndef PENSTOCK_BENCHMARKS_NUMBER_H
#define PENSTOCK_BENCHMARKS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Digits only, from least to most. */
bool number_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);
bool number_unsigned(const char *text, unsigned least, unsigned most, unsigned *value);

/* Also with a fraction and an exponent. */
bool number_real(const char *text, double least, double most, double *value);

/* WIDTHxHEIGHT, sides from 1 to most. */
bool number_size(const char *text, uint32_t most, uint32_t *width, uint32_t *height);

/* With commas between them: 1 to `room` of them. */
bool number_list(
	const char *text, unsigned least, unsigned most, unsigned *values, unsigned room, unsigned *count);

#endif
