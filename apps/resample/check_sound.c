/* SPDX-License-Identifier: MIT */
/* What comes out: tones, pulses, lengths, the same bytes in each way, each kind of file. */
#include "config.h"

#include "apps/common/check_wav.h"
#include "apps/resample/check_run.h"
#include "penstock/penstock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char err[4096];

static const char *number(size_t value)
{
	static char texts[4][24];
	static unsigned next;
	char *here = texts[next++ % 4];

	snprintf(here, sizeof texts[0], "%zu", value);
	return here;
}

static struct sound resampled(const struct sound *in, const char *option, const char *value)
{
	int status;

	sound_write("in.wav", in);
	remove("out.wav");
	status = WAV_RUN(err, "--input", "in.wav", "--output", "out.wav", option, value);
	ck_assert_msg(status == 0, "status %d: %s", status, err);
	return sound_read("out.wav");
}

static size_t length(size_t n, size_t p, size_t q)
{
	size_t m = 0;

	while (m * q < n * p)
		m++;
	return m;
}

/* Tones that pass: the same tone, at the same time, and 75 dB below it nothing else: no image, no alias. */
START_TEST(tones)
{
	static const struct {
		uint32_t from, to, bits;
		double hz;
	} cases[] = { { 44100, 48000, 32, 1000 }, { 44100, 48000, 16, 1000 }, { 44100, 48000, 24, 15000 },
		{ 44100, 48000, 32, 20000 }, { 48000, 44100, 32, 1000 }, { 48000, 44100, 32, 20000 },
		{ 48000, 96000, 32, 15000 }, { 96000, 44100, 32, 10000 }, { 96000, 44100, 32, 20000 },
		{ 8000, 48000, 32, 3600 }, { 48000, 8000, 32, 3600 }, { 22050, 48000, 32, 10000 },
		{ 11025, 96000, 32, 5000 }, { 192000, 44100, 32, 20000 }, { 48000, 47999, 32, 15000 },
		{ 32000, 44100, 32, 14000 }, { 44100, 32000, 32, 14000 } };

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		size_t n = cases[i].from / 5 + 3;
		struct sound in = sound_tone(cases[i].from, 1, cases[i].bits, n, cases[i].hz),
			     out = resampled(&in, "--rate", number(cases[i].to));
		size_t edge = 40 * (size_t)ceil(fmax(1, (double)cases[i].to / cases[i].from));
		struct sound_fit fit = sound_fit(&out, 0, cases[i].hz, edge, out.frames - edge);

		printf("%u to %u Hz, %u bits, %g Hz: amplitude %.5f, phase %.1e, rest %.1f dB\n",
			cases[i].from, cases[i].to, cases[i].bits, cases[i].hz, fit.amplitude, fit.phase,
			fit.rest);
		ck_assert_uint_eq(out.rate, cases[i].to);
		ck_assert_uint_eq(out.frames, length(n, cases[i].to, cases[i].from));
		ck_assert_double_eq_tol(fit.amplitude, 0.5, 5e-4);
		ck_assert_double_eq_tol(fit.phase, 0, 1e-3);
		ck_assert_double_lt(fit.rest, -75);
		sound_free(&in);
		sound_free(&out);
	}
}
END_TEST

/* A tone that the lower rate can't have is gone, and has become no other one: 65 dB near the end of the band, where a
 * stage in between lets a little through (30 kHz, seen at 21.6 kHz), 75 dB elsewhere. */
START_TEST(tones_that_are_too_high)
{
	static const struct {
		uint32_t from, to;
		double hz;
	} cases[] = { { 96000, 44100, 30000 }, { 48000, 32000, 20000 }, { 96000, 44100, 24000 },
		{ 48000, 8000, 5000 } };

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct sound in = sound_tone(cases[i].from, 1, 32, 12000, cases[i].hz),
			     out = resampled(&in, "--rate", number(cases[i].to));
		struct sound_fit fit = sound_fit(&out, 0, 1000, 100, out.frames - 100);

		printf("%u to %u Hz, %g Hz: %.1f dB\n", cases[i].from, cases[i].to, cases[i].hz, fit.rest);
		ck_assert_double_lt(fit.rest, cases[i].hz == 30000 ? -65 : -75);
		ck_assert_double_lt(fit.amplitude, 1e-4);
		sound_free(&in);
		sound_free(&out);
	}
}
END_TEST

