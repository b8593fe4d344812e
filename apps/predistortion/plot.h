/* SPDX-License-Identifier: MIT */
/* The spectra before and after as a picture. */
#ifndef PREDISTORTION_PLOT_H
#define PREDISTORTION_PLOT_H

#include <stdio.h>

#include <penstock/iq.h>

enum { PLOT_BINS = 1024 };

/* What is drawn. sent: what the transmitter makes of before and after; both NULL where nobody knows the
 * transmitter. */
struct plot_spectra {
	const struct pstk_spectrum *before, *after, *sent_before, *sent_after;
};

/* Writes an SVG, self-contained, legible on light and dark grounds: power in dB over frequency (Hz where
 * the sample rate is known), the curves, what is below them said in figures: power, and how much is
 * outside of the signal's own band. 0 or a negative errno (-EIO: the stream has failed). */
int plot_write(FILE *, const struct plot_spectra *, const struct pstk_iq_info *);

#endif
