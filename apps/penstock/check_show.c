/* SPDX-License-Identifier: MIT */
/* What the command shows without a run: check, graph, actors; and what it writes as JSON. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(checks)
{
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "check", "g.yaml");
	TEST_SAYS((char *)run.out, "network 'chain': 3 actors, 2 FIFOs", "middle  repeat",
		"proven: free of deadlock in bounded memory", "memory bound: ");
	program_free(&run);
	files_text("g.yaml", command_cycle);
	RUN(&run, 4, "check", "g.yaml");
	TEST_SAYS((char *)run.out, "refused");
	program_free(&run);
	files_text("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n");
	FAILS(2, "g.yaml:2:3: error: 'a' (repeat): output 'out' is not connected", "check", "g.yaml");
	files_text("g.yaml", "# nothing\n");
	for (unsigned i = 0; i < 3; i++)
		FAILS(2, "g.yaml:1:1: error: the graph has no actors: expected actors: {",
			(const char *const[]){ "check", "run", "graph" }[i], "g.yaml");
}
END_TEST

/* What run would refuse before the first firing check refuses, too, in the same words. No output is made for that. */
START_TEST(checks_what_run_finds)
{
	static const char kernel[] =
		"actors:\n  s: {type: video_source, size: 16x16, frames: 1}\n"
		"  k: {kernel: k.cl, name: k, ports: {in: {input: u8, token_size: 256}, out: {output: u8, "
		"token_size: 256}}, work_size: [1]}\n"
		"  o: {type: video_sink, output: out.gray}\n"
		"fifos:\n  - {from: s.out, to: k.in, rate: 1}\n  - {from: k.out, to: o.map, rate: 1}\n";
	static const char size[] =
		"g.yaml:4:3: error: 'o': no FIFO brings the size of its frames: give width and "
		"height\n",
			  gone[] = "g.yaml:3:15: error: k.cl: No such file or directory\n",
			  *const both[] = { "run", "check" };

	for (unsigned i = 0; i < 2; i++) {
		files_text("g.yaml", kernel);
		FAILS(2, gone, both[i], "g.yaml");
		files_text("k.cl", "");
		FAILS(2, size, both[i], "g.yaml");
		ck_assert_int_eq(unlink("k.cl"), 0);
		FAILS(2, "error: 'video_sink': /nowhere/a.gray: No such file or directory\n", both[i], "-e",
			"video_source size=16x16 ! video_sink output=/nowhere/a.gray");
		files_text("none.y4m", "");
		FAILS(2, "error: 'video_source': none.y4m: is empty\n", both[i], "-e",
			"video_source size=16x16 input=none.y4m ! video_sink");
	}
	ck_assert(!files_exists("out.gray"));
}
END_TEST

/* Everything that Graphviz could take for something else is in quotes, and quotes are escaped. */
START_TEST(draws)
{
	struct run run = { 0 };
	size_t size;
	unsigned char *file;

	files_text("g.yaml",
		"network: 'a \"b\" \\c'\nactors:\n  'x \"y\"': {type: count}\n  conf: {type: configuration, "
		"values: [1]}\n"
		"  sum: {type: adder, count: 1, dynamic: true}\n  mid: {type: repeat, times: 3}\n"
		"  end: {type: expect}\n  iq: {type: iq_source, input: in}\n  to: {type: iq_sink}\n"
		"fifos:\n  - {from: 'x \"y\".out', to: mid.in, rate: 2, delay: 5, depth: 7, tail: 4}\n"
		"  - {from: conf.out, to: sum.active, rate: 1}\n  - {from: mid.out, to: end.in}\n"
		"  - {from: iq.re, to: sum.re1, rate: 4}\n  - {from: iq.im, to: sum.im1, rate: 4}\n"
		"  - {from: sum.re, to: to.re, rate: 4}\n  - {from: sum.im, to: to.im, rate: 4}\n");
	RUN(&run, 0, "graph", "g.yaml");
	TEST_SAYS((char *)run.out, "digraph \"a \\\"b\\\" \\\\c\" {\n",
		"\t\"x \\\"y\\\"\" [label=\"x \\\"y\\\"\\ncount",
		"\t\"x \\\"y\\\"\" -> \"mid\" [taillabel=\"out\", headlabel=\"in\", label=\"2",
		"depth 7\\n5 initial\\ntail 4",
		"\t\"conf\" -> \"sum\" [taillabel=\"out\", headlabel=\"active\", label=\"1 of 4 B",
		"style=dashed, color=\"#b03060\"");
	program_free(&run);
	RUN(&run, 0, "graph", "g.yaml", "--output", "g.dot");
	file = files_read("g.dot", &size);
	ck_assert_mem_eq(file, "digraph ", 8);
	free(file);
	program_free(&run);
	for (unsigned i = 0; i < 2; i++) {
		run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		RUN(&run, 1, i ? "check" : "graph", "g.yaml");
		TEST_SAYS(run.err, "penstock: stdout: No space left on device\n");
		program_free(&run);
	}
	FAILS(1, "penstock: /dev/full: No space left on device", "graph", "g.yaml", "--output", "/dev/full");
}
END_TEST

