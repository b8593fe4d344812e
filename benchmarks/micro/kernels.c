/* SPDX-License-Identifier: MIT */
/*
 * The reusable actors' kernels on the cores: microseconds a frame or a block of samples, as a ratio to
 * memcpy() of as many bytes as the kernel reads and writes together, and to the plain loop of its definition
 * (plain.c). The three take turns; the medians are printed. Results are compared with the plain loops' first.
 *
 * Usage: kernels [WxH [ROUNDS [SAMPLES]]]
 */
#include "actors/adder/adder.h"
#include "actors/common/cf32.h"
#include "actors/equalize/equalize.h"
#include "actors/fir/fir.h"
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/polynomial/polynomial.h"
#include "actors/threshold/threshold.h"
#include "actors/video_sink/output.h"
#include "benchmarks/common/number.h"
#include "apps/common/probe.h"
#include "benchmarks/micro/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Streams are apart by some cache lines more than their length, as FIFOs' are. */
enum { LIMIT = 16384, BRANCHES = 5, TAPS = 10, STAGGER = 80, SIGNAL_LIMIT = 1 << 24 };

struct bench {
	size_t w, h, samples, stride;
	uint8_t *now, *before, *map; /* frames */
	float *re, *im;              /* samples */
	float *words;                /* the same side by side */
	float *in[2 * BRANCHES];     /* streams, re and im of each branch */
	struct pstk_cf32 taps[TAPS];
	struct ps_polynomial *polynomial;
	/* what a kernel writes: bytes, or streams of floats */
	uint8_t *out;
	float *stream[2 * BRANCHES];
	double value; /* or what it returns */
};

/* -- the kernels, and the plain loops -- */

static void gauss5x5(struct bench *b)
{
	ps_gauss5x5_frame(b->out, b->now, b->w, b->h);
}

static void gauss5x5_plain(struct bench *b)
{
	plain_gauss5x5(b->out, b->now, b->w, b->h);
}

static void median5(struct bench *b)
{
	ps_median5_frame(b->out, b->now, b->w, b->h);
}

static void median5_plain(struct bench *b)
{
	plain_median5(b->out, b->now, b->w, b->h);
}

static void threshold(struct bench *b)
{
	ps_threshold_bytes(b->out, b->now, b->before, 20, b->w * b->h);
}

static void threshold_plain(struct bench *b)
{
	plain_threshold(b->out, b->now, b->before, 20, b->w * b->h);
}

static void equalize(struct bench *b)
{
	ps_equalize_frame(b->out, b->now, b->w, b->h);
}

static void equalize_plain(struct bench *b)
{
	plain_equalize(b->out, b->now, b->w * b->h);
}

static void overlay_rgb(struct bench *b)
{
	ps_overlay_rgb(b->out, b->map, b->now, b->w * b->h);
}

static void overlay_rgb_plain(struct bench *b)
{
	plain_overlay_rgb(b->out, b->map, b->now, b->w * b->h);
}

static void overlay_ycc(struct bench *b)
{
	ps_overlay_ycc(b->out, b->map, b->now, b->w * b->h);
}

static void overlay_ycc_plain(struct bench *b)
{
	plain_overlay_ycc(b->out, b->map, b->now, b->w * b->h);
}

static void polynomial(struct bench *b)
{
	struct ps_branch branches[BRANCHES];

	for (unsigned i = 0; i < BRANCHES; i++)
		branches[i] = (struct ps_branch){ b->stream[2 * i], b->stream[2 * i + 1] };
	ps_polynomial_block(b->polynomial, (struct ps_branch){ b->re, b->im }, branches, b->samples);
}

static void polynomial_plain(struct bench *b)
{
	plain_polynomial(b->stream[0], b->stride, BRANCHES, b->re, b->im, b->samples);
}

