/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/check_oracle.h"
#include "actors/common/check_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t oracle_bytes(const struct oracle_shape *s)
{
	return (size_t)s->w * s->h * s->d;
}

/* A box around a point, as far as it lies in the image. */
TEST_ONE_THREAD static void draw_box(const struct oracle_shape *s, unsigned char *image, struct test_rng *rng)
{
	unsigned x = test_between(rng, 0, s->w - 1), y = test_between(rng, 0, s->h - 1),
		 z = test_between(rng, 0, s->d - 1), r = test_between(rng, 0, 6);
	unsigned char value = (unsigned char)test_between(rng, 1, 255);

	for (unsigned c = z > r ? z - r : 0; c <= z + r && c < s->d; c++)
		for (unsigned b = y > r ? y - r : 0; b <= y + r && b < s->h; b++)
			for (unsigned a = x > r ? x - r : 0; a <= x + r && a < s->w; a++)
				image[((size_t)c * s->h + b) * s->w + a] = value;
}

TEST_ONE_THREAD unsigned char *oracle_images(const struct oracle_shape *s, unsigned count, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };
	unsigned char *images = calloc(count + 1, oracle_bytes(s));

	ck_assert_ptr_nonnull(images);
	for (unsigned n = 0; n < count; n++) {
		unsigned char *image = images + n * oracle_bytes(s);

		for (unsigned boxes = test_between(&rng, 0, 12); boxes; boxes--)
			draw_box(s, image, &rng);
		for (unsigned dots = test_between(&rng, 0, 20); dots; dots--)
			image[test_between(&rng, 0, (uint32_t)oracle_bytes(s) - 1)] =
				(unsigned char)test_random(&rng);
	}
	return images;
}

/* Is this pixel 1 after an erosion (of 1s) or a dilation? What is outside changes nothing. */
TEST_ONE_THREAD static bool reaches(
	const struct oracle_shape *s, const unsigned char *from, const int at[3], bool erode)
{
	const int most[3] = { (int)s->w, (int)s->h, (int)s->d };

	for (int k = 0; k < 27; k++) {
		int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 }, far = 0;
		bool inside = true;

		for (int i = 0; i < 3; i++) {
			far += step[i] != 0;
			inside &= at[i] + step[i] >= 0 && at[i] + step[i] < most[i];
		}
		if (!inside || (s->cross && far > 1))
			continue;
		if (from[((at[2] + step[2]) * most[1] + at[1] + step[1]) * most[0] + at[0] + step[0]] !=
			erode)
			return !erode;
	}
	return erode;
}

TEST_ONE_THREAD static void morph(const struct oracle_shape *s, unsigned char *image, bool erode)
{
	unsigned char *from = malloc(oracle_bytes(s));

	ck_assert_ptr_nonnull(from);
	memcpy(from, image, oracle_bytes(s));
	for (int z = 0; z < (int)s->d; z++)
		for (int y = 0; y < (int)s->h; y++)
			for (int x = 0; x < (int)s->w; x++)
				image[((size_t)z * s->h + (size_t)y) * s->w + (size_t)x] =
					reaches(s, from, (const int[]){ x, y, z }, erode);
	free(from);
}

TEST_ONE_THREAD void oracle_counts(
	const struct oracle_shape *s, const unsigned char *image, uint64_t counts[ORACLE_MOST + 1])
{
	unsigned char *eroded = malloc(oracle_bytes(s)), *opened = malloc(oracle_bytes(s));

	ck_assert(eroded && opened && s->openings <= ORACLE_MOST);
	for (size_t i = 0; i < oracle_bytes(s); i++)
		eroded[i] = image[i] > s->threshold;
	for (unsigned n = 0; n <= s->openings; n++) {
		if (n)
			morph(s, eroded, true);
		memcpy(opened, eroded, oracle_bytes(s));
		for (unsigned i = 0; i < n; i++)
			morph(s, opened, false);
		counts[n] = 0;
		for (size_t i = 0; i < oracle_bytes(s); i++)
			counts[n] += opened[i];
	}
	free(eroded);
	free(opened);
}

/* Up to the first 0. */
static unsigned length_of(const struct oracle_shape *s, const uint64_t *counts)
{
	for (unsigned n = 0; n < s->openings; n++)
		if (!counts[n])
			return n + 1;
	return s->openings + 1;
}

char *oracle_json(const struct oracle_shape *s, const unsigned char *images, unsigned count, unsigned split)
{
	uint64_t g[ORACLE_MOST + 1], most;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	fprintf(f, "{\"split\": %u, \"images\": [", split);
	for (unsigned i = 0; i < count; i++) {
		unsigned length, best = 0;

		oracle_counts(s, images + i * oracle_bytes(s), g);
		length = length_of(s, g);
		fprintf(f, "%s {\"G\": [%" PRIu64, i ? ",\n" : "\n", g[0]);
		for (unsigned n = 1; n < length; n++)
			fprintf(f, ", %" PRIu64, g[n]);
		fputs("], \"PS\": [", f);
		most = 0;
		for (unsigned n = 1; n < length; n++) {
			uint64_t lost = g[n - 1] - g[n];

			if (lost > most)
				best = n - 1;
			most = lost > most ? lost : most;
			fprintf(f, "%s%" PRIu64, n > 1 ? ", " : "", lost);
		}
		fprintf(f, length > 1 ? "], \"main\": %u}" : "], \"main\": null}", best);
	}
	fputs("\n]}\n", f);
	ck_assert_int_eq(fclose(f), 0);
	return text;
}

char *oracle_csv(const struct oracle_shape *s, const unsigned char *images, unsigned count)
{
	uint64_t g[ORACLE_MOST + 1];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	fputs("image,n,G,PS\n", f);
	for (unsigned i = 0; i < count; i++) {
		unsigned length;

		oracle_counts(s, images + i * oracle_bytes(s), g);
		length = length_of(s, g);
		for (unsigned n = 0; n + 1 < length; n++)
			fprintf(f, "%u,%u,%" PRIu64 ",%" PRIu64 "\n", i, n, g[n], g[n] - g[n + 1]);
		fprintf(f, "%u,%u,%" PRIu64 ",\n", i, length - 1, g[length - 1]);
	}
	ck_assert_int_eq(fclose(f), 0);
	return text;
}

const char *oracle_size(const struct oracle_shape *s)
{
	static char texts[4][40];
	static unsigned next;
	char *here = texts[next++ % 4];

	if (s->d > 1)
		snprintf(here, sizeof texts[0], "%ux%ux%u", s->w, s->h, s->d);
	else
		snprintf(here, sizeof texts[0], "%ux%u", s->w, s->h);
	return here;
}

const char *oracle_number(uint64_t number)
{
	static char texts[4][24];
	static unsigned next;
	char *here = texts[next++ % 4];

	snprintf(here, sizeof texts[0], "%" PRIu64, number);
	return here;
}

void oracle_expect(const char *path, char *text)
{
	size_t size;
	char *got = (char *)files_read(path, &size);

	ck_assert_msg(size == strlen(text) && !memcmp(got, text, size), "%s:\n%.*s\nexpected:\n%s", path,
		(int)size, got, text);
	free(got);
	free(text);
}
