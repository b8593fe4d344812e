/* SPDX-License-Identifier: MIT */
/*
 * A token of P-I-I-C: floats, of which one in each page has the token's number k. An incrementer adds 0 to each of them
 * for nb_loop <= 4, else 1: what the paper's kernel (PACCO, fig. 13) computes of its sum of 1 / i^2. The host writes
 * and reads one float a page, so that its cores are free for the driver.
 */
#ifndef PENSTOCK_BENCHMARKS_PIIC_TOKEN_H
#define PENSTOCK_BENCHMARKS_PIIC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIIC_STRIDE = 1024 }; /* floats */

/* The kernel. The window's pointers and the firing's number come first, as the library passes them. */
#define PIIC_KERNEL "increment"
#define PIIC_SOURCE                                          \
	"__kernel void increment(__global const float *in, " \
	"__global float *out, ulong firing, uint loops)\n"   \
	"{\n"                                                \
	"  size_t i = get_global_id(0);\n"                   \
	"  float one = 0;\n"                                 \
	"  for (uint n = 2; n < loops + 3; n++)\n"           \
	"    one += (1.0f / n) * (1.0f / n);\n"              \
	"  out[i] = in[i] + (float)(int)(one + 0.5f);\n"     \
	"}\n"

/* By the same sum; the tests compare it with 0 and 1. */
static inline float piic_one(unsigned loops)
{
	float one = 0;

	for (unsigned n = 2; n < loops + 3; n++)
		one += (1.0F / (float)n) * (1.0F / (float)n);
	return (float)(int)(one + 0.5F);
}

static inline void piic_produce(float *token, size_t floats, uint64_t k)
{
	for (size_t i = 0; i < floats; i += PIIC_STRIDE)
		token[i] = (float)k;
	token[floats - 1] = (float)k;
}

/* Has it come through so many incrementers? */
static inline bool piic_is(
	const float *token, size_t floats, uint64_t k, unsigned incrementers, unsigned loops)
{
	float value = (float)k + (float)incrementers * piic_one(loops);
	bool right = token[floats - 1] >= value && token[floats - 1] <= value;

	for (size_t i = 0; right && i < floats; i += PIIC_STRIDE)
		right = token[i] >= value && token[i] <= value;
	return right;
}

#endif
