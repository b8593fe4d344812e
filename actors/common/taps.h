/* SPDX-License-Identifier: MIT */
/* Taps: the coefficients of a filter with real taps, from a text, a file, or designed. */
#ifndef PENSTOCK_ACTORS_TAPS_H
#define PENSTOCK_ACTORS_TAPS_H

#include "penstock/actors.h"

enum { PS_TAPS_MOST = 1 << 22 };

/* The caller frees tap. */
struct ps_taps {
	float *tap;
	uint32_t count;
};

/* BUILD. What the spec of an actor of this name says. 0, or a negative errno and the network's problem; then *taps is
 * empty. */
int ps_taps_make(
	struct ps_taps *taps, struct pstk_network *, const char *name, const struct pstk_fir_spec *spec);

/* BUILD. A windowed sinc of so many taps whose sum is `gain`; cutoff: 0 .. 0.5 of the rate at which the filter runs;
 * attenuation: dB. -ENOMEM: it is the network's problem. */
int ps_taps_design(struct ps_taps *taps, struct pstk_network *, const char *name, uint32_t count,
	double cutoff, double attenuation, double gain);

#endif
