/* SPDX-License-Identifier: MIT */
/* Reports of a run: as JSON, as a page, as the colours of a graph. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"
#include "apps/penstock/excerpt.h"
#include "apps/penstock/markup.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef HAVE_JANSSON

#include <jansson.h>

enum { FIRINGS = 5000 };
static const char set_tokens[] = "tokens=20000";

static json_t *load(const char *name)
{
	json_error_t error;
	json_t *json = json_load_file(name, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(json != NULL, "%s:%d: %s", name, error.line, error.text);
	return json;
}

static const json_t *at(const json_t *report, const char *array, size_t i)
{
	const json_t *found = json_array_get(json_object_get(report, array), i);

	ck_assert_ptr_nonnull(found);
	return found;
}

static const char *text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	ck_assert_msg(text != NULL, "no %s", key);
	return text;
}

static double share(const json_t *part, const char *key)
{
	const json_t *share = json_object_get(json_object_get(part, "load"), key);

	ck_assert_msg(json_is_number(share), "no share %s", key);
	ck_assert_double_ge(json_number_value(share), 0);
	ck_assert_double_le(json_number_value(share), 1);
	return json_number_value(share);
}

static char *read_text(const char *name)
{
	size_t size;
	unsigned char *bytes = files_read(name, &size);
	char *text = calloc(1, size + 1);

	ck_assert_ptr_nonnull(text);
	memcpy(text, bytes, size);
	free(bytes);
	return text;
}

/* Of a page, which is too long for a message. */
static void says(const char *page, const char *words)
{
	ck_assert_msg(strstr(page, words) != NULL, "no '%s'", words);
}

/* Of the network of check_command.h, with this team. */
static void run_it(const char *team, const char *option, const char *name)
{
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", set_tokens, "--set", "slow=yes", "--team", team, option, name);
	program_free(&run);
}

static double latency(const json_t *path, const char *key)
{
	const json_t *number = json_object_get(path, key);

	ck_assert_msg(json_is_integer(number), "no %s", key);
	return json_number_value(number);
}

/* One path; what its histogram has is what has arrived. */
static void check_latencies(const json_t *report)
{
	const json_t *path = at(report, "latencies", 0), *histogram = json_object_get(path, "histogram");
	double windows = 0;

	ck_assert_uint_eq(json_array_size(json_object_get(report, "latencies")), 1);
	ck_assert_str_eq(text(path, "source"), text(at(report, "actors", 0), "name"));
	ck_assert_str_eq(text(path, "sink"), text(at(report, "actors", 2), "name"));
	ck_assert_double_ge(latency(path, "arrived"), 1);
	ck_assert_double_le(latency(path, "arrived"), latency(path, "followed"));
	ck_assert_double_le(latency(path, "followed"), FIRINGS);
	ck_assert_double_le(latency(path, "p50_ns"), latency(path, "p90_ns"));
	ck_assert_double_le(latency(path, "p90_ns"), latency(path, "p99_ns"));
	ck_assert_double_le(latency(path, "p99_ns"), latency(path, "max_ns"));
	ck_assert_double_le(latency(path, "actors_ns"), latency(path, "mean_ns"));
	for (size_t i = 0; i < json_array_size(histogram); i++)
		windows += json_number_value(json_array_get(json_array_get(histogram, i), 2));
	ck_assert_double_eq(windows, latency(path, "arrived"));
}