static void adder(struct bench *b)
{
	for (unsigned part = 0; part < 2; part++) {
		float *in[BRANCHES];

		for (unsigned i = 0; i < BRANCHES; i++)
			in[i] = b->in[2 * i + part];
		ps_adder_sum(b->stream[part], in, BRANCHES, 0.25F, b->samples);
	}
}

static void adder_plain(struct bench *b)
{
	for (unsigned part = 0; part < 2; part++) {
		float *in[BRANCHES];

		for (unsigned i = 0; i < BRANCHES; i++)
			in[i] = b->in[2 * i + part];
		plain_adder(b->stream[part], in, BRANCHES, 0.25F, b->samples);
	}
}

static void fir(struct bench *b)
{
	static const float zeros[TAPS];

	ps_fir_filter(ps_fir_loop_best(), b->taps, TAPS, (struct ps_fir_samples){ zeros, zeros },
		(struct ps_fir_samples){ b->re, b->im }, b->stream[0], b->stream[1], b->samples);
}

static void fir_plain(struct bench *b)
{
	plain_fir(b->stream[0], b->stream[1], b->re, b->im, b->samples, b->taps, TAPS);
}

static void cf32_split(struct bench *b)
{
	uint32_t wrong = 0;

	for (size_t at = 0; at < b->samples; at += PS_CF32_CHUNK) {
		size_t left = b->samples - at, n = left < PS_CF32_CHUNK ? left : PS_CF32_CHUNK;

		wrong += ps_cf32_split(
			b->stream[0] + at, b->stream[1] + at, (uint32_t *)(void *)(b->words + 2 * at), n);
	}
	b->value = wrong;
}

static void cf32_split_plain(struct bench *b)
{
	b->value = plain_split(b->stream[0], b->stream[1], b->words, b->samples);
}

static void cf32_join(struct bench *b)
{
	uint32_t wrong = 0;

	for (size_t at = 0; at < b->samples; at += PS_CF32_CHUNK) {
		size_t left = b->samples - at, n = left < PS_CF32_CHUNK ? left : PS_CF32_CHUNK;

		wrong += ps_cf32_join((uint32_t *)(void *)(b->stream[0] + 2 * at), b->re + at, b->im + at, n);
	}
	b->value = wrong;
}

static void cf32_join_plain(struct bench *b)
{
	b->value = plain_join(b->stream[0], b->re, b->im, b->samples);
}

static void cf32_peak(struct bench *b)
{
	b->value = ps_cf32_peak(0, b->re, b->im, b->samples);
}

static void cf32_peak_plain(struct bench *b)
{
	b->value = plain_peak(b->re, b->im, b->samples);
}

/* bytes or streams: what it writes. moved: frames or streams that it reads and writes. */
static const struct kernel {
	const char *name;
	void (*run)(struct bench *), (*plain)(struct bench *);
	unsigned bytes, streams, moved;
} kernels[] = {
	{ "gauss5x5", gauss5x5, gauss5x5_plain, 1, 0, 2 },
	{ "median5", median5, median5_plain, 1, 0, 2 },
	{ "threshold", threshold, threshold_plain, 1, 0, 3 },
	{ "equalize", equalize, equalize_plain, 1, 0, 2 },
	{ "overlay rgb", overlay_rgb, overlay_rgb_plain, 3, 0, 5 },
	{ "overlay ycc", overlay_ycc, overlay_ycc_plain, 3, 0, 5 },
	{ "polynomial 5", polynomial, polynomial_plain, 0, 2 * BRANCHES, 2 + 2 * BRANCHES },
	{ "adder 5", adder, adder_plain, 0, 2, 2 + 2 * BRANCHES },
	{ "fir 10", fir, fir_plain, 0, 2, 4 },
	{ "cf32 split", cf32_split, cf32_split_plain, 0, 2, 4 },
	{ "cf32 join", cf32_join, cf32_join_plain, 0, 2, 4 },
	{ "cf32 peak", cf32_peak, cf32_peak_plain, 0, 0, 2 },
};

/* -- checking -- */

