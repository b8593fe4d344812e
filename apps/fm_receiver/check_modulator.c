/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/fm_receiver/check_modulator.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>

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

/* Over whole periods a sine, a cosine and a constant are orthogonal, so each one's share is a sum of products. */
struct tone find_tone(const struct sound *s, uint32_t channel, double frequency)
{
	double period = s->rate / frequency, sine = 0, cosine = 0, power = 0, mean = 0;
	const size_t first = s->rate / 20, n = (size_t)(floor((double)(s->frames - first) / period) * period);
	const double *samples = s->samples + first * s->channels + channel;
	struct tone tone;

	ck_assert_uint_gt(s->frames, s->rate / 10);
	for (size_t i = 0; i < n; i++) {
		double x = samples[i * s->channels], angle = 2 * acos(-1) * frequency * (double)i / s->rate;

		sine += x * sin(angle) * 2 / (double)n;
		cosine += x * cos(angle) * 2 / (double)n;
		mean += x / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double angle = 2 * acos(-1) * frequency * (double)i / s->rate;
		double rest = samples[i * s->channels] - mean - sine * sin(angle) - cosine * cos(angle);

		power += rest * rest / (double)n;
	}
	tone.amplitude = hypot(sine, cosine);
	tone.mean = mean;
	tone.snr = 10 * log10(tone.amplitude * tone.amplitude / 2 / power);
	return tone;
}