/* What --stats has, and what was seen. */
START_TEST(as_json)
{
	json_t *report;

	run_it(_i ? "2" : "0", "--report", "r.json");
	report = load("r.json");
	ck_assert_str_eq(text(report, "network"), "chain");
	ck_assert_uint_eq(json_array_size(json_object_get(report, "actors")), 3);
	ck_assert_uint_eq(json_array_size(json_object_get(report, "fifos")), 2);
	for (size_t i = 0; i < 3; i++) {
		const json_t *actor = at(report, "actors", i), *waits;
		const char *port;
		json_t *wait;

		ck_assert_int_eq(json_integer_value(json_object_get(actor, "firings")), FIRINGS);
		share(actor, "busy");
		share(actor, "waits_for_thread");
		share(actor, "waits_for_core");
		ck_assert_double_eq(share(actor, "waits_for_device"), 0);
		waits = json_object_get(json_object_get(actor, "load"), "waits");
		ck_assert(json_is_object(waits));
		json_object_foreach((json_t *)(uintptr_t)waits, port, wait)
		{
			ck_assert(!strcmp(port, "in") || !strcmp(port, "out"));
			ck_assert_double_le(json_number_value(wait), 1);
		}
	}
	for (size_t i = 0; i < 2; i++) {
		const json_t *fifo = at(report, "fifos", i);

		share(fifo, "filled");
		ck_assert_double_le(share(fifo, "full") + share(fifo, "empty"), 2);
	}
	ck_assert(text(at(report, "causes", 0), "evidence")[0] != '\0');
	check_latencies(report);
	ck_assert_ptr_nonnull(json_object_get(at(report, "causes", 0), "fifo"));
	json_decref(report);
	run_it("0", "--stats", "s.json");
	report = load("s.json");
	ck_assert_ptr_null(json_object_get(report, "causes")); /* it was not looked at */
	ck_assert_ptr_null(json_object_get(report, "latencies"));
	ck_assert_ptr_null(json_object_get(at(report, "actors", 0), "load"));
	json_decref(report);
}
END_TEST

/* Expects the graph's words for what the report says. */
static void check_painted(const json_t *report, const char *dot)
{
	char line[200], colour[MARKUP_COLOUR];

	for (size_t i = 0; i < 3; i++) {
		const json_t *actor = at(report, "actors", i);

		snprintf(line, sizeof line, "\\nbusy %.0f %%\", style=\"rounded,filled\", fillcolor=\"%s\"",
			100 * share(actor, "busy"), markup_heat(share(actor, "busy"), colour));
		ck_assert_msg(strstr(dot, line) != NULL, "no '%s' in %s", line, dot);
	}
	for (size_t i = 0; i < 2; i++) {
		double filled = share(at(report, "fifos", i), "filled");

		snprintf(line, sizeof line, "\\nfilled %.0f %%\", penwidth=%.1f", 100 * filled,
			1 + 4 * filled);
		ck_assert_msg(strstr(dot, line) != NULL, "no '%s' in %s", line, dot);
	}
}

START_TEST(as_colours)
{
	struct run run = { 0 };
	json_t *report;
	char *drawn;

	run_it("0", "--report", "r.json");
	report = load("r.json");
	RUN(&run, 0, "graph", "g.yaml", "--after", "r.json", "--output", "g.dot");
	drawn = read_text("g.dot");
	check_painted(report, drawn);
	free(drawn);
	json_decref(report);
	program_free(&run);
}
END_TEST

/* Thick: the limit. Made up, so that it is known. */
static const char made_up[] =
	"{\"actors\":[{\"name\":\"source\",\"load\":{\"busy\":1}},{\"name\":\"middle\",\"load\":{\"busy\":0."
	"5}},"
	"{\"name\":\"sink\",\"load\":{\"busy\":0}}],\"fifos\":["
	"{\"from\":\"source\",\"output\":\"out\",\"to\":\"middle\",\"input\":\"in\",\"load\":{\"filled\":0."
	"25}},"
	"{\"from\":\"middle\",\"output\":\"out\",\"to\":\"sink\",\"input\":\"in\",\"load\":{\"filled\":1}}],"
	"\"causes\":[{\"kind\":\"serial\",\"actor\":\"source\"}]}";

/* Copies of a report with one word changed. */
static void change(const char *from, const char *to)
{
	char changed[sizeof made_up + 100], *found;

	memcpy(changed, made_up, sizeof made_up);
	found = strstr(changed, from);
	ck_assert_ptr_nonnull(found);
	memmove(found + strlen(to), found + strlen(from), strlen(found + strlen(from)) + 1);
	memcpy(found, to, strlen(to));
	files_text("r.json", changed);
}

