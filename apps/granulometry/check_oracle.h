/* SPDX-License-Identifier: MIT */
/* What the tests of the program share: images, and what it should write of them, by the definition, pixel by pixel. */
#ifndef GRANULOMETRY_CHECK_ORACLE_H
#define GRANULOMETRY_CHECK_ORACLE_H

#include "tests/common/common.h"

struct oracle_shape {
	unsigned w, h, d;
	bool cross;
	unsigned threshold, openings;
};

enum { ORACLE_MOST = 64 }; /* openings */

/* Bytes of an image. */
size_t oracle_bytes(const struct oracle_shape *);

/* Boxes of random sizes and brightness on a dark ground, some noise. The caller frees them. */
unsigned char *oracle_images(const struct oracle_shape *, unsigned count, uint64_t seed);

/* G(0) .. G(openings), all of them. */
void oracle_counts(const struct oracle_shape *, const unsigned char *image, uint64_t counts[ORACLE_MOST + 1]);

/* The text of the program's output, of so many images that lie one behind the other. The caller frees it. */
char *oracle_json(const struct oracle_shape *, const unsigned char *images, unsigned count, unsigned split);
char *oracle_csv(const struct oracle_shape *, const unsigned char *images, unsigned count);

/* "320x240", "64x64x8"; valid until the fourth call after it. */
const char *oracle_size(const struct oracle_shape *);
const char *oracle_number(uint64_t);

/* Fails the test unless the file holds this text. Frees the text. */
void oracle_expect(const char *path, char *text);

#endif
