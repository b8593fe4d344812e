/* SPDX-License-Identifier: MIT */
/* penstock plan --migration, --move. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void prints(const char *text, const char *const *arguments)
{
	struct run run = { 0 };

	program_run(&run, 0, arguments);
	ck_assert_str_eq((char *)run.out, text);
	ck_assert_str_eq(run.err, "");
	program_free(&run);
}
#define PRINTS(text, ...) prints(text, (const char *const[]){ "plan", __VA_ARGS__, NULL })

/* Figs. 5, 6 and 7. */
START_TEST(figures)
{
	PRINTS("path      buffers  before  weights of its edges\n"
	       "original        4       2  stop  0 1 2 2 3 4\n"
	       "migrated        4       2  start 0 1 2 2 3 4\n\n"
	       "upstream is never stopped\ndownstream is never stopped\n"
	       "duration: 4 iterations; silent: none; longest gap: 1 iteration\n",
		"--migration", "4:2,4:2");
	PRINTS("path      buffers  before  weights of its edges\n"
	       "original        6       3  stop  0 1 2 3 3 4 5 6\n"
	       "migrated        4       2  start 2 3 4 4 5 6\n\n"
	       "upstream is stopped in iterations 0 to 1\ndownstream is never stopped\n"
	       "duration: 6 iterations; silent: none; longest gap: 1 iteration\n",
		"--migration=6:3,4:2", "--format", "text");
	PRINTS("path      buffers  before  weights of its edges\n"
	       "original        4       2  stop  0 1 2 2 3 4\n"
	       "migrated        6       3  start 0 1 2 3 3 4 5 6\n\n"
	       "upstream is never stopped\ndownstream is stopped in iterations 4 to 5\n"
	       "duration: 6 iterations; silent: iterations 4 to 5; longest gap: 3 iterations\n",
		"--migration", "4:2,6:3");
	PRINTS("path      buffers  before  weights of its edges\n"
	       "original        0       0  stop  0 0\n"
	       "migrated        1       0  start 0 0 1\n\n"
	       "upstream is never stopped\ndownstream is stopped in iteration 0\n"
	       "duration: 1 iteration; silent: iteration 0; longest gap: 2 iterations\n",
		"--migration", "0:0,1:0");
}
END_TEST

static void says(const char *text, const char *const *arguments)
{
	struct run run = { 0 };

	program_run(&run, 0, arguments);
	TEST_SAYS((char *)run.out, text);
	program_free(&run);
}
#define SAYS(text, ...) says(text, (const char *const[]){ "plan", __VA_ARGS__, NULL })

/* Section V: the third scenario, with k + 1 iterations between two windows. */
START_TEST(rates_and_times)
{
	SAYS("longest gap: 4 iterations\nrate: 50 windows/s before, at least 12.5 while it lasts, 50 after\n",
		"--migration", "2:1,5:2", "--times", "20e-3,.02");
	SAYS("rate: 25 windows/s before, at least 25 while it lasts, 50 after\n"
	     "time: 1.00 s for 25 iterations before, 280 ms for 7 of the move, 360 ms for 18 after: 1.64 s\n",
		"--migration", "7:3,7:4", "--times", "0.04,0.02", "--iterations", "50", "--at", "26");
	SAYS("rate: 1e+12 windows/s before, at least 3.333e-13 while it lasts, 1e-12 after\n", "--migration",
		"4:2,6:3", "--times", "1e-12,1e12", "--iterations", "9007199254740992", "--at", "1");
	SAYS("time: 0 ns for 0 iterations before, 5.00 s for 5 of the move, 0 ns for 0 after: 5.00 s\n",
		"--migration", "5:0,3:1", "--times", "1,1", "--iterations", "5", "--at", "1");
}
END_TEST

#ifdef HAVE_JANSSON

#include <jansson.h>

/* What the file says from "original" up to "longest_gap", as it stands there; the caller frees it. */
static char *members(const char *text)
{
	const char *from = strstr(text, " \"original\""), *end = strstr(text, " \"longest_gap\"");
	size_t size;

	ck_assert(from && end);
	size = (size_t)(end - from) + strcspn(end, ",\n");
	return strndup(from, size);
}