static const char *const commands[][2] = { { "check", "g.yaml" }, { "graph", "g.yaml" }, { "actors", NULL },
#ifdef HAVE_OPENCL
	{ "devices", NULL },
#endif
	{ "--help", NULL }, { "run", "--help" } };

/* "| head -1": silent, as other tools are, whatever the command. What ignores SIGPIPE is told. */
START_TEST(closed_pipe)
{
	const char *command = commands[_i][0], *argument = commands[_i][1];
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	for (unsigned ignored = 0; ignored < 2; ignored++) {
		run.out_fd = program_broken_pipe();
		run.no_sigpipe = ignored;
		program_start(&run, (const char *const[]){ command, argument, NULL });
		program_wait(&run);
		ck_assert_msg(run.status == (ignored ? 1 : 1000 + SIGPIPE), "%d: %s", run.status, run.err);
		ck_assert_str_eq(run.err, ignored ? "penstock: stdout: Broken pipe\n" : "");
		program_free(&run);
	}
}
END_TEST

/* What is written is a graph file, of which the same is written. */
START_TEST(writes)
{
	struct run run = { 0 };
	size_t size;
	unsigned char *file;

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "graph", "g.yaml", "--format", "yaml", "--set", "tokens=7", "--team", "3", "--output",
		"w.yaml");
	program_free(&run);
	RUN(&run, 0, "graph", "w.yaml", "--format", "yaml");
	TEST_SAYS((char *)run.out, "network: chain\nactors:\n", "source: {type: count, tokens: 7,",
		"- {from: source.out, to: middle.in, rate: 4}\n", "team: 3\n");
	file = files_read("w.yaml", &size);
	ck_assert_uint_eq(size, run.out_size);
	ck_assert_mem_eq(file, run.out, size);
	free(file);
	program_free(&run);
	FAILS(1, "penstock: /dev/full: No space left on device", "graph", "g.yaml", "--format", "yaml",
		"--output", "/dev/full");
	files_text("g.yaml", "parameters: {n: ''}\nactors: {a: {type: iq_source, input: in}, b: {type: "
			     "iq_sink, output: a$n}}\n"
			     "fifos: [{from: a.re, to: b.re, rate: 1}, {from: a.im, to: b.im, rate: 1}]\n");
	FAILS(1, "penstock: stdout: not a text in UTF-8: a\xff", "graph", "g.yaml", "--format", "yaml",
		"--set", "n=\xff");
}
END_TEST

START_TEST(lists_actors)
{
	struct run run = { 0 };

	RUN(&run, 0, "actors");
	TEST_SAYS((char *)run.out, "actors: /", "  repeat           writes each token several times\n",
		"check: /", "  count            counts\n");
	program_free(&run);
	RUN(&run, 0, "actors", "count");
	TEST_SAYS((char *)run.out, "count: counts\nplug-in check, /",
		"\nports\n  out              output, u32\n\nparameters\n  tokens           u64, default 0: "
		"it ends after so many");
	program_free(&run);
	RUN(&run, 0, "actors", "fir_f32");
	TEST_SAYS((char *)run.out,
		"ports\n  they depend on the parameters, for example taps=1\n"
		"  in               input, f32, 4 bytes\n",
		"  decimation       u32, 1..65536, default 1: samples in for each one\n");
	program_free(&run);
	/* frames, whose size is found */
	RUN(&run, 0, "actors", "gauss5x5");
	TEST_SAYS((char *)run.out, "  in               input, u8, frames: gray8 WIDTHxHEIGHT, 1 in a step\n",
		"  width            u32, ", ", as the frames that come in");
	program_free(&run);
	RUN(&run, 0, "actors", "repeat");
	TEST_SAYS((char *)run.out,
		"  if tokens are frames, outputs give them as they come in\n"
		"  how many tokens a step moves depends on the parameters\n",
		"  times            u32, 1.., needed: how often each token is written\n");
	program_free(&run);
	FAILS(2,
		"penstock: no plug-in has an actor type 'vocoder': 'penstock actors' lists them; those of "
		"other plug-ins need PENSTOCK_PLUGINS, or --plugin FILE\n",
		"actors", "vocoder");
}
END_TEST

