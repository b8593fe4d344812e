/* SPDX-License-Identifier: MIT */
/* Discrete Fourier transform of complex samples, by kissfft. */
#ifndef PENSTOCK_ACTORS_FFT_H
#define PENSTOCK_ACTORS_FFT_H

#include "penstock/actors.h"

#define PS_PI 3.14159265358979323846

struct ps_fft;

/* size: a power of two, 2 .. 2^20. inverse: exp(+..) in place of exp(-..). Neither is scaled. *fft is NULL
 * after a failure: -ENOMEM, or -ENOTSUP: this build has no kissfft. */
int ps_fft_create(struct ps_fft **fft, size_t size, bool inverse);

/* size samples; out and in are apart. Allocates nothing. */
void ps_fft_run(struct ps_fft *, struct pstk_cf32 *restrict out, const struct pstk_cf32 *restrict in);

void ps_fft_destroy(struct ps_fft *);

#endif
