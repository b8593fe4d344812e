/* SPDX-License-Identifier: MIT */
/* Volume: how an image of 1 bit a pixel lies in memory. A plain image is a volume of one plane. */
#ifndef PENSTOCK_ACTORS_VOLUME_H
#define PENSTOCK_ACTORS_VOLUME_H

#include "penstock/actors.h"

enum { PS_WORD_BITS = 64 };

/* Rows of whole words, row after row, plane after plane. Pixel x is bit x % 64 of word x / 64 of its row; the bits of a
 * row behind its last pixel are 0. */
struct ps_volume {
	uint32_t width, height, depth; /* pixels, rows of a plane, planes; at least 1 */
	size_t words, size;            /* of a row, of all rows */
	uint64_t last;                 /* a row's last word: the bits that are pixels */
};

/* BUILD. depth 0: 1. 0, or -EINVAL, and the network has the problem. */
int ps_volume_init(struct ps_volume *, struct pstk_network *, const char *name, uint32_t width,
	uint32_t height, uint32_t depth);

#endif
