/* SPDX-License-Identifier: MIT */
/* The built program: the tone that a modulator of the tests sends comes out, from files and pipes, whatever the rates,
 * and with any team the same bytes. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/fm_receiver/check_modulator.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

static const struct modulator usual = { .rate = 250000, .tone = 1000, .deviation = 75000 };

static const char *text(double number)
{
	static char texts[8][24];
	static unsigned next;
	char *here = texts[next++ % 8];

	snprintf(here, sizeof(texts[0]), "%.0f", number);
	return here;
}

/* What de-emphasis leaves of a tone. */
static double emphasis(double microseconds, double frequency)
{
	return 1 / hypot(1, 2 * acos(-1) * frequency * microseconds * 1e-6);
}

/* The tone in one channel of such a rate. */
static struct tone tone_of(const unsigned char *wav, size_t size, uint32_t rate, double frequency)
{
	struct sound sound = sound_parse(wav, size);
	struct tone tone = find_tone(&sound, 0, frequency);

	ck_assert_uint_eq(sound.rate, rate);
	ck_assert_uint_eq(sound.channels, 1);
	ck_assert_uint_eq(sound.bits, 16);
	ck_assert(!sound.unknown);
	sound_free(&sound);
	return tone;
}

static const struct {
	struct modulator modulator;
	uint32_t audio;
	const char *name; /* of the input */
	double least;     /* dB */
} stations[] = {
	{ { .rate = 250000, .tone = 1000, .deviation = 75000 }, 48000, "in.cf32", 60 },
	{ { .rate = 240000, .tone = 1000, .deviation = 75000 }, 48000, "in.cf32", 60 },
	/* where the filter has hardly seen it, it is silent: else its first samples are clipped */
	{ { .rate = 240000, .tone = 1000, .deviation = 75000, .start = 1.5 }, 48000, "in.cf32", 60 },
	{ { .rate = 250000, .tone = 1000, .deviation = 75000 }, 44100, "in.cu8", 50 },
	{ { .rate = 250000, .tone = 400, .deviation = 65000, .noise = 0.1, .offset = 5000 }, 48000, "in.cf32",
		40 },
	{ { .rate = 1024000, .tone = 1000, .deviation = 75000 }, 48000, "in.cu8", 50 },
	{ { .rate = 2400000, .tone = 2000, .deviation = 50000, .noise = 0.3, .offset = -10000 }, 32000,
		"in.cf32", 40 },
	{ { .rate = 192000, .tone = 1000, .deviation = 60000 }, 96000, "in.cf32", 50 },
};

/* From a file, then from a pipe: the same file. */
START_TEST(tone_comes_out)
{
	const struct modulator *m = &stations[_i].modulator;
	bool bytes = strstr(stations[_i].name, "cu8");
	uint32_t audio = stations[_i].audio;
	size_t n = (size_t)(m->rate * 0.3), size;
	void *samples = bytes ? (void *)modulate_cu8(m, n) : modulate(m, n);
	struct run run = { .input = samples, .input_size = n * (bytes ? 2 : 8) };
	unsigned char *wav;
	struct tone tone;

	files_write(stations[_i].name, samples, run.input_size);
	RUN(&run, 0, "--input", stations[_i].name, "--rate", text(m->rate), "--audio", text(audio),
		"--output", "out.wav");
	TEST_SAYS(run.err, "0.300 s of audio");
	ck_assert_msg(!strstr(run.err, "warning"), "%s", run.err);
	program_free(&run);
	wav = files_read("out.wav", &size);
	tone = tone_of(wav, size, audio, m->tone);
	ck_assert_msg(tone.snr > stations[_i].least, "SNR %.1f dB", tone.snr);
	ck_assert_double_eq_tol(tone.amplitude, m->deviation / 75000 * emphasis(50, m->tone), 0.01);
	ck_assert_double_eq_tol(tone.mean, m->offset / 75000, 0.003);
	if (getenv("PENSTOCK_TEST_FIGURES"))
		printf("%s, %.0f Hz: SNR %.1f dB\n", stations[_i].name, m->rate, tone.snr);

	run.input = samples;
	run.input_size = n * (bytes ? 2 : 8);
	RUN(&run, 0, "--input", "-", "--format", bytes ? "cu8" : "cf32", "--rate", text(m->rate), "--audio",
		text(audio), "--output", "-");
	ck_assert_uint_eq(run.out_size, size);
	ck_assert_mem_eq(run.out, wav, size);
	program_free(&run);
	free(wav);
	free(samples);
}
END_TEST