START_TEST(known_colours)
{
	struct run run = { 0 };
	char *drawn;

	files_text("g.yaml", command_chain);
	files_text("r.json", made_up);
	RUN(&run, 0, "graph", "g.yaml", "--after", "r.json", "--output", "g.dot");
	drawn = read_text("g.dot");
	TEST_SAYS(drawn, "busy 100 %\", style=\"rounded,filled\", fillcolor=\"#ef5350\", penwidth=3];",
		"busy 50 %\", style=\"rounded,filled\", fillcolor=\"#ffcc80\"];",
		"busy 0 %\", style=\"rounded,filled\", fillcolor=\"#ffffff\"];",
		"filled 25 %\", penwidth=2.0", "filled 100 %\", penwidth=5.0");
	free(drawn);
	program_free(&run);
	change("\"serial\",\"actor\":\"source\"",
		"\"transfer\",\"actor\":\"sink\",\"fifo\":\"middle.out -> sink.in\"");
	RUN(&run, 0, "graph", "g.yaml", "--after", "r.json", "--output", "g.dot");
	drawn = read_text("g.dot");
	TEST_SAYS(drawn, "filled 25 %\", penwidth=2.0];", "filled 100 %\", penwidth=5.0, color=\"#ef5350\"];",
		"busy 0 %\", style=\"rounded,filled\", fillcolor=\"#ffffff\"];");
	free(drawn);
	program_free(&run);
}
END_TEST

START_TEST(wrong_colours)
{
	files_text("g.yaml", command_chain);
	FAILS(1, "none.json: No such file or directory", "graph", "g.yaml", "--after", "none.json");
	FAILS(1, ".: Is a directory", "graph", "g.yaml", "--after", ".");
	files_text("r.json", "{\n \"actors\": [1,]}");
	FAILS(2, "r.json:2:15: error: ", "graph", "g.yaml", "--after", "r.json");
	files_text("r.json", "{\"actors\":[],\"fifos\":[]}");
	FAILS(2, "--after: r.json is no report: 'penstock run --report FILE.json' writes one", "graph",
		"g.yaml", "--after", "r.json");
	change("\"middle\"", "\"other\"");
	FAILS(2, "--after: r.json is a report of another network: it has no actor 'middle'", "graph",
		"g.yaml", "--after", "r.json");
	change("\"output\":\"out\"", "\"output\":\"in\"");
	FAILS(2, "--after: r.json is a report of another network: it has no FIFO source.out -> middle.in",
		"graph", "g.yaml", "--after", "r.json");
	FAILS(2, "--after: only dot and svg have colours: leave out --format json", "graph", "g.yaml",
		"--after", "r.json", "--json");
}
END_TEST

static const char *folder(void)
{
	static char path[512];

	ck_assert_ptr_nonnull(getcwd(path, sizeof path));
	return path;
}

/* A dot of the tests' own. NULL: it does not even say that it is there. */
static void fake_dot(const char *script)
{
	char path[4096];

	ck_assert_int_eq(mkdir("bin", 0755), 0);
	files_text("bin/dot", script ? script : "#!/bin/sh\nexit 1\n");
	ck_assert_int_eq(chmod("bin/dot", 0755), 0);
	snprintf(path, sizeof path, "%s/bin:%s", folder(), getenv("PATH"));
	setenv("PATH", path, 1);
}

static void remove_dot(void)
{
	ck_assert_int_eq(unlink("bin/dot") | rmdir("bin"), 0);
}

static const char drawing_dot[] =
	"#!/bin/sh\n[ \"$1\" = -Tsvg ] || exit 0\n"
	"echo '<?xml version=\"1.0\"?><!-- head -->'\necho '<svg id=\"drawn\"><desc>'\n"
	"head -n 1\necho '</desc></svg>'\n";

