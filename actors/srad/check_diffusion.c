/* SPDX-License-Identifier: MIT */
#include "actors/srad/check_diffusion.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_ONE_THREAD void diffusion_extract(double *to, const uint8_t *frame, const struct diffusion *d)
{
	for (size_t i = 0; i < d->w * d->h; i++)
		to[i] = exp(frame[i] / 255.);
}

TEST_ONE_THREAD void diffusion_measure(struct diffusion *d, const double *map)
{
	double sum = 0, squares = 0, n = (double)(d->w * d->h), first = map[0];

	/* the variance does not change when all values are lower by one of them; then equal ones give exactly 0 */
	for (size_t i = 0; i < d->w * d->h; i++) {
		sum += map[i] - first;
		squares += (map[i] - first) * (map[i] - first);
	}
	d->mean = first + sum / n;
	d->variance = squares / n - sum / n * (sum / n);
	d->q0 = d->variance / (d->mean * d->mean);
}

struct around {
	double j, n, s, w, e; /* the pixel; differences */
};

TEST_ONE_THREAD static struct around look(const double *map, const struct diffusion *d, size_t x, size_t y)
{
	const double *p = map + y * d->w + x, j = *p;

	return (struct around){ j, y ? p[-(ptrdiff_t)d->w] - j : 0, y + 1 < d->h ? p[d->w] - j : 0,
		x ? p[-1] - j : 0, x + 1 < d->w ? p[1] - j : 0 };
}

TEST_ONE_THREAD void diffusion_coefficients(double *to, const double *map, const struct diffusion *d)
{
	for (size_t y = 0; y < d->h; y++)
		for (size_t x = 0; x < d->w; x++) {
			struct around a = look(map, d, x, y);
			double g2 = (a.n * a.n + a.s * a.s + a.w * a.w + a.e * a.e) / (a.j * a.j);
			double l = (a.n + a.s + a.w + a.e) / a.j;
			double q = (g2 / 2 - l * l / 16) / ((1 + l / 4) * (1 + l / 4));
			double c = 1 / (1 + (q - d->q0) / (d->q0 * (1 + d->q0)));

			to[y * d->w + x] = d->q0 > 0 ? fmin(fmax(c, 0), 1) : 0;
		}
}

TEST_ONE_THREAD void diffusion_step(
	double *to, const double *map, const double *c, double lambda, const struct diffusion *d)
{
	for (size_t y = 0; y < d->h; y++)
		for (size_t x = 0; x < d->w; x++) {
			struct around a = look(map, d, x, y);
			double own = c[y * d->w + x], south = y + 1 < d->h ? c[(y + 1) * d->w + x] : own;
			double east = x + 1 < d->w ? c[y * d->w + x + 1] : own;

			to[y * d->w + x] =
				a.j + lambda / 4 * (own * a.n + south * a.s + own * a.w + east * a.e);
		}
}

TEST_ONE_THREAD void diffusion_iterate(double *map, double lambda, unsigned iterations, struct diffusion *d)
{
	double *c = test_zeroed(d->w * d->h * sizeof *c), *next = test_zeroed(d->w * d->h * sizeof *next);

	for (unsigned i = 0; i < iterations; i++) {
		diffusion_measure(d, map);
		diffusion_coefficients(c, map, d);
		diffusion_step(next, map, c, lambda, d);
		memcpy(map, next, d->w * d->h * sizeof *map);
	}
	free(c);
	free(next);
}