static const struct {
	struct modulator modulator;
	const char *name; /* of the input */
	double least;     /* dB of separation */
} stereo_stations[] = {
	{ { .rate = 250000, .tone = 1000, .deviation = 75000, .pilot = 0.1 }, "in.cf32", 40 },
	{ { .rate = 250000, .right = 1000, .deviation = 75000, .pilot = 0.08, .start = 1 }, "in.cf32", 40 },
	{ { .rate = 240000, .tone = 400, .deviation = 75000, .pilot = 0.1, .start = 2 }, "in.cf32", 40 },
	{ { .rate = 1024000, .tone = 1000, .deviation = 75000, .pilot = 0.1, .start = 3 }, "in.cu8", 65 },
	{ { .rate = 1024000, .right = 10000, .deviation = 75000, .pilot = 0.1 }, "in.cf32", 65 },
	{ { .rate = 500000, .right = 3000, .deviation = 75000, .pilot = 0.1 }, "in.cf32", 65 },
	{ { .rate = 2400000, .tone = 5000, .deviation = 75000, .noise = 0.1, .offset = 5000, .pilot = 0.1 },
		"in.cf32", 65 },
	{ { .rate = 192000, .tone = 1000, .deviation = 50000, .pilot = 0.1 }, "in.cf32", 40 },
};

/* A tone in one channel is not heard in the other one. */
START_TEST(left_and_right)
{
	const struct modulator *m = &stereo_stations[_i].modulator;
	bool bytes = strstr(stereo_stations[_i].name, "cu8");
	size_t n = (size_t)(m->rate * 0.3), size;
	void *samples = bytes ? (void *)modulate_cu8(m, n) : modulate(m, n);
	struct run run = { .input = samples, .input_size = n * (bytes ? 2 : 8) };
	double hz = m->tone + m->right, separation;
	struct sound sound;
	struct tone with, without;
	unsigned char *wav;

	files_write(stereo_stations[_i].name, samples, run.input_size);
	RUN(&run, 0, "--stereo", "--input", stereo_stations[_i].name, "--rate", text(m->rate), "--deviation",
		text(m->deviation), "--output", "out.wav");
	ck_assert_msg(!strstr(run.err, "warning"), "%s", run.err);
	program_free(&run);
	sound = sound_read("out.wav");
	ck_assert_uint_eq(sound.channels, 2);
	ck_assert_uint_eq(sound.frames, 14400);
	with = find_tone(&sound, m->right > 0, hz);
	without = find_tone(&sound, !(m->right > 0), hz);
	separation = 20 * log10(with.amplitude / without.amplitude);
	printf("%s, %.0f Hz: separation %.1f dB, SNR %.1f dB, amplitude %.4f\n", stereo_stations[_i].name,
		m->rate, separation, with.snr, with.amplitude);
	ck_assert_msg(separation > stereo_stations[_i].least, "separation %.1f dB", separation);
	/* at 48 kHz the pole is not exactly that of a resistor and a capacitor */
	ck_assert_double_eq_tol(with.amplitude, (1 - m->pilot) * emphasis(50, hz), hz > 5000 ? 0.03 : 0.01);
	sound_free(&sound);

	run.input = samples;
	run.input_size = n * (bytes ? 2 : 8);
	RUN(&run, 0, "--stereo", "--input", "-", "--format", bytes ? "cu8" : "cf32", "--rate", text(m->rate),
		"--deviation", text(m->deviation), "--output", "-");
	wav = files_read("out.wav", &size);
	ck_assert_uint_eq(run.out_size, size);
	ck_assert_mem_eq(run.out, wav, size);
	free(wav);
	program_free(&run);
	free(samples);
}
END_TEST

