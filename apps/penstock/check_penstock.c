/* SPDX-License-Identifier: MIT */
/* The command as a user runs it: what it writes, its exit statuses, signals, terminals. */
#include "config.h"

#include "apps/common/check_program.h"
#include "penstock/penstock.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Endless unless --set says so. */
static const char chain[] = "network: chain\n"
			    "parameters: {rate: 4, tokens: 0, slow: false}\n"
			    "actors:\n"
			    "  source: {type: count, tokens: $tokens, slow: $slow}\n"
			    "  middle: {type: repeat, times: 1}\n"
			    "  sink: {type: expect}\n"
			    "fifos:\n"
			    "  - {from: source.out, to: middle.in, rate: $rate}\n"
			    "  - {from: middle.out, to: sink.in}\n";

static const char cycle[] =
	"actors:\n  a: {type: repeat, times: 1}\n  b: {type: repeat, times: 1}\n"
	"fifos:\n  - {from: a.out, to: b.in, token: u8}\n  - {from: b.out, to: a.in, token: u8}\n";

static void find_plugins(void)
{
	char actors[PATH_MAX], own[PATH_MAX], list[2 * PATH_MAX + 2];

	if (!realpath("actors/.libs", actors) || !realpath("apps/penstock/.libs/check_plugin.so", own)) {
		fprintf(stderr, "no plug-ins: run this in the build folder\n");
		exit(1);
	}
	snprintf(list, sizeof list, "%s:%s", actors, own);
	setenv("PENSTOCK_PLUGINS", list, 1);
}

/* -- the command line -- */

static const struct {
	const char *arguments[6];
	const char *words;
} usages[] = {
	{ { NULL },
		"penstock: a command is needed: run, check, graph, bench, devices or actors\nTry 'penstock "
		"--help'.\n" },
	{ { "grap" }, "penstock: there is no command 'grap'; did you mean 'graph'?" },
	{ { "run" }, "penstock: a graph file is needed, or a chain, -e CHAIN\nTry 'penstock run --help'.\n" },
	{ { "run", "a", "b" }, "penstock: 'a' and 'b': expected one graph file\n" },
	{ { "run", "--bogus", "a" },
		"penstock run: unrecognized option '--bogus'\nTry 'penstock run --help'.\n" },
	{ { "run", "--set" }, "penstock run: option '--set' requires an argument\n" },
	{ { "run", "--team", "257", "a" },
		"penstock: --team: '257' is not a number from 0 to 256, or auto\n" },
	{ { "run", "--rate", "0", "a" }, "penstock: --rate: '0' is not a number from 1\n" },
	{ { "check", "--frames", "x", "a" }, "penstock: --frames: 'x' is not a number from 1\n" },
	{ { "graph", "--format", "png", "a" }, "penstock: --format: 'png' is not dot, svg, json or yaml\n" },
	{ { "run", "-e", "count", "a" }, "penstock: 'a' and --chain: expected one of both\n" },
	{ { "run", "-e", "count ! expect", "--frames", "3" },
		"penstock: --frames is for graph files: give the chain's source frames=N\n" },
	{ { "check", "-e", "count ! ! expect" }, "chain:1:9: error: a ! without an actor in front of it\n" },
	{ { "bench", "--vary", "=1", "a" }, "penstock: --vary: '=1': expected NAME=VALUE,VALUE..\n" },
	{ { "bench", "--vary", "rate=1,,2", "a" },
		"penstock: '1,,2': expected 1 to 31 values of rate, with commas between\n" },
	{ { "bench", "--seconds", "0", "a" },
		"penstock: --seconds: '0' is not a number from 0.01 to 3600\n" },
	{ { "bench", "--rounds", "0", "a" }, "penstock: --rounds: '0' is not a number from 1 to 1000\n" },
	{ { "bench" }, "penstock: a graph file is needed, or a chain, -e CHAIN\n" },
	{ { "devices", "x" }, "penstock: unexpected argument 'x'\nTry 'penstock devices --help'.\n" },
	{ { "actors", "a", "b" }, "penstock: 'a' and 'b': expected one type\n" },
	{ { "actors", "fir_f23" },
		"penstock: no plug-in has an actor type 'fir_f23'; did you mean 'fir_f32'?" },
	{ { "run", "nowhere.yaml" }, "penstock: nowhere.yaml: No such file or directory\n" },
	{ { "actors", "--plugin", "nowhere.so" }, "penstock: ./nowhere.so: cannot open shared object file" },
};

