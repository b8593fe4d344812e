/* SPDX-License-Identifier: MIT */
/* The pictures of spectra that the suite makes up: it has the place of the spectrum actor. */
#include "apps/predistortion/plot.h"
#include "tests/common/common.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pstk_spectrum {
	int64_t segments;
	double power[PLOT_BINS];
};

int64_t pstk_spectrum_get(const struct pstk_spectrum *s, double *power)
{
	memcpy(power, s->power, sizeof s->power);
	return s->segments;
}

static struct pstk_spectrum before, after;
static struct plot_spectra drawn = { .before = &before, .after = &after };

static void spectra_clear(void)
{
	before = after = (struct pstk_spectrum){ .segments = 10 };
}

/* The picture as text, to be freed. */
static char *draw(double sample_rate, double frequency)
{
	struct pstk_iq_info info = { sample_rate, frequency, 12345 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(plot_write(file, &drawn, &info), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}

/* The next name="value" of a tag, value without its quotes. False: there is none. *at moves behind it. */
struct attribute {
	char name[32], value[20000];
};

static bool next_attribute(const char **at, struct attribute *a)
{
	int length = 0;

	*at += strspn(*at, " \n");
	if (**at == '>' || **at == '/')
		return false;
	ck_assert_msg(sscanf(*at, "%31[a-zA-Z0-9:-]=\"%n", a->name, &length) == 1 && length,
		"attribute at %.40s", *at);
	*at += length;
	length = (int)strcspn(*at, "\"<&");
	ck_assert_msg((*at)[length] == '"' && (size_t)length < sizeof a->value, "value at %.40s", *at);
	memcpy(a->value, *at, (size_t)length);
	a->value[length] = '\0';
	*at += length + 1;
	return true;
}

static bool within(double value, double low, double high)
{
	return value >= low && value <= high;
}

enum { WIDTH = 960, HEIGHT = 576, LEFT = 84, TOP = 56, RIGHT = 932, BOTTOM = 420 };

/* A curve's points: all within the frame, from left to right. Returns how many. */
static int check_path(const char *d)
{
	double last = 0, x, y;
	int points = 0, length;

	for (; *d; d += length, points++, last = x) {
		ck_assert_msg(sscanf(d, "%*1[ML]%lf %lf\n%n", &x, &y, &length) == 2, "path at %.40s", d);
		ck_assert_msg(
			within(x, LEFT, RIGHT) && within(y, TOP, BOTTOM) && x > last, "point %g %g", x, y);
	}
	return points;
}

static void check_attribute(const struct attribute *a)
{
	char *rest;
	double value = strtod(a->value, &rest);

	if (!strcmp(a->name, "d")) {
		ck_assert_int_gt(check_path(a->value), 1);
	} else if (strlen(a->name) <= 2 && strchr("xy", a->name[0])) {
		ck_assert_msg(!*rest && within(value, 0, a->name[0] == 'x' ? WIDTH : HEIGHT), "%s=%s",
			a->name, a->value);
	} else if (!strcmp(a->name, "width") || !strcmp(a->name, "height")) {
		ck_assert_msg(!*rest && within(value, 0, WIDTH), "%s=%s", a->name, a->value);
	} else if (!strcmp(a->name, "viewBox")) {
		ck_assert_str_eq(a->value, "0 0 960 576");
	}
}

/* Elements are closed in order, within one; nothing comes from elsewhere; all lies in the view. */
static void check_svg(const char *text)
{
	char open[8][32], name[32];
	size_t depth = 0;
	const char *at = text;

	for (struct attribute a; (at = strchr(at, '<'));) {
		int length = 0;

		ck_assert_msg(depth || at == text, "behind the end: %.40s", at);
		if (sscanf(at, "</%31[a-z]>%n", name, &length) == 1 && length) {
			ck_assert_msg(depth && !strcmp(open[--depth], name), "%.40s", at);
			at += length;
			continue;
		}
		ck_assert_msg(
			sscanf(at, "<%31[a-z]%n", name, &length) == 1 && strcmp(name, "script"), "%.40s", at);
		for (at += length; next_attribute(&at, &a);)
			check_attribute(&a);
		ck_assert_uint_lt(depth, TEST_COUNT(open));
		if (*at != '/')
			memcpy(open[depth++], name, sizeof name);
	}
	ck_assert_uint_eq(depth, 0);
	ck_assert_ptr_null(strchr(text, '&'));
	ck_assert_ptr_null(strstr(text, "url("));
	ck_assert_ptr_null(strstr(text, "inf"));
	ck_assert_ptr_null(strstr(text, "nan"));
}

#define DRAW_SAYS(rate, frequency, ...)                \
	do {                                           \
		char *picture = draw(rate, frequency); \
		check_svg(picture);                    \
		TEST_SAYS(picture, __VA_ARGS__);       \
		free(picture);                         \
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
	static const int bins[] = { 0, 1, 512, PLOT_BINS - 2, PLOT_BINS - 1 };

	for (size_t b = 0; b < TEST_COUNT(bins); b++)
		for (int offset = -3; offset <= 3; offset++) {
			int other = bins[b] + offset;

			spectra_clear();
			before.power[bins[b]] = after.power[bins[b]] = 0.5;
			if (other < 0 || other >= PLOT_BINS || !offset)
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
	DRAW_SAYS(48000, 0, "before: silence", "after: silence", ">0<", "−100<");
	before.segments = after.segments = 0;
	DRAW_SAYS(48000, 0, "before: no spectrum; it takes 1024 samples in a row", "after: no spectrum");
	after.segments = 1;
	after.power[3] = 1;
	text = draw(0, 0);
	check_svg(text);
	TEST_SAYS(text, "before: no spectrum", "after: power 0.0 dB</text>", "mean of 0 and 1 segment.");
	ck_assert_uint_eq(count(text, "<path"), 1);
	ck_assert_ptr_null(strstr(text, "shaded"));
	free(text);

	for (int i = 0; i < PLOT_BINS; i++) /* white noise, and a curve that is flat */
		before.power[i] = after.power[i] = 0.1 / PLOT_BINS;
	before.segments = 7;
	text = draw(0, 0);
	check_svg(text);
	TEST_SAYS(text, "before: power −10.0 dB; the signal's band is all that there is");
	ck_assert_uint_eq(count(text, "<path"), 2);
	ck_assert_uint_lt(strlen(text), 8000);
	free(text);
}
END_TEST

/* Finds the curve and gives its point next to x. */
static double curve_at(const char *text, const char *class, double x)
{
	char start[64];
	double least = INFINITY, px, py, y = NAN;
	int length;

	snprintf(start, sizeof start, "<path class=\"%s\"", class);
	text = strstr(text, start);
	ck_assert_ptr_nonnull(text);
	text = strstr(text, " d=\"") + 4;
	for (; sscanf(text, "%*1[ML]%lf %lf\n%n", &px, &py, &length) == 2; text += length)
		if (fabs(px - x) < least) {
			least = fabs(px - x);
			y = py;
		}
	ck_assert_double_lt(least, 0.1);
	return y;
}

/* Levels of -10 .. -100 dB lie where the axis says. */
START_TEST(curves)
{
	char *text, *before_path, *after_path;

	spectra_clear();
	for (int i = 0; i < PLOT_BINS; i++) {
		before.power[i] = pow(10, -1 - (i % 10));
		after.power[i] = i < 10 || i > 990 ? 1e-9 : 1e-30; /* below the axis in between */
	}
	text = draw(1e6, 0);
	check_svg(text);
	for (int i = 0; i < PLOT_BINS; i++) /* the axis: -10 .. -110 */
		ck_assert_double_eq_tol(
			curve_at(text, "before", LEFT + (RIGHT - LEFT) * i / (double)PLOT_BINS),
			TOP + (BOTTOM - TOP) * (i % 10) / 10., 0.051);
	ck_assert_double_eq_tol(curve_at(text, "after", LEFT), TOP + (BOTTOM - TOP) * 8 / 10., 0.051);
	after_path = strstr(text, "<path class=\"after\"");
	before_path = strstr(text, "<path class=\"before\"");
	ck_assert(after_path < before_path && before_path - after_path < 300);
	ck_assert_uint_eq(
		count(after_path, "M") - count(before_path, "M"), 2); /* no line joins the two pieces */
	free(text);
}
END_TEST

/* Each number below the axis is at its place. Returns how many there are. */
static int check_ticks(const char *text, double range)
{
	int ticks = 0;

	for (const char *at = text; (at = strstr(at, "<text x=\"")); at++) {
		char sign[4] = "";
		double x, value;
		int y;

		if (sscanf(at, "<text x=\"%lf\" y=\"%d\">%3[\xe2\x88\x92]%lf<", &x, &y, sign, &value) != 4 &&
			sscanf(at, "<text x=\"%lf\" y=\"%d\">%lf<", &x, &y, &value) != 3)
			continue;
		if (y != BOTTOM + 20)
			continue;
		value = *sign ? -value : value;
		ck_assert_double_eq_tol(x, LEFT + (RIGHT - LEFT) * (value / range + 0.5), 0.051);
		ticks++;
	}
	return ticks;
}

START_TEST(frequencies)
{
	static const struct {
		double rate, frequency, range;
		const char *label, *tick;
	} cases[] = {
		{ 0, 0, 1, ">frequency (fraction of the sample rate)<", ">−0.5<" },
		{ -1, -1, 1, ">frequency (fraction of the sample rate)<", ">0.0<" },
		{ NAN, INFINITY, 1, ">frequency (fraction of the sample rate)<", ">0.5<" },
		{ INFINITY, NAN, 1, ">frequency (fraction of the sample rate)<", ">0.4<" },
		{ 1e300, 1e300, 1, ">frequency (fraction of the sample rate)<", ">0.4<" },
		{ 0, 868e6, 1, ">frequency from the centre at 868 MHz (fraction of the sample rate)<",
			">0.1<" },
		{ 25e6, 2437.5e6, 25, ">frequency from the centre at 2.4375 GHz (MHz)<", ">−12<" },
		{ 30.72e6, 0, 30.72, ">frequency (MHz)<", ">15<" },
		{ 2e6, 1.5, 2, ">frequency from the centre at 1.5 Hz (MHz)<", ">−1.0<" },
		{ 1.9999e6, 77500, 1999.9, ">frequency from the centre at 77.5 kHz (kHz)<", ">800<" },
		{ 48000, 0, 48, ">frequency (kHz)<", ">−20<" },
		{ 100, 0, 100, ">frequency (Hz)<", ">50<" },
		{ 0.07, 0, 0.07, ">frequency (Hz)<", ">−0.035<" },
		{ 1e-6, 0, 1e-6, ">frequency (Hz)<", ">−0.0000005<" },
		{ 5e9, 28e9, 5, ">frequency from the centre at 28 GHz (GHz)<", ">2.5<" },
		{ 1e15, 0, 1e6, ">frequency (GHz)<", ">500000<" },
	};

	spectra_clear();
	before.power[100] = after.power[100] = 0.1;
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		char *text = draw(cases[i].rate, cases[i].frequency);

		check_svg(text);
		TEST_SAYS(text, cases[i].label, cases[i].tick);
		ck_assert_int_ge(check_ticks(text, cases[i].range), 5);
		ck_assert_int_le(check_ticks(text, cases[i].range), 15);
		free(text);
	}
}
END_TEST

/* Whatever the numbers are. */
START_TEST(random_spectra)
{
	for (uint64_t round = 0; round < test_rounds(200); round++) {
		struct test_rng rng = { test_seed() + round };
		struct pstk_spectrum *spectra[] = { &before, &after };
		int from = (int)test_between(&rng, 0, 400) - 300, to = from + (int)test_between(&rng, 0, 200);
		uint32_t zeros = test_between(&rng, 0, 100);
		double rate;
		char *text;

		test_guard("spectra", test_seed() + round);
		for (size_t s = 0; s < 2; s++) {
			spectra[s]->segments = test_between(&rng, 0, 3);
			for (int i = 0; i < PLOT_BINS; i++) {
				int power = from + (int)test_between(&rng, 0, (uint32_t)(to - from));

				spectra[s]->power[i] = test_chance(&rng, zeros) || !spectra[s]->segments
				                               ? 0
				                               : pow(10, power);
			}
		}
		rate = pow(10, (int)test_between(&rng, 0, 22) - 7) * test_between(&rng, 1, 10000) / 1000;
		text = draw(rate, test_between(&rng, 0, UINT32_MAX));
		check_svg(text);
		free(text);
	}
}
END_TEST

/* Two curves more, each with its figures, and room for them. */
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
	text = draw(0, 0);
	TEST_SAYS(text, "viewBox=\"0 0 960 616\"", ">sent as it is<", ">sent predistorted<",
		"sent as it is: power 0.0 dB; outside of the signal's band 20.0 dB less than inside",
		"sent predistorted: power 0.0 dB; outside of the signal's band 40.0 dB less than inside",
		"model of the transmitter");
	free(text);
	drawn.sent_after = NULL; /* not without the other */
	text = draw(0, 0);
	check_svg(text);
	ck_assert_ptr_null(strstr(text, "sent"));
	free(text);
	drawn.sent_before = NULL;
}
END_TEST

START_TEST(stream_fails)
{
	static const struct pstk_iq_info info;
	FILE *full = fopen("/dev/full", "w"), *closed = fopen("/dev/null", "r");

	spectra_clear();
	ck_assert(full && closed);
	ck_assert_int_eq(plot_write(full, &drawn, &info), -EIO);
	ck_assert_int_eq(plot_write(closed, &drawn, &info), -EIO); /* not open for writing */
	fclose(full);
	fclose(closed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plot");
	TCase *tcase = test_case(suite, "plot");

	tcase_add_test(tcase, figures);
	tcase_add_test(tcase, tails);
	tcase_add_test(tcase, narrow_signals);
	tcase_add_test(tcase, nothing_to_see);
	tcase_add_test(tcase, curves);
	tcase_add_test(tcase, frequencies);
	tcase_add_test(tcase, random_spectra);
	tcase_add_test(tcase, what_is_sent);
	tcase_add_test(tcase, stream_fails);
	return test_main(suite);
}
