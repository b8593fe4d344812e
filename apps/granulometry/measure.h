/* SPDX-License-Identifier: MIT */
/* Measure: what an erosion or a dilation takes at a place. */
#ifndef GRANULOMETRY_MEASURE_H
#define GRANULOMETRY_MEASURE_H

#include "apps/granulometry/network.h"

/* Runs a few openings of images of ones, which never vanish, at each part's place, the places by turns, and sets
 * unit_ns; places that are one have one time. Of the spec it looks at size, element, openings and devices. 0, or what
 * to exit with; said then. */
int measure_units(struct granulometry_spec *);

/* The median time between two of `count` moments, in their order, at least 2; it sorts what lies between them in place.
 */
double measure_gap(uint64_t *moments, unsigned count);

#endif