START_TEST(usage)
{
	const char *const *a = usages[_i].arguments;

	FAILS(2, usages[_i].words, a[0], a[1], a[2], a[3], a[4]);
}
END_TEST

START_TEST(helps)
{
	static const char *const commands[] = { "run", "check", "graph", "bench", "devices", "actors" };
	struct run run = { 0 };

	RUN(&run, 0, "--help");
	for (unsigned i = 0; i < 6; i++)
		TEST_SAYS((char *)run.out, commands[i]);
	program_free(&run);
	for (unsigned i = 0; i < 6; i++) {
		char first[64];

		snprintf(first, sizeof first, "Usage: penstock %s", commands[i]);
		RUN(&run, 0, commands[i], "--help");
		TEST_SAYS((char *)run.out, first, "Exit status: ");
		program_free(&run);
	}
	RUN(&run, 0, "--version");
	TEST_SAYS((char *)run.out, PSTK_VERSION "\n");
	program_free(&run);
}
END_TEST

/* -- run -- */

START_TEST(runs)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000", "--rate", "5", "--team", "2");
	ck_assert_uint_eq(run.out_size, 0);
	TEST_SAYS(run.err, "network 'chain': 3 actors, 2 FIFOs, a team of 2 threads", "rate 5",
		"sink.in: 1000 tokens in ", "busiest actor: ");
	/* progress is for terminals */
	ck_assert_ptr_null(strchr(run.err, '\r'));
	program_free(&run);
}
END_TEST

/* The same in one line. */
START_TEST(runs_a_chain)
{
	struct run run = { 0 };

	RUN(&run, 0, "run", "-e", "count tokens=1000 ! expect name=sink", "--rate", "5", "--team", "2");
	TEST_SAYS(run.err, "network 'chain': 2 actors, 1 FIFO, a team of 2 threads", "rate 5",
		"sink.in: 1000 tokens in ");
	program_free(&run);
	RUN(&run, 0, "check", "--chain", "count ! expect", "--team", "0");
	TEST_SAYS((char *)run.out, "proven: free of deadlock");
	program_free(&run);
	RUN(&run, 0, "graph", "-e", "count ! expect");
	TEST_SAYS((char *)run.out, "\"count\" -> \"expect\"");
	program_free(&run);
}
END_TEST

START_TEST(bad_graph)
{
	files_text("g.yaml", "actors:\n  a: {type: repet}\n  b: {type: repeat, times: x}\n");
	FAILS(2, "g.yaml:2:13: error: no plug-in has an actor type 'repet'; did you mean 'repeat'?", "run",
		"g.yaml");
	FAILS(2, "g.yaml:3:", "check", "g.yaml");
	files_text("g.yaml", chain);
	FAILS(2, "penstock: the graph has no parameter 'token'; did you mean 'tokens'?", "run", "g.yaml",
		"--set", "token=3");
	/* a deadlock is seen before the run */
	files_text("g.yaml", cycle);
	FAILS(4, "a cycle that can never begin", "run", "g.yaml");
}
END_TEST

/* An actor fails: its own words. */
START_TEST(failure)
{
	struct run run = { 0 };

	files_text("g.yaml",
		"actors:\n  source: {type: count, tokens: 8}\n  twice: {type: repeat, times: 2}\n"
		"  sink: {type: expect}\nfifos:\n  - {from: source.out, to: twice.in, rate: 1}\n"
		"  - {from: twice.out, to: sink.in}\n");
	RUN(&run, 1, "run", "g.yaml");
	TEST_SAYS(run.err, "penstock: ", "'sink' (expect), fire() in firing 0: 0 came at 1");
	program_free(&run);
}
END_TEST

START_TEST(devices)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	FAILS(3, "no such device", "run", "g.yaml", "--device", "middle=no such device");
	FAILS(2, "penstock: 'middle': expected actor=selector, or actor=cores", "run", "g.yaml", "--device",
		"middle");
	RUN(&run, 0, "run", "g.yaml", "--device", "middle=cores", "--set", "tokens=8");
	program_free(&run);