static void is_vector(const char *text, const char *paths)
{
	static const char *const names[] = { "name", "source", "original", "migrated", "difference", "case",
		"upstream", "downstream", "duration", "silent", "longest_gap" };
	struct run run = { 0 };
	char *ours, *theirs = members(text);
	json_t *json, *value;
	const char *name;
	unsigned i = 0;

	RUN(&run, 0, "plan", "--migration", paths, "--json");
	ours = members((char *)run.out);
	ck_assert_str_eq(ours, theirs);
	json = json_loadb((char *)run.out, run.out_size, 0, NULL);
	ck_assert_ptr_nonnull(json);
	json_object_foreach(json, name, value) ck_assert_str_eq(name, names[i++]);
	ck_assert_uint_eq(i, TEST_COUNT(names));
	ck_assert_str_eq(json_string_value(json_object_get(json, "name")), paths);
	json_decref(json);
	free(ours);
	free(theirs);
	program_free(&run);
}

static char *vector(const char *name)
{
	char path[4096];
	unsigned char *bytes;
	char *text;
	size_t size;

	snprintf(path, sizeof path, "%s/migration-%s.json", TEST_DATA, name);
	bytes = files_read(path, &size);
	text = strndup((char *)bytes, size);
	free(bytes);
	return text;
}

static const char *number(const json_t *path, char text[32])
{
	snprintf(text, 32, "%d:%d", (int)json_integer_value(json_object_get(path, "buffers")),
		(int)json_integer_value(json_object_get(path, "before")));
	return text;
}

/* Member by member, in the same order, written alike. */
START_TEST(vectors_are_met)
{
	char *equal = vector("equal"), *shorter = vector("shorter"), *skewed = vector("skewed");
	json_t *json = json_loads(skewed, 0, NULL), *v;
	size_t i;

	is_vector(equal, "4:2,4:2");
	is_vector(shorter, "6:3,4:2");
	json_array_foreach(json_object_get(json, "vectors"), i, v)
	{
		char a[32], b[32], paths[66], *text = json_dumps(v, JSON_INDENT(1));

		snprintf(paths, sizeof paths, "%s,%s", number(json_object_get(v, "original"), a),
			number(json_object_get(v, "migrated"), b));
		is_vector(text, paths);
		free(text);
	}
	ck_assert_uint_eq(i, 4);
	json_decref(json);
	free(equal);
	free(shorter);
	free(skewed);
}
END_TEST

START_TEST(json_has_rates_and_times)
{
	SAYS("\n \"case\": \"longer\",\n \"upstream\": null,\n \"downstream\": {\n  \"stop\": 2,\n  "
	     "\"start\": "
	     "4\n },\n \"duration\": 4,\n \"silent\": [\n  2,\n  3\n ],\n \"longest_gap\": 3,\n"
	     " \"seconds\": {\n  \"original\": 0.5,\n  \"migrated\": 0.25\n },\n"
	     " \"rate\": {\n  \"before\": 2.0,\n  \"during\": 0.66666666666666663,\n  \"after\": 4.0\n },\n"
	     " \"iterations\": 8,\n \"at\": 3,\n"
	     " \"time\": {\n  \"before\": 1.0,\n  \"during\": 2.0,\n  \"after\": 0.5,\n  \"total\": 3.5\n "
	     "}\n}\n",
		"--migration", "2:1,4:2", "--times", "0.5,0.25", "--iterations", "8", "--at", "3", "--format",
		"json");
}
END_TEST

#endif

