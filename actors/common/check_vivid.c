/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_vivid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 8, WIDTH = 160, HEIGHT = 120, FILTERS = 100, ROWS = 420, PGM_HEAD = 15 };

size_t vivid_token(const struct vivid *v, enum vivid_kind kind)
{
	size_t pixels = (size_t)v->width * v->height, cells = (size_t)(v->width / CELL) * (v->height / CELL);
	const size_t bytes[VIVID_KINDS] = { pixels, 4 * pixels, pixels, 4 * cells * v->filters,
		4 * cells * v->rows };

	return 64 + (bytes[kind] + 63) / 64 * 64;
}

size_t vivid_bytes(const struct vivid *v, enum vivid_kind kind, const void *token)
{
	const uint32_t *size = token;
	size_t pixels = (size_t)size[0] * size[1], cells = (size_t)(size[0] / CELL) * (size[1] / CELL);
	const size_t bytes[VIVID_KINDS] = { pixels, 4 * pixels, pixels, 4 * cells * v->filters,
		4 * cells * v->rows };

	return bytes[kind];
}

static void make_frames(struct vivid *v, struct test_rng *rng, size_t count)
{
	const size_t bytes = vivid_token(v, VIVID_IN);

	v->frames = count;
	v->in = test_zeroed(count * bytes);
	for (size_t i = 0; i < count; i++) {
		unsigned char *token = v->in + i * bytes;
		const uint32_t size[2] = { i ? test_between(rng, 1, v->width) : v->width,
			i ? test_between(rng, 1, v->height) : v->height };

		memcpy(token, size, sizeof size);
		for (size_t k = 64; k < bytes; k++)
			token[k] = (unsigned char)test_random(rng);
	}
}

static float random_float(struct test_rng *rng, double low, double high)
{
	return (float)(low + (high - low) * test_between(rng, 0, 1 << 20) / (1 << 20));
}

/* What histogram and classify get: of random numbers, so that a fault of another actor is none of theirs. */
static void make_inputs(struct vivid *v, struct test_rng *rng)
{
	v->value = test_zeroed(v->frames * vivid_token(v, VIVID_VALUE));
	v->index = test_zeroed(v->frames * vivid_token(v, VIVID_INDEX));
	v->hist = test_zeroed(v->frames * vivid_token(v, VIVID_HIST));
	for (size_t i = 0; i < v->frames; i++) {
		const unsigned char *in = v->in + i * vivid_token(v, VIVID_IN);
		unsigned char *value = v->value + i * vivid_token(v, VIVID_VALUE),
			      *index = v->index + i * vivid_token(v, VIVID_INDEX),
			      *hist = v->hist + i * vivid_token(v, VIVID_HIST);
		float *values = (float *)(void *)(value + 64), *sums = (float *)(void *)(hist + 64);

		memcpy(value, in, 8);
		memcpy(index, in, 8);
		memcpy(hist, in, 8);
		for (size_t k = 0; k < vivid_bytes(v, VIVID_VALUE, in) / 4; k++)
			values[k] = random_float(rng, 0, 300);
		for (size_t k = 0; k < vivid_bytes(v, VIVID_INDEX, in); k++)
			index[64 + k] =
				(unsigned char)(test_random(rng) % (v->filters + test_chance(rng, 5)));
		for (size_t k = 0; k < vivid_bytes(v, VIVID_HIST, in) / 4; k++)
			sums[k] = test_chance(rng, 70) ? 0 : random_float(rng, 0, 800);
		/* a cell that is a row of the classifier, or near one */
		if (vivid_bytes(v, VIVID_HIST, in))
			memcpy(sums, v->classifier, 4 * v->filters);
		if (vivid_bytes(v, VIVID_HIST, in) && test_chance(rng, 50))
			sums[0] += 1;
	}
}

void vivid_begin(struct vivid *v, struct test_rng *rng, uint32_t width, uint32_t height, uint32_t filters,
	uint32_t rows, size_t frames)
{
	*v = (struct vivid){ .width = width, .height = height, .filters = filters, .rows = rows };
	v->filter = test_zeroed(filters * 9 * sizeof *v->filter);
	v->classifier = test_zeroed((size_t)filters * rows * sizeof *v->classifier);
	for (size_t i = 0; i < filters * (size_t)9; i++)
		v->filter[i] = random_float(rng, -0.5, 0.5);
	if (filters > 2) /* the first of two that are alike counts */
		memcpy(v->filter + 18, v->filter, 9 * sizeof *v->filter);
	for (size_t i = 0; i < (size_t)filters * rows; i++)
		v->classifier[i] = random_float(rng, 0, 200);
	make_frames(v, rng, frames);
	make_inputs(v, rng);
}

static double next(uint32_t *x)
{
	*x = 1664525 * *x + 1013904223;
	return (*x >> 8) / 16777216.0;
}

