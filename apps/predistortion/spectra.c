/* SPDX-License-Identifier: MIT */
#include "apps/predistortion/spectra.h"
#include "actors/common/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { BEFORE, AFTER, SENT_BEFORE, SENT_AFTER, CURVES };
#define MINUS "\xe2\x88\x92" /* U+2212, as gnuplot's */

enum { SPAN_LEAST = 40, SPAN_MOST = 100, SPAN_STEP = 10 }; /* dB */

/* in the order of the curves */
static const struct look {
	const char *name, *colour, *dashes;
} looks[CURVES] = {
	{ "before", "#0a5bc4", "solid" },
	{ "after", "#d35400", "(7,4)" },
	{ "sent as it is", "#b3261e", "solid" },
	{ "sent predistorted", "#1a7f37", "solid" },
};

struct curve {
	double power[SPECTRA_BINS];
	int64_t segments;
	double sum;
};

struct picture {
	FILE *file;
	struct curve curves[CURVES];
	unsigned count;   /* of curves: without or with those that are sent */
	int top, bottom;  /* dB */
	size_t low, high; /* the signal's own band: its first and last bin */
	bool has_band;    /* else no bin holds anything */
	double range;     /* of the frequency axis, in its unit */
};

static double decibel(double ratio)
{
	return 10 * log10(ratio);
}

static void load(struct picture *p, const struct pstk_spectrum *spectrum)
{
	struct curve *c = &p->curves[p->count++];

	c->segments = pstk_spectrum_get(spectrum, c->power);
	c->sum = 0;
	for (size_t i = 0; i < SPECTRA_BINS; i++)
		c->sum += c->power[i];
}

/* The signal's own band: without the lowest and the highest part of the spectrum that hold 0.5 % of the
 * power each (the occupied bandwidth of ITU-R SM.328), and a tenth more on either side. Those 99 % alone
 * would leave 1 % outside of any signal, which is more than what an amplifier or a predistorter adds. */
static void find_band(struct picture *p)
{
	enum { MARGIN_LEAST = 2 }; /* bins: what the window makes of a line */
	const struct curve *before = &p->curves[BEFORE];
	const double *power = before->power;
	double tail = 0.005 * before->sum, below = 0, above = 0;
	size_t margin;

	p->has_band = before->sum > 0;
	p->low = 0;
	p->high = SPECTRA_BINS - 1;
	if (!p->has_band)
		return;
	while (below + power[p->low] < tail)
		below += power[p->low++];
	while (above + power[p->high] < tail)
		above += power[p->high--];
	margin = (p->high - p->low + 1) / 10;
	margin = margin < MARGIN_LEAST ? MARGIN_LEAST : margin;
	p->low -= p->low < margin ? p->low : margin;
	p->high = p->high + margin < SPECTRA_BINS ? p->high + margin : SPECTRA_BINS - 1;
}

/* What the vertical axis shows. */
static void find_range(struct picture *p)
{
	double most = 0, least = INFINITY;

	for (unsigned c = 0; c < p->count; c++)
		for (size_t i = 0; i < SPECTRA_BINS; i++) {
			double power = p->curves[c].power[i];

			most = fmax(most, power);
			least = power > 0 ? fmin(least, power) : least;
		}
	p->top = most > 0 ? SPAN_STEP * (int)ceil(decibel(most) / SPAN_STEP) : 0;
	p->bottom = most > 0 ? SPAN_STEP * (int)floor(decibel(least) / SPAN_STEP) : -SPAN_MOST;
	p->bottom = (int)fmax(p->bottom, p->top - SPAN_MOST);
	p->bottom = (int)fmin(p->bottom, p->top - SPAN_LEAST);
}

/* What can't be meant is as unknown as 0 is. */
static bool is_known(double hertz)
{
	return hertz >= 1e-6 && hertz <= 1e15;
}

static const struct unit {
	double hertz;
	const char *name;
} units[] = { { 1e9, "GHz" }, { 1e6, "MHz" }, { 1e3, "kHz" }, { 1, "Hz" } };

static const struct unit *unit_of(double hertz)
{
	size_t i = 0;

	while (hertz < units[i].hertz && i < 3)
		i++;
	return &units[i];
}

