/* SPDX-License-Identifier: MIT */
/* What the tests of the program share. */
#ifndef SALIENCY_CHECK_SALIENCY_H
#define SALIENCY_CHECK_SALIENCY_H

#include "actors/common/check_pathway.h"
#include "apps/common/check_program.h"

/* Maps agree to so much of the largest value: single precision against double, and mappings among each other. */
#define SALIENCY_TOLERANCE 1e-3

/* program_find() of saliency. */
void saliency_find(void);

/* A picture with something in it, the same for a seed: a ramp, bars, blobs, noise. The caller frees it. */
unsigned char *saliency_frames(unsigned w, unsigned h, size_t count, uint64_t seed);

/* The maps of `count` frames in double precision. The caller frees them. */
double *saliency_oracle(
	const unsigned char *frames, unsigned w, unsigned h, size_t count, const char *window);

/* Are the floats in a file so near to the maps? Each map by its own largest value. */
void saliency_expect(const char *path, const double *maps, size_t pixels, size_t count);

/* The floats of a file, as doubles; *count of them. The caller frees them. */
double *saliency_read(const char *path, size_t *count);

#endif