#ifdef HAVE_OPENCL
	RUN(&run, 0, "run", "g.yaml", "--device", "middle=pocl:cpu:0", "--set", "tokens=1000");
	TEST_SAYS(run.err, "middle  repeat  on pocl:cpu:0", "the kernels were ready after ",
		"sink.in: 1000 tokens in ");
	program_free(&run);
	/* from the mapping of another file, which the command line replaces */
	files_text("map.yaml", "mapping: {middle: no such device}\n");
	FAILS(3, "map.yaml:1:19: error: ", "check", "g.yaml", "--mapping", "map.yaml");
	RUN(&run, 0, "check", "g.yaml", "--mapping", "map.yaml", "--device", "middle=pocl:cpu:0");
	program_free(&run);
	RUN(&run, 0, "devices");
	TEST_SAYS((char *)run.out, "pocl:cpu:0");
	program_free(&run);
#endif
}
END_TEST

/* A file that is written must be no other one of the command's: nothing is touched then. */
START_TEST(one_file_twice)
{
	size_t size;
	unsigned char *file;

	files_text("g.yaml", chain);
	files_text("m.yaml", "run: {team: 2}\n");
#ifdef HAVE_JANSSON
	FAILS(2, "penstock: --stats ./g.yaml: it is the graph file\n", "run", "g.yaml", "--stats",
		"./g.yaml");
	FAILS(2, "penstock: --stats m.yaml: it is the file of --mapping\n", "run", "g.yaml", "--mapping",
		"m.yaml", "--stats", "m.yaml");
	FAILS(2, "penstock: --stats needs a name\n", "run", "g.yaml", "--stats", "");
	FAILS(2, "penstock: --stats out.gray: it is a file of the network\n", "run", "-e",
		"video_source size=16x16 frames=2 ! video_sink output=./out.gray", "--stats", "out.gray");
#endif
	FAILS(2, "penstock: --output g.yaml: it is the graph file\n", "graph", "g.yaml", "--output",
		"g.yaml");
	FAILS(2, "penstock: --output g.yaml: it is the graph file\n", "bench", "g.yaml", "--output",
		"g.yaml");
	file = files_read("g.yaml", &size);
	ck_assert_uint_eq(size, strlen(chain));
	ck_assert_mem_eq(file, chain, size);
	free(file);
	/* of actors */
	files_text("two.yaml",
		"actors:\n  source: {type: video_source, size: 16x16, frames: 1}\n"
		"  one: {type: video_sink, output: b.gray}\n  two: {type: video_sink, output: ./b.gray}\n"
		"fifos:\n  - {from: source.out, to: [one.map, two.map], rate: 1}\n");
	FAILS(2, "two.yaml:4:3: error: 'two' writes ./b.gray, which 'one' writes\n", "run", "two.yaml");
	FAILS(2, "'two' writes ./b.gray, which 'one' writes\n", "check", "two.yaml");
	files_write("in.gray", chain, 256);
	FAILS(2, "'video_sink' writes in.gray, which 'video_source' reads\n", "run", "-e",
		"video_source input=in.gray size=16x16 ! video_sink output=in.gray");
	ck_assert_int_eq(files_size("in.gray"), 256);
	ck_assert(!files_exists("b.gray") && !files_exists("out.gray"));
}
END_TEST

#ifdef HAVE_OPENCL
/* The first mistake that is made with a kernel. */
START_TEST(a_kernel_without_a_device)
{
	files_text("k.cl", "__kernel void k(__global float *out, ulong n) { out[0] = n; }\n");
	files_text("g.yaml",
		"actors:\n  k: {kernel: k.cl, name: k, ports: {out: {output: f32}}, work_size: [1]}\n"
		"  r: {type: skip, count: 1}\nfifos: [{from: k.out, to: r.in, rate: 1}]\n");
	FAILS(2,
		"penstock: 'k' is a kernel: say on which device it runs, mapping: {k: SELECTOR} in the "
		"graph, or "
		"--device k=SELECTOR; 'penstock devices' lists them\n",
		"check", "g.yaml");
}
END_TEST
#endif

