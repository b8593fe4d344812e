/* SPDX-License-Identifier: MIT */
/*
 * The transmitter that the built-in predistorter is made for, as a model: a modulator with I/Q imbalance and
 * leakage of its local oscillator, then an amplifier with memory that compresses. For the plot, which shows
 * what is transmitted, for fit.c, which makes the built-in coefficients, and for the tests.
 */
#ifndef PREDISTORTION_TRANSMITTER_H
#define PREDISTORTION_TRANSMITTER_H

#include <complex.h>
#include <penstock/penstock.h>

enum { TRANSMITTER_MEMORY = 3 };

/* Zeroed: nothing has been transmitted yet. */
struct transmitter {
	double complex before;                        /* the sample that came last */
	double complex amplified[TRANSMITTER_MEMORY]; /* what went into the amplifier, the last first */
};

/* The next sample through modulator and amplifier. */
double complex transmitter_next(struct transmitter *, double complex sample);

/* Its gain for a small signal: what a perfect predistorter would leave of it. */
double complex transmitter_gain(void);

/* An actor: inputs re, im; outputs re_out, im_out, divided by the gain, so that spectra can be compared. */
const struct pstk_actor_type *transmitter_type(void);

#endif
