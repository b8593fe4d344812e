/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_FIR_H
#define PENSTOCK_ACTORS_FIR_H

#include "penstock/actors.h"

/* A sequence of complex samples: re[0], im[0] is the first. */
struct ps_fir_samples {
	const float *re, *im;
};

/* Some of the taps for some of the outputs: re[i], im[i] (+)= sum over k < count of taps[k] x[i - k]. */
struct ps_fir_part {
	const struct pstk_cf32 *taps;
	size_t count;
	struct ps_fir_samples x; /* count - 1 samples lie before it */
	float *re, *im;          /* apart from x */
	size_t n;
	bool add; /* to what is there */
};

/* The loops, for any processor and the fastest for this one. */
typedef void (*ps_fir_loop)(const struct ps_fir_part *);
void ps_fir_loop_any(const struct ps_fir_part *);
void ps_fir_loop_fma(const struct ps_fir_part *);    /* x86 with FMA */
void ps_fir_loop_avx512(const struct ps_fir_part *); /* x86 with AVX-512F */
ps_fir_loop ps_fir_loop_best(void);

/* re, im [0 .. n) = the filter's output for x[0 .. n); past: the count - 1 samples before x, oldest first. */
void ps_fir_filter(ps_fir_loop, const struct pstk_cf32 *taps, size_t count, struct ps_fir_samples past,
	struct ps_fir_samples x, float *re, float *im, size_t n);

/* The device form, for any number of taps. */
extern const struct pstk_kernel ps_fir_kernel;

#endif