START_TEST(interrupted)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	program_start(&run, (const char *const[]){ "run", "g.yaml", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_msg(run.status == 130, "%d: %s", run.status, run.err);
	TEST_SAYS(run.err, "penstock: interrupted\n");
	program_free(&run);
}
END_TEST

/* On a terminal there is a line that is written over and over, no longer than the terminal is wide. */
START_TEST(progress_on_a_terminal)
{
	static const struct winsize narrow = { .ws_row = 24, .ws_col = 30 };
	char text[65536] = "";
	size_t size = 0;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct run run = { 0 };
	const char *line = NULL;

	if (master < 0) {
		printf("no pseudo-terminal here: the progress line is not tested\n");
		return;
	}
	files_text("g.yaml", chain);
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	run.err_fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_eq(_i ? ioctl(run.err_fd, TIOCSWINSZ, &narrow) : 0, 0);
	program_start(&run, (const char *const[]){ "run", "g.yaml", NULL });
	while (!line || !strstr(line, "\033[K")) {
		ssize_t got = read(master, text + size, sizeof(text) - 1 - size);

		ck_assert_int_gt(got, 0);
		size += (size_t)got;
		text[size] = '\0';
		line = strstr(text, "\rsink.in: ");
	}
	if (_i)
		ck_assert_uint_eq(strcspn(line + 1, "\033"), 29);
	else
		TEST_SAYS(line, " tokens, ", "tokens/s; FIFOs ", " % full; busiest: ");
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	close(master);
	program_free(&run);
}
END_TEST

/* -- check, graph, actors -- */

START_TEST(checks)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	RUN(&run, 0, "check", "g.yaml");
	TEST_SAYS((char *)run.out, "network 'chain': 3 actors, 2 FIFOs", "middle  repeat",
		"proven: free of deadlock in bounded memory", "memory bound: ");
	program_free(&run);
	files_text("g.yaml", cycle);
	RUN(&run, 4, "check", "g.yaml");
	TEST_SAYS((char *)run.out, "refused");
	program_free(&run);
	files_text("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n");
	RUN(&run, 2, "check", "g.yaml");
	TEST_SAYS((char *)run.out, "'a'");
	program_free(&run);
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
		"fifos:\n  - {from: 'x \"y\".out', to: mid.in, rate: 2, delay: 5, depth: 7, tail: 4}\n"
		"  - {from: conf.out, to: sum.active, rate: 1}\n");
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

/* What is written is a graph file, of which the same is written. */
START_TEST(writes)
{
	struct run run = { 0 };
	size_t size;
	unsigned char *file;

	files_text("g.yaml", chain);
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
	files_text("g.yaml", "parameters: {n: ''}\nnetwork: a$n\n");
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
	TEST_SAYS((char *)run.out, "ports\n  they depend on the parameters\n",
		"  decimation       u32, 1..65536, default 1: samples in for each one\n");
	program_free(&run);
}
END_TEST

/* -- bench -- */

/* A source that computes for nothing is slower than one that does not, on any machine. */
START_TEST(finds_the_best)
{
	struct run run = { 0 };
	size_t size;
	unsigned char *file;

	files_text("g.yaml", chain);
	RUN(&run, 0, "bench", "g.yaml", "--set", "slow=true", "--vary", "slow=true,false,perhaps", "--teams",
		"1", "--rounds", "3", "--seconds", "0.02", "--output", "m.yaml");
	ck_assert_uint_eq(run.out_size, 0);
	TEST_SAYS(run.err, "slow\n  as it is  ", "  1.00\n", "  perhaps                  can't be run\n",
		"  cores: ", "team\n", "best: slow=false", " of the graph as it is (median of 3 rounds)\n");
	program_free(&run);
	file = files_read("m.yaml", &size);
	TEST_SAYS((char *)file, "# penstock bench g.yaml: ", "parameters:\n  slow: \"false\"\n");
	free(file);
	/* what was written can be given to the others */
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=100", "--mapping", "m.yaml");
	program_free(&run);
}
END_TEST

/* What is worse is not chosen; a file is written all the same, and the others take it. */
START_TEST(nothing_is_better)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	RUN(&run, 0, "bench", "g.yaml", "--vary", "slow=true", "--teams", "auto", "--devices", "cores",
		"--rounds", "2", "--seconds", "0.02");
	ck_assert_ptr_null(strstr(run.err, "slow=true"));
	TEST_SAYS((char *)run.out, "# penstock bench g.yaml: ");
	files_write("m.yaml", run.out, run.out_size);
	program_free(&run);
	RUN(&run, 0, "check", "g.yaml", "--mapping", "m.yaml");
	program_free(&run);
}
END_TEST

