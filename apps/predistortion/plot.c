/* SPDX-License-Identifier: MIT */
/*
 * Colours are attributes, which every renderer knows; a style sheet overrides them where the reader prefers
 * dark grounds. Figures are put together from integers, because printf()'s decimal point is the locale's.
 */
#include "apps/predistortion/plot.h"
#include "actors/common/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

enum { WIDTH = 960, HEIGHT = 536, LEFT = 84, RIGHT = 932, TOP = 56, BOTTOM = 420, LINE = 20 };
enum { BEFORE, AFTER, SENT_BEFORE, SENT_AFTER, CURVES };
enum { SPAN_LEAST = 40, SPAN_MOST = 100, SPAN_STEP = 10 }; /* dB */
enum { TEXT_SIZE = 40 };

#define MINUS "\xe2\x88\x92" /* U+2212 */

struct look {
	const char *class, *name, *colour, *dark, *dashes;
};

static const struct look looks[CURVES] = {
	[BEFORE] = { "before", "before", "#0a5bc4", "#58a6ff", "none" },
	[AFTER] = { "after", "after", "#d35400", "#ff9a4d", "7 4" },
	[SENT_BEFORE] = { "bare", "sent as it is", "#b3261e", "#ff7b72", "none" },
	[SENT_AFTER] = { "sent", "sent predistorted", "#1a7f37", "#56d364", "none" },
};

struct curve {
	const struct look *look;
	double power[PLOT_BINS];
	int64_t segments;
	double sum;
};

struct plot {
	FILE *file;
	const struct pstk_iq_info *info;
	struct curve curves[CURVES];
	size_t count;     /* of curves: without or with those that are sent */
	int height;       /* of the picture: a line a curve is below it */
	int top, bottom;  /* dB */
	size_t low, high; /* the signal's own band: its first and last bin */
	bool has_band;    /* else all bins hold nothing */
};

/* value with so many decimals; they are cut when they are zeros, if trim. */
static const char *fixed(char text[TEXT_SIZE], double value, int decimals, bool trim)
{
	double scale = pow(10, decimals);
	long long all = llround(fabs(value) * scale), unit = llround(scale), rest = all % unit;
	const char *sign = value < 0 && all ? MINUS : "";

	while (trim && decimals && rest % 10 == 0) {
		rest /= 10;
		decimals--;
	}
	if (decimals)
		snprintf(text, TEXT_SIZE, "%s%lld.%0*lld", sign, all / unit, decimals, rest);
	else
		snprintf(text, TEXT_SIZE, "%s%lld", sign, all / unit);
	return text;
}

static double decibel(double ratio)
{
	return 10 * log10(ratio);
}

static void curve_load(struct plot *p, const struct pstk_spectrum *spectrum)
{
	struct curve *c = &p->curves[p->count];

	c->look = &looks[p->count++];
	c->segments = pstk_spectrum_get(spectrum, c->power);
	c->sum = 0;
	for (size_t i = 0; i < PLOT_BINS; i++)
		c->sum += c->power[i];
}

/* The signal's own band: without the lowest and the highest part of the spectrum that hold 0.5 % of the
 * power each (the occupied bandwidth of ITU-R SM.328), and a tenth more on either side. Those 99 % alone
 * would leave 1 % outside of any signal, which is more than what an amplifier or a predistorter adds. */
static void find_band(struct plot *p)
{
	enum { MARGIN_LEAST = 2 }; /* bins: what the window makes of a line */
	const struct curve *before = &p->curves[BEFORE];
	const double *power = before->power;
	double tail = 0.005 * before->sum, below = 0, above = 0;
	size_t margin;

	p->has_band = before->sum > 0;
	p->low = 0;
	p->high = PLOT_BINS - 1;
	if (!p->has_band)
		return;
	while (below + power[p->low] < tail)
		below += power[p->low++];
	while (above + power[p->high] < tail)
		above += power[p->high--];
	margin = (p->high - p->low + 1) / 10;
	margin = margin < MARGIN_LEAST ? MARGIN_LEAST : margin;
	p->low -= p->low < margin ? p->low : margin;
	p->high = p->high + margin < PLOT_BINS ? p->high + margin : PLOT_BINS - 1;
}

