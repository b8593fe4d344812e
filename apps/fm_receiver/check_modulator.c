/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/fm_receiver/check_modulator.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>

/* A part of the multiplex: size x sin(2 pi hz t + phase). */
struct part {
	double size, hz, phase;
};

/* A tone in one channel, as half of it in the sum and half in the difference: sign 1 left, -1 right. The difference
 * moves sin 2a, the double phase of the pilot. */
static unsigned add_channel(struct part parts[3], const struct modulator *m, double hz, double sign)
{
	const double pi = acos(-1), size = (1 - m->pilot) / 2;

	if (!(hz > 0))
		return 0;
	/* sin x sin y = (cos(x - y) - cos(x + y)) / 2 */
	parts[0] = (struct part){ size, hz, 0 };
	parts[1] = (struct part){ sign * size / 2, 38000 - hz, 2 * m->start + pi / 2 };
	parts[2] = (struct part){ -sign * size / 2, 38000 + hz, 2 * m->start + pi / 2 };
	return 3;
}

static unsigned multiplex(struct part parts[7], const struct modulator *m)
{
	unsigned count = 1;

	parts[0] = (struct part){ 1, m->tone, m->start };
	if (m->pilot > 0) {
		parts[0] = (struct part){ m->pilot, 19000, m->start };
		count += add_channel(parts + count, m, m->tone, 1);
		count += add_channel(parts + count, m, m->right, -1);
	}
	return count;
}

/* The phase is the integral of the frequency, so that nothing adds up from sample to sample. */
float *modulate(const struct modulator *m, size_t n)
{
	float *samples = calloc(2 * n + 1, sizeof *samples);
	const double pi = acos(-1);
	struct test_rng rng = { test_mix(7) };
	struct part parts[7];
	unsigned count = multiplex(parts, m);

	ck_assert_ptr_nonnull(samples);
	for (size_t i = 0; i < n; i++) {
		double t = (double)i / m->rate, phase = 2 * pi * m->offset * t;

		for (unsigned p = 0; p < count; p++)
			phase -= m->deviation * parts[p].size / parts[p].hz *
			         cos(2 * pi * parts[p].hz * t + parts[p].phase);
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
