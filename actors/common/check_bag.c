/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_bag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATCH = 16, STEP = 8, NUMBERS = 128 };

static const double pi = 3.14159265358979323846;

static size_t patches_of(uint32_t w, uint32_t h)
{
	return w < PATCH || h < PATCH ? 0 : (size_t)((w - PATCH) / STEP + 1) * ((h - PATCH) / STEP + 1);
}

static size_t bytes_of(const struct bag *b, enum bag_kind kind, uint32_t w, uint32_t h)
{
	const size_t pixels = (size_t)w * h;
	const size_t bytes[BAG_KINDS] = { pixels, 4 * pixels, pixels, 4 * NUMBERS * patches_of(w, h),
		4 * (size_t)b->words, 4 * (size_t)b->classes };

	return bytes[kind];
}

size_t bag_token(const struct bag *b, enum bag_kind kind)
{
	return 64 + (bytes_of(b, kind, b->width, b->height) + 63) / 64 * 64;
}

size_t bag_bytes(const struct bag *b, enum bag_kind kind, const void *token)
{
	const uint32_t *size = token;

	return bytes_of(b, kind, size[0], size[1]);
}

struct gradient {
	double magnitude;
	unsigned bin;
};

static struct gradient gradient_at(const unsigned char *in, size_t w, size_t h, size_t x, size_t y)
{
	double gx = x && x + 1 < w ? (in[y * w + x + 1] - in[y * w + x - 1]) / 2.0 : 0;
	double gy = y && y + 1 < h ? (in[(y + 1) * w + x] - in[(y - 1) * w + x]) / 2.0 : 0;
	double angle = atan2(gy, gx);

	angle += angle < 0 ? 2 * pi : 0;
	return (struct gradient){ sqrt(gx * gx + gy * gy), (unsigned)floor(8 * angle / (2 * pi)) % 8 };
}

static void make_frame(const struct bag *b, struct test_rng *rng, size_t i)
{
	unsigned char *in = b->in + i * bag_token(b, BAG_IN), *bin = b->bin + i * bag_token(b, BAG_BIN),
		      *magnitude = b->magnitude + i * bag_token(b, BAG_MAGNITUDE);
	float *magnitudes = (float *)(void *)(magnitude + 64);
	const uint32_t size[2] = { i > 1 ? test_between(rng, 1, b->width) : b->width,
		i > 1 ? test_between(rng, 1, b->height) : b->height };
	const size_t w = size[0], h = size[1];
	unsigned range = i == 1                 ? 1
	                 : test_chance(rng, 50) ? 4
	                                        : 256; /* few values: directions on the lines */

	memcpy(in, size, sizeof size);
	memcpy(bin, size, sizeof size);
	memcpy(magnitude, size, sizeof size);
	for (size_t k = 0; k < w * h; k++)
		in[64 + k] = (unsigned char)(test_random(rng) % range);
	for (size_t k = 0; k < w * h; k++) {
		struct gradient g = gradient_at(in + 64, w, h, k % w, k / w);

		magnitudes[k] = (float)g.magnitude;
		bin[64 + k] = (unsigned char)g.bin;
	}
}

void bag_begin(struct bag *b, struct test_rng *rng, uint32_t width, uint32_t height, uint32_t words,
	uint32_t classes, size_t frames)
{
	*b = (struct bag){ .width = width, .height = height, .words = words, .classes = classes };
	b->vocabulary = test_zeroed((size_t)words * NUMBERS * sizeof(float));
	b->weights = test_zeroed(((size_t)words + 1) * classes * sizeof(float));
	for (size_t i = 0; i < (size_t)words * NUMBERS; i++)
		b->vocabulary[i] = (float)(0.2 * test_between(rng, 0, 1000) / 1000);
	if (words > 1) /* the first of two that are alike counts */
		memcpy(b->vocabulary + (words - 1) * (size_t)NUMBERS, b->vocabulary, NUMBERS * sizeof(float));
	for (size_t i = 0; i < ((size_t)words + 1) * classes; i++)
		b->weights[i] = (float)test_between(rng, 0, 2000) / 1000 - 1;
	b->frames = frames;
	b->in = test_zeroed(frames * bag_token(b, BAG_IN));
	b->magnitude = test_zeroed(frames * bag_token(b, BAG_MAGNITUDE));
	b->bin = test_zeroed(frames * bag_token(b, BAG_BIN));
	for (size_t i = 0; i < frames; i++)
		make_frame(b, rng, i);
}