/* What the vertical axis shows. */
static void find_range(struct plot *p)
{
	double most = 0, least = INFINITY;

	for (size_t c = 0; c < p->count; c++)
		for (size_t i = 0; i < PLOT_BINS; i++) {
			double power = p->curves[c].power[i];

			most = fmax(most, power);
			least = power > 0 ? fmin(least, power) : least;
		}
	p->top = most > 0 ? SPAN_STEP * (int)ceil(decibel(most) / SPAN_STEP) : 0;
	p->bottom = most > 0 ? SPAN_STEP * (int)floor(decibel(least) / SPAN_STEP) : -SPAN_MOST;
	if (p->bottom < p->top - SPAN_MOST)
		p->bottom = p->top - SPAN_MOST;
	if (p->bottom > p->top - SPAN_LEAST)
		p->bottom = p->top - SPAN_LEAST;
}

/* The middle of a bin, or a frequency as a fraction of the sample rate. */
static double bin_x(double bin)
{
	return LEFT + (RIGHT - LEFT) * bin / PLOT_BINS;
}

static double fraction_x(double fraction)
{
	return LEFT + (RIGHT - LEFT) * (fraction + 0.5);
}

/* dB; what is below the axis lies on it. */
static double level_y(const struct plot *p, double level)
{
	double part = (p->top - level) / (p->top - p->bottom);

	return TOP + (BOTTOM - TOP) * fmin(part, 1);
}

static void put_line(const struct plot *p, const char *class, double x1, double y1, double x2, double y2)
{
	char t[4][TEXT_SIZE];

	fprintf(p->file, "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>\n", class,
		fixed(t[0], x1, 1, true), fixed(t[1], y1, 1, true), fixed(t[2], x2, 1, true),
		fixed(t[3], y2, 1, true));
}

static void put_head(const struct plot *p)
{
	fprintf(p->file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"14\" role=\"img\">\n"
		"<title>Spectrum before and after predistortion</title>\n"
		"<style>@media (prefers-color-scheme: dark) {\n"
		".ground { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9da7b1 }\n"
		".grid { stroke: #30363d } .frame { stroke: #848d97 } .band { fill: #1c2636 }\n",
		WIDTH, p->height, WIDTH, p->height);
	for (size_t c = 0; c < p->count; c++)
		fprintf(p->file, ".%s { stroke: %s }\n", looks[c].class, looks[c].dark);
	fprintf(p->file,
		"}</style>\n"
		"<rect class=\"ground\" width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
		WIDTH, p->height);
}

static void put_band(const struct plot *p)
{
	char x[TEXT_SIZE], width[TEXT_SIZE];
	double low = fmax(bin_x((double)p->low - 0.5), LEFT),
	       high = fmin(bin_x((double)p->high + 0.5), RIGHT);

	if (p->has_band)
		fprintf(p->file,
			"<rect class=\"band\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" "
			"fill=\"#eef3fa\"/>\n",
			fixed(x, low, 1, true), TOP, fixed(width, high - low, 1, true), BOTTOM - TOP);
}

static void put_levels(const struct plot *p)
{
	const int step = p->top - p->bottom > 60 ? 2 * SPAN_STEP : SPAN_STEP;
	const int first = step * (int)floor((double)p->top / step);
	char t[2][TEXT_SIZE];

	fprintf(p->file, "<g stroke=\"#d5dbe1\">\n");
	for (int level = first; level >= p->bottom; level -= step)
		put_line(p, "grid", LEFT, level_y(p, level), RIGHT, level_y(p, level));
	fprintf(p->file, "</g>\n<g class=\"ink\" fill=\"#24292f\" text-anchor=\"end\">\n");
	for (int level = first; level >= p->bottom; level -= step)
		fprintf(p->file, "<text x=\"%d\" y=\"%s\">%s</text>\n", LEFT - 8,
			fixed(t[0], level_y(p, level) + 5, 1, true), fixed(t[1], level, 0, false));
	fprintf(p->file,
		"</g>\n<text class=\"ink\" fill=\"#24292f\" text-anchor=\"middle\" "
		"transform=\"translate(24 %d) rotate(-90)\">power in a bin (dB)</text>\n",
		(TOP + BOTTOM) / 2);
}

/* What nobody can mean is as unknown as 0 is. */
static bool is_known(double hertz)
{
	return hertz >= 1e-6 && hertz <= 1e15;
}

struct unit {
	double hertz;
	const char *name;
};

static struct unit unit_of(double hertz)
{
	static const struct unit units[] = { { 1e9, "GHz" }, { 1e6, "MHz" }, { 1e3, "kHz" }, { 1, "Hz" } };
	size_t i = 0;

	while (hertz < units[i].hertz && i < 3)
		i++;
	return units[i];
}