/* A smooth pulse near each end comes out where it was: nothing is shifted, and nothing is lost behind the end. Its band
 * is half of the lower rate's. */
START_TEST(random_ratios)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(60); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		uint32_t p = test_between(&rng, 1, 400), q = test_between(&rng, 1, 400);
		double width = 3 * fmax(1, (double)q / p), first = 8 * width;
		size_t n = (size_t)(30 * width) + test_between(&rng, 0, 300);
		struct sound in = sound_make(48000, 1, 32, n), out;
		char ratio[32];

		test_guard("a ratio", seed);
		for (size_t i = 0; i < n; i++)
			in.samples[i] = exp(-0.5 * pow(((double)i - first) / width, 2)) -
			                0.5 * exp(-0.5 * pow(((double)i - ((double)n - first)) / width, 2));
		snprintf(ratio, sizeof ratio, "%u/%u", p, q);
		out = resampled(&in, "--ratio", ratio);
		ck_assert_msg(out.frames == length(n, p, q), "PENSTOCK_TEST_SEED=%llu: %s: %zu of %zu",
			(unsigned long long)seed, ratio, out.frames, n);
		for (size_t i = 0; i < out.frames; i++) {
			double at = (double)i * q / p, wanted;

			wanted = exp(-0.5 * pow((at - first) / width, 2)) -
			         0.5 * exp(-0.5 * pow((at - ((double)n - first)) / width, 2));
			ck_assert_msg(fabs(out.samples[i] - wanted) < 5e-4,
				"PENSTOCK_TEST_SEED=%llu: %s: frame %zu: %g, not %g",
				(unsigned long long)seed, ratio, i, out.samples[i], wanted);
		}
		sound_free(&in);
		sound_free(&out);
	}
}
END_TEST

START_TEST(lengths)
{
	static const size_t frames[] = { 1, 2, 3, 100, 44101 };
	static const uint32_t ratios[][2] = { { 160, 147 }, { 147, 160 }, { 1, 1 }, { 2, 1 }, { 1, 2 },
		{ 3, 7 }, { 7, 3 }, { 1, 1000 }, { 97, 1 }, { 1009, 1000 }, { 320, 294 } };

	for (size_t r = 0; r < TEST_COUNT(ratios); r++) {
		for (size_t i = 0; i < TEST_COUNT(frames); i++) {
			struct sound in = sound_tone(44100, 1, 16, frames[i], 300), out;
			char ratio[32];

			snprintf(ratio, sizeof ratio, "%u/%u", ratios[r][0], ratios[r][1]);
			out = resampled(&in, "--ratio", ratio);
			ck_assert_uint_eq(out.frames, length(frames[i], ratios[r][0], ratios[r][1]));
			sound_free(&in);
			sound_free(&out);
		}
	}
}
END_TEST

START_TEST(same_bytes_in_each_way)
{
	static const char *const ratios[] = { "160/147", "147/160", "2/5", "1/1" };
	static const char *const teams[] = { "0", "1", "2" };
	static const char *const steps[] = { "1", "7", "100", "auto" };
	struct sound in = sound_tone(44100, 2, 24, 3001, 5000);

	for (size_t r = 0; r < TEST_COUNT(ratios); r++) {
		size_t size, other_size;
		struct sound one = resampled(&in, "--ratio", ratios[r]);
		unsigned char *bytes = files_read("out.wav", &size), *other;

		for (size_t i = 0; i < TEST_COUNT(teams) * TEST_COUNT(steps); i++) {
			int status = WAV_RUN(err, "--input", "in.wav", "--output", "other.wav", "--ratio",
				ratios[r], "--team", teams[i / TEST_COUNT(steps)], "--steps",
				steps[i % TEST_COUNT(steps)]);

			ck_assert_msg(status == 0, "status %d: %s", status, err);
			other = files_read("other.wav", &other_size);
			ck_assert_uint_eq(size, other_size);
			ck_assert_mem_eq(bytes, other, size);
			free(other);
		}
		free(bytes);
		sound_free(&one);
	}
	sound_free(&in);
}
END_TEST

