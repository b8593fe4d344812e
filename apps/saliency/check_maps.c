/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/saliency/check_saliency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void saliency_find(void)
{
	program_find("apps/saliency/saliency", "SALIENCY");
}

TEST_ONE_THREAD static double pixel(double x, double y, const double *of)
{
	double far = hypot(x - of[0], y - of[1]), near = hypot(x - of[2], y - of[3]);

	return 70 + 60 * x + 20 * y + 80 * exp(-far * far / of[4]) - 60 * exp(-near * near / of[5]) +
	       (x > of[6] && x < of[6] + 0.1 ? 30 * sin(of[7] * y) : 0);
}

TEST_ONE_THREAD unsigned char *saliency_frames(unsigned w, unsigned h, size_t count, uint64_t seed)
{
	unsigned char *frames = malloc(count * w * h);

	ck_assert_ptr_nonnull(frames);
	for (size_t n = 0; n < count; n++) {
		struct test_rng rng = { test_mix(seed + n) };
		double of[8];

		for (size_t i = 0; i < 8; i++)
			of[i] = test_between(&rng, 100, 900) / 1000.0;
		of[4] *= 0.02;
		of[5] *= 0.1;
		of[7] *= 60;
		for (size_t i = 0; i < (size_t)w * h; i++)
			frames[n * w * h + i] = (unsigned char)fmin(
				255, fmax(0, pixel((double)(i % w) / w, (double)(i / w) / h, of) +
						     test_between(&rng, 0, 6)));
	}
	return frames;
}

TEST_ONE_THREAD double *saliency_oracle(
	const unsigned char *frames, unsigned w, unsigned h, size_t count, const char *window)
{
	double *maps = malloc(count * w * h * sizeof *maps);

	ck_assert_ptr_nonnull(maps);
	for (size_t n = 0; n < count; n++)
		pathway_whole(maps + n * w * h, frames + n * w * h, w, h, window);
	return maps;
}

/* Little-endian, whatever this machine is. */
double *saliency_read(const char *path, size_t *count)
{
	size_t size;
	unsigned char *bytes = files_read(path, &size);
	double *values = malloc(size / 4 * sizeof *values + 1);

	ck_assert_ptr_nonnull(values);
	ck_assert_uint_eq(size % 4, 0);
	*count = size / 4;
	for (size_t i = 0; i < *count; i++) {
		uint32_t bits = 0;
		float value;

		for (unsigned byte = 4; byte-- > 0;)
			bits = bits << 8 | bytes[4 * i + byte];
		memcpy(&value, &bits, sizeof value);
		values[i] = value;
	}
	free(bytes);
	return values;
}

void saliency_expect(const char *path, const double *maps, size_t pixels, size_t count)
{
	size_t got_count;
	double *got = saliency_read(path, &got_count);

	ck_assert_uint_eq(got_count, pixels * count);
	for (size_t n = 0; n < count; n++) {
		double most = 0;

		for (size_t i = 0; i < pixels; i++)
			most = fmax(most, maps[n * pixels + i]);
		for (size_t i = n * pixels; i < (n + 1) * pixels; i++)
			ck_assert_msg(fabs(got[i] - maps[i]) <= SALIENCY_TOLERANCE * most,
				"map %zu, pixel %zu: %g, not %g; the largest is %g", n, i % pixels, got[i],
				maps[i], most);
	}
	free(got);
}