static const char *const stereo_option[] = { NULL, "--stereo" };
static const struct modulator usual_stereo = {
	.rate = 250000, .tone = 1000, .deviation = 75000, .pilot = 0.09, .right = 700
};

/* Mono on the second channel, too; a pilot that comes in the middle. */
START_TEST(pilots)
{
	const size_t n = 50000, half = n * 8;
	float *mono = modulate(&usual, n), *stereo = modulate(&usual_stereo, n), *both = malloc(2 * half);
	struct run run = { .input = (const unsigned char *)mono, .input_size = half };
	struct sound sound;

	ck_assert_ptr_nonnull(both);
	RUN(&run, 0, "--stereo", "--input", "-", "--rate", "250000", "--output", "-");
	TEST_SAYS(run.err,
		"fm_receiver: warning: no pilot tone at 19 kHz: both channels have the same sound\n");
	sound = sound_parse(run.out, run.out_size);
	ck_assert_uint_eq(sound.channels, 2);
	ck_assert_double_gt(find_tone(&sound, 0, 1000).snr, 60);
	for (size_t i = 0; i < sound.frames; i++)
		ck_assert(sound.samples[2 * i] >= sound.samples[2 * i + 1] &&
			  sound.samples[2 * i] <= sound.samples[2 * i + 1]);
	sound_free(&sound);
	program_free(&run);

	memcpy(both, mono, half);
	memcpy(both + 2 * n, stereo, half);
	run = (struct run){ .input = (const unsigned char *)both, .input_size = 2 * half };
	RUN(&run, 0, "--stereo", "--input", "-", "--rate", "250000", "--output", "-");
	TEST_SAYS(run.err, "warning: a pilot tone in 50 % of the time: the rest is mono\n");
	program_free(&run);

	run = (struct run){ .input = (const unsigned char *)stereo, .input_size = half };
	RUN(&run, 0, "--stereo", "--input", "-", "--rate", "250000", "--output", "-");
	ck_assert_ptr_null(strstr(run.err, "pilot tone"));
	sound = sound_parse(run.out, run.out_size);
	ck_assert_double_gt(find_tone(&sound, 0, 1000).snr, 40);
	ck_assert_double_gt(find_tone(&sound, 1, 700).snr, 40);
	sound_free(&sound);
	program_free(&run);
	free(mono);
	free(stereo);
	free(both);
}
END_TEST

/* Mono, and stereo. */
START_TEST(teams)
{
	static const char *const numbers[] = { "0", "1", "2" };
	const size_t n = 40000;
	float *samples = modulate(&usual_stereo, n);
	unsigned char *first = NULL;
	size_t size = 0;

	files_write("in.cf32", samples, n * 8);
	for (size_t t = 0; t < TEST_COUNT(numbers); t++) {
		struct run run = { 0 };

		RUN(&run, 0, "--input", "in.cf32", "--rate", "250000", "--team", numbers[t], "--output",
			"out.wav", stereo_option[_i]);
		program_free(&run);
		if (first)
			expect_file("out.wav", first, size);
		else
			first = files_read("out.wav", &size);
	}
	free(first);
	free(samples);
}
END_TEST

/* The filters on a device, and on a half of it: the cores' sound, to rounding. */
START_TEST(devices)
{
	static const char *const selectors[] = { "cores", "pocl:cpu:0", "pocl:cpu:0/2of2" };
	const size_t n = 40000;
	float *samples = modulate(&usual_stereo, n);
	struct sound expected = { 0 };
	struct run run = { 0 };

	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	program_start(&run, (const char *const[]){ "--devices", NULL });
	program_wait(&run);
	bool there = run.status == 0 && strstr((const char *)run.out, selectors[1]);

	program_free(&run);
	files_write("in.cf32", samples, n * 8);
	for (size_t i = 0; i < (there ? TEST_COUNT(selectors) : 1); i++) {
		struct sound got;

		RUN(&run, 0, "--input", "in.cf32", "--rate", "250000", "--device", selectors[i], "--output",
			"-", stereo_option[_i]);
		ck_assert_int_eq(strstr(run.err, " on pocl:cpu:0") != NULL, i > 0);
		got = sound_parse(run.out, run.out_size);
		ck_assert_uint_eq(got.frames, 7680);
		ck_assert_uint_eq(got.channels, _i ? 2 : 1);
		for (size_t k = 0; k < got.frames * got.channels && expected.samples; k++)
			ck_assert_double_eq_tol(got.samples[k], expected.samples[k], 1.01 / 32768);
		if (expected.samples)
			sound_free(&got);
		else
			expected = got;
		program_free(&run);
	}
	sound_free(&expected);
	free(samples);
}
END_TEST