/* Both paths with their weights; a dot of our own tells what it was given. */
START_TEST(is_drawn)
{
	struct run run = { 0 };
	char path[4096], *text;
	unsigned char *bytes;
	size_t size;

	SAYS("\tpred -> o1 [label=\"t < 0\", color=\"#c0392b\", fontcolor=\"#c0392b\"];\n"
	     "\to1 -> actor [label=\"t < 1\", color=\"#c0392b\", fontcolor=\"#c0392b\"];\n"
	     "\tactor -> succ [label=\"t < 1\", color=\"#c0392b\", fontcolor=\"#c0392b\"];\n"
	     "\tm1 [label=\"buffer 1\", shape=box, height=0.3, fontsize=9];\n"
	     "\tm2 [label=\"buffer 2\", shape=box, height=0.3, fontsize=9];\n"
	     "\tpred -> moved [label=\"t >= 0\", color=\"#2f7d32\", fontcolor=\"#2f7d32\", style=dashed];\n"
	     "\tmoved -> m1 [label=\"t >= 0\", color=\"#2f7d32\", fontcolor=\"#2f7d32\", style=dashed];\n"
	     "\tm1 -> m2 [label=\"t >= 1\", color=\"#2f7d32\", fontcolor=\"#2f7d32\", style=dashed];\n"
	     "\tm2 -> succ [label=\"t >= 2\", color=\"#2f7d32\", fontcolor=\"#2f7d32\", style=dashed];\n"
	     "\tsucc -> downstream [label=\"stopped in\\niteration 1\"];\n}\n",
		"--migration", "1:1,2:0", "--format", "dot");
	SAYS("\tupstream -> pred [label=\"stopped in\\niterations 0 to 1\"];\n", "--migration", "2:1,0:0",
		"--format", "dot");
	files_text("dot", "#!/bin/sh\n[ \"$1\" = -Tsvg ] || exit 0\necho '<svg>'\ncat\necho '</svg>'\n");
	ck_assert_int_eq(chmod("dot", 0700), 0);
	snprintf(path, sizeof path, ".:%s", getenv("PATH"));
	setenv("PATH", path, 1);
	SAYS("<svg>\ndigraph migration {\n", "--migration", "1:1,2:0", "--format", "svg");
	RUN(&run, 0, "plan", "--migration", "1:1,2:0", "--format", "svg", "--output", "m.svg");
	ck_assert_uint_eq(run.out_size, 0);
	program_free(&run);
	bytes = files_read("m.svg", &size);
	text = strndup((char *)bytes, size);
	TEST_SAYS(text, "<svg>\ndigraph migration {\n", "\tm2 -> succ [label=\"t >= 2\"", "</svg>\n");
	free(text);
	free(bytes);
	setenv("PATH", ".", 1);
	ck_assert_int_eq(unlink("dot"), 0);
	FAILS(1, "penstock: --format svg: there is no dot, which draws the picture: ", "plan", "--migration",
		"1:1,2:0", "--format", "svg");
}
END_TEST

