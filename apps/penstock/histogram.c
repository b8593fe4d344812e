/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/histogram.h"

#ifdef HAVE_JANSSON

#include "lib/base/text.h"

#include <jansson.h>
#include <math.h>

enum { BARS = 60, BAR_WIDTH = 6, HEIGHT = 60, WIDTH = BARS * BAR_WIDTH };

/* Times from least on, each bar's `factor` times as long as the one's before. */
struct bars {
	double least, factor, windows[BARS], most;
};

static double number(const json_t *array, size_t i)
{
	return json_number_value(json_array_get(array, i));
}

static unsigned bar_of(const struct bars *b, double ns)
{
	double at = log(ns / b->least) / log(b->factor);

	return at < 0 ? 0 : at < BARS ? (unsigned)at : BARS - 1;
}

static struct bars count(const json_t *histogram)
{
	size_t size = json_array_size(histogram);
	double least = number(json_array_get(histogram, 0), 0),
	       last = number(json_array_get(histogram, size - 1), 1);
	struct bars b = { .least = least < 1 ? 1 : least };

	b.factor = pow((last + 1) / b.least, 1.0 / BARS);
	for (size_t i = 0; i < size; i++) {
		const json_t *bucket = json_array_get(histogram, i);
		unsigned bar = bar_of(&b, (number(bucket, 0) + number(bucket, 1)) / 2);

		b.windows[bar] += number(bucket, 2);
		b.most = b.windows[bar] > b.most ? b.windows[bar] : b.most;
	}
	return b;
}

static void draw_mark(const struct bars *b, const json_t *path, const char *key, FILE *svg)
{
	double x = BAR_WIDTH * log(json_number_value(json_object_get(path, key)) / b->least) / log(b->factor);

	x = x < 0 ? 0 : x < WIDTH ? x : WIDTH;
	fprintf(svg, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#c03020\"/>", x, x, HEIGHT);
}

void histogram_draw(const json_t *path, FILE *svg)
{
	struct bars b = count(json_object_get(path, "histogram"));
	char from[PS_TEXT_TIME], to[PS_TEXT_TIME];

	fprintf(svg, "<svg width=\"%d\" height=\"%d\" font-size=\"11\">", WIDTH, HEIGHT + 16);
	for (unsigned i = 0; i < BARS; i++) {
		double height = HEIGHT * b.windows[i] / b.most;

		if (height > 0)
			fprintf(svg,
				"<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#6090c0\"/>",
				i * BAR_WIDTH, HEIGHT - height, BAR_WIDTH - 1, height);
	}
	draw_mark(&b, path, "p50_ns", svg);
	draw_mark(&b, path, "p99_ns", svg);
	fprintf(svg,
		"<text x=\"0\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\" "
		"text-anchor=\"end\">%s</text></svg>",
		HEIGHT + 13, ps_text_time(b.least, from), WIDTH, HEIGHT + 13,
		ps_text_time(b.least * pow(b.factor, BARS), to));
}

#endif