/* Its label, with the notes below it; finds its range. */
static void put_frequency_axis(struct picture *p, const struct pstk_iq_info *info)
{
	const struct unit *unit = unit_of(info->sample_rate / 2), *carrier = unit_of(info->frequency);
	const int64_t before = p->curves[BEFORE].segments, after = p->curves[AFTER].segments;

	p->range = is_known(info->sample_rate) ? info->sample_rate / unit->hertz : 1;
	fprintf(p->file, "set xlabel \"frequency");
	if (is_known(info->frequency))
		fprintf(p->file, " from the centre at %.10g %s", info->frequency / carrier->hertz,
			carrier->name);
	fprintf(p->file, " (%s)\\n{/*0.85 0 dB: a mean square of 1. %d bins, Hann window, mean of %" PRId64,
		is_known(info->sample_rate) ? unit->name : "fraction of the sample rate", SPECTRA_BINS,
		before);
	if (after != before)
		fprintf(p->file, " and %" PRId64, after);
	fprintf(p->file, " segment%s.%s}", ps_plural((uint64_t)after),
		p->count == CURVES ? " Sent: by a model of the transmitter that the coefficients suit." : "");
	if (p->has_band)
		fprintf(p->file,
			"\\n{/*0.85 The signal's band (shaded): what holds 99 %% of the power before, and a "
			"tenth of that on either side.}");
	fprintf(p->file, "\\n \"\nset xrange [%.9g:%.9g]\n", -p->range / 2, p->range / 2);
}

/* Of a bin, or of the line between two. */
static double frequency(const struct picture *p, double bin)
{
	return p->range * (bin / SPECTRA_BINS - 0.5);
}

static void put_frame(const struct picture *p)
{
	fprintf(p->file,
		"set title '{/*1.3 %s}'\nset ylabel 'power in a bin (dB)'\nset yrange [%d:%d]\n"
		"set border linecolor rgb '#8c959f'\nset grid linecolor rgb '#d5dbe1' linetype 1\nset tics "
		"textcolor rgb 'black'\n"
		"set key below left Left reverse invert maxcols 1 samplen 3\n",
		p->count == CURVES ? "Predistortion: spectra" : "Spectrum before and after predistortion",
		p->bottom, p->top);
	if (p->has_band)
		fprintf(p->file,
			"set object rectangle from %.9g, graph 0 to %.9g, graph 1 behind clip fillstyle "
			"solid noborder "
			"fillcolor rgb '#eef3fa'\n",
			frequency(p, fmax((double)p->low - 0.5, 0)), frequency(p, (double)p->high + 0.5));
}

/* Far below the axis is where a bin lies that holds nothing. */
static void put_data(const struct picture *p, unsigned curve)
{
	const double *power = p->curves[curve].power;

	fprintf(p->file, "$curve%u << EOD\n", curve);
	for (size_t i = 0; i < SPECTRA_BINS; i++)
		fprintf(p->file, "%.9g %.2f\n", frequency(p, (double)i),
			power[i] > 0 ? decibel(power[i]) : -9999);
	fprintf(p->file, "EOD\n");
}

/* What is outside of the signal's band, against what is inside. */
static void put_outside(const struct picture *p, const struct curve *c)
{
	double inside = 0, outside = 0;

	for (size_t i = 0; i < SPECTRA_BINS; i++)
		*(i < p->low || i > p->high ? &outside : &inside) += c->power[i];
	if (p->high - p->low + 1 == SPECTRA_BINS)
		fprintf(p->file, "; the signal's band is all that there is");
	else if (outside <= 0)
		fprintf(p->file, "; nothing outside of the signal's band");
	else if (inside <= 0)
		fprintf(p->file, "; all of it outside of the signal's band");
	else
		fprintf(p->file, "; outside of the signal's band %.1f dB %s than inside",
			fabs(decibel(outside / inside)), outside > inside ? "more" : "less");
}

/* A curve's part of the plot command: its name and its figures are its key. */
static void put_curve(const struct picture *p, unsigned curve)
{
	const struct curve *c = &p->curves[curve];

	if (c->sum > 0)
		fprintf(p->file, "$curve%u using 1:2 with lines", curve);
	else
		fprintf(p->file, "NaN with lines");
	fprintf(p->file, " linewidth 1.5 linecolor rgb '%s' dashtype %s title \"%s: ", looks[curve].colour,
		looks[curve].dashes, looks[curve].name);
	if (c->segments <= 0) {
		fprintf(p->file, "no spectrum; it takes %d samples in a row that are finite", SPECTRA_BINS);
	} else if (c->sum <= 0) {
		fprintf(p->file, "silence");
	} else {
		double power = round(10 * decibel(c->sum)) / 10;

		fprintf(p->file, "power %s%.1f dB", power < 0 ? MINUS : "", fabs(power));
		if (p->has_band)
			put_outside(p, c);
	}
	fprintf(p->file, "\"%s", curve ? ", \\\n" : "\n");
}

void spectra_write(FILE *file, const struct spectra *spectra, const struct pstk_iq_info *info)
{
	struct picture p = { .file = file };

	load(&p, spectra->before);
	load(&p, spectra->after);
	if (spectra->sent_before && spectra->sent_after) {
		load(&p, spectra->sent_before);
		load(&p, spectra->sent_after);
	}
	find_band(&p);
	find_range(&p);
	put_frequency_axis(&p, info);
	put_frame(&p);
	for (unsigned c = 0; c < p.count; c++)
		put_data(&p, c);
	/* the first is narrowest and lies above the others */
	fprintf(file, "plot ");
	for (unsigned c = p.count; c-- > 0;)
		put_curve(&p, c);
}