static const struct {
	const char *arguments[8], *message;
} wrong[] = {
	{ { "--migration", "x" },
		"--migration: 'x' is not two paths such as 6:3,4:2: of the original and of "
		"the migrated one the buffers, 0 to 1000, and how many of them lie before the "
		"actor\n" },
	{ { "--migration", "4:2,x" }, "--migration: '4:2,x' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "4:2," }, "--migration: '4:2,' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "4,4" }, "--migration: '4,4' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "4:2,4:2,4:2" }, "--migration: '4:2,4:2,4:2' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "-4:2,4:2" }, "--migration: '-4:2,4:2' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "1001:2,4:2" }, "--migration: '1001:2,4:2' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "4:2,99999999999999999999:1" }, "' is not two paths such as 6:3,4:2: " },
	{ { "--migration", "4:2" },
		"--migration: '4:2' is the original path alone: the migrated one follows a "
		"comma, as in 6:3,4:2\n" },
	{ { "--migration", "4:5,4:2" },
		"--migration: '4:5,4:2': of 4 buffers 5 can't lie before the actor\n" },
	{ { "--migration", "4:2,1:2" },
		"--migration: '4:2,1:2': of 1 buffer 2 can't lie before the actor\n" },
	{ { "--move", "m", "g.yaml" }, "--move: 'm' is not ACTOR=PLACE, such as normalizations=h/g0\n" },
	{ { "--move", "=h", "g.yaml" }, "--move: '=h' is not ACTOR=PLACE, such as normalizations=h/g0\n" },
	{ { "--move", "m=", "g.yaml" }, "--move: 'm=' is not ACTOR=PLACE, such as normalizations=h/g0\n" },
	{ { "--migration", "4:2,4:2", "--times", "1" },
		"--times: '1' is not two times in seconds, "
		"1e-12 to 1e12, such as 0.04,0.02: of an iteration before the move, and after it\n" },
	{ { "--migration", "4:2,4:2", "--times", "1,0" }, "--times: '1,0' is not two times in seconds" },
	{ { "--migration", "4:2,4:2", "--times", "inf,1" }, "--times: 'inf,1' is not two times in seconds" },
	{ { "--migration", "4:2,4:2", "--times", "1,2,3" }, "--times: '1,2,3' is not two times in seconds" },
	{ { "--migration", "4:2,4:2", "--times", "1e999,1" }, "--times: '1e999,1' is not two times" },
	{ { "--migration", "4:2,4:2", "--times", "1,-1" }, "--times: '1,-1' is not two times in seconds" },
	{ { "--migration", "4:2,4:2", "--times", "1e308,1e308" },
		"'1e308,1e308' is not two times in seconds" },
	{ { "--migration", "4:2,4:2", "--times", "1,5e-324" }, "'1,5e-324' is not two times in seconds" },
	{ { "--iterations", "0" }, "--iterations: '0' is not a number from 1 to 9007199254740992\n" },
	{ { "--iterations", "9007199254740993" },
		"--iterations: '9007199254740993' is not a number from 1 to " },
	{ { "--at", "x" }, "--at: 'x' is not a number from 1 to 9007199254740992\n" },
	{ { "--at", "18446744073709551615" }, "--at: '18446744073709551615' is not a number from 1 to " },
	{ { "--migration", "4:2,4:2", "--move", "m=h" }, "--migration and --move: expected one of both\n" },
	{ { "--times", "1,1", "g.yaml" }, "--times is of --migration: give both\n" },
	{ { "--times", "1,1", "--move", "m=h", "g.yaml" },
		"--times is of --migration: with --move the plan knows the times\n" },
	{ { "--iterations", "9", "g.yaml" },
		"--iterations is of --migration and --move: give one of them, too\n" },
	{ { "--at", "9", "g.yaml" }, "--at is of --migration and --move: give one of them, too\n" },
	{ { "--migration", "4:2,4:2", "--at", "9" },
		"--iterations N and --at A go together: how many a run has, and in which of them the move "
		"begins\n" },
	{ { "--move", "m=h", "--iterations", "9", "g.yaml" }, "--iterations N and --at A go together: " },
	{ { "--migration", "4:2,4:2", "--at", "9", "--iterations", "20" },
		"--iterations: how long does one take? --times ORIGINAL,MIGRATED says it in seconds\n" },
	{ { "--migration", "4:2,6:2", "--at", "9", "--iterations", "13", "--times", "1,1" },
		"--iterations 13: a move that begins in iteration 9 and takes 6 needs at least 14\n" },
	{ { "--migration", "4:2,4:2", "g.yaml" }, "'g.yaml': --migration is of two paths, without a graph: "
						  "--move ACTOR=PLACE finds the paths of "
						  "one\n" },
	{ { "--migration", "4:2,4:2", "-e", "count ! expect" },
		"--chain is of a graph, and --migration of two paths: --move ACTOR=PLACE finds the paths of "
		"a "
		"graph\n" },
	{ { "--migration", "4:2,4:2", "--machine", "m.yaml" }, "--machine is of a graph, and --migration " },
	{ { "--mapping", "auto", "--migration", "4:2,4:2" }, "--mapping is of a graph, and --migration " },
	{ { "--migration", "4:2,4:2", "--measure" }, "--measure is of a graph, and --migration of " },
	{ { "--migration", "4:2,4:2", "--format", "yaml" }, "--format yaml writes a mapping, and --migration "
							    "has none: expected text, json, dot or svg\n" },
	{ { "--move", "m=h", "g.yaml", "--format", "yaml" },
		"--format yaml writes a mapping, and --move has none: " },
	{ { "--migration", "4:2,4:2", "--output", "" }, "--output needs a name" },
};

