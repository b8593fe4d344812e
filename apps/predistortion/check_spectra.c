/* SPDX-License-Identifier: MIT */
/* The scripts for pictures of spectra that the suite makes up: it has the place of the spectrum actor. Where gnuplot is
 * installed it takes each of them. */
#include "apps/predistortion/spectra.h"
#include "actors/common/check_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pstk_spectrum {
	int64_t segments;
	double power[SPECTRA_BINS];
};

int64_t pstk_spectrum_get(const struct pstk_spectrum *s, double *power)
{
	memcpy(power, s->power, sizeof s->power);
	return s->segments;
}

static struct pstk_spectrum before, after;
static struct spectra drawn = { .before = &before, .after = &after };

static void spectra_clear(void)
{
	before = after = (struct pstk_spectrum){ .segments = 10 };
}

/* Does gnuplot draw something from it, without a word? True where there is none. */
static bool draws(const char *script)
{
	static const char drawn_all[] =
		"gnuplot -d >picture.svg 2>said && test -s picture.svg && test ! -s said";
	static int there = -1;
	FILE *gnuplot;

	if (there < 0) {
		there = !system("gnuplot --version >/dev/null 2>&1");
		if (!there)
			printf("no gnuplot here: that it takes the scripts is not tested\n");
	}
	if (!there)
		return true;
	gnuplot = popen(drawn_all, "w");
	ck_assert_ptr_nonnull(gnuplot);
	fprintf(gnuplot, "set terminal svg size 960,620 enhanced\nset encoding utf8\n%s", script);
	return pclose(gnuplot) == 0;
}