static bool same_streams(const struct bench *b, const float *expected, unsigned streams)
{
	for (size_t i = 0; i < streams * b->stride; i++)
		if (!(fabs((double)b->stream[0][i] - (double)expected[i]) <= 1e-5))
			return false;
	return true;
}

/* Writes with the kernel and with the plain loop, into memory that holds the same before. */
static bool same(struct bench *b, const struct kernel *k)
{
	size_t bytes = k->bytes * b->w * b->h, room = 3 * b->w * b->h;
	size_t floats = 2 * BRANCHES * b->stride * sizeof(float);
	uint8_t *expected = malloc(room + floats);
	double value;
	bool ok;

	if (!expected)
		return false;
	memset(b->out, 0, room);
	memset(b->stream[0], 0, floats);
	b->value = 0;
	k->plain(b);
	value = b->value;
	memcpy(expected, b->stream[0], floats);
	memcpy(expected + floats, b->out, bytes);
	memset(b->out, 0, room);
	memset(b->stream[0], 0, floats);
	k->run(b);
	ok = !memcmp(expected + floats, b->out, bytes) &&
	     same_streams(b, (const float *)(const void *)expected, k->streams) &&
	     fabs(b->value - value) <= 1e-5 * fabs(value);
	free(expected);
	return ok;
}

/* -- measuring -- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *us, size_t rounds)
{
	qsort(us, rounds, sizeof *us, compare);
	return us[rounds / 2];
}

/* Once before it counts: caches are as they are when it runs again and again. */
static double time_of(void (*run)(struct bench *), struct bench *b)
{
	double begin;

	run(b);
	begin = now_us();
	run(b);
	return now_us() - begin;
}

static double time_of_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
	double begin;

	memcpy(to, from, bytes);
	begin = now_us();
	memcpy(to, from, bytes);
	return now_us() - begin;
}

static bool measure(struct bench *b, const struct kernel *k, double *us, size_t rounds)
{
	bool frames = k->bytes;
	size_t one = frames ? b->w * b->h : b->samples * sizeof(float), bytes = one * k->moved / 2;
	uint8_t *from = malloc(bytes), *to = malloc(bytes);
	double copy, plain, run;

	if (!from || !to) {
		free(from);
		free(to);
		return false;
	}
	memset(from, 1, bytes);
	for (size_t i = 0; i < rounds; i++) {
		us[i] = time_of_copy(to, from, bytes);
		us[rounds + i] = time_of(k->plain, b);
		us[2 * rounds + i] = time_of(k->run, b);
	}
	copy = median(us, rounds);
	plain = median(us + rounds, rounds);
	run = median(us + 2 * rounds, rounds);
	printf("%-12s %8.2f %10.0f %9.2f %9.2f\n", k->name, run,
		(double)(frames ? b->w * b->h : b->samples) / run, run / copy, plain / run);
	fflush(stdout);
	free(from);
	free(to);
	return true;
}

/* -- what is computed with -- */

static void fill(uint8_t *frame, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		frame[i] = (uint8_t)(seed >> 24);
	}
}

/* -0.7 .. 0.7 */
static void fill_stream(float *stream, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		stream[i] = 0.7F * ((float)(int32_t)seed / 2147483648.F);
	}
}

static bool make_frames(struct bench *b)
{
	size_t pixels = b->w * b->h;

	b->now = malloc(pixels);
	b->before = malloc(pixels);
	b->map = malloc(pixels);
	b->out = malloc(3 * pixels);
	if (!b->now || !b->before || !b->map || !b->out)
		return false;
	fill(b->now, pixels, 1);
	fill(b->before, pixels, 2);
	plain_threshold(b->map, b->now, b->before, 200, pixels);
	return true;
}

