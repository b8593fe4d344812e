/* SPDX-License-Identifier: MIT */
/* Discrete Fourier transform of any number of complex samples, by kissfft. */
#ifndef PENSTOCK_ACTORS_FFT_ANY_H
#define PENSTOCK_ACTORS_FFT_ANY_H

#include "penstock/actors.h"

struct ps_fft_any; /* constant after its creation: threads may share it */

/* size: 2 .. 2^20. inverse: exp(+..) in place of exp(-..). Neither is scaled. *fft is NULL after a failure: -ENOMEM, or
 * -ENOTSUP: this build has no kissfft. */
int ps_fft_any_create(struct ps_fft_any **fft, size_t size, bool inverse);

/* How many samples of memory a run needs; each thread has its own. */
size_t ps_fft_any_scratch(const struct ps_fft_any *);

/* size samples; out, in and scratch are apart. Allocates nothing. */
void ps_fft_any_run(const struct ps_fft_any *, struct pstk_cf32 *restrict out,
	const struct pstk_cf32 *restrict in, struct pstk_cf32 *restrict scratch);

void ps_fft_any_destroy(struct ps_fft_any *);

#endif
