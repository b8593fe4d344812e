/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/page.h"

#ifdef HAVE_JANSSON

#include "apps/common/app.h"
#include "apps/common/tool.h"
#include "apps/penstock/dot.h"
#include "apps/penstock/excerpt.h"
#include "apps/penstock/histogram.h"
#include "apps/penstock/markup.h"
#include "lib/base/text.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct tool dot = { "dot", "graphviz", "-V", "-Tsvg" };

/* It is XML, too: tools can read it. */
static const char head[] =
	"<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\"/>\n"
	"<style>\n"
	"body { font: 14px sans-serif; margin: 2em; color: #202020; max-width: 75em }\n"
	"table { border-collapse: collapse; margin: 0.5em 0 }\n"
	"th, td { text-align: left; padding: 0.2em 0.8em; border-bottom: 1px solid #e0e0e0 }\n"
	"td.n { text-align: right; font-variant-numeric: tabular-nums }\n"
	"pre { background: #f6f6f6; padding: 0.8em; white-space: pre-wrap }\n"
	"svg { max-width: 100%; height: auto }\n"
	"</style>\n<title>";

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void cell(FILE *out, const char *what)
{
	fputs("<td>", out);
	markup_text(out, what);
	fputs("</td>", out);
}

static void bar_cell(FILE *out, double share)
{
	char colour[MARKUP_COLOUR];

	fprintf(out,
		"<td class=\"n\">%.0f %%</td><td><svg width=\"100\" height=\"10\"><rect width=\"100\" "
		"height=\"10\" fill=\"#f0f0f0\"/><rect width=\"%.1f\" height=\"10\" fill=\"%s\" "
		"stroke=\"#808080\" stroke-width=\"0.5\"/></svg></td>",
		100 * share, 100 * share, markup_heat(share, colour));
}

/* "tokens at in 85 %, a core 3 %" */
static void waits_cell(FILE *out, const json_t *load)
{
	static const char *const others[][2] = { { "waits_for_device", "a device" },
		{ "waits_for_thread", "a thread of the team" }, { "waits_for_core", "a core" } };
	const char *port, *between = "";
	json_t *share;

	fputs("<td>", out);
	json_object_foreach(json_object_get(load, "waits"), port, share)
	{
		if (json_number_value(share) < 0.005)
			continue;
		fprintf(out, "%sat ", between);
		markup_text(out, port);
		fprintf(out, " %.0f %%", 100 * json_number_value(share));
		between = ", ";
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (number(load, others[i][0]) < 0.005)
			continue;
		fprintf(out, "%sfor %s %.0f %%", between, others[i][1], 100 * number(load, others[i][0]));
		between = ", ";
	}
	fputs("</td>", out);
}

