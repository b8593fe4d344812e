/* SPDX-License-Identifier: MIT */
/* Microseconds a frame of each pixel kernel, and as a ratio to memcpy() of the same frame. Usage: kernels
 * [WxH [ROUNDS]] */
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 16384 };

struct bench {
	uint8_t *a, *b, *dst;
	size_t w, h;
};

typedef void (*kernel)(const struct bench *);

static void copy(const struct bench *b)
{
	memcpy(b->dst, b->a, b->w * b->h);
}

static void gauss5x5(const struct bench *b)
{
	ps_gauss5x5_frame(b->dst, b->a, b->w, b->h);
}

static void threshold(const struct bench *b)
{
	ps_threshold_bytes(b->dst, b->a, b->b, 20, b->w * b->h);
}

static void median5(const struct bench *b)
{
	ps_median5_frame(b->dst, b->a, b->w, b->h);
}

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

static double median_us(kernel k, const struct bench *b, double *us, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		double begin = now_us();

		k(b);
		us[i] = now_us() - begin;
	}
	qsort(us, rounds, sizeof *us, compare);
	return us[rounds / 2];
}

static void fill(uint8_t *frame, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		frame[i] = (uint8_t)(seed >> 24);
	}
}

static void measure(const struct bench *b, double *us, size_t rounds)
{
	static const struct {
		const char *name;
		kernel kernel;
	} kernels[] = { { "memcpy", copy }, { "gauss5x5", gauss5x5 }, { "threshold", threshold },
		{ "median5", median5 } };
	double reference = 0;

	printf("%zux%zu, median of %zu\n%-10s %10s %8s\n", b->w, b->h, rounds, "kernel", "us/frame",
		"x memcpy");
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		double took = median_us(kernels[i].kernel, b, us, rounds);

		if (!i)
			reference = took;
		printf("%-10s %10.2f %8.1f\n", kernels[i].name, took, took / reference);
	}
}

int main(int argc, char **argv)
{
	unsigned long w = 320, h = 240, rounds = 2001;
	char *end = NULL;

	if (argc > 1) {
		w = strtoul(argv[1], &end, 10);
		h = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
	}
	if (argc > 2 && !*end)
		rounds = strtoul(argv[2], &end, 10);
	if (argc > 3 || (end && *end) || !w || !h || !rounds || w > LIMIT || h > LIMIT || rounds > 1000000) {
		fprintf(stderr, "usage: %s [WxH [ROUNDS]], sides up to %d, up to 1000000 rounds\n", argv[0],
			LIMIT);
		return 2;
	}
	struct bench b = { malloc(w * h), malloc(w * h), malloc(w * h), w, h };
	double *us = malloc(rounds * sizeof *us);

	if (!b.a || !b.b || !b.dst || !us) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		return 1;
	}
	fill(b.a, w * h, 1);
	fill(b.b, w * h, 2);
	measure(&b, us, rounds);
	free(b.a);
	free(b.b);
	free(b.dst);
	free(us);
	return 0;
}
