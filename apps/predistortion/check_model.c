/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/predistortion/check_model.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A branch's own samples so far: those that it was active for. A frozen history is a list that does not grow.
 */
struct list {
	double *re, *im;
	size_t n;
};

static void append(struct list *list, const struct pstk_polynomial_branch *term, double re, double im)
{
	double a = re * re + im * im, power = 1;

	for (uint32_t order = 1; order < term->order; order += 2)
		power *= a;
	list->re[list->n] = re * power;
	list->im[list->n] = (term->conjugate ? -im : im) * power;
	list->n++;
}

static void add_filtered(const struct list *list, const struct branch *branch, double *sum)
{
	for (size_t k = 0; k < branch->tap_count && k < list->n; k++) {
		double re = list->re[list->n - 1 - k], im = list->im[list->n - 1 - k];
		double h_re = (double)branch->taps[k].re, h_im = (double)branch->taps[k].im;

		sum[0] += h_re * re - h_im * im;
		sum[1] += h_re * im + h_im * re;
	}
}

void model_run(const struct coefficients *coefficients, const uint32_t *sets, size_t count, size_t period,
	const float *in, size_t n, double *out)
{
	struct list lists[PSTK_MAX_BRANCHES] = { 0 };

	for (unsigned b = 0; b < coefficients->count; b++) {
		lists[b].re = calloc(n + 1, sizeof(double));
		lists[b].im = calloc(n + 1, sizeof(double));
		ck_assert_ptr_nonnull(lists[b].re);
		ck_assert_ptr_nonnull(lists[b].im);
	}
	for (size_t i = 0; i < n; i++) {
		size_t p = i / period;
		uint32_t set = sets[p < count ? p : count - 1];
		double *sum = out + 2 * i;

		sum[0] = (double)coefficients->lo.re;
		sum[1] = (double)coefficients->lo.im;
		for (unsigned b = 0; b < coefficients->count; b++) {
			if (!(set >> b & 1))
				continue;
			append(&lists[b], &coefficients->branches[b].term, (double)in[2 * i],
				(double)in[2 * i + 1]);
			add_filtered(&lists[b], &coefficients->branches[b], sum);
		}
	}
	for (unsigned b = 0; b < coefficients->count; b++) {
		free(lists[b].re);
		free(lists[b].im);
	}
}

/* Of n samples: the largest magnitude of those that are finite. */
static double largest(const double *samples, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double magnitude = hypot(samples[2 * i], samples[2 * i + 1]);

		if (isfinite(magnitude) && magnitude > most)
			most = magnitude;
	}
	return most;
}

size_t model_not_finite(const float *samples, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += !isfinite(samples[2 * i]) || !isfinite(samples[2 * i + 1]);
	return count;
}

void model_expect(const float *got, const double *expected, size_t n, const char *what)
{
	double limit = 1e-5 * largest(expected, n);

	for (size_t i = 0; i < n; i++) {
		const float *g = got + 2 * i;
		const double *e = expected + 2 * i;
		bool finite = isfinite(e[0]) && isfinite(e[1]);

		if (finite ? !(hypot((double)g[0] - e[0], (double)g[1] - e[1]) <= limit)
			   : isfinite(g[0]) && isfinite(g[1]))
			ck_abort_msg(
				"%s: sample %zu of %zu is (%.9g, %.9g) instead of (%.9g, %.9g), limit %.3g",
				what, i, n, (double)g[0], (double)g[1], e[0], e[1], limit);
	}
}

float *model_input(size_t n, uint64_t seed)
{
	struct test_rng rng = { seed };
	float *samples = calloc(2 * n + 2, sizeof(float));

	ck_assert_ptr_nonnull(samples);
	for (size_t i = 0; i < n; i++) {
		double magnitude = test_between(&rng, 0, 9000) * 1e-4;
		double angle = test_between(&rng, 0, 62831) * 1e-4;

		samples[2 * i] = (float)(magnitude * cos(angle));
		samples[2 * i + 1] = (float)(magnitude * sin(angle));
	}
	return samples;
}

static float random_part(struct test_rng *rng)
{
	return (float)(((double)test_between(rng, 0, 2000) - 1000) * 1e-3);
}

void model_coefficients(struct coefficients *coefficients, unsigned count, unsigned most_taps, uint64_t seed)
{
	struct test_rng rng = { seed };

	*coefficients = (struct coefficients){ .count = count, .least = 1, .most = count };
	coefficients->lo = (struct pstk_cf32){ random_part(&rng), random_part(&rng) };
	for (unsigned b = 0; b < count; b++) {
		struct branch *branch = &coefficients->branches[b];

		branch->term.order = 1 + 2 * test_between(&rng, 0, 4);
		branch->term.conjugate = test_chance(&rng, 50);
		branch->tap_count = test_between(&rng, 1, most_taps);
		branch->taps = calloc(branch->tap_count, sizeof(*branch->taps));
		ck_assert_ptr_nonnull(branch->taps);
		for (unsigned k = 0; k < branch->tap_count; k++)
			branch->taps[k] = (struct pstk_cf32){ random_part(&rng), random_part(&rng) };
	}
}

void model_write(const struct coefficients *coefficients, const char *path)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "{\"source\": \"random\", \"lo\": [%.9g, %.9g], \"branches\": [",
		(double)coefficients->lo.re, (double)coefficients->lo.im);
	for (unsigned b = 0; b < coefficients->count; b++) {
		const struct branch *branch = &coefficients->branches[b];

		fprintf(file, "%s\n{\"order\": %u, \"conjugate\": %s, \"taps\": [", b ? "," : "",
			(unsigned)branch->term.order, branch->term.conjugate ? "true" : "false");
		for (unsigned k = 0; k < branch->tap_count; k++)
			fprintf(file, "%s[%.9g, %.9g]", k ? ", " : "", (double)branch->taps[k].re,
				(double)branch->taps[k].im);
		fputs("]}", file);
	}
	fputs("]}\n", file);
	ck_assert_int_eq(fclose(file), 0);
}
