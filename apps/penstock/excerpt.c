/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/excerpt.h"

#ifdef HAVE_JANSSON

#include "apps/penstock/markup.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Spans drawn, at most; rows, at most; pixels. */
enum { SPANS = 120, ROWS = 64, ACTORS = 32, LABEL = 150, WIDTH = 850, ROW = 20, NARROWEST = 45, KEY = 140 };

/* Light enough for black text on them; neighbours differ. */
static const char *const colours[] = { "#8ecae6", "#ffb703", "#a8d08d", "#f4978e", "#c8b6ff", "#e9c46a",
	"#76c7b7", "#f7a1c4", "#b5c99a", "#d4a373" };
enum { COLOURS = sizeof colours / sizeof *colours };

struct row {
	json_int_t pid, tid;
	char *name;
};

/* What is drawn: the spans that begin between two times, in microseconds. */
struct excerpt {
	double *begins; /* of all spans */
	size_t count, room;
	double from, until;
	struct row rows[ROWS];
	char *actors[ACTORS]; /* that are drawn, in the order of their colours */
	unsigned row_count, actor_count;
};

/* The event of a line; NULL: it has none. A line begins with a comma, but for the first one. */
static json_t *event_of(const char *line, ssize_t length)
{
	size_t comma = line[0] == ',';

	return json_loadb(line + comma, (size_t)length - comma, JSON_DISABLE_EOF_CHECK, NULL);
}

static bool is_kind(const json_t *event, const char *kind)
{
	const char *ph = json_string_value(json_object_get(event, "ph"));

	return ph && !strcmp(ph, kind);
}

static double number(const json_t *event, const char *key)
{
	return json_number_value(json_object_get(event, key));
}

static int find_row(const struct excerpt *e, const json_t *event)
{
	json_int_t pid = json_integer_value(json_object_get(event, "pid")),
		   tid = json_integer_value(json_object_get(event, "tid"));

	for (unsigned i = 0; i < e->row_count; i++)
		if (e->rows[i].pid == pid && e->rows[i].tid == tid)
			return (int)i;
	return -1;
}

/* A thread's name is a row's. */
static int take_name(struct excerpt *e, const json_t *event)
{
	const char *kind = json_string_value(json_object_get(event, "name")),
		   *name = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
	struct row *row = &e->rows[e->row_count];

	if (!kind || strcmp(kind, "thread_name") != 0 || !name || e->row_count == ROWS)
		return 0;
	*row = (struct row){ json_integer_value(json_object_get(event, "pid")),
		json_integer_value(json_object_get(event, "tid")), strdup(name) };
	if (!row->name)
		return -ENOMEM;
	e->row_count++;
	return 0;
}

static int take_begin(struct excerpt *e, const json_t *event)
{
	if (e->count == e->room) {
		size_t room = e->room ? 2 * e->room : 1024;
		double *begins = realloc(e->begins, room * sizeof *begins);

		if (!begins)
			return -ENOMEM;
		e->begins = begins;
		e->room = room;
	}
	e->begins[e->count++] = number(event, "ts");
	return 0;
}

static int take(struct excerpt *e, const json_t *event, FILE *svg)
{
	(void)svg;
	return is_kind(event, "M") ? take_name(e, event) : is_kind(event, "X") ? take_begin(e, event) : 0;
}

static bool waits(const json_t *event)
{
	const char *cat = json_string_value(json_object_get(event, "cat"));

	return cat && (!strcmp(cat, "wait") || !strcmp(cat, "sleep"));
}

/* Beyond ACTORS all have the last one's. */
static const char *colour_of(struct excerpt *e, const char *actor)
{
	unsigned i = 0;

	while (i < e->actor_count && strcmp(e->actors[i], actor) != 0)
		i++;
	if (i == e->actor_count && i < ACTORS && (e->actors[i] = strdup(actor)))
		e->actor_count++;
	return colours[i % COLOURS];
}

