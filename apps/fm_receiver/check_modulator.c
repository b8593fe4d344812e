/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/fm_receiver/check_modulator.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The phase is the integral of the frequency, so that nothing adds up from sample to sample. */
float *modulate(const struct modulator *m, size_t n)
{
	float *samples = calloc(2 * n + 1, sizeof *samples);
	const double pi = acos(-1);
	struct test_rng rng = { test_mix(7) };

	ck_assert_ptr_nonnull(samples);
	for (size_t i = 0; i < n; i++) {
		double t = (double)i / m->rate;
		double phase = 2 * pi * m->offset * t - m->deviation / m->tone * cos(2 * pi * m->tone * t);

		for (unsigned part = 0; part < 2; part++) {
			double noise = (double)test_between(&rng, 0, 20000) / 1e4 - 1;

			samples[2 * i + part] =
				(float)(0.7 * (part ? sin(phase) : cos(phase)) + m->noise * noise);
		}
	}
	return samples;
}

unsigned char *modulate_cu8(const struct modulator *m, size_t n)
{
	float *samples = modulate(m, n);
	unsigned char *bytes = malloc(2 * n + 1);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < 2 * n; i++)
		bytes[i] = (unsigned char)lrint(127.5 + 127.5 * (double)samples[i]);
	free(samples);
	return bytes;
}

static uint32_t number(const unsigned char *bytes, unsigned count)
{
	uint32_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

int16_t *wav_samples(const unsigned char *bytes, size_t size, uint32_t rate, int piped, size_t *count)
{
	int16_t *samples = calloc(size, sizeof *samples);

	ck_assert_ptr_nonnull(samples);
	ck_assert_uint_ge(size, 44);
	*count = (size - 44) / 2;
	ck_assert_int_eq(memcmp(bytes, "RIFF", 4), 0);
	ck_assert_int_eq(memcmp(bytes + 8, "WAVEfmt \20\0\0\0\1\0\1\0", 16), 0);
	ck_assert_uint_eq(number(bytes + 24, 4), rate);
	ck_assert_uint_eq(number(bytes + 28, 4), 2 * rate);
	ck_assert_int_eq(memcmp(bytes + 32, "\2\0\20\0data", 8), 0);
	ck_assert_uint_eq(number(bytes + 4, 4), number(bytes + 40, 4) + 36);
	if (piped)
		ck_assert_uint_ge(number(bytes + 40, 4), 0xfffffff0 - 64);
	else
		ck_assert_uint_eq(number(bytes + 40, 4), size - 44);
	for (size_t i = 0; i < *count; i++)
		samples[i] = (int16_t)number(bytes + 44 + 2 * i, 2);
	return samples;
}

/* Over whole periods a sine, a cosine and a constant are orthogonal, so each one's share is a sum of products. */
struct tone find_tone(const int16_t *samples, size_t n, double frequency, double rate)
{
	double period = rate / frequency, sine = 0, cosine = 0, power = 0, mean = 0;
	struct tone tone;

	n = (size_t)(floor((double)n / period) * period);
	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		double x = samples[i], angle = 2 * acos(-1) * frequency * (double)i / rate;

		sine += x * sin(angle) * 2 / (double)n;
		cosine += x * cos(angle) * 2 / (double)n;
		mean += x / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double angle = 2 * acos(-1) * frequency * (double)i / rate;
		double rest = samples[i] - mean - sine * sin(angle) - cosine * cos(angle);

		power += rest * rest / (double)n;
	}
	tone.amplitude = hypot(sine, cosine);
	tone.mean = mean;
	tone.snr = 10 * log10(tone.amplitude * tone.amplitude / 2 / power);
	return tone;
}