static bool make_signals(struct bench *b)
{
	b->stride = b->samples + STAGGER;
	b->in[0] = malloc(2 * BRANCHES * b->stride * sizeof(float));
	b->stream[0] = malloc(2 * BRANCHES * b->stride * sizeof(float));
	b->words = malloc(2 * b->samples * sizeof(float));
	b->polynomial = calloc(1, sizeof *b->polynomial + BRANCHES * sizeof *b->polynomial->terms);
	if (!b->in[0] || !b->stream[0] || !b->words || !b->polynomial)
		return false;
	for (unsigned i = 0; i < 2 * BRANCHES; i++) {
		b->in[i] = b->in[0] + i * b->stride;
		b->stream[i] = b->stream[0] + i * b->stride;
		fill_stream(b->in[i], b->samples, i);
	}
	b->re = b->in[0];
	b->im = b->in[1];
	plain_join(b->words, b->re, b->im, b->samples);
	for (b->polynomial->count = 0; b->polynomial->count < BRANCHES; b->polynomial->count++)
		b->polynomial->terms[b->polynomial->count] =
			(struct ps_polynomial_term){ .branch = (uint16_t)b->polynomial->count,
				.power = (uint8_t)b->polynomial->count };
	for (unsigned k = 0; k < TAPS; k++)
		b->taps[k] = (struct pstk_cf32){ 0.1F * (float)(k % 3 + 1), 0.05F * (float)k - 0.2F };
	return true;
}

static void release(struct bench *b)
{
	free(b->now);
	free(b->before);
	free(b->map);
	free(b->out);
	free(b->in[0]);
	free(b->stream[0]);
	free(b->words);
	free(b->polynomial);
}

static int run_all(struct bench *b, size_t rounds)
{
	double *us = malloc(3 * rounds * sizeof *us);
	int failed = !us || !make_frames(b) || !make_signals(b);

	if (failed)
		fprintf(stderr, "kernels: out of memory\n");
	else
		printf("%zux%zu, %zu samples, median of %zu\n%-12s %8s %10s %9s %9s\n", b->w, b->h,
			b->samples, rounds, "kernel", "us", "M/s", "x memcpy", "x plain");
	for (size_t i = 0; !failed && i < sizeof kernels / sizeof *kernels; i++) {
		failed = !same(b, &kernels[i]);
		if (failed)
			fprintf(stderr, "kernels: %s is not what the plain loop gives\n", kernels[i].name);
		else
			failed = !measure(b, &kernels[i], us, rounds);
	}
	free(us);
	release(b);
	return failed;
}

int main(int argc, char **argv)
{
	struct bench b = { .w = 0 };
	unsigned rounds = 1001, samples = 16384;
	uint32_t w = 320, h = 240;
	int status;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		printf("usage: %s [WxH [ROUNDS [SAMPLES]]]\n"
		       "  WxH         size of a frame, sides up to %d (320x240)\n"
		       "  ROUNDS      up to 1000000 (1001)\n"
		       "  SAMPLES     of a block, up to %d (16384)\n\n"
		       "The actors' kernels in C, of images and of signals. Columns: us, microseconds a "
		       "frame or block;\n"
		       "M/s, millions of pixels or samples a second; x memcpy, times as long as copying what "
		       "the kernel\n"
		       "reads and writes; x plain, times as fast as the plain loop.\n",
			argv[0], LIMIT, SIGNAL_LIMIT);
		return 0;
	}
	if (argc > 4 || (argc > 1 && !number_size(argv[1], LIMIT, &w, &h)) ||
		(argc > 2 && !number_unsigned(argv[2], 1, 1000000, &rounds)) ||
		(argc > 3 && !number_unsigned(argv[3], 1, SIGNAL_LIMIT, &samples))) {
		fprintf(stderr,
			"usage: %s [WxH [ROUNDS [SAMPLES]]], sides up to %d, up to 1000000 rounds and %d "
			"samples\n",
			argv[0], LIMIT, SIGNAL_LIMIT);
		return 2;
	}
	b.w = w;
	b.h = h;
	b.samples = samples;
	probe_print("before");
	status = run_all(&b, rounds);
	probe_print("after");
	return status;
}
