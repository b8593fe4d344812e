/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/vivid/coefficients.h"
#include "apps/common/app.h"

#include <math.h>
#include <stdlib.h>

/* NULL: said. */
static float *make_room(size_t numbers, int *status)
{
	float *to = calloc(numbers, sizeof *to);

	*status = to ? 0 : app_out_of_memory();
	return to;
}

/* u */
static double next(uint32_t *x)
{
	*x = 1664525 * *x + 1013904223;
	return (*x >> 8) / 16777216.0;
}

static void make_filter(float *to, uint32_t *x)
{
	double u[COEFFICIENTS_TAPS], mean = 0, squares = 0;

	for (int i = 0; i < COEFFICIENTS_TAPS; i++) {
		u[i] = next(x) - 0.5;
		mean += u[i] / COEFFICIENTS_TAPS;
	}
	for (int i = 0; i < COEFFICIENTS_TAPS; i++) {
		u[i] -= mean;
		squares += u[i] * u[i];
	}
	for (int i = 0; i < COEFFICIENTS_TAPS; i++)
		to[i] = (float)(u[i] / sqrt(squares));
}

int coefficients_make_filters(size_t count, float **to)
{
	uint32_t x = 12345;
	int status;

	*to = make_room(count * COEFFICIENTS_TAPS, &status);
	for (size_t i = 0; i < count && !status; i++)
		make_filter(*to + i * COEFFICIENTS_TAPS, &x);
	return status;
}

int coefficients_make_classifier(size_t rows, size_t filters, float **to)
{
	uint32_t x = 777;
	int status;

	*to = make_room(rows * filters, &status);
	for (size_t i = 0; i < rows * filters && !status; i++)
		(*to)[i] = (float)(200 * next(&x));
	return status;
}
