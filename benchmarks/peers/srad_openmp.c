/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/srad_openmp.h"

#ifdef _OPENMP
#include "actors/srad/diffusion.h"

static void coefficients(
	const struct srad_openmp *s, const float *from, size_t y, const struct ps_srad_stats *stats)
{
	const float *row = from + y * s->w;

	ps_srad_coefficient_row(
		s->c + y * s->w, y ? row - s->w : row, row, y + 1 < s->h ? row + s->w : row, s->w, stats);
}

static void step(const struct srad_openmp *s, const float *from, float *to, size_t y)
{
	const float *row = from + y * s->w, *c = s->c + y * s->w;
	bool last = y + 1 == s->h;

	ps_srad_step_row(to + y * s->w, y ? row - s->w : row, row, last ? row : row + s->w, c,
		last ? c : c + s->w, s->w, s->lambda / 4);
}

/* As one would write it: a parallel region, two loops over rows an iteration, the sums of the next one in the second
 * of them. */
bool srad_openmp(struct srad_openmp *s)
{
	double values = 0, squares = 0;

#pragma omp parallel num_threads(s->threads)
	{
#pragma omp for schedule(static) reduction(+ : values, squares)
		for (size_t y = 0; y < s->h; y++) {
			struct ps_srad_sums sums = { 0, 0 };

			ps_srad_sum_row(&sums, s->maps[0] + y * s->w, NULL, s->w);
			values += sums.values;
			squares += sums.squares;
		}
		for (unsigned i = 0; i < s->iterations; i++) {
			const float *from = s->maps[i % 2];
			float *to = s->maps[(i + 1) % 2];
			struct ps_srad_sums all = { values, squares };
			struct ps_srad_stats stats = ps_srad_stats(&all, (uint64_t)s->w * s->h);

#pragma omp for schedule(static)
			for (size_t y = 0; y < s->h; y++)
				coefficients(s, from, y, &stats);
#pragma omp single
			values = squares = 0;
#pragma omp for schedule(static) reduction(+ : values, squares)
			for (size_t y = 0; y < s->h; y++) {
				struct ps_srad_sums sums = { 0, 0 };

				step(s, from, to, y);
				ps_srad_sum_row(&sums, to + y * s->w, NULL, s->w);
				values += sums.values;
				squares += sums.squares;
			}
		}
	}
	return true;
}
#else
bool srad_openmp(struct srad_openmp *s)
{
	(void)s;
	return false;
}
#endif