/* Each row of the page's tables has the numbers of the report that is in it. */
static void check_rows(const json_t *report, const char *page)
{
	const json_t *path;
	char row[400];

	for (size_t i = 0; i < 3; i++) {
		const json_t *actor = at(report, "actors", i);

		snprintf(row, sizeof row,
			"<td>%s</td><td>%s</td><td>%s</td><td class=\"n\">%lld</td><td class=\"n\">%.0f "
			"%%</td>",
			text(actor, "name"), text(actor, "type"), text(actor, "where"),
			(long long)json_integer_value(json_object_get(actor, "firings")),
			100 * share(actor, "busy"));
		says(page, row);
	}
	for (size_t i = 0; i < 2; i++) {
		const json_t *fifo = at(report, "fifos", i);

		snprintf(row, sizeof row,
			"<td>%s.%s</td><td>%s.%s</td><td class=\"n\">%lld</td><td class=\"n\">%lld</td><td "
			"class=\"n\">%.0f %%</td>",
			text(fifo, "from"), text(fifo, "output"), text(fifo, "to"), text(fifo, "input"),
			(long long)json_integer_value(json_object_get(fifo, "rate")),
			(long long)json_integer_value(json_object_get(fifo, "depth")),
			100 * share(fifo, "filled"));
		says(page, row);
	}
	path = at(report, "latencies", 0);
	snprintf(row, sizeof row, "<td class=\"n\">%.0f %%</td><td class=\"n\">%.0f of %.0f</td><td><svg ",
		100 * latency(path, "actors_ns") / latency(path, "mean_ns"), latency(path, "arrived"),
		latency(path, "followed"));
	says(page, row);
}

/* The report that a page has for programs. */
static json_t *report_in(const char *page)
{
	static const char begin[] = "<script type=\"application/json\" id=\"report\">";
	const char *json = strstr(page, begin);
	json_error_t error;
	json_t *report;

	ck_assert_ptr_nonnull(json);
	report = json_loads(json + strlen(begin), JSON_DISABLE_EOF_CHECK, &error);
	ck_assert_msg(report != NULL, "%d: %s", error.line, error.text);
	return report;
}

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

START_TEST(as_page)
{
	json_t *report;
	char *page;

	fake_dot(drawing_dot);
	run_it(_i ? "2" : "0", "--report", "r.html");
	page = read_text("r.html");
	report = report_in(page);
	check_rows(report, page);
	says(page, "<table id=\"latencies\">");
	says(page, "<title>chain</title>");
	says(page, "<svg id=\"drawn\"><desc>\ndigraph \"chain\" {\n</desc></svg>");
	says(page, "<tr><td>limit</td><td>");
	ck_assert_ptr_null(strstr(page, "<!-- head -->"));
	ck_assert_ptr_null(strstr(page, "src="));
	ck_assert_ptr_null(strstr(page, "href="));
	ck_assert_uint_ge(count(page, "<title>source, firing "), 1);
	ck_assert_uint_eq(count(page, "<svg"), count(page, "</svg>"));
	json_decref(report);
	free(page);
	remove_dot();
	ck_assert_uint_eq(files_count(), 2); /* no trace is left: g.yaml, r.html */
}
END_TEST

/* The trace that is written anyway; one that can't be read again leaves no part of the page. */
START_TEST(with_trace)
{
	struct run run = { 0 };
	char *page;

	fake_dot(NULL);
	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", set_tokens, "--report", "r.html", "--trace", "t.json");
	page = read_text("r.html");
	TEST_SAYS(
		page, "dot, which draws it, was not installed", "<h2>Timeline</h2>", "<title>sink, firing ");
	free(page);
	ck_assert(files_exists("t.json"));
	program_free(&run);
	RUN(&run, 0, "run", "g.yaml", "--set", set_tokens, "--report", "r.html", "--trace", "/dev/null");
	page = read_text("r.html");
	ck_assert_ptr_null(strstr(page, "<h2>Timeline</h2>"));
	free(page);
	remove_dot();
	program_free(&run);
}
END_TEST