/* The smallest of 1, 2 and 5 times a power of ten that is no smaller, and its decimals. */
static double round_step(double least, int *decimals)
{
	int exponent = (int)floor(log10(least));
	double power = pow(10, exponent), step = power;

	if (step < least * (1 - 1e-9))
		step = 2 * power;
	if (step < least * (1 - 1e-9))
		step = 5 * power;
	if (step < least * (1 - 1e-9)) {
		step = 10 * power;
		exponent++;
	}
	*decimals = exponent < 0 ? -exponent : 0;
	return step;
}

/* range: of the axis, in its unit. */
static void put_frequencies(const struct plot *p, double range)
{
	enum { TICKS_MOST = 14 };
	int decimals;
	double step = round_step(range / TICKS_MOST, &decimals);
	int last = (int)floor(range / 2 / step + 1e-6);
	char t[2][TEXT_SIZE];

	fprintf(p->file, "<g stroke=\"#d5dbe1\">\n");
	for (int k = -last; k <= last; k++)
		put_line(p, "grid", fraction_x(k * step / range), TOP, fraction_x(k * step / range), BOTTOM);
	fprintf(p->file, "</g>\n<g class=\"ink\" fill=\"#24292f\" text-anchor=\"middle\">\n");
	for (int k = -last; k <= last; k++)
		fprintf(p->file, "<text x=\"%s\" y=\"%d\">%s</text>\n",
			fixed(t[0], fraction_x(k * step / range), 1, true), BOTTOM + 20,
			fixed(t[1], k * step, decimals, false));
	fprintf(p->file, "</g>\n");
}

static void put_frequency_axis(const struct plot *p)
{
	const bool has_rate = is_known(p->info->sample_rate), has_carrier = is_known(p->info->frequency);
	struct unit unit = unit_of(p->info->sample_rate / 2), carrier = unit_of(p->info->frequency);
	char text[TEXT_SIZE];

	put_frequencies(p, has_rate ? p->info->sample_rate / unit.hertz : 1);
	fprintf(p->file,
		"<text class=\"ink\" fill=\"#24292f\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">frequency",
		(LEFT + RIGHT) / 2, BOTTOM + 44);
	if (has_carrier)
		fprintf(p->file, " from the centre at %s %s",
			fixed(text, p->info->frequency / carrier.hertz, 9, true), carrier.name);
	if (has_rate)
		fprintf(p->file, " (%s)</text>\n", unit.name);
	else
		fprintf(p->file, " (fraction of the sample rate)</text>\n");
}

/* A bin is left out if it is as high as both of its neighbours; on the lowest level, where what is below
 * it lies, the curve is broken there. */
static void put_curve(const struct plot *p, const struct curve *c)
{
	char x[TEXT_SIZE], y[TEXT_SIZE], pen = 'M';
	long tenths[3]; /* of a pixel: the bin before, this one, the next */

	if (c->sum <= 0)
		return;
	fprintf(p->file,
		"<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" "
		"stroke-linejoin=\"round\" stroke-dasharray=\"%s\" d=\"",
		c->look->class, c->look->colour, c->look->dashes);
	tenths[0] = -1;
	tenths[1] = lround(10 * level_y(p, decibel(c->power[0])));
	for (size_t i = 0; i < PLOT_BINS; i++) {
		tenths[2] = i + 1 < PLOT_BINS ? lround(10 * level_y(p, decibel(c->power[i + 1]))) : -1;
		if (tenths[0] != tenths[1] || tenths[1] != tenths[2]) {
			fprintf(p->file, "%c%s %s\n", pen, fixed(x, bin_x((double)i), 1, true),
				fixed(y, (double)tenths[1] / 10, 1, true));
			pen = 'L';
		} else if (tenths[1] == 10L * BOTTOM) {
			pen = 'M';
		}
		tenths[0] = tenths[1];
		tenths[1] = tenths[2];
	}
	fprintf(p->file, "\"/>\n");
}

/* A short piece of each curve and its name, from the right. */
static void put_keys(const struct plot *p)
{
	static const int from_right[CURVES] = { 500, 400, 308, 163 };
	int shift = p->count == CURVES ? 0 : from_right[AFTER] - 84;

	for (size_t c = 0; c < p->count; c++) {
		int x = RIGHT - from_right[c] + shift;

		fprintf(p->file,
			"<line class=\"%s\" stroke=\"%s\" stroke-dasharray=\"%s\" stroke-width=\"3\" "
			"x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n"
			"<text class=\"ink\" fill=\"#24292f\" x=\"%d\" y=\"%d\">%s</text>\n",
			looks[c].class, looks[c].colour, looks[c].dashes, x, TOP - 22, x + 28, TOP - 22,
			x + 36, TOP - 17, looks[c].name);
	}
}