/* The script, to be freed. */
static char *draw(double sample_rate, double frequency)
{
	struct pstk_iq_info info = { sample_rate, frequency, 12345 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	spectra_write(file, &drawn, &info);
	ck_assert_int_eq(ferror(file) | fclose(file), 0);
	ck_assert_uint_eq(strlen(text), size);
	ck_assert_ptr_null(strstr(text, "inf"));
	ck_assert_ptr_null(strstr(text, "nan"));
	ck_assert_msg(draws(text), "gnuplot refuses:\n%.3000s", text);
	return text;
}

/* Without the data, which no message has room for. */
static void cut_data(char *script)
{
	char *plot = strstr(script, "plot ");

	ck_assert_ptr_nonnull(plot);
	memmove(strchr(script, '$'), plot, strlen(plot) + 1);
}

#define DRAW_SAYS(rate, frequency, ...)               \
	do {                                          \
		char *script = draw(rate, frequency); \
		cut_data(script);                     \
		TEST_SAYS(script, __VA_ARGS__);       \
		free(script);                         \
	} while (0)

/* A signal of 100 bins; after has 1/1000 of its power outside. 1 % of the power is outside of 99 bins of
 * it. */
START_TEST(figures)
{
	spectra_clear();
	for (int i = 400; i < 500; i++) {
		before.power[i] = 0.0004;
		after.power[i] = 0.0008;
	}
	DRAW_SAYS(0, 0, "before: power −14.0 dB; nothing outside of the signal's band",
		"after: power −11.0 dB; nothing outside of the signal's band", "mean of 10 segments.");
	after.power[389] = after.power[510] = 0.00004; /* the first and the last outside */
	DRAW_SAYS(0, 0, "after: power −11.0 dB; outside of the signal's band 30.0 dB less than inside");
	after.power[389] = after.power[510] = 0;
	after.power[390] = after.power[509] = 0.00004; /* and inside */
	DRAW_SAYS(0, 0, "after: power −11.0 dB; nothing outside");
	memset(after.power, 0, sizeof after.power);
	after.power[389] = 0.999;
	after.segments = 11;
	DRAW_SAYS(0, 0, "after: power 0.0 dB; all of it outside", "mean of 10 and 11 segments");
	after.power[400] = 0.0999;
	DRAW_SAYS(0, 0, "outside of the signal's band 10.0 dB more than inside");
}
END_TEST

/* What is less than 0.5 % of the power at either end does not count as the signal's. */
START_TEST(tails)
{
	static const int ends[] = { 300, 700 };

	for (size_t e = 0; e < TEST_COUNT(ends); e++) {
		spectra_clear();
		before.power[500] = 0.994;
		before.power[ends[e]] = 0.006;
		DRAW_SAYS(0, 0, "before: power 0.0 dB; nothing outside");
		before.power[500] = 0.996;
		before.power[ends[e]] = 0.004;
		DRAW_SAYS(
			0, 0, "before: power 0.0 dB; outside of the signal's band 24.0 dB less than inside");
	}
}
END_TEST

/* A line has the width of two bins on either side at least; at the ends of the spectrum there are fewer. */
START_TEST(narrow_signals)
{
	static const int bins[] = { 0, 1, 512, SPECTRA_BINS - 2, SPECTRA_BINS - 1 };

	for (size_t b = 0; b < TEST_COUNT(bins); b++)
		for (int offset = -3; offset <= 3; offset++) {
			int other = bins[b] + offset;

			spectra_clear();
			before.power[bins[b]] = after.power[bins[b]] = 0.5;
			if (other < 0 || other >= SPECTRA_BINS || !offset)
				continue;
			after.power[other] = 0.005;
			if (abs(offset) > 2)
				DRAW_SAYS(1, 0, "before: power −3.0 dB; nothing outside",
					"after: power −3.0 dB; outside of the signal's band 20.0 dB less "
					"than inside");
			else
				DRAW_SAYS(1, 0, "after: power −3.0 dB; nothing outside");
		}
}
END_TEST

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

START_TEST(nothing_to_see)
{
	char *text;

	spectra_clear();
	DRAW_SAYS(48000, 0, "before: silence\"", "after: silence\"", "set yrange [-100:0]");
	before.segments = after.segments = 0;
	DRAW_SAYS(48000, 0, "before: no spectrum; it takes 1024 samples in a row", "after: no spectrum");
	after.segments = 1;
	after.power[3] = 1;
	text = draw(0, 0);
	TEST_SAYS(text, "before: no spectrum", "after: power 0.0 dB\"", "mean of 0 and 1 segment.");
	ck_assert_uint_eq(count(text, "NaN with lines"), 1);
	ck_assert_ptr_null(strstr(text, "shaded"));
	ck_assert_ptr_null(strstr(text, "rectangle"));
	free(text);

	for (int i = 0; i < SPECTRA_BINS; i++) /* white noise, and a curve that is flat */
		before.power[i] = after.power[i] = 0.1 / SPECTRA_BINS;
	before.segments = 7;
	DRAW_SAYS(0, 0, "before: power −10.0 dB; the signal's band is all that there is",
		"rectangle from -0.5, graph 0 to 0.4995");
}
END_TEST

/* The points of a curve, 0 the first one: as many as there are bins, from -0.5 to nearly 0.5 of the range. */
static void read_curve(const char *text, int curve, double range, double level[SPECTRA_BINS])
{
	char start[32];
	double x;
	int length;

	snprintf(start, sizeof start, "$curve%d << EOD\n", curve);
	text = strstr(text, start);
	ck_assert_ptr_nonnull(text);
	text += strlen(start);
	for (int i = 0; i < SPECTRA_BINS; i++, text += length) {
		ck_assert_int_eq(sscanf(text, "%lf %lf\n%n", &x, &level[i], &length), 2);
		ck_assert_double_eq_tol(x, range * ((double)i / SPECTRA_BINS - 0.5), 1e-6 * range);
	}
	ck_assert_int_eq(strncmp(text, "EOD\n", 4), 0);
}

/* In dB. What holds nothing, or less than the axis shows, is below it. */
START_TEST(curves)
{
	static double level[SPECTRA_BINS];
	char *text;

	spectra_clear();
	for (int i = 0; i < SPECTRA_BINS; i++) {
		before.power[i] = pow(10, -1 - (i % 10));
		after.power[i] = i < 10 ? 1e-9 : i > 990 ? 1e-30 : 0;
	}
	text = draw(1e6, 0);
	TEST_SAYS(text, "set yrange [-110:-10]");
	read_curve(text, 0, 1000, level);
	for (int i = 0; i < SPECTRA_BINS; i++)
		ck_assert_double_eq_tol(level[i], -10 - 10 * (i % 10), 0.006);
	read_curve(text, 1, 1000, level);
	for (int i = 0; i < SPECTRA_BINS; i++)
		ck_assert_double_eq_tol(level[i], i < 10 ? -90 : i > 990 ? -300 : -9999, 0.006);
	/* the first lies above the second, and is named first: the key is inverted */
	ck_assert(strstr(text, "title \"after") < strstr(text, "title \"before"));
	ck_assert_ptr_nonnull(strstr(text, " invert "));
	free(text);
	for (int i = 0; i < SPECTRA_BINS; i++)
		before.power[i] = after.power[i] = i % 2 ? 0.4 : 0.5;
	DRAW_SAYS(1e6, 0, "set yrange [-40:0]");
}
END_TEST

/* Bins 400 to 499, and ten more on either side, of 1024. */
START_TEST(band)
{
	spectra_clear();
	for (int i = 400; i < 500; i++)
		before.power[i] = after.power[i] = 0.001;
	DRAW_SAYS(1024e3, 0, "set object rectangle from -122.5, graph 0 to -2.5, graph 1 behind");
}
END_TEST

START_TEST(frequencies)
{
	static const struct {
		double rate, frequency;
		const char *label, *range;
	} cases[] = {
		{ 0, 0, "\"frequency (fraction of the sample rate)\\n", "[-0.5:0.5]" },
		{ -1, -1, "\"frequency (fraction of the sample rate)\\n", "[-0.5:0.5]" },
		{ NAN, INFINITY, "\"frequency (fraction of the sample rate)\\n", "[-0.5:0.5]" },
		{ INFINITY, NAN, "\"frequency (fraction of the sample rate)\\n", "[-0.5:0.5]" },
		{ 1e300, 1e300, "\"frequency (fraction of the sample rate)\\n", "[-0.5:0.5]" },
		{ 0, 868e6, "frequency from the centre at 868 MHz (fraction of the sample rate)\\n",
			"[-0.5:0.5]" },
		{ 25e6, 2437.5e6, "frequency from the centre at 2.4375 GHz (MHz)\\n", "[-12.5:12.5]" },
		{ 30.72e6, 0, "\"frequency (MHz)\\n", "[-15.36:15.36]" },
		{ 2e6, 1.5, "frequency from the centre at 1.5 Hz (MHz)\\n", "[-1:1]" },
		{ 1.9999e6, 77500, "frequency from the centre at 77.5 kHz (kHz)\\n", "[-999.95:999.95]" },
		{ 48000, 0, "\"frequency (kHz)\\n", "[-24:24]" },
		{ 100, 0, "\"frequency (Hz)\\n", "[-50:50]" },
		{ 0.07, 0, "\"frequency (Hz)\\n", "[-0.035:0.035]" },
		{ 1e-6, 0, "\"frequency (Hz)\\n", "[-5e-07:5e-07]" },
		{ 5e9, 28e9, "frequency from the centre at 28 GHz (GHz)\\n", "[-2.5:2.5]" },
		{ 1e15, 0, "\"frequency (GHz)\\n", "[-500000:500000]" },
	};

	spectra_clear();
	before.power[100] = after.power[100] = 0.1;
	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		DRAW_SAYS(cases[i].rate, cases[i].frequency, cases[i].label, "set xrange ", cases[i].range);
}
END_TEST

/* Whatever the numbers are. */
START_TEST(random_spectra)
{
	for (uint64_t round = 0; round < test_rounds(50); round++) {
		struct test_rng rng = { test_seed() + round };
		struct pstk_spectrum *spectra[] = { &before, &after };
		int from = (int)test_between(&rng, 0, 400) - 300, to = from + (int)test_between(&rng, 0, 200);
		uint32_t zeros = test_between(&rng, 0, 100);
		double rate;

		test_guard("spectra", test_seed() + round);
		for (size_t s = 0; s < 2; s++) {
			spectra[s]->segments = test_between(&rng, 0, 3);
			for (int i = 0; i < SPECTRA_BINS; i++) {
				int power = from + (int)test_between(&rng, 0, (uint32_t)(to - from));

				spectra[s]->power[i] = test_chance(&rng, zeros) || !spectra[s]->segments
				                               ? 0
				                               : pow(10, power);
			}
		}
		rate = pow(10, (int)test_between(&rng, 0, 22) - 7) * test_between(&rng, 1, 10000) / 1000;
		free(draw(rate, test_between(&rng, 0, UINT32_MAX)));
	}
}
END_TEST

/* Two curves more, each with its figures. */
START_TEST(what_is_sent)
{
	static struct pstk_spectrum bare, sent;
	char *text;

	spectra_clear();
	before.power[512] = after.power[512] = 1;
	bare = sent = before;
	bare.power[100] = 0.01;
	sent.power[100] = 0.0001;
	drawn.sent_before = &bare;
	drawn.sent_after = &sent;
	DRAW_SAYS(0, 0, "Predistortion: spectra",
		"sent as it is: power 0.0 dB; outside of the signal's band 20.0 dB less than inside",
		"sent predistorted: power 0.0 dB; outside of the signal's band 40.0 dB less than inside",
		"model of the transmitter");
	drawn.sent_after = NULL; /* not without the other */
	text = draw(0, 0);
	ck_assert_ptr_null(strstr(text, "sent"));
	free(text);
	drawn.sent_before = NULL;
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spectra");
	TCase *tcase = files_case(suite, "spectra");

	tcase_add_test(tcase, figures);
	tcase_add_test(tcase, tails);
	tcase_add_test(tcase, narrow_signals);
	tcase_add_test(tcase, nothing_to_see);
	tcase_add_test(tcase, curves);
	tcase_add_test(tcase, band);
	tcase_add_test(tcase, frequencies);
	tcase_add_test(tcase, random_spectra);
	tcase_add_test(tcase, what_is_sent);
	return test_main(suite);
}
