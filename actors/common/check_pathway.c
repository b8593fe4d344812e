/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_pathway.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if TEST_SANITIZED
/*
 * What clFFT 2.12.2 itself does wrong, for the sanitizers' runtimes: it leaks the key of a kernel that two plans have
 * in common; it deletes objects by the size of their base; it takes the locks of a plan and of its table in both
 * orders, which is harmless while one thread at a time uses a plan.
 */
PSTK_PUBLIC const char *__asan_default_options(void);
PSTK_PUBLIC const char *__lsan_default_suppressions(void);
PSTK_PUBLIC const char *__tsan_default_suppressions(void);

const char *__asan_default_options(void)
{
	return "new_delete_type_mismatch=0";
}

const char *__lsan_default_suppressions(void)
{
	return "leak:FFTRepo::setProgramCode";
}

const char *__tsan_default_suppressions(void)
{
	return "deadlock:libclFFT";
}
#endif

static const double pi = 3.14159265358979323846;

#ifdef HAVE_FFTW
#include <fftw3.h>

static void transform(double complex *x, size_t w, size_t h, bool inverse)
{
	fftw_plan plan =
		fftw_plan_dft_2d((int)h, (int)w, x, x, inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);

	fftw_execute(plan);
	fftw_destroy_plan(plan);
	fftw_cleanup();
}
#else
/* n numbers that are `step` apart. */
TEST_ONE_THREAD static void dft_line(double complex *x, size_t n, size_t step, int sign)
{
	double complex *sums = calloc(n, sizeof *sums);

	ck_assert_ptr_nonnull(sums);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			sums[k] += x[i * step] * cexp(sign * 2 * pi * I * (double)(i * k % n) / (double)n);
	for (size_t k = 0; k < n; k++)
		x[k * step] = sums[k];
	free(sums);
}

static void transform(double complex *x, size_t w, size_t h, bool inverse)
{
	for (size_t y = 0; y < h; y++)
		dft_line(x + y * w, w, 1, inverse ? 1 : -1);
	for (size_t column = 0; column < w; column++)
		dft_line(x + column, h, w, inverse ? 1 : -1);
}
#endif

TEST_ONE_THREAD void pathway_dft(double complex *x, size_t w, size_t h, bool inverse)
{
	transform(x, w, h, inverse);
	for (size_t i = 0; inverse && i < w * h; i++)
		x[i] /= (double)(w * h);
}

static double weight(const char *window, size_t n, size_t k)
{
	double middle = floor((double)n / 2);

	if (!strcmp(window, "hann"))
		return 0.5 - 0.5 * cos(2 * pi * (double)k / (double)(n - 1));
	return strcmp(window, "flat8") != 0 ? 1 : 1 - pow(((double)k - middle) / middle, 8);
}

TEST_ONE_THREAD void pathway_window(
	double *to, const uint8_t *frame, size_t w, size_t h, const char *window, double *P)
{
	double mean = 0;

	*P = 0;
	for (size_t i = 0; i < w * h; i++) {
		mean += frame[i] / (double)(w * h);
		*P += frame[i] * frame[i] / (double)(w * h);
	}
	for (size_t i = 0; i < w * h; i++)
		to[i] = (frame[i] - mean) * weight(window, w, i % w) * weight(window, h, i / w);
}

static double frequency(size_t n, size_t k)
{
	return 2 * k < n ? (double)k / (double)n : (double)k / (double)n - 1;
}

TEST_ONE_THREAD double pathway_gabor(size_t w, size_t h, size_t x, size_t y, unsigned map)
{
	static const double fs[] = { 1. / 32, 1. / 16, 1. / 8, 1. / 4 },
			    sigmas[] = { 0.01020224, 0.02040448, 0.04080896, 0.08161792 };
	double angle = (90 + 30 * (map / PATHWAY_BANDS)) * pi / 180, u = frequency(w, x),
	       v = -frequency(h, y);
	double along = u * cos(angle) + v * sin(angle), across = v * cos(angle) - u * sin(angle);
	double f = fs[map % PATHWAY_BANDS], sigma = sigmas[map % PATHWAY_BANDS];

	return exp(-(pow(along - f, 2) + across * across) / (2 * sigma * sigma));
}

TEST_ONE_THREAD void pathway_interactions(double *to, const double *from, size_t pixels)
{
	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 4; i++)
			for (size_t p = 0; p < pixels; p++) {
#define M(orientation, band) from[(size_t)(((orientation) + 6) % 6 * 4 + (band)) * pixels + p]
				double r = M(j, i);

				if (i > 0)
					r += 0.5 * M(j, i - 1);
				if (i < 3)
					r += 0.5 * M(j, i + 1);
				r -= (i == 0 || i == 3 ? 0.25 : 0.5) * (M(j - 1, i) + M(j + 1, i));
				to[(size_t)(j * 4 + i) * pixels + p] = r;
#undef M
			}
}

TEST_ONE_THREAD void pathway_normalize(double *map, size_t pixels, double flat)
{
	double min = map[0], max = map[0], mean = 0, most = 0;

	for (size_t p = 0; p < pixels; p++) {
		min = fmin(min, map[p]);
		max = fmax(max, map[p]);
	}
	if (max - min <= flat) {
		memset(map, 0, pixels * sizeof *map);
		return;
	}
	for (size_t p = 0; p < pixels; p++) {
		map[p] = (map[p] - min) / (max - min);
		mean += map[p] / (double)pixels;
	}
	for (size_t p = 0; p < pixels; p++) {
		map[p] *= pow(1 - mean, 2);
		most = fmax(most, map[p]);
	}
	for (size_t p = 0; p < pixels; p++)
		map[p] = map[p] > 0.2 * most ? (map[p] - 0.2 * most) / (most - 0.2 * most) * most : 0;
}

