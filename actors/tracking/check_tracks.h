/* SPDX-License-Identifier: MIT */
/* Tracking from its formulas alone, pixel by pixel: sums by integers where strengths are compared bit for bit, else in
 * double precision. */
#ifndef PENSTOCK_ACTORS_CHECK_TRACKS_H
#define PENSTOCK_ACTORS_CHECK_TRACKS_H

#include "penstock/vision.h"

#include <stdbool.h>

struct tracks_plane {
	int w, h;
	double *p;
};

/* A frame's levels: picture, gradient across, along, of both levels. tracks_free() frees them. */
struct tracks_levels {
	struct tracks_plane at[2][3];
};

/* The filters, as plain loops over pixels; the benchmarks measure them, too. way: room; `to` and it are 0 at their
 * edges. tracks_slope(): to: the gradients across and along. */
void tracks_blur(
	const struct tracks_plane *to, const struct tracks_plane *way, const struct tracks_plane *from);
void tracks_slope(
	const struct tracks_plane to[2], const struct tracks_plane *way, const struct tracks_plane *from);

struct tracks_levels tracks_make(const uint8_t *frame, int w, int h);
void tracks_free(struct tracks_levels *);

/* The levels as a sized token, in single precision; the caller frees it. */
unsigned char *tracks_token(const struct tracks_levels *, size_t bytes);

/* The features of a frame: how many. */
unsigned tracks_features(
	const struct tracks_levels *, int window, unsigned most, int radius, struct pstk_feature *features);

/* Follows one. to: where. edge: it may be lost or go one round further with the slightest difference. */
bool tracks_follow(const struct tracks_levels *first, const struct tracks_levels *second, int window,
	int rounds, double x, double y, double to[2], bool *edge);

#endif
