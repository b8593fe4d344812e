/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_frames.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIDE = 1024 }; /* floats: a page */

double saliency_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* -- frames -- */

/* A ramp, a bar and a disc, each frame's elsewhere, and noise. */
static void draw(uint8_t *to, uint32_t w, uint32_t h, unsigned n)
{
	uint32_t state = n + 1;
	double disc_x = w * (0.2 + 0.25 * n), disc_y = h * (0.7 - 0.2 * n), radius = 0.08 * fmin(w, h);

	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++) {
			double value = 60 + 60.0 * x / w;

			state = state * 1664525 + 1013904223;
			if (hypot(x - disc_x, y - disc_y) < radius)
				value += 90;
			if (x * 8 / w == 5 && y / (2 + n) % 2)
				value -= 40;
			to[(size_t)y * w + x] = (uint8_t)(value + (state >> 29));
		}
}

void saliency_frames_open(struct saliency_frames *f, uint32_t width, uint32_t height)
{
	size_t pixels = (size_t)width * height;

	*f = (struct saliency_frames){ .width = width,
		.height = height,
		.pixels = pixels,
		.frames = rounds_alloc(SALIENCY_RING * pixels),
		.maps = rounds_alloc(SALIENCY_RING * pixels * sizeof(float)) };
	for (unsigned n = 0; n < SALIENCY_RING; n++)
		draw(f->frames + n * pixels, width, height, n);
}

void saliency_frames_close(struct saliency_frames *f)
{
	free(f->frames);
	free(f->maps);
}

static float *map_of(const struct saliency_frames *f, uint64_t k)
{
	return f->maps + k % SALIENCY_RING * f->pixels;
}

void saliency_frames_learn(struct saliency_frames *f, uint64_t k, const float *map)
{
	double most = 0;

	memcpy(map_of(f, k), map, f->pixels * sizeof *map);
	for (size_t i = 0; i < f->pixels; i++)
		most = fmax(most, (double)map[i]);
	f->most[k % SALIENCY_RING] = most;
	f->known |= k + 1 == SALIENCY_RING;
}

/* Of one value in so many. */
static double apart(const struct saliency_frames *f, uint64_t k, const float *map, size_t stride)
{
	const float *known = map_of(f, k);
	double most = 0;

	for (size_t i = 0; i < f->pixels; i += stride) {
		double difference = fabs((double)map[i] - (double)known[i]);

		if (isnan(difference))
			return NAN;
		most = fmax(most, difference);
	}
	return most / f->most[k % SALIENCY_RING];
}

double saliency_frames_apart(const struct saliency_frames *f, uint64_t k, const float *map)
{
	return apart(f, k, map, 1);
}

int saliency_frames_which(const struct saliency_frames *f, uint64_t k, const float *map)
{
	size_t stride = f->pixels < (size_t)64 * STRIDE ? 1 : STRIDE;

	for (uint64_t i = k; i < k + SALIENCY_RING; i++)
		if (apart(f, i, map, stride) <= SALIENCY_TOLERANCE)
			return (int)(i % SALIENCY_RING);
	return -1;
}

/* -- maps -- */

void saliency_watch_open(struct saliency_watch *w, struct saliency_frames *f, uint64_t count)
{
	*w = (struct saliency_watch){ .frames = f,
		.count = count,
		.moments = rounds_alloc(count * sizeof(double)),
		.in_order = true,
		.equal = true };
}

void saliency_watch_close(struct saliency_watch *w)
{
	free(w->moments);
	w->moments = NULL;
}

void saliency_watch_take(void *watch, uint64_t k, const float *map)
{
	struct saliency_watch *w = watch;
	struct saliency_frames *f = w->frames;
	int which;

	if (k >= w->count)
		rounds_fail("a map too many");
	w->moments[k] = saliency_now();
	w->taken++;
	if (!f->known && k < SALIENCY_RING)
		saliency_frames_learn(f, k, map);
	if (k < SALIENCY_RING)
		w->apart = fmax(w->apart, apart(f, k, map, 1));
	which = saliency_frames_which(f, k, map);
	w->equal &= which >= 0;
	w->in_order &= which < 0 || (unsigned)which == k % SALIENCY_RING;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double saliency_evenness(const double *moments, uint64_t count)
{
	uint64_t n = count - 1;
	double *intervals = rounds_alloc(n * sizeof *intervals), result;

	for (uint64_t i = 0; i < n; i++)
		intervals[i] = moments[i + 1] - moments[i];
	qsort(intervals, n, sizeof *intervals, compare);
	result = intervals[n / 10] / intervals[n - 1 - n / 10];
	free(intervals);
	return result;
}