/* The energies of all maps, and the window's P. */
TEST_ONE_THREAD static void energies(
	double *to, const uint8_t *frame, size_t w, size_t h, const char *window, double *P)
{
	size_t n = w * h;
	double *x = malloc(n * sizeof *x);
	double complex *spectrum = malloc(n * sizeof *spectrum), *filtered = malloc(n * sizeof *filtered);

	ck_assert(x && spectrum && filtered);
	pathway_window(x, frame, w, h, window, P);
	for (size_t i = 0; i < n; i++)
		spectrum[i] = x[i];
	pathway_dft(spectrum, w, h, false);
	for (unsigned map = 0; map < PATHWAY_MAPS; map++) {
		for (size_t i = 0; i < n; i++)
			filtered[i] = spectrum[i] * pathway_gabor(w, h, i % w, i / w, map);
		pathway_dft(filtered, w, h, true);
		for (size_t i = 0; i < n; i++)
			to[map * n + i] = creal(filtered[i] * conj(filtered[i]));
	}
	free(x);
	free(spectrum);
	free(filtered);
}

TEST_ONE_THREAD void pathway_whole(double *to, const uint8_t *frame, size_t w, size_t h, const char *window)
{
	size_t n = w * h;
	double P, *m = malloc(PATHWAY_MAPS * n * sizeof *m), *r = malloc(PATHWAY_MAPS * n * sizeof *r);

	ck_assert(m && r);
	energies(m, frame, w, h, window, &P);
	pathway_interactions(r, m, n);
	memset(to, 0, n * sizeof *to);
	for (unsigned map = 0; map < PATHWAY_MAPS; map++) {
		pathway_normalize(r + map * n, n, 1e-9 * P);
		for (size_t i = 0; i < n; i++)
			to[i] += r[map * n + i];
	}
	free(m);
	free(r);
}

struct pstk_actor *pathway_add(struct pstk_network *net, const void *data)
{
	const struct pathway_actor *actor = data;

	return pstk_network_add(net, "tested", actor->type, (void *)actor->arg);
}

struct stream_way pathway_plain(void)
{
	return (struct stream_way){ .steps = 1, .depth = 2, .aside = 1 };
}

struct stream_run pathway_run(const struct pathway_actor *actor, const struct stream_way *way,
	const void *tokens, size_t count, size_t in_bytes, size_t out_bytes)
{
	struct stream_run run = { .way = *way,
		.in = { { .token_size = in_bytes, .count = count, .tokens = (unsigned char *)tokens } },
		.out = { { .token_size = out_bytes } } };

	stream_run(&run, pathway_add, actor);
	return run;
}

void pathway_check_refusals(const struct pstk_actor_type *type)
{
	const struct pstk_frame_size small = { 8, 8 };
	const struct {
		struct pstk_window_arg arg;
		int err;
		const char *words;
	} cases[] = {
		{ { { 7, 8 }, NULL }, -ERANGE, "width" },
		{ { { 8, 7 }, NULL }, -ERANGE, "height" },
		{ { { 8, 32769 }, NULL }, -ERANGE, "height" },
		{ { { 32769, 8 }, NULL }, -ERANGE, "width" },
		{ { small, NULL }, -EINVAL, "make the FIFO's token size width x height x" },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pathway_actor actor = { type, &cases[i].arg };

		STREAM_REFUSES(pathway_add, &actor, cases[i].err, "'tested'", cases[i].words);
	}
}

static int end_at_once(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

struct pstk_network *pathway_alone(
	const struct pathway_actor *actor, size_t in_bytes, size_t out_bytes, const char *device)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT }, in = { .name = "in" };
	struct pstk_network *net = pstk_network_create("memory");
	struct pstk_actor *tested = pathway_add(net, actor);

	pstk_connect(pstk_network_add(net, "source",
			     PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1,
				     .fire = end_at_once),
			     NULL),
		"out", tested, "in", PSTK_FIFO(.token_size = in_bytes));
	pstk_connect(tested, "out",
		pstk_network_add(net, "sink",
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = end_at_once),
			NULL),
		"in", PSTK_FIFO(.token_size = out_bytes));
	pstk_actor_map(tested, device);
	return net;
}

unsigned pathway_fail_allocations(const struct pathway_actor *actor, size_t in_bytes, size_t out_bytes)
{
	for (unsigned n = 1;; n++) {
		struct pstk_network *net = pathway_alone(actor, in_bytes, out_bytes, NULL);
		int err;

		test_fail_allocation(n);
		err = pstk_network_run(net);
		if (!test_allocation_failed()) {
			ck_assert_msg(!err, "%s", pstk_network_error(net));
			pstk_network_destroy(net);
			return n - 1;
		}
		ck_assert_int_eq(err, -ENOMEM);
		TEST_SAYS(pstk_network_error(net), "'tested'", "out of memory");
		pstk_network_destroy(net);
	}
}

float *pathway_floats(struct test_rng *rng, size_t count)
{
	float *x = malloc(count * sizeof *x);

	ck_assert_ptr_nonnull(x);
	for (size_t i = 0; i < count; i++)
		x[i] = (float)test_between(rng, 0, 2000000) / 1e6f - 1;
	return x;
}

uint8_t *pathway_bytes(struct test_rng *rng, size_t count)
{
	uint8_t *x = malloc(count);

	ck_assert_ptr_nonnull(x);
	for (size_t i = 0; i < count; i++)
		x[i] = (uint8_t)test_random(rng);
	return x;
}