/* A device that is a processor, and a half of it, give the bytes of the cores. */
START_TEST(devices)
{
	static const char *const selectors[] = { "pocl:cpu:0", "pocl:cpu:0/2of2" };
	struct sound in = sound_tone(44100, 2, 24, 3001, 5000);
	struct sound one = resampled(&in, "--rate", "48000");
	size_t size, other_size;
	unsigned char *bytes = files_read("out.wav", &size), *other;
	struct pstk_device_info device;

	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	for (size_t i = 0; i < 2 && !pstk_device_find(selectors[i], &device, NULL, 0); i++) {
		int status = WAV_RUN(err, "--input", "in.wav", "--output", "other.wav", "--rate", "48000",
			"--device", selectors[i]);

		ck_assert_msg(status == 0, "status %d: %s", status, err);
		TEST_SAYS(err, "  on pocl:cpu:0", "split join stage1_1");
		other = files_read("other.wav", &other_size);
		ck_assert_uint_eq(size, other_size);
		ck_assert_mem_eq(bytes, other, size);
		free(other);
	}
	free(bytes);
	sound_free(&one);
	sound_free(&in);
}
END_TEST

/* Each channel is what it would be alone; the kind of the file stays. */
START_TEST(each_channel)
{
	static const uint32_t bits[] = { 16, 24, 32 };

	for (uint32_t i = 0; i < 9; i++) {
		uint32_t channels = i / 3 + 1;
		struct sound in = sound_tone(44100, channels, bits[i % 3], 2000, 1234), all, one;

		in.extensible = channels == 3;
		all = resampled(&in, "--rate", "48000");
		ck_assert_uint_eq(all.channels, channels);
		ck_assert_uint_eq(all.bits, in.bits);
		ck_assert_int_eq(all.extensible, in.extensible);
		for (uint32_t c = 0; c < channels; c++) {
			struct sound mono = sound_make(44100, 1, in.bits, 2000);

			for (size_t k = 0; k < 2000; k++)
				mono.samples[k] = in.samples[k * channels + c];
			one = resampled(&mono, "--rate", "48000");
			ck_assert_uint_eq(one.frames, all.frames);
			for (size_t k = 0; k < one.frames; k++)
				ck_assert(one.samples[k] == all.samples[k * channels + c]);
			sound_free(&mono);
			sound_free(&one);
		}
		sound_free(&in);
		sound_free(&all);
	}
}
END_TEST

/* A rate that stays: every value of PCM comes out as it was, and so do floats. */
START_TEST(same_rate)
{
	struct sound in = sound_make(44100, 1, 16, 65536), out;

	for (size_t i = 0; i < in.frames; i++)
		in.samples[i] = ((double)i - 32768) / 32768;
	for (in.bits = 16; in.bits <= 32; in.bits += 8) {
		out = resampled(&in, "--rate", "44100");
		ck_assert_uint_eq(out.frames, in.frames);
		for (size_t i = 0; i < in.frames; i++)
			ck_assert(out.samples[i] == in.samples[i]);
		sound_free(&out);
	}
	sound_free(&in);
}
END_TEST

/* Between full-scale samples the signal is larger than these; what is no number becomes 0. */
START_TEST(clipping)
{
	struct sound in = sound_make(44100, 1, 16, 1000), out;
	double most = 0;

	for (size_t i = 0; i < in.frames; i++)
		in.samples[i] = i / 2 % 2 ? -1 : 32767.0 / 32768;
	out = resampled(&in, "--ratio", "2/1");
	TEST_SAYS(err, "resample: warning: out.wav: ", " samples were beyond what PCM can have and clipped");
	for (size_t i = 0; i < out.frames; i++)
		most = fmax(most, out.samples[i]);
	ck_assert(most == 32767.0 / 32768);
	sound_free(&in);
	sound_free(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sound");
	TCase *c = files_case(suite, "sound");

	tcase_add_test(c, tones);
	tcase_add_test(c, tones_that_are_too_high);
	tcase_add_test(c, random_ratios);
	tcase_add_test(c, lengths);
	tcase_add_test(c, same_bytes_in_each_way);
	tcase_add_test(c, devices);
	tcase_add_test(c, each_channel);
	tcase_add_test(c, same_rate);
	tcase_add_test(c, clipping);
	return test_main(suite);
}