/* One sample of audio is begun for each n * audio / rate samples. Blocks are 2500 and 2400 samples. */
START_TEST(any_length)
{
	static const size_t lengths[] = { 1, 2, 5, 6, 7, 124, 125, 126, 2399, 2400, 2401, 2499, 2500, 2501,
		2506, 12345 };
	static const uint32_t rates[] = { 250000, 240000, 1024000 };
	float *samples = modulate(&usual_stereo, 12345);

	for (size_t r = 0; r < TEST_COUNT(rates); r++) {
		for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
			struct run run = { .input = (const unsigned char *)samples,
				.input_size = lengths[i] * 8 };

			RUN(&run, 0, "--input", "-", "--rate", text(rates[r]), "--output", "-",
				stereo_option[_i]);
			ck_assert_uint_eq((run.out_size - 44) / (_i ? 4 : 2),
				(lengths[i] * 48000 + rates[r] - 1) / rates[r]);
			program_free(&run);
		}
	}
	free(samples);
}
END_TEST

START_TEST(deemphasis)
{
	static const double times[] = { 0, 50, 75, 500 }, tones[] = { 200, 5000, 10000, 14000 };

	for (size_t i = 0; i < TEST_COUNT(tones); i++) {
		const struct modulator m = { .rate = 240000, .tone = tones[i], .deviation = 30000 };
		float *samples = modulate(&m, 48000);

		for (size_t t = 0; t < TEST_COUNT(times); t++) {
			struct run run = { .input = (const unsigned char *)samples, .input_size = 48000 * 8 };
			struct tone tone;
			double expected = 0.4 * emphasis(times[t], tones[i]);

			RUN(&run, 0, "--input", "-", "--rate", "240000", "--deemphasis", text(times[t]),
				"--output", "-");
			tone = tone_of(run.out, run.out_size, 48000, tones[i]);
			/* 0.2 dB, and what 16 bits leave of the lowest */
			ck_assert_double_eq_tol(tone.amplitude, expected, 0.023 * expected + 3e-5);
			program_free(&run);
		}
		free(samples);
	}
}
END_TEST

/* Speech of a hand-held radio. */
START_TEST(narrow)
{
	const struct modulator m = { .rate = 240000, .tone = 1000, .deviation = 4500 };
	float *samples = modulate(&m, 60000);
	struct run run = { .input = (const unsigned char *)samples, .input_size = 60000 * 8 };
	struct tone tone;

	RUN(&run, 0, "--input", "-", "--rate", "240000", "--audio", "16000", "--deviation", "5000",
		"--deemphasis", "0", "--output", "-");
	tone = tone_of(run.out, run.out_size, 16000, 1000);
	ck_assert_msg(tone.snr > 60, "SNR %.1f dB", tone.snr);
	ck_assert_double_eq_tol(tone.amplitude, 0.9, 0.003);
	program_free(&run);
	free(samples);
}
END_TEST

/* A stereo station's pilot at 19 kHz is not heard, nor what is beside the channel. */
START_TEST(neighbours)
{
	const struct modulator m = { .rate = 1200000, .tone = 1000, .deviation = 40000 },
			       pilot = { .rate = 1200000, .tone = 19000, .deviation = 7500 },
			       other = { .rate = 1200000, .tone = 700, .deviation = 60000, .offset = 300000 };
	const size_t n = 300000;
	float *a = modulate(&m, n), *b = modulate(&pilot, n), *c = modulate(&other, n);
	struct run run = { .input = (const unsigned char *)a, .input_size = n * 8 };
	struct tone tone;

	for (size_t i = 0; i < n; i++) {
		float re = (a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1]) / 0.7F;
		float im = (a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i]) / 0.7F;

		a[2 * i] = re + c[2 * i];
		a[2 * i + 1] = im + c[2 * i + 1];
	}
	RUN(&run, 0, "--input", "-", "--rate", "1200000", "--output", "-");
	tone = tone_of(run.out, run.out_size, 48000, 1000);
	ck_assert_msg(tone.snr > 40, "SNR %.1f dB", tone.snr);
	program_free(&run);
	free(a);
	free(b);
	free(c);
}
END_TEST