/* Without their mean, of length 1. */
static void make_filter(float *to, uint32_t *x)
{
	double u[9], mean = 0, squares = 0;

	for (int i = 0; i < 9; i++)
		mean += u[i] = next(x);
	for (int i = 0; i < 9; i++)
		squares += (u[i] - mean / 9) * (u[i] - mean / 9);
	for (int i = 0; i < 9; i++)
		to[i] = (float)((u[i] - mean / 9) / sqrt(squares));
}

void vivid_begin_vectors(struct vivid *v)
{
	const uint32_t size[2] = { WIDTH, HEIGHT };
	uint32_t x = 12345, y = 777;
	unsigned char *pixels = vivid_file("in_160x120.pgm", PGM_HEAD, WIDTH * HEIGHT);

	*v = (struct vivid){ .width = WIDTH, .height = HEIGHT, .filters = FILTERS, .rows = ROWS };
	v->filter = test_zeroed(FILTERS * 9 * sizeof *v->filter);
	v->classifier = test_zeroed(FILTERS * ROWS * sizeof *v->classifier);
	for (int f = 0; f < FILTERS; f++)
		make_filter(v->filter + 9 * f, &x);
	for (int i = 0; i < FILTERS * ROWS; i++)
		v->classifier[i] = (float)(200 * next(&y));
	v->frames = 1;
	v->in = test_zeroed(vivid_token(v, VIVID_IN));
	memcpy(v->in, size, sizeof size);
	memcpy(v->in + 64, pixels, WIDTH * HEIGHT);
	free(pixels);
}

void vivid_end(struct vivid *v)
{
	free(v->filter);
	free(v->classifier);
	free(v->in);
	free(v->value);
	free(v->index);
	free(v->hist);
}

struct pstk_actor *vivid_add_filters(struct pstk_network *net, const void *data)
{
	const struct vivid *v = data;

	return pstk_vivid_filters_add(net, "tested",
		PSTK_VIVID(.width = v->width, .height = v->height, .filters = v->filters,
			.coefficients = v->filter));
}

struct pstk_actor *vivid_add_histogram(struct pstk_network *net, const void *data)
{
	const struct vivid *v = data;

	return pstk_vivid_histogram_add(
		net, "tested", PSTK_VIVID(.width = v->width, .height = v->height, .filters = v->filters));
}

struct pstk_actor *vivid_add_classify(struct pstk_network *net, const void *data)
{
	const struct vivid *v = data;

	return pstk_vivid_classify_add(net, "tested",
		PSTK_VIVID(.width = v->width, .height = v->height, .filters = v->filters, .rows = v->rows,
			.coefficients = v->classifier));
}

/* The definitions. */

static double answer(const float *filter, const unsigned char *at, size_t w)
{
	double sum = 0;

	for (size_t y = 0; y < 3; y++)
		for (size_t x = 0; x < 3; x++)
			sum += (double)filter[3 * y + x] * at[y * w + x];
	return fabs(sum);
}

/* at: the first of its neighbours */
TEST_ONE_THREAD static void filter_pixel(double *value, uint8_t *index, const unsigned char *at, size_t w,
	const float *filter, uint32_t filters)
{
	*value = -1;
	for (uint32_t f = 0; f < filters; f++) {
		double a = answer(filter + 9 * (size_t)f, at, w);

		if (a > *value) {
			*value = a;
			*index = (uint8_t)f;
		}
	}
}

TEST_ONE_THREAD void vivid_plain_filters(double *value, uint8_t *index, const uint8_t *in, size_t w, size_t h,
	const float *filter, uint32_t filters)
{
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++) {
			size_t at = y * w + x;

			value[at] = 0;
			index[at] = 0;
			if (x && y && x + 1 < w && y + 1 < h)
				filter_pixel(value + at, index + at, in + at - w - 1, w, filter, filters);
		}
}

TEST_ONE_THREAD void vivid_plain_histogram(
	double *hist, const float *value, const uint8_t *index, size_t w, size_t h, uint32_t filters)
{
	const size_t across = w / CELL, down = h / CELL;

	memset(hist, 0, across * down * filters * sizeof *hist);
	for (size_t y = 0; y < down * CELL; y++)
		for (size_t x = 0; x < across * CELL; x++) {
			size_t at = y * w + x, cell = y / CELL * across + x / CELL;

			if (index[at] < filters)
				hist[cell * filters + index[at]] += (double)value[at];
		}
}

TEST_ONE_THREAD void vivid_plain_classify(double *dist, const float *hist, size_t cells,
	const float *classifier, uint32_t rows, uint32_t filters)
{
	for (size_t row = 0; row < rows; row++)
		for (size_t c = 0; c < cells; c++) {
			double sum = 0;

			for (size_t k = 0; k < filters; k++) {
				double d =
					(double)hist[c * filters + k] - (double)classifier[row * filters + k];

				sum += d * d;
			}
			dist[row * cells + c] = sum;
		}
}