/* What is not the command's own text does not steer the terminal. */
START_TEST(control_characters)
{
	struct run run = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		RUN(&run, 0, "actors", i ? "rude" : NULL);
		TEST_SAYS((char *)run.out, "rude", "steers \\x1b]0;the terminal\\x07\n");
		ck_assert_ptr_null(strpbrk((char *)run.out, "\033\a"));
		program_free(&run);
	}
	FAILS(2, "chain:1:1: error: 'rude': \\x1b[31mred\\x07 \\x9b1m \xc3\xa9\n", "run", "-e", "rude");
	FAILS(2, "penstock: no\\x1b[7mwhere: No such file or directory\n", "check", "no\033[7mwhere");
}
END_TEST

/* The example of each builder is one: it has ports. Those that need a library may lack it. */
START_TEST(describes_builders)
{
	static const char *const types[] = { "adder", "configuration", "deinterleave", "fir", "fir_cf32",
		"fir_f32", "interleave", "polynomial", "resample_cf32", "resample_f32", "iq_sink",
		"iq_source",
#ifdef HAVE_KISSFFT
		"spectrum",
#endif
		"video_sink", "video_source" };
	struct run run = { 0 };

	for (size_t i = 0; i < TEST_COUNT(types); i++) {
		RUN(&run, 0, "actors", types[i]);
		TEST_SAYS((char *)run.out, "\nports\n  they depend on the parameters", "put, ");
		program_free(&run);
	}
}
END_TEST
#ifdef HAVE_JANSSON

#include <jansson.h>

static json_t *parsed(const struct run *run)
{
	json_t *json = json_loadb((char *)run->out, run->out_size, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(json);
	return json;
}

static const char *text_of(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

START_TEST(as_json)
{
	struct run run = { 0 };
	json_t *json, *actor, *fifo;

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "check", "g.yaml", "--json", "--team", "3");
	json = parsed(&run);
	program_free(&run);
	ck_assert_str_eq(text_of(json, "network"), "chain");
	ck_assert_int_eq(json_integer_value(json_object_get(json, "team")), 3);
	ck_assert_str_eq(text_of(json_object_get(json, "check"), "verdict"), "proven");
	ck_assert_int_gt(
		json_integer_value(json_object_get(json_object_get(json, "check"), "fifo_bytes")), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "actors")), 3);
	actor = json_array_get(json_object_get(json, "actors"), 1);
	ck_assert_str_eq(text_of(actor, "name"), "middle");
	ck_assert_str_eq(text_of(actor, "type"), "repeat");
	ck_assert_str_eq(text_of(actor, "place"), "cores");
	ck_assert_str_eq(text_of(json_array_get(json_object_get(actor, "ports"), 1), "kind"), "output");
	fifo = json_array_get(json_object_get(json, "fifos"), 0);
	ck_assert_str_eq(text_of(fifo, "from"), "source.out");
	ck_assert_int_eq(json_integer_value(json_object_get(fifo, "write_rate")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(fifo, "token_size")), 4);
	json_decref(json);
	files_text("g.yaml", command_cycle);
	RUN(&run, 4, "check", "g.yaml", "--json");
	json = parsed(&run);
	program_free(&run);
	ck_assert_str_eq(text_of(json_object_get(json, "check"), "verdict"), "refused");
	ck_assert_str_eq(text_of(json_object_get(json, "check"), "rule"), "cycles");
	json_decref(json);
	files_text("g.yaml", command_chain);
	for (unsigned i = 0; i < 2; i++) {
		RUN(&run, 0, "graph", "g.yaml", i ? "--json" : "--format", i ? NULL : "json");
		json = parsed(&run);
		program_free(&run);
		ck_assert_ptr_null(json_object_get(json, "check"));
		ck_assert_uint_eq(json_array_size(json_object_get(json, "fifos")), 2);
		json_decref(json);
	}
}
END_TEST

