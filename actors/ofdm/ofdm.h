/* SPDX-License-Identifier: MIT */
/* The generated signal: OFDM symbols with random data, the same for a seed each time, without end. */
#ifndef PENSTOCK_ACTORS_OFDM_H
#define PENSTOCK_ACTORS_OFDM_H

#include <stddef.h>
#include <stdint.h>

/* Samples of a symbol without its prefix; carriers in use, half of them on either side of the empty one at
 * 0 Hz; samples of the prefix, which is also what neighbouring symbols overlap by. */
enum { PS_OFDM_SIZE = 1024, PS_OFDM_CARRIERS = 200, PS_OFDM_PREFIX = 256 };

#define PS_OFDM_RMS 0.2   /* root of the mean square of the magnitude */
#define PS_OFDM_PEAK 0.95 /* no magnitude is above it */

struct ps_ofdm;

/* 0, -ENOMEM, or -ENOTSUP: this build has no kissfft. *ofdm is NULL after a failure. */
int ps_ofdm_create(struct ps_ofdm **ofdm, uint64_t seed);

/* One thread at a time. The next n samples; how many a call asks for makes no difference. Allocates
 * nothing. */
void ps_ofdm_read(struct ps_ofdm *, float *restrict re, float *restrict im, size_t n);

void ps_ofdm_destroy(struct ps_ofdm *);

/* Of ps_ofdm_read(), for the test: scales samples down whose magnitude is above PS_OFDM_PEAK. */
void ps_ofdm_limit(float *restrict re, float *restrict im, size_t n);

#endif
