/* SPDX-License-Identifier: MIT */
#include "actors/common/check_dft.h"

#include <math.h>
#include <stdlib.h>

/* The even ones' and the odd ones' transforms, joined. scratch: size. */
static void halves(double complex *x, double complex *scratch, size_t size)
{
	const double pi = 3.14159265358979323846;
	double complex *even = scratch, *odd = scratch + size / 2;

	if (size == 1)
		return;
	for (size_t i = 0; i < size / 2; i++) {
		even[i] = x[2 * i];
		odd[i] = x[2 * i + 1];
	}
	halves(even, x, size / 2);
	halves(odd, x + size / 2, size / 2);
	for (size_t k = 0; k < size / 2; k++) {
		double angle = -2 * pi * (double)k / (double)size;
		double complex turned = odd[k] * (cos(angle) + I * sin(angle));

		x[k] = even[k] + turned;
		x[k + size / 2] = even[k] - turned;
	}
}

void dft(double complex *x, size_t size)
{
	double complex *scratch = malloc(size * sizeof *scratch);

	ck_assert_ptr_nonnull(scratch);
	halves(x, scratch, size);
	free(scratch);
}

double test_uniform(struct test_rng *rng)
{
	return (double)(test_random(rng) >> 11) * 0x1p-52 - 1;
}
