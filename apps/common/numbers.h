/* SPDX-License-Identifier: MIT */
/* Numbers: files of little-endian 32-bit floats that options name. */
#ifndef COMMON_NUMBERS_H
#define COMMON_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Sets of numbers: the rows of a matrix. */
struct numbers {
	const char *option, *path,
		*sets;      /* option: without its dashes; sets: what they are called, "filters" */
	size_t count, each; /* sets; numbers of a set */
};

/* Reads them; all are finite. The caller frees *to. 0, or what to exit with; said then, and *to is NULL. */
int numbers_read(const struct numbers *, float **to);

/* .. as many sets as the file has, 1 to `most`: they become the count. */
int numbers_read_up_to(struct numbers *, size_t most, float **to);

/* Writes them. 0, or -1: the stream knows why. */
int numbers_write(FILE *, const float *from, size_t count);

#endif
