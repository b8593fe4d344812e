/* SPDX-License-Identifier: MIT */
/* The spectra before and after as a picture. */
#ifndef PREDISTORTION_SPECTRA_H
#define PREDISTORTION_SPECTRA_H

#include <stdio.h>

#include <penstock/iq.h>

enum { SPECTRA_BINS = 1024, SPECTRA_WIDTH = 960, SPECTRA_HEIGHT = 620 };

/* What is drawn. sent: what the transmitter makes of before and after; both NULL where the transmitter is not known. */
struct spectra {
	const struct pstk_spectrum *before, *after, *sent_before, *sent_after;
};

/* Writes a script for gnuplot: power in dB over frequency (in Hz where the sample rate is known), a curve for each
 * spectrum. Its figures are below: its power, and how much of it is outside of the signal's own band. What goes wrong
 * is in the stream. */
void spectra_write(FILE *, const struct spectra *, const struct pstk_iq_info *);

#endif