void bag_end(struct bag *b)
{
	free(b->vocabulary);
	free(b->weights);
	free(b->in);
	free(b->magnitude);
	free(b->bin);
}

static struct pstk_bag_spec spec_of(const struct bag *b)
{
	return *PSTK_BAG(.width = b->width, .height = b->height, .words = b->words, .classes = b->classes,
		.vocabulary = b->vocabulary, .weights = b->weights);
}

struct pstk_actor *bag_add_gradients(struct pstk_network *net, const void *data)
{
	const struct pstk_bag_spec spec = spec_of(data);

	return pstk_bag_gradients_add(net, "tested", &spec);
}

struct pstk_actor *bag_add_descriptors(struct pstk_network *net, const void *data)
{
	const struct pstk_bag_spec spec = spec_of(data);

	return pstk_bag_descriptors_add(net, "tested", &spec);
}

struct pstk_actor *bag_add_words(struct pstk_network *net, const void *data)
{
	const struct pstk_bag_spec spec = spec_of(data);

	return pstk_bag_words_add(net, "tested", &spec);
}

/* The definitions. */

TEST_ONE_THREAD void bag_plain_gradients(
	double *magnitude, uint8_t *bin, const uint8_t *in, size_t w, size_t h)
{
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++) {
			struct gradient g = gradient_at(in, w, h, x, y);

			magnitude[y * w + x] = g.magnitude;
			bin[y * w + x] = (uint8_t)g.bin;
		}
}

TEST_ONE_THREAD void bag_check_gradients(const void *in, const void *magnitude, const void *bin)
{
	const uint32_t *size = in;
	const size_t w = size[0], h = size[1];
	const float *magnitudes = (const float *)magnitude + 16;
	const unsigned char *bins = (const unsigned char *)bin + 64;
	double *want = test_zeroed(w * h * sizeof *want);
	uint8_t *want_bin = test_zeroed(w * h);

	ck_assert_mem_eq(magnitude, in, 8);
	ck_assert_mem_eq(bin, in, 8);
	bag_plain_gradients(want, want_bin, (const unsigned char *)in + 64, w, h);
	for (size_t i = 0; i < w * h; i++) {
		ck_assert_msg(fabs((double)magnitudes[i] - want[i]) <= 1e-5 * want[i],
			"pixel %zu: %g, not %g", i, (double)magnitudes[i], want[i]);
		ck_assert_msg(bins[i] == want_bin[i], "pixel %zu: bin %u, not %u", i, bins[i], want_bin[i]);
	}
	free(want);
	free(want_bin);
}

static double length(const double *d)
{
	double sum = 0;

	for (int i = 0; i < NUMBERS; i++)
		sum += d[i] * d[i];
	return sqrt(sum);
}

/* The Gaussian, of a patch's pixels. */
static void make_window(double window[PATCH * PATCH])
{
	for (int i = 0; i < PATCH * PATCH; i++) {
		double dx = i % PATCH - 7.5, dy = i / PATCH - 7.5;

		window[i] = exp(-(dx * dx + dy * dy) / 128);
	}
}

/* magnitude, bin: from the patch's first pixel on */
TEST_ONE_THREAD static void describe(
	double *d, const float *magnitude, const unsigned char *bin, size_t w, const double *window)
{
	double l;

	memset(d, 0, NUMBERS * sizeof *d);
	for (size_t y = 0; y < PATCH; y++)
		for (size_t x = 0; x < PATCH; x++)
			d[(y / 4 * 4 + x / 4) * 8 + bin[y * w + x]] +=
				(double)magnitude[y * w + x] * window[y * PATCH + x];
	l = length(d);
	for (int i = 0; i < NUMBERS && l > 0; i++)
		d[i] = fmin(d[i] / l, 0.2);
	l = length(d);
	for (int i = 0; i < NUMBERS && l > 0; i++)
		d[i] /= l;
}

TEST_ONE_THREAD static double distance_to(const double *d, const float *word)
{
	double sum = 0;

	for (int k = 0; k < NUMBERS; k++)
		sum += (d[k] - (double)word[k]) * (d[k] - (double)word[k]);
	return sum;
}