struct feeder {
	int fd;
	const float *samples;
	size_t size;
};

static void *feed(void *arg)
{
	const struct feeder *f = arg;

	for (size_t done = 0; done < f->size;) {
		ssize_t n = write(f->fd, (const unsigned char *)f->samples + done, f->size - done);

		ck_assert_int_gt(n, 0);
		done += (size_t)n;
	}
	return NULL;
}

/* What goes in comes out but for one block of 10 ms, while the input goes on: it is read before the next is written, so
 * a program that kept more back would wait for ever. */
START_TEST(live)
{
	const size_t n = 250000, rounds = 5, frame = _i ? 4 : 2;
	float *samples = modulate(&usual_stereo, n);
	unsigned char *out = malloc(44 + frame * 48000 * rounds);
	int in[2], outs[2];
	size_t got = 0;
	struct run run = { 0 };
	struct sound sound;

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(pipe2(in, O_CLOEXEC) | pipe2(outs, O_CLOEXEC), 0);
	run.in_fd = in[0];
	run.out_fd = outs[1];
	program_start(&run, (const char *const[]){ "--input", "-", "--rate", "250000", "--output", "-",
				    stereo_option[_i], NULL });
	close(in[0]);
	close(outs[1]);
	for (size_t r = 1; r <= rounds; r++) {
		struct feeder feeder = { in[1], samples, n * 8 - (r == 1 ? 8 : 0) };
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, feed, &feeder), 0);
		while (got < 44 + frame * (48000 * r - 480)) {
			ssize_t more = read(outs[0], out + got, 44 + frame * (48000 * r - 480) - got);

			ck_assert_int_gt(more, 0);
			got += (size_t)more;
		}
		pthread_join(thread, NULL);
	}
	close(in[1]);
	sound = sound_parse(out, got);
	ck_assert(sound.unknown);
	sound_free(&sound);
	while (read(outs[0], out, 4096) > 0)
		;
	close(outs[0]);
	program_wait(&run);
	ck_assert_int_eq(run.status, 0);
	program_free(&run);
	free(out);
	free(samples);
}
END_TEST

/* A deviation that the signal exceeds, and samples that are no numbers. */
START_TEST(warnings)
{
	const size_t n = 50000;
	float *samples = modulate(&usual, n);
	struct run run = { .input = (const unsigned char *)samples, .input_size = n * 8 };

	RUN(&run, 0, "--input", "-", "--rate", "250000", "--deviation", "50000", "--output", "-");
	TEST_SAYS(run.err, "fm_receiver: warning: ", " samples of audio are clipped: a larger --deviation");
	program_free(&run);
	samples[777] = NAN;
	run.input = (const unsigned char *)samples;
	run.input_size = n * 8;
	RUN(&run, 0, "--input", "-", "--rate", "250000", "--output", "-");
	TEST_SAYS(run.err, "fm_receiver: warning: stdin: 1 sample is not finite (NaN or infinite)\n");
	ck_assert_ptr_null(strstr(run.err, "clipped"));
	ck_assert_double_gt(tone_of(run.out, run.out_size, 48000, 1000).snr, 50);
	program_free(&run);
	free(samples);
}
END_TEST

