/* SPDX-License-Identifier: MIT */
/* What the tests of signals share: a Fourier transform in double precision, random floats. */
#ifndef PENSTOCK_ACTORS_CHECK_DFT_H
#define PENSTOCK_ACTORS_CHECK_DFT_H

#include <complex.h>

#include "tests/common/allocation.h"
#include "tests/common/common.h"

/* x[k] = sum over n of x[n] exp(-2 pi i k n / size), in place. size: a power of two. */
void dft(double complex *x, size_t size);

/* Any of -1 .. 1 is as likely. */
double test_uniform(struct test_rng *rng);

#endif
