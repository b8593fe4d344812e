/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/samples.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double ps_median(double *values, unsigned count)
{
	qsort(values, count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double ps_samples_median(const uint64_t *first, size_t stride, unsigned count)
{
	double values[PS_SAMPLES], m;

	for (unsigned i = 0; i < count; i++)
		values[i] = 1e-9 * (double)first[i * stride];
	m = count ? ps_median(values, count) : 0;
	return m > 1e-9 ? m : 1e-9;
}