static int draw(struct excerpt *e, const json_t *event, FILE *svg)
{
	const char *name = json_string_value(json_object_get(event, "name"));
	const json_t *firing = json_object_get(json_object_get(event, "args"), "firing");
	double begin = number(event, "ts"), took = number(event, "dur"), scale = WIDTH / (e->until - e->from);
	double left = (begin - e->from) * scale, width = took * scale;
	bool idle = waits(event);
	int row = is_kind(event, "X") ? find_row(e, event) : -1;

	if (row < 0 || !name || begin < e->from || begin > e->until)
		return 0;
	width = left + width > WIDTH ? WIDTH - left : width;
	fprintf(svg, "<g><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s/>\n<title>",
		LABEL + left, row * ROW + (idle ? 8 : 2), width > 0.3 ? width : 0.3, idle ? 4 : ROW - 4,
		idle ? "#e0e0e0" : colour_of(e, name),
		idle ? "" : " stroke=\"#606060\" stroke-width=\"0.2\"");
	markup_text(svg, name);
	if (firing)
		fprintf(svg, ", firing %" JSON_INTEGER_FORMAT, json_integer_value(firing));
	fprintf(svg, ": %.1f us</title>", took);
	if (width > NARROWEST && !idle) {
		fprintf(svg, "<text x=\"%.2f\" y=\"%d\">", LABEL + left + 3, row * ROW + 14);
		markup_text(svg, name);
		fputs("</text>", svg);
	}
	fputs("</g>\n", svg);
	return 1;
}

/* Each event of the file. What `each` returns, added up; or the first negative errno. */
static int walk(
	struct excerpt *e, int (*each)(struct excerpt *, const json_t *, FILE *), FILE *trace, FILE *svg)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int sum = 0, said = 0;

	rewind(trace);
	while (said >= 0 && (length = getline(&line, &room, trace)) > 0) {
		json_t *event = event_of(line, length);

		said = event ? each(e, event, svg) : 0;
		sum += said;
		json_decref(event);
	}
	free(line);
	return said < 0 ? said : sum;
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* In the middle of the run what is usual happens; at its ends it fills and drains. */
static void choose(struct excerpt *e)
{
	size_t first = e->count > SPANS ? (e->count - SPANS) / 2 : 0,
	       last = e->count > SPANS ? first + SPANS - 1 : e->count - 1;

	qsort(e->begins, e->count, sizeof *e->begins, compare);
	e->from = e->begins[first];
	e->until = e->begins[last] > e->from ? e->begins[last] : e->from + 1;
}

/* Which colour is which actor's. */
static void draw_keys(const struct excerpt *e, int top, FILE *svg)
{
	for (unsigned i = 0; i < e->actor_count; i++) {
		unsigned a_row = (LABEL + WIDTH) / KEY, x = i % a_row * KEY;
		int y = top + (int)(i / a_row) * ROW;

		fprintf(svg,
			"<rect x=\"%u\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%u\" "
			"y=\"%d\">",
			x, y, colours[i % COLOURS], x + 16, y + 10);
		markup_text(svg, e->actors[i]);
		fputs("</text>\n", svg);
	}
}

static int draw_all(struct excerpt *e, FILE *trace, FILE *svg)
{
	int height = (int)e->row_count * ROW, drawn;
	int keys = (ACTORS * KEY / (LABEL + WIDTH) + 1) * ROW;

	fprintf(svg,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n",
		LABEL + WIDTH, height + 30 + keys, LABEL + WIDTH, height + 30 + keys);
	for (unsigned i = 0; i < e->row_count; i++) {
		fprintf(svg, "<text x=\"0\" y=\"%u\">", i * ROW + 14);
		markup_text(svg, e->rows[i].name);
		fputs("</text>\n", svg);
	}
	drawn = walk(e, draw, trace, svg);
	draw_keys(e, height + 30, svg);
	fprintf(svg,
		"<text x=\"%d\" y=\"%d\">%.3f ms</text>\n"
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3f ms</text>\n</svg>\n",
		LABEL, height + 14, e->from / 1e3, LABEL + WIDTH, height + 14, e->until / 1e3);
	return drawn;
}

int excerpt_draw(FILE *trace, FILE *svg)
{
	struct excerpt e = { 0 };
	int err = walk(&e, take, trace, svg);

	if (!err && e.count) {
		choose(&e);
		err = draw_all(&e, trace, svg);
	}
	if (!err && ferror(trace))
		err = -EIO;
	for (unsigned i = 0; i < e.row_count; i++)
		free(e.rows[i].name);
	for (unsigned i = 0; i < e.actor_count; i++)
		free(e.actors[i]);
	free(e.begins);
	return err;
}

#else

int excerpt_draw(FILE *trace, FILE *svg)
{
	(void)trace, (void)svg;
	return 0;
}

#endif
