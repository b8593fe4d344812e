/* SPDX-License-Identifier: MIT */
/* Bag: what the actors of bags of words share. */
#ifndef PENSTOCK_ACTORS_BAG_H
#define PENSTOCK_ACTORS_BAG_H

#include "actors/common/sized.h"

enum { PS_BAG_BINS = 8, PS_BAG_PIXELS = PSTK_BAG_PATCH * PSTK_BAG_PATCH };

/* Ports of the actors behind bag_gradients. */
enum { PS_BAG_MAGNITUDE, PS_BAG_BIN, PS_BAG_INPUTS };

/* The gradients of a frame, and where patches are. */
struct ps_bag_frame {
	size_t w, across, down;          /* across, down: patches of a row, rows of patches */
	const float *magnitude, *window; /* window: the Gaussian, of a patch's pixels */
	const uint8_t *bin;
};

/* BUILD. Is the spec one? 0, or a negative errno, and the network has the problem. */
int ps_bag_check(struct pstk_network *, const char *name, const char *type, const struct pstk_bag_spec *);

/* The Gaussian: PS_BAG_PIXELS. */
void ps_bag_make_window(float *window);

/* ACTOR, in init(). Checks the token sizes of magnitude and bin. */
int ps_bag_check_gradients(
	struct pstk_actor *, const struct pstk_frame_size *largest, unsigned magnitude, unsigned bin);

/* ACTOR, in fire(). Finds the frame of a token of magnitudes and one of bins. 0, or -EINVAL and the actor's error. */
int ps_bag_start(struct ps_bag_frame *, struct pstk_actor *, const struct pstk_frame_size *largest,
	const void *magnitude, const void *bin, const float *window);

/* The descriptor of a patch, PSTK_BAG_NUMBERS. */
void ps_bag_describe(float *to, const struct ps_bag_frame *, size_t patch);

#endif