/* Names are no markup. */
START_TEST(strange_names)
{
	struct run run = { 0 };
	json_t *report;
	char *page;

	files_text("g.yaml",
		"network: '</script><b>&'\nactors: {'<i>': {type: count, tokens: 100}, b: {type: expect}}\n"
		"fifos: [{from: <i>.out, to: b.in, rate: 1}]\n");
	RUN(&run, 0, "run", "g.yaml", "--report", "r.html");
	page = read_text("r.html");
	ck_assert_ptr_null(strstr(page, "<b>"));
	ck_assert_ptr_null(strstr(page, "<i>"));
	ck_assert_uint_eq(count(page, "</script>"), 1);
	says(page, "<h1>&#60;/script&#62;&#60;b&#62;&#38;</h1>");
	says(page, "<td>&#60;i&#62;</td>");
	report = report_in(page);
	ck_assert_str_eq(text(report, "network"), "</script><b>&");
	json_decref(report);
	free(page);
	program_free(&run);
}
END_TEST

START_TEST(wrong_reports)
{
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	FAILS(2, "--report: 'r.txt' is not a name that ends in .json or .html", "run", "g.yaml", "--report",
		"r.txt");
	FAILS(2, "--report is given twice: 'a.html' and 'b.json'", "run", "g.yaml", "--report", "a.html",
		"--report", "b.json");
	FAILS(2, "--report: '.json' is not", "run", "g.yaml", "--report", ".json");
	FAILS(2, "--stats", "run", "g.yaml", "--report", "r.json", "--stats", "r.json");
	FAILS(2, "--trace", "run", "g.yaml", "--report", "r.json", "--trace", "r.json");
	FAILS(1, "none/r.json: No such file or directory", "run", "g.yaml", "--report", "none/r.json");
	ck_assert_int_eq(symlink("/dev/full", "full.html"), 0);
	program_run(&run, 1,
		(const char *const[]){ "run", "g.yaml", "--set", set_tokens, "--report", "full.html", NULL });
	TEST_SAYS(run.err, "full.html: No space left on device");
	program_free(&run);
}
END_TEST

/* A dot that fails, and a run that is aborted, leave no report. */
START_TEST(no_report)
{
	struct run run = { 0 };

	fake_dot("#!/bin/sh\n[ \"$1\" = -Tsvg ] || exit 0\necho 'it is ill' >&2\nexit 3\n");
	files_text("g.yaml", command_chain);
	program_run(&run, 1,
		(const char *const[]){ "run", "g.yaml", "--set", set_tokens, "--report", "r.html", NULL });
	TEST_SAYS(run.err, "the report: dot failed: it is ill");
	program_free(&run);
	program_start(&run,
		(const char *const[]){ "run", "g.yaml", "--set", "slow=yes", "--report", "r.json", NULL });
	program_await_asleep(&run, SIGINT);
	kill(run.pid, SIGINT);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	program_free(&run);
	ck_assert(!files_exists("r.html"));
	remove_dot();
	ck_assert(files_exists("r.json")); /* its sources have ended: the run is whole */
}
END_TEST

/* Opens the page as a person would. */
START_TEST(in_a_browser)
{
	char command[1024];
	json_t *report;
	char *page;

	run_it("0", "--report", "r.html");
	snprintf(command, sizeof command,
		"c=$(command -v chromium || command -v chromium-browser) && HOME=$PWD \"$c\" --headless "
		"--no-sandbox "
		"--disable-gpu --user-data-dir=$PWD/chromium --dump-dom file://%s/r.html >dom.html "
		"2>chromium.log",
		folder());
	if (system(command) || !files_size("dom.html")) {
		printf("no Chromium here: the page is not opened\n");
	} else {
		page = read_text("dom.html");
		report = report_in(page);
		check_rows(report, page);
		ck_assert_uint_ge(count(page, "<title>source, firing "), 1);
		json_decref(report);
		free(page);
	}
	ck_assert_int_eq(system("rm -rf chromium .cache .config .pki dom.html chromium.log"), 0);
}
END_TEST

/*
 * The part of a timeline.
 */