START_TEST(what_is_wrong)
{
	const char *arguments[10] = { "plan" };

	for (unsigned i = 0; wrong[_i].arguments[i]; i++)
		arguments[i + 1] = wrong[_i].arguments[i];
	files_text("g.yaml", command_chain);
	program_fails(2, wrong[_i].message, arguments);
}
END_TEST

#define ACTORS                                                                                              \
	"actors:\n  s: {type: count, tokens: 8}\n  m: {type: repeat, times: 1}\n  e: {type: expect}\n"      \
	"fifos:\n  - {from: s.out, to: m.in, rate: 2}\n  - {from: m.out, to: e.in, rate: 2}\nmapping: {m: " \
	"h/g}\n"
#define MACHINE                                                                                      \
	"machine: {hosts: {h: {devices: {g: {}, k: {}}}, b: {}}, links: [{between: [h, h/g], kind: " \
	"copy, rate: 8000},\n  {between: [h, h/k], kind: copy, rate: 4000}]}\n"
static const char times[] = "times: {s: 1e-3, m: {h/g: 2e-3, h: 4e-3, h/k: 2e-3}, e: 1e-3}\n";

static void write_graph(const char *more)
{
	char text[2000];

	snprintf(text, sizeof text, ACTORS MACHINE "%s", more);
	files_text("g.yaml", text);
}

/* Two transfers of 8 bytes: 1 ms over h/g's link, 2 ms over h/k's. On the host: 1 + 4 + 1 ms. */
START_TEST(moves_of_a_graph)
{
	write_graph(times);
	PRINTS("'m' moves from h/g to h\n\n"
	       "path      buffers  before  weights of its edges\n"
	       "original        4       2  stop  0 1 2 2 3 4\n"
	       "migrated        0       0  start 4 4\n\n"
	       "upstream is stopped in iterations 0 to 3\ndownstream is never stopped\n"
	       "duration: 4 iterations; silent: none; longest gap: 1 iteration\n"
	       "rate: 500 windows/s before, at least 166.7 while it lasts, 166.7 after\n",
		"g.yaml", "--move", "m=h");
	/* from the host, to where one is on the command line */
	PRINTS("'m' moves from h to h/g\n\n"
	       "path      buffers  before  weights of its edges\n"
	       "original        0       0  stop  0 0\n"
	       "migrated        4       2  start 0 1 2 2 3 4\n\n"
	       "upstream is never stopped\ndownstream is stopped in iterations 0 to 3\n"
	       "duration: 4 iterations; silent: iterations 0 to 3; longest gap: 5 iterations\n"
	       "rate: 166.7 windows/s before, at least 33.33 while it lasts, 500 after\n"
	       "time: 24.0 ms for 4 iterations before, 24.0 ms for 4 of the move, 4.00 ms for 2 after: 52.0 "
	       "ms\n",
		"g.yaml", "--device", "m=h", "--move", "m=h/g", "--iterations", "10", "--at", "5");
	SAYS("original        2       1  stop  0 1 1 2\n", "g.yaml", "--overlap", "off", "--move", "m=h/k");
	/* to where it is */
	SAYS("'m' moves from h/g to h/g\n", "g.yaml", "--move", "m=h/g");
	SAYS("\tactor [style=\"rounded\", label=\"m\\nh/g\"];\n\tmoved [style=\"rounded,dashed\", "
	     "label=\"m\\nh/k\"];\n",
		"g.yaml", "--move", "m=h/k", "--format", "dot");
	SAYS("\tpred [style=\"rounded\", label=\"s\"];\n\tsucc [style=\"rounded\", label=\"e\"];\n", "g.yaml",
		"--move", "m=h/k", "--format", "dot");
#ifdef HAVE_JANSSON
	SAYS("{\n \"name\": \"m=h\",\n \"source\": \"plan\",\n \"original\": {\n  \"buffers\": 4,\n",
		"g.yaml", "--move", "m=h", "--json");
	SAYS(" \"longest_gap\": 1,\n \"move\": {\n  \"actor\": \"m\",\n  \"from\": \"h/g\",\n  \"to\": "
	     "\"h\"\n },\n \"seconds\": {\n",
		"g.yaml", "--move", "m=h", "--json");
#endif
}
END_TEST