TEST_ONE_THREAD static uint32_t nearest_of(const double *d, const float *vocabulary, uint32_t words)
{
	double least = INFINITY;
	uint32_t first = 0;

	for (uint32_t w = 0; w < words; w++) {
		double distance = distance_to(d, vocabulary + w * (size_t)NUMBERS);

		if (distance < least) {
			least = distance;
			first = w;
		}
	}
	return first;
}

TEST_ONE_THREAD size_t bag_plain_words(uint32_t *nearest, const float *magnitude, const uint8_t *bin,
	size_t w, size_t h, const float *vocabulary, uint32_t words)
{
	double window[PATCH * PATCH], d[NUMBERS];
	size_t count = 0;

	make_window(window);
	for (size_t y = 0; y + PATCH <= h; y += STEP)
		for (size_t x = 0; x + PATCH <= w; x += STEP) {
			describe(d, magnitude + y * w + x, bin + y * w + x, w, window);
			nearest[count++] = nearest_of(d, vocabulary, words);
		}
	return count;
}

/* Of patch i of a frame; false: it has not so many. */
static bool describe_patch(double *d, const void *magnitude, const void *bin, size_t i)
{
	const uint32_t *size = magnitude;
	const size_t across = size[0] < PATCH ? 0 : (size[0] - PATCH) / STEP + 1;
	double window[PATCH * PATCH];
	size_t at;

	if (i >= patches_of(size[0], size[1]))
		return false;
	make_window(window);
	at = i / across * STEP * size[0] + i % across * STEP;
	describe(
		d, (const float *)magnitude + 16 + at, (const unsigned char *)bin + 64 + at, size[0], window);
	return true;
}

TEST_ONE_THREAD void bag_check_descriptors(const void *magnitude, const void *bin, const void *descriptors)
{
	const float *got = (const float *)descriptors + 16;
	double d[NUMBERS];

	ck_assert_mem_eq(descriptors, magnitude, 8);
	for (size_t i = 0; describe_patch(d, magnitude, bin, i); i++, got += NUMBERS)
		for (int k = 0; k < NUMBERS; k++)
			ck_assert_msg(fabs(got[k] - d[k]) <= 1e-5, "patch %zu, number %d: %g, not %g", i, k,
				(double)got[k], d[k]);
}

/* Each word is given the patches that are surely its, and those that may be. */
TEST_ONE_THREAD static void count_patch(
	const struct bag *b, const double *d, unsigned *sure, unsigned *perhaps)
{
	double *distance = test_zeroed(b->words * sizeof *distance), least = INFINITY;
	unsigned near = 0, first = b->words;

	for (uint32_t w = 0; w < b->words; w++) {
		distance[w] = distance_to(d, b->vocabulary + w * (size_t)NUMBERS);
		least = fmin(least, distance[w]);
	}
	for (uint32_t w = 0; w < b->words; w++) {
		bool same = w && w + 1 == b->words; /* the last one is the first one again */

		if (distance[w] > least * (1 + 1e-5) || same)
			continue;
		near++;
		first = w;
		perhaps[w]++;
	}
	if (near == 1)
		sure[first]++;
	free(distance);
}

TEST_ONE_THREAD void bag_check_words(
	const struct bag *b, const void *magnitude, const void *bin, const void *hist, const void *scores)
{
	const float *shares = (const float *)hist + 16, *got = (const float *)scores + 16;
	unsigned *sure = test_zeroed(b->words * sizeof *sure),
		 *perhaps = test_zeroed(b->words * sizeof *perhaps);
	double d[NUMBERS];
	size_t n = 0;

	ck_assert_mem_eq(hist, magnitude, 8);
	ck_assert_mem_eq(scores, magnitude, 8);
	while (describe_patch(d, magnitude, bin, n)) {
		count_patch(b, d, sure, perhaps);
		n++;
	}
	for (uint32_t w = 0; w < b->words; w++) {
		double count = (double)shares[w] * (double)n;

		ck_assert_msg(count >= sure[w] - 0.01 && count <= perhaps[w] + 0.01,
			"word %u: %g, not %u to %u", w, count, sure[w], perhaps[w]);
	}
	for (uint32_t c = 0; c < b->classes; c++) {
		double want = b->weights[b->words * (size_t)b->classes + c];

		for (uint32_t w = 0; w < b->words; w++)
			want += (double)shares[w] * b->weights[w * (size_t)b->classes + c];
		ck_assert_double_eq_tol(got[c], want, 1e-4);
	}
	free(sure);
	free(perhaps);
}