static void write_actors(FILE *out, const json_t *report)
{
	size_t i;
	json_t *actor;

	fputs("<h2>Actors</h2>\n<table "
	      "id=\"actors\">\n<tr><th>actor</th><th>type</th><th>where</th><th>firings</th>"
	      "<th colspan=\"2\">busy</th><th>waits</th></tr>\n",
		out);
	json_array_foreach(json_object_get(report, "actors"), i, actor)
	{
		const json_t *load = json_object_get(actor, "load");

		fputs("<tr>", out);
		cell(out, text(actor, "name"));
		cell(out, text(actor, "type"));
		cell(out, text(actor, "where"));
		fprintf(out, "<td class=\"n\">%.0f</td>", number(actor, "firings"));
		bar_cell(out, number(load, "busy"));
		waits_cell(out, load);
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
}

static void write_fifos(FILE *out, const json_t *report)
{
	size_t i;
	char time[PS_TEXT_TIME];
	json_t *fifo;

	fputs("<h2>FIFOs</h2>\n<table id=\"fifos\">\n<tr><th>from</th><th>to</th><th>rate</th><th>depth</th>"
	      "<th colspan=\"2\">filled</th><th>full</th><th>empty</th><th>a window lies in it</th></tr>\n",
		out);
	json_array_foreach(json_object_get(report, "fifos"), i, fifo)
	{
		const json_t *load = json_object_get(fifo, "load");

		fputs("<tr><td>", out);
		markup_text(out, text(fifo, "from"));
		fputc('.', out);
		markup_text(out, text(fifo, "output"));
		fputs("</td><td>", out);
		markup_text(out, text(fifo, "to"));
		fputc('.', out);
		markup_text(out, text(fifo, "input"));
		fprintf(out, "</td><td class=\"n\">%.0f</td><td class=\"n\">%.0f</td>", number(fifo, "rate"),
			number(fifo, "depth"));
		bar_cell(out, number(load, "filled"));
		fprintf(out,
			"<td class=\"n\">%.0f %%</td><td class=\"n\">%.0f %%</td><td "
			"class=\"n\">%s</td></tr>\n",
			100 * number(load, "full"), 100 * number(load, "empty"),
			ps_text_time(number(fifo, "latency_ns"), time));
	}
	fputs("</table>\n", out);
}

static void write_causes(FILE *out, const json_t *report)
{
	size_t i;
	json_t *cause;

	fputs("<h2>What limits it</h2>\n<table id=\"causes\">\n<tr><th></th><th>evidence</th><th>what would "
	      "help</th>"
	      "<th>gain, at most</th></tr>\n",
		out);
	json_array_foreach(json_object_get(report, "causes"), i, cause)
	{
		fputs("<tr>", out);
		cell(out, i ? "also" : "limit");
		cell(out, text(cause, "evidence"));
		cell(out, text(cause, "advice"));
		if (number(cause, "gain") > 1.005)
			fprintf(out, "<td class=\"n\">%.1f x</td>", number(cause, "gain"));
		else
			fputs("<td></td>", out);
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
}

static void write_latency(FILE *out, const json_t *path)
{
	static const char *const times[] = { "p50_ns", "p90_ns", "p99_ns", "max_ns" };
	double mean = number(path, "mean_ns"), arrived = number(path, "arrived");
	char time[PS_TEXT_TIME];

	fputs("<tr>", out);
	cell(out, text(path, "source"));
	cell(out, text(path, "sink"));
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		fprintf(out, "<td class=\"n\">%s</td>",
			arrived > 0 ? ps_text_time(number(path, times[i]), time) : "");
	if (mean > 0)
		fprintf(out, "<td class=\"n\">%.0f %%</td>", 100 * number(path, "actors_ns") / mean);
	else
		fputs("<td></td>", out);
	fprintf(out, "<td class=\"n\">%.0f of %.0f</td><td>", arrived, number(path, "followed"));
	if (arrived > 0)
		histogram_draw(path, out);
	fputs("</td></tr>\n", out);
}

static void write_latencies(FILE *out, const json_t *report)
{
	const json_t *paths = json_object_get(report, "latencies");
	size_t i;
	json_t *path;

	if (!json_array_size(paths))
		return;
	fputs("<h2>Latency</h2>\n<p>Red: p50 and p99. The scale is logarithmic.</p>\n<table "
	      "id=\"latencies\">\n"
	      "<tr><th>from</th><th>to</th><th>p50</th><th>p90</th><th>p99</th><th>max</th>"
	      "<th>in actors</th><th>windows</th><th></th></tr>\n",
		out);
	json_array_foreach(paths, i, path)
	{
		write_latency(out, path);
	}
	fputs("</table>\n", out);
}

/* What dot writes is a file of its own: its head is left out. */
static void copy_svg(FILE *from, FILE *out)
{
	char *line = NULL;
	size_t room = 0;
	bool in_svg = false;

	rewind(from);
	while (getline(&line, &room, from) > 0) {
		in_svg |= !strncmp(line, "<svg", 4);
		if (in_svg)
			fputs(line, out);
	}
	free(line);
}

static int draw_graph(const struct page *page, const struct paint *paint, FILE *out)
{
	FILE *graph = tmpfile(), *picture = tmpfile();
	int status = 0;

	if (!graph || !picture)
		status = app_fail(EXIT_FAILED, "a temporary file for dot: %s", strerror(errno));
	if (!status) {
		dot_print(page->network, paint, graph);
		status = tool_draw(&dot, graph, picture, "the report");
	}
	if (!status)
		copy_svg(picture, out);
	if (graph)
		fclose(graph);
	if (picture)
		fclose(picture);
	return status;
}

static int write_graph(const struct page *page, const json_t *report, FILE *out)
{
	struct paint *paint;
	int status;

	fputs("<h2>Graph</h2>\n", out);
	if (!tool_is_here(&dot)) {
		fputs("<p>Graphviz's dot, which draws it, was not installed.</p>\n", out);
		return 0;
	}
	paint = paint_of((json_t *)(uintptr_t)report);
	if (!paint)
		return app_out_of_memory();
	fputs("<p>Actors: white, idle, to red, busy; a thick frame: the limit. FIFOs: the thicker the "
	      "fuller.</p>\n",
		out);
	status = draw_graph(page, paint, out);
	paint_close(paint);
	return status;
}

static int write_timeline(const struct page *page, FILE *out)
{
	int drawn;

	if (!page->trace)
		return 0;
	fputs("<h2>Timeline</h2>\n<p>From the middle of the last firings that were kept. All of it: "
	      "--trace.</p>\n<div "
	      "id=\"timeline\">\n",
		out);
	drawn = excerpt_draw(page->trace, out);
	if (!drawn)
		fputs("<p>There were no firings.</p>\n", out);
	fputs("</div>\n", out);
	if (drawn == -ENOMEM)
		return app_out_of_memory();
	return drawn < 0 ? app_fail(EXIT_FAILED, "the timeline of the report: %s", strerror(-drawn)) : 0;
}

/* In the page for programs; in a script element nothing must look like its end. */
static int write_numbers(const json_t *report, FILE *out)
{
	char *json = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(12));

	if (!json)
		return app_out_of_memory();
	fputs("<script type=\"application/json\" id=\"report\">\n", out);
	for (const char *c = json; *c; c++) {
		if (*c == '<' || *c == '&')
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputs("\n</script>\n", out);
	free(json);
	return 0;
}

static void write_sinks(FILE *out, const json_t *report)
{
	size_t i;
	json_t *sink;

	json_array_foreach(json_object_get(report, "sinks"), i, sink)
	{
		fputs("<li>", out);
		markup_text(out, text(sink, "actor"));
		fputc('.', out);
		markup_text(out, text(sink, "input"));
		fprintf(out, ": %.0f tokens, %.1f a second</li>\n", number(sink, "tokens"),
			number(sink, "per_second"));
	}
}

static void write_begin(FILE *out, const json_t *report)
{
	fputs(head, out);
	markup_text(out, text(report, "network"));
	fputs("</title>\n</head>\n<body>\n<h1>", out);
	markup_text(out, text(report, "network"));
	fputs("</h1>\n<ul>\n<li>", out);
	markup_text(out, text(report, "graph"));
	fprintf(out, "</li>\n<li id=\"seconds\">%.3f s, ", number(report, "seconds"));
	if (number(report, "team") > 0)
		fprintf(out, "a team of %.0f</li>\n", number(report, "team"));
	else
		fputs("a thread an actor</li>\n", out);
	write_sinks(out, report);
	fputs("<li>Penstock ", out);
	markup_text(out, text(report, "version"));
	fputs("</li>\n</ul>\n", out);
}

int page_write(void *data, const struct json_t *report, FILE *out)
{
	const struct page *page = data;
	int status;

	write_begin(out, report);
	write_causes(out, report);
	status = write_graph(page, report, out);
	write_actors(out, report);
	write_fifos(out, report);
	write_latencies(out, report);
	if (!status)
		status = write_timeline(page, out);
	if (!status)
		status = write_numbers(report, out);
	fputs("</body>\n</html>\n", out);
	return status;
}

#else

/* The options refuse a report in such a build. */
int page_write(void *data, const struct json_t *report, FILE *out)
{
	(void)data, (void)report, (void)out;
	return 0;
}

#endif