static char *draw(const char *trace, int drawn)
{
	char *svg = NULL;
	size_t size;
	FILE *in = tmpfile(), *out = open_memstream(&svg, &size);

	fputs(trace, in);
	ck_assert_int_eq(excerpt_draw(in, out), drawn);
	fclose(in);
	fclose(out);
	return svg;
}

#define NAMED(tid, name)                                                      \
	",{\"ph\":\"M\",\"pid\":1,\"tid\":" #tid ",\"name\":\"thread_name\"," \
	"\"args\":{\"name\":\"" name "\"}}\n"
#define SPAN(tid, cat, name, ts, dur)                                                              \
	",{\"ph\":\"X\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur ",\"cat\":\"" cat \
	"\",\"name\":\"" name "\",\"args\":{\"firing\":7}}\n"

/* 850 pixels are from the first begin to the last: 85 us here, so 10 a microsecond. */
START_TEST(drawn)
{
	char *svg = draw("{\"traceEvents\":[\n" NAMED(1, "a") NAMED(2, "<b>") SPAN(1, "fire", "a", 100, 20)
				 SPAN(2, "wait", "wait-in: in", 110, 30) SPAN(2, "fire", "b", 185,
					 50) ",{\"ph\":\"C\",\"ts\":1}\n,{\"ph\":\"X\",\"pi",
		3);

	TEST_SAYS(svg, "<rect x=\"150.00\" y=\"2\" width=\"200.00\" height=\"16\" fill=\"#8ecae6\"",
		"<title>a, firing 7: 20.0 us</title>",
		"<rect x=\"250.00\" y=\"28\" width=\"300.00\" height=\"4\" fill=\"#e0e0e0\"/>",
		"<rect x=\"1000.00\" y=\"22\" width=\"0.30\" height=\"16\" fill=\"#ffb703\"", "&#60;b&#62;",
		">0.100 ms</text>", ">0.185 ms</text>");
	free(svg);
	free(draw("", 0));
	free(draw("{\"traceEvents\":[\n" NAMED(1, "a") "]}\n", 0));
}
END_TEST

/* Of many the middle: 120 of 1000, from the 440th on. */
START_TEST(middle)
{
	char *trace = NULL, *svg;
	size_t size;
	FILE *file = open_memstream(&trace, &size);

	fputs(NAMED(1, "a"), file);
	for (unsigned i = 0; i < 1000; i++)
		fprintf(file, ",{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%u,\"dur\":1,\"name\":\"a\"}\n",
			10 * i);
	fclose(file);
	svg = draw(trace, 120);
	TEST_SAYS(svg, ">4.400 ms</text>", ">5.590 ms</text>");
	free(svg);
	free(trace);
}
END_TEST

/* Each allocation of it fails once. */
START_TEST(no_memory)
{
	FILE *in = tmpfile(), *out = fopen("/dev/null", "w");
	bool failed = true;
	int err = 0;

	fputs(NAMED(1, "a") SPAN(1, "fire", "a", 100, 20), in);
	fflush(in);
	for (unsigned n = 0; failed; n++) {
		test_fail_allocation(n);
		err = excerpt_draw(in, out);
		failed = test_allocation_failed();
	}
	ck_assert_int_eq(err, 1);
	fclose(in);
	fclose(out);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *all = files_case(suite, "all");

	command_find();
#ifdef HAVE_JANSSON
	tcase_add_loop_test(all, as_json, 0, 2);
	tcase_add_test(all, as_colours);
	tcase_add_test(all, known_colours);
	tcase_add_test(all, wrong_colours);
	tcase_add_loop_test(all, as_page, 0, 2);
	tcase_add_test(all, with_trace);
	tcase_add_test(all, strange_names);
	tcase_add_test(all, wrong_reports);
	tcase_add_test(all, no_report);
	tcase_add_test(all, in_a_browser);
	tcase_add_test(all, drawn);
	tcase_add_test(all, middle);
	tcase_add_test(all, no_memory);
#else
	(void)all;
#endif
	return test_main(suite);
}