START_TEST(statistics)
{
	struct run run = { 0 };
	json_t *json, *sink;

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=400", "--stats", "s.json");
	program_free(&run);
	json = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(json);
	ck_assert_str_eq(text_of(json, "graph"), "g.yaml");
	sink = json_array_get(json_object_get(json, "sinks"), 0);
	ck_assert_str_eq(text_of(sink, "actor"), "sink");
	ck_assert_int_eq(json_integer_value(json_object_get(sink, "tokens")), 400);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "fifos")), 2);
	json_decref(json);
	FAILS(1, "nowhere/s.json: No such file or directory", "run", "g.yaml", "--stats", "nowhere/s.json");
}
END_TEST

/* With a machine the network has a plan; on one core all of it is in cycle 0. */
START_TEST(statistics_of_a_plan)
{
	struct run run = { 0 };
	json_t *json, *fifo;
	char graph[2000];

	snprintf(graph, sizeof graph, "%smachine:\n  hosts:\n    h: {cores: 1}\n", command_chain);
	files_text("g.yaml", graph);
	RUN(&run, 0, "run", "g.yaml", "--team", "0", "--set", "tokens=400", "--stats", "s.json");
	TEST_SAYS((char *)run.err, "cycle of each input's first window", "        0        0  ");
	program_free(&run);
	json = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(json);
	for (unsigned i = 0; i < 2; i++) {
		fifo = json_array_get(json_object_get(json, "fifos"), i);
		ck_assert(json_is_integer(json_object_get(fifo, "planned_cycle")));
		ck_assert_int_eq(json_integer_value(json_object_get(fifo, "planned_cycle")), 0);
		ck_assert(json_is_integer(json_object_get(fifo, "first_cycle")));
	}
	json_decref(json);
	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=400", "--stats", "s.json");
	ck_assert_ptr_null(strstr((char *)run.err, "first window"));
	program_free(&run);
	json = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	fifo = json_array_get(json_object_get(json, "fifos"), 0);
	ck_assert_ptr_null(json_object_get(fifo, "first_cycle"));
	json_decref(json);
}
END_TEST

#ifdef HAVE_OPENCL
/* Where an actor is, on a device too; only one that is pinned says where it is fired from. */
START_TEST(statistics_of_devices)
{
	static const char *const chains[] = { "count tokens=40 ! repeat times=1 ! expect",
		"count tokens=40 pin=0 ! repeat times=1 pin=0 ! expect" };
	static const char *const wheres[][2] = { { "any core", "pocl:cpu:0" },
		{ "core 0", "pocl:cpu:0, fired from core 0" } };
	struct run run = { 0 };
	json_t *json, *actors;

	RUN(&run, 0, "run", "-e", chains[_i], "--device", "repeat=pocl:cpu:0", "--stats", "s.json", "--team",
		"0");
	program_free(&run);
	json = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(json);
	actors = json_object_get(json, "actors");
	for (size_t i = 0; i < 2; i++)
		ck_assert_str_eq(text_of(json_array_get(actors, i), "where"), wheres[_i][i]);
	json_decref(json);
}
END_TEST
#endif

#endif
int main(void)
{
	Suite *suite = suite_create("show");
	TCase *c = files_case(suite, "show");

	command_find();
	tcase_add_test(c, checks);
	tcase_add_test(c, checks_what_run_finds);
	tcase_add_test(c, draws);
	tcase_add_loop_test(c, closed_pipe, 0, (int)TEST_COUNT(commands));
	tcase_add_test(c, writes);
	tcase_add_test(c, lists_actors);
	tcase_add_test(c, describes_builders);
	tcase_add_test(c, control_characters);
#ifdef HAVE_JANSSON
	tcase_add_test(c, as_json);
	tcase_add_test(c, statistics);
	tcase_add_test(c, statistics_of_a_plan);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(c, statistics_of_devices, 0, 2);
#endif
#endif
	return test_main(suite);
}