/* What is outside of the signal's band, against what is inside. */
static void put_outside(const struct plot *p, const struct curve *c)
{
	double inside = 0, outside = 0;
	char text[TEXT_SIZE];

	for (size_t i = 0; i < PLOT_BINS; i++)
		*(i < p->low || i > p->high ? &outside : &inside) += c->power[i];
	if (!p->has_band)
		return;
	if (p->high - p->low + 1 == PLOT_BINS)
		fprintf(p->file, "; the signal's band is all that there is");
	else if (outside <= 0)
		fprintf(p->file, "; nothing outside of the signal's band");
	else if (inside <= 0)
		fprintf(p->file, "; all of it outside of the signal's band");
	else
		fprintf(p->file, "; outside of the signal's band %s dB %s than inside",
			fixed(text, fabs(decibel(outside / inside)), 1, false),
			outside > inside ? "more" : "less");
}

static void put_figures(const struct plot *p, const struct curve *c, int y)
{
	char text[TEXT_SIZE];

	fprintf(p->file, "<text class=\"ink\" fill=\"#24292f\" x=\"%d\" y=\"%d\">%s: ", LEFT, y,
		c->look->name);
	if (c->segments <= 0) {
		fprintf(p->file, "no spectrum; it takes %d samples in a row that are finite", PLOT_BINS);
	} else if (c->sum <= 0) {
		fprintf(p->file, "silence");
	} else {
		fprintf(p->file, "power %s dB", fixed(text, decibel(c->sum), 1, false));
		put_outside(p, c);
	}
	fprintf(p->file, "</text>\n");
}

static void put_notes(const struct plot *p)
{
	fprintf(p->file,
		"<g class=\"faint\" fill=\"#57606a\" font-size=\"12\">\n"
		"<text x=\"%d\" y=\"%d\">0 dB: a mean square of 1. %d bins, Hann window, mean of %" PRId64,
		LEFT, p->height - 34, PLOT_BINS, p->curves[BEFORE].segments);
	if (p->curves[AFTER].segments != p->curves[BEFORE].segments)
		fprintf(p->file, " and %" PRId64, p->curves[AFTER].segments);
	fprintf(p->file, " segment%s.%s</text>\n", ps_plural((uint64_t)p->curves[AFTER].segments),
		p->count == CURVES ? " Sent: by a model of the transmitter that the coefficients suit." : "");
	if (p->has_band)
		fprintf(p->file,
			"<text x=\"%d\" y=\"%d\">The signal's band (shaded): what holds 99 %% of the power "
			"before, and a tenth of that on either side.</text>\n",
			LEFT, p->height - 14);
	fprintf(p->file, "</g>\n");
}

static void put_plot(const struct plot *p)
{
	put_head(p);
	put_band(p);
	put_levels(p);
	put_frequency_axis(p);
	fprintf(p->file,
		"<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#8c959f\"/>\n",
		LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
	/* the first is narrowest and lies above the others */
	for (size_t c = p->count; c-- > 0;)
		put_curve(p, &p->curves[c]);
	fprintf(p->file,
		"<text class=\"ink\" fill=\"#24292f\" font-size=\"18\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT,
		TOP - 16,
		p->count == CURVES ? "Predistortion: spectra" : "Spectrum before and after predistortion");
	put_keys(p);
	for (size_t c = 0; c < p->count; c++)
		put_figures(p, &p->curves[c], BOTTOM + 74 + LINE * (int)c);
	put_notes(p);
	fprintf(p->file, "</svg>\n");
}

int plot_write(FILE *file, const struct plot_spectra *spectra, const struct pstk_iq_info *info)
{
	struct plot plot = { .file = file, .info = info };

	curve_load(&plot, spectra->before);
	curve_load(&plot, spectra->after);
	if (spectra->sent_before && spectra->sent_after) {
		curve_load(&plot, spectra->sent_before);
		curve_load(&plot, spectra->sent_after);
	}
	plot.height = HEIGHT + LINE * (int)plot.count;
	find_band(&plot);
	find_range(&plot);
	put_plot(&plot);
	return fflush(file) || ferror(file) ? -EIO : 0;
}
