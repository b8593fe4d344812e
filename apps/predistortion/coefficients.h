/* SPDX-License-Identifier: MIT */
/* What a predistorter is: branches, each a term of the polynomial and a filter, and a constant. */
#ifndef PREDISTORTION_COEFFICIENTS_H
#define PREDISTORTION_COEFFICIENTS_H

#include <penstock/actors.h>

struct branch {
	struct pstk_polynomial_branch term;
	struct pstk_cf32 *taps;
	unsigned tap_count;
};

struct coefficients {
	struct branch branches[PSTK_MAX_BRANCHES];
	unsigned count;
	struct pstk_cf32 lo;  /* what makes up for the modulator's local oscillator leakage */
	unsigned least, most; /* branches that may be active at a time */
	bool built_in;
};

/* path NULL: the built-in ten; "-": stdin. 0, or what to exit with; everything has been said then.
 * coefficients_free() follows in both cases. */
int coefficients_load(struct coefficients *, const char *path);
void coefficients_free(struct coefficients *);

#endif