/* A chain of several lines is one line of the mapping's first comment. */
START_TEST(bench_of_a_chain)
{
	struct run run = { 0 };

	RUN(&run, 0, "bench", "-e", "count tokens=4\n ! expect", "--teams", "0", "--devices", "cores",
		"--vary", "rate=1", "--rounds", "1", "--seconds", "0.01");
	TEST_SAYS((char *)run.out, "# penstock bench count tokens=4  ! expect: ");
	files_write("m.yaml", run.out, run.out_size);
	program_free(&run);
	RUN(&run, 0, "check", "-e", "count ! expect", "--mapping", "m.yaml");
	program_free(&run);
}
END_TEST

/* A graph that can't be run at all; an actor that fails; an output that can't be written. */
START_TEST(bench_errors)
{
	files_text("g.yaml", chain);
	FAILS(2, "penstock: the graph has no parameter 'x'", "bench", "g.yaml", "--set", "x=1");
	FAILS(2, "penstock: --vary: the graph has no parameter 'nix'\n", "bench", "g.yaml", "--vary",
		"nix=1,2");
	FAILS(3, "no such device", "bench", "g.yaml", "--devices", "no such device");
	FAILS(1, "nowhere/m.yaml: No such file or directory", "bench", "g.yaml", "--output",
		"nowhere/m.yaml");
	files_text("g.yaml",
		"actors:\n  source: {type: count, tokens: 8}\n  twice: {type: repeat, times: 2}\n"
		"  sink: {type: expect}\nfifos:\n  - {from: source.out, to: twice.in, rate: 1}\n"
		"  - {from: twice.out, to: sink.in}\n");
	FAILS(1, "0 came at 1", "bench", "g.yaml", "--output", "m.yaml");
	ck_assert(!files_exists("m.yaml"));
}
END_TEST

START_TEST(bench_interrupted)
{
	struct run run = { 0 };

	files_text("g.yaml", chain);
	program_start(&run,
		(const char *const[]){ "bench", "g.yaml", "--seconds", "3600", "--output", "m.yaml", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_msg(run.status == 130, "%d: %s", run.status, run.err);
	ck_assert(!files_exists("m.yaml"));
	program_free(&run);
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

	files_text("g.yaml", chain);
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
	files_text("g.yaml", cycle);
	RUN(&run, 4, "check", "g.yaml", "--json");
	json = parsed(&run);
	program_free(&run);
	ck_assert_str_eq(text_of(json_object_get(json, "check"), "verdict"), "refused");
	ck_assert_str_eq(text_of(json_object_get(json, "check"), "rule"), "cycles");
	json_decref(json);
	files_text("g.yaml", chain);
	RUN(&run, 0, "graph", "g.yaml", "--format", "json");
	json = parsed(&run);
	program_free(&run);
	ck_assert_ptr_null(json_object_get(json, "check"));
	json_decref(json);
}
END_TEST

START_TEST(statistics)
{
	struct run run = { 0 };
	json_t *json, *sink;

	files_text("g.yaml", chain);
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

#endif

int main(void)
{
	Suite *suite = suite_create("penstock");
	TCase *c = files_case(suite, "penstock");

	program_find("apps/penstock/penstock", "PENSTOCK");
	find_plugins();
	tcase_add_loop_test(c, usage, 0, sizeof usages / sizeof *usages);
	tcase_add_test(c, helps);
	tcase_add_test(c, runs);
	tcase_add_test(c, runs_a_chain);
	tcase_add_test(c, bad_graph);
	tcase_add_test(c, failure);
	tcase_add_test(c, devices);
	tcase_add_test(c, one_file_twice);
#ifdef HAVE_OPENCL
	tcase_add_test(c, a_kernel_without_a_device);
#endif
	tcase_add_test(c, interrupted);
	tcase_add_loop_test(c, progress_on_a_terminal, 0, 2);
	tcase_add_test(c, checks);
	tcase_add_test(c, draws);
	tcase_add_test(c, writes);
	tcase_add_test(c, lists_actors);
	tcase_add_test(c, finds_the_best);
	tcase_add_test(c, nothing_is_better);
	tcase_add_test(c, bench_of_a_chain);
	tcase_add_test(c, bench_errors);
	tcase_add_test(c, bench_interrupted);
#ifdef HAVE_JANSSON
	tcase_add_test(c, as_json);
	tcase_add_test(c, statistics);
#endif
	return test_main(suite);
}