#ifdef HAVE_JANSSON
START_TEST(recording)
{
	unsigned char *samples = modulate_cu8(&usual, 75000);
	struct run run = { 0 };
	size_t size;
	unsigned char *wav;

	files_write("r.sigmf-data", samples, 150000);
	files_text("r.sigmf-meta", "{\"global\": {\"core:datatype\": \"cu8\", \"core:version\": \"1.0.0\", "
				   "\"core:sample_rate\": 250000}}");
	RUN(&run, 0, "--input", "r.sigmf-meta", "--output", "out.wav");
	program_free(&run);
	wav = files_read("out.wav", &size);
	ck_assert_double_gt(tone_of(wav, size, 48000, 1000).snr, 50);
	free(wav);
	RUN(&run, 0, "--input", "r.sigmf-meta", "--rate", "250000");
	program_free(&run);
	FAILS(2, "--rate 240000: r.sigmf-meta says that its rate is 250000", "--input", "r.sigmf-meta",
		"--rate", "240000");
	FAILS(2, "--input and --stats name the same file", "--input", "r.sigmf-meta", "--rate", "250000",
		"--output", "out.wav", "--stats", "r.sigmf-data");
	free(samples);
}
END_TEST

START_TEST(statistics)
{
	float *samples = modulate(&usual, 12345);
	struct run run = { 0 };
	json_t *stats;
	const struct {
		const char *key;
		json_int_t value;
	} expected[] = { { "rate", 250000 }, { "input_samples", 12345 }, { "decimation", 1 },
		{ "block", 2500 }, { "audio", 48000 }, { "deviation", 75000 }, { "deemphasis", 75 },
		{ "not_finite", 0 }, { "clipped", 0 }, { "channels", 1 }, { "samples", 2371 } };

	files_write("in.cf32", samples, 12345 * 8);
	RUN(&run, 0, "--input", "in.cf32", "--rate", "250000", "--deemphasis", "75", "--stats", "s.json");
	TEST_SAYS(run.err, "no --output: the sound is not kept",
		"0.049 s of audio, 2371 samples at 48000 Hz, from 12345 at 250000 Hz\n");
	program_free(&run);
	stats = json_load_file("s.json", 0, NULL);
	ck_assert_ptr_nonnull(stats);
	for (size_t i = 0; i < TEST_COUNT(expected); i++)
		ck_assert_msg(
			json_integer_value(json_object_get(stats, expected[i].key)) == expected[i].value,
			"%s", expected[i].key);
	ck_assert_uint_eq(json_array_size(json_object_get(stats, "actors")), 7);
	ck_assert_ptr_null(json_object_get(stats, "pilot_percent"));
	json_decref(stats);
	free(samples);
	samples = modulate(&usual_stereo, 250000);
	files_write("in.cf32", samples, 250000 * 8);
	RUN(&run, 0, "--input", "in.cf32", "--rate", "250000", "--stereo", "--stats", "s.json");
	program_free(&run);
	stats = json_load_file("s.json", 0, NULL);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "channels")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "samples")), 48000);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "pilot_percent")), 100);
	json_decref(stats);
	free(samples);
}
END_TEST
#endif

START_TEST(network)
{
	struct run run = { 0 };

	RUN(&run, 0, "--print-network", "--rate", "2400000", "--output", "out.wav");
	TEST_SAYS((const char *)run.out, "discriminator", "sound");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fm_receiver");
	TCase *tcase = files_case(suite, "fm_receiver");

	program_find("apps/fm_receiver/fm_receiver", "FM_RECEIVER");
	tcase_add_loop_test(tcase, tone_comes_out, 0, (int)TEST_COUNT(stations));
	tcase_add_loop_test(tcase, left_and_right, 0, (int)TEST_COUNT(stereo_stations));
	tcase_add_test(tcase, pilots);
	tcase_add_loop_test(tcase, teams, 0, 2);
	tcase_add_loop_test(tcase, any_length, 0, 2);
	tcase_add_loop_test(tcase, devices, 0, 2);
	tcase_add_test(tcase, deemphasis);
	tcase_add_test(tcase, narrow);
	tcase_add_test(tcase, neighbours);
	tcase_add_loop_test(tcase, live, 0, 2);
	tcase_add_test(tcase, warnings);
#ifdef HAVE_JANSSON
	tcase_add_test(tcase, recording);
	tcase_add_test(tcase, statistics);
#endif
	tcase_add_test(tcase, network);
	return test_main(suite);
}