static void check_sizes(const void *token, const void *other)
{
	ck_assert_mem_eq(token, other, 8);
}

/* A filter that answers as strongly will do, but of two that are alike only the first one. */
TEST_ONE_THREAD static void check_index(
	const struct vivid *v, const unsigned char *at, size_t w, unsigned index, unsigned first, double want)
{
	const float *own = v->filter + 9 * (size_t)index;

	ck_assert_uint_lt(index, v->filters);
	ck_assert_msg(index == first || (answer(own, at, w) >= want - 1e-3 &&
						memcmp(own, v->filter + 9 * (size_t)first, 36) != 0),
		"index %u, not %u", index, first);
}

TEST_ONE_THREAD void vivid_check_filters(
	const struct vivid *v, const void *in, const void *value, const void *index)
{
	const uint32_t *size = in;
	const size_t w = size[0], h = size[1];
	const unsigned char *pixels = (const unsigned char *)in + 64,
			    *indices = (const unsigned char *)index + 64;
	const float *values = (const float *)value + 16;
	double *want = test_zeroed(w * h * sizeof *want);
	uint8_t *first = test_zeroed(w * h);

	check_sizes(value, in);
	check_sizes(index, in);
	vivid_plain_filters(want, first, pixels, w, h, v->filter, v->filters);
	for (size_t i = 0; i < w * h; i++) {
		bool inner = i % w && i / w && i % w + 1 < w && i / w + 1 < h;

		ck_assert_msg(fabs((double)values[i] - want[i]) <= (inner ? 1e-3 : 0),
			"pixel %zu: value %g, not %g", i, (double)values[i], want[i]);
		if (inner)
			check_index(v, pixels + i - w - 1, w, indices[i], first[i], want[i]);
		else
			ck_assert_uint_eq(indices[i], 0);
	}
	free(want);
	free(first);
}

TEST_ONE_THREAD void vivid_check_histogram(
	const struct vivid *v, const void *value, const void *index, const void *hist)
{
	const uint32_t *size = value;
	const size_t w = size[0], h = size[1], across = w / CELL, cells = across * (h / CELL);
	const unsigned char *indices = (const unsigned char *)index + 64;
	const float *values = (const float *)value + 16, *sums = (const float *)hist + 16;
	double *want = test_zeroed(cells * v->filters * sizeof *want);

	check_sizes(hist, value);
	vivid_plain_histogram(want, values, indices, w, h, v->filters);
	for (size_t c = 0; c < cells; c++) {
		double all = 0;

		for (size_t i = 0; i < CELL * CELL; i++)
			all += (double)
				values[(c / across * CELL + i / CELL) * w + c % across * CELL + i % CELL];
		for (size_t k = c * v->filters; k < (c + 1) * v->filters; k++)
			ck_assert_msg(fabs((double)sums[k] - want[k]) <= 1e-6 * all,
				"cell %zu, sum %zu: %g, not %g", c, k, (double)sums[k], want[k]);
	}
	free(want);
}

TEST_ONE_THREAD void vivid_check_classify(const struct vivid *v, const void *hist, const void *dist)
{
	const uint32_t *size = hist;
	const size_t cells = (size_t)(size[0] / CELL) * (size[1] / CELL);
	const float *got = (const float *)dist + 16;
	double *want = test_zeroed(cells * v->rows * sizeof *want);

	check_sizes(dist, hist);
	vivid_plain_classify(want, (const float *)hist + 16, cells, v->classifier, v->rows, v->filters);
	for (size_t i = 0; i < cells * v->rows; i++)
		ck_assert_msg(fabs((double)got[i] - want[i]) <= 1e-5 * want[i],
			"row %zu, cell %zu: %g, not %g", i / cells, i % cells, (double)got[i], want[i]);
	free(want);
}

unsigned char *vivid_file(const char *name, size_t skip, size_t count)
{
	char path[400];
	unsigned char *bytes = test_zeroed(skip + count);
	FILE *file;

	snprintf(path, sizeof path, TEST_DATA "/vivid/%s", name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s can't be read", path);
	ck_assert_uint_eq(fread(bytes, 1, skip + count, file), skip + count);
	ck_assert_int_eq(fgetc(file), EOF);
	fclose(file);
	memmove(bytes, bytes + skip, count);
	return bytes;
}

/* They are little-endian. */
float *vivid_floats(const char *name, size_t count)
{
	unsigned char *bytes = vivid_file(name, 0, 4 * count);
	float *to = test_zeroed(count * sizeof *to);

	for (size_t i = 0; i < count; i++) {
		const unsigned char *b = bytes + 4 * i;
		uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

		memcpy(to + i, &word, sizeof word);
	}
	free(bytes);
	return to;
}