/* Where nothing has a time there is no rate; where one has none it is said. */
START_TEST(times_may_lack)
{
	struct run run = { 0 };

	write_graph("times: {m: {h/g: 2e-3}}\n");
	SAYS("no time is known of 's': counted as 0; times: says it\n", "g.yaml", "--move", "m=h");
	files_text("g.yaml", ACTORS "machine: {hosts: {h: {devices: {g: {}}}}, links: [{between: [h, h/g], "
				    "kind: shared}]}\n");
	RUN(&run, 0, "plan", "g.yaml", "--move", "m=h");
	ck_assert_ptr_null(strstr((char *)run.out, "rate: "));
	program_free(&run);
	FAILS(2,
		"penstock: --iterations: the plan knows no times: times: in the graph, or --measure, says "
		"them\n",
		"plan", "g.yaml", "--move", "m=h", "--iterations", "20", "--at", "2");
}
END_TEST

START_TEST(moves_that_are_refused)
{
	write_graph(times);
	FAILS(2, "penstock: --move n=h: the graph has no actor 'n': it has s, m, e\n", "plan", "g.yaml",
		"--move", "n=h");
	FAILS(2, "'m': the machine has no place 'gpu': it has h, h/g, h/k, b\n", "plan", "g.yaml", "--move",
		"m=gpu");
	FAILS(2, "error: no links lead from 'h' to 'b', but 'm' there reads what 's' here writes\n", "plan",
		"g.yaml", "--move", "m=b");
	FAILS(2,
		"penstock: --move s=h/g: 's' has not one input and one reader: only of such an actor it is "
		"known what a move costs\n",
		"plan", "g.yaml", "--move", "s=h/g");
	FAILS(2, "penstock: --iterations 5: a move that begins in iteration 3 and takes 4 needs at least 6\n",
		"plan", "g.yaml", "--move", "m=h", "--iterations", "5", "--at", "3");
	FAILS(2, "penstock: --output g.yaml: it is the graph file\n", "plan", "g.yaml", "--move", "m=h",
		"--output", "g.yaml");
	files_text("g.yaml", command_chain);
	FAILS(2, "penstock: g.yaml: there is no machine to plan on: ", "plan", "g.yaml", "--move",
		"middle=h");
	files_text("g.yaml", "actors: {a: {type: repeat, times: 1}, b: {type: repeat, times: 1}}\n"
			     "fifos:\n  - {from: a.out, to: b.in, rate: 1, token: u32}\n"
			     "  - {from: b.out, to: a.in, rate: 1, token: u32, delay: 8}\n" MACHINE);
	FAILS(2,
		"penstock: --move b=h/g: 'b' lies on a cycle of FIFOs: what a move costs there is not "
		"known\n",
		"plan", "g.yaml", "--move", "b=h/g");
}
END_TEST

START_TEST(output_may_fail)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1013, "plan", "--migration", "4:2,4:2");
	program_free(&run);
	FAILS(1, "penstock: /nowhere/m: No such file or directory\n", "plan", "--migration", "4:2,4:2",
		"--output", "/nowhere/m");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("migration");
	TCase *c = files_case(suite, "migration");

	command_find();
	tcase_add_test(c, figures);
	tcase_add_test(c, rates_and_times);
#ifdef HAVE_JANSSON
	tcase_add_test(c, vectors_are_met);
	tcase_add_test(c, json_has_rates_and_times);
#endif
	tcase_add_test(c, is_drawn);
	tcase_add_loop_test(c, what_is_wrong, 0, (int)TEST_COUNT(wrong));
	tcase_add_test(c, moves_of_a_graph);
	tcase_add_test(c, times_may_lack);
	tcase_add_test(c, moves_that_are_refused);
	tcase_add_test(c, output_may_fail);
	return test_main(suite);
}
