/* SPDX-License-Identifier: MIT */
/* Plane: what the actors of libpenstock-saliency share. A token is a frame, a map or a spectrum of one size. */
#ifndef PENSTOCK_ACTORS_PLANE_H
#define PENSTOCK_ACTORS_PLANE_H

#include "penstock/saliency.h"

enum { PS_PLANE_MAPS = PSTK_SALIENCY_MAPS, PS_PLANE_BANDS = PSTK_SALIENCY_BANDS };

/* The ports of all of them. */
enum { PS_PLANE_IN, PS_PLANE_OUT };

/* Bytes of an element. */
enum { PS_PLANE_FRAME = 1, PS_PLANE_MAP = 4, PS_PLANE_SPECTRUM = 8 };

/* width and height, of the struct pstk_frame_size that an arg begins with. */
enum { PS_PLANE_PARAMS = 2 };
#define PS_PLANE_SIDE(side, text)                                                  \
	{                                                                          \
		.name = #side, .type = "u32", .range = "8..32768", .help = (text), \
		.offset = offsetof(struct pstk_frame_size, side)                   \
	}
#define PS_PLANE_SIDES PS_PLANE_SIDE(width, "pixels of a row"), PS_PLANE_SIDE(height, "rows of a frame")
extern const struct pstk_param ps_plane_params[PS_PLANE_PARAMS];

/* ACTOR or ANY: the pixels of a frame, and how many frames, maps or spectra this firing takes and gives. */
size_t ps_plane_pixels(const struct pstk_actor *);
size_t ps_plane_tokens(const struct pstk_firing *, unsigned port);

/* ACTOR, in init(). Do the ports have tokens of such elements? 0, or -EINVAL and the actor's error. */
int ps_plane_init(struct pstk_actor *, size_t in, size_t out);

/* ACTOR, in init(), of an actor whose device form is one kernel: its work size, and the arguments from `index` on: uint
 * width, height, steps. Dimension 0 is columns, 1 rows, 2 steps times `depth`. */
int ps_plane_set_kernel(struct pstk_actor *, unsigned index, size_t depth);

/* Work-items in a group, at most, and as many as a row of work-items has. */
enum { PS_PLANE_GROUP = 256 };
size_t ps_plane_group(size_t row);
size_t ps_plane_round(size_t n, size_t group);

#endif
