/* SPDX-License-Identifier: MIT */
/* The command as a user runs it: what it writes, its exit statuses, signals, terminals. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"
#include "penstock/penstock.h"
#include "tests/observe/trace_reader.h"

#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- the command line -- */

static const struct {
	const char *arguments[6];
	const char *words;
} usages[] = {
	{ { NULL },
		"penstock: a command is needed: run, ctl, check, graph, plan, bench, map, machine, devices "
		"or actors\nTry "
		"'penstock "
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
		"chain:1:1: error: 'count' (count) has no parameter 'frames': it has tokens, slow\n" },
	{ { "run", "-e", "video_source size=8x8 frames=abc ! video_sink", "--frames", "3" },
		"chain:1:30: error: 'video_source': parameter 'frames' is 'abc': expected u64\n" },
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
	static const char *const commands[] = { "run", "check", "graph", "plan", "bench", "machine",
		"devices", "actors" };
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

	files_text("g.yaml", command_chain);
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
	RUN(&run, 0, "run", "-e", "video_source size=16x16 ! video_sink", "--frames", "7", "--rate", "2");
	TEST_SAYS(run.err, "video_sink.map: 7 tokens in ");
	program_free(&run);
	RUN(&run, 0, "check", "--chain", "count ! expect", "--team", "0");
	TEST_SAYS((char *)run.out, "proven: free of deadlock");
	program_free(&run);
	RUN(&run, 0, "graph", "-e", "count ! expect");
	TEST_SAYS((char *)run.out, "\"count\" -> \"expect\"");
	program_free(&run);
}
END_TEST

/* What counts: --team, then a --mapping file's run, then the graph's, in which --set replaces parameters. */
START_TEST(order_of_settings)
{
	static const struct {
		const char *mapping, *set, *team, *says;
	} orders[] = { { "{}", "team=3", NULL, "a team of 3 threads" },
		{ "parameters: {team: 2}", "team=3", NULL, "a team of 3 threads" },
		{ "run: {team: 2}", "team=3", NULL, "a team of 2 threads" },
		{ "run: {team: $team}", "team=3", NULL, "a team of 3 threads" },
		{ "run: {team: 2}", "team=3", "4", "a team of 4 threads" } };
	struct run run = { 0 };

	files_text("g.yaml",
		"parameters: {team: 1}\nactors:\n  source: {type: count}\n  sink: {type: expect}\n"
		"fifos: [{from: source.out, to: sink.in, rate: 1}]\nrun: {team: $team}\n");
	for (size_t i = 0; i < TEST_COUNT(orders); i++) {
		files_text("m.yaml", orders[i].mapping);
		RUN(&run, 0, "check", "g.yaml", "--mapping", "m.yaml", "--set", orders[i].set,
			orders[i].team ? "--team" : NULL, orders[i].team);
		TEST_SAYS((char *)run.out, orders[i].says);
		program_free(&run);
	}
}
END_TEST

START_TEST(bad_graph)
{
	files_text("g.yaml", "actors:\n  a: {type: repet}\n  b: {type: repeat, times: x}\n");
	FAILS(2, "g.yaml:2:13: error: no plug-in has an actor type 'repet'; did you mean 'repeat'?", "run",
		"g.yaml");
	FAILS(2, "g.yaml:3:", "check", "g.yaml");
	files_text("g.yaml", command_chain);
	FAILS(2, "penstock: the graph has no parameter 'token'; did you mean 'tokens'?", "run", "g.yaml",
		"--set", "token=3");
	/* what the library refuses before the start, too */
	files_text("g.yaml", "actors:\n  source: {type: count}\n  twice: {type: repeat, times: 2}\n  sink: "
			     "{type: expect}\n"
			     "fifos:\n  - {from: source.out, to: twice.in, rate: 2}\n"
			     "  - {from: twice.out, to: sink.in, rate: 6}\n");
	FAILS(2, "penstock: 'twice' (repeat): port 'out' moves 2 tokens a step", "run", "g.yaml");
	/* a deadlock is seen before the run */
	files_text("g.yaml", command_cycle);
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

	files_text("g.yaml", command_chain);
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

/* Why is it slow? */
START_TEST(explained)
{
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000", "--explain", "--latency", "--top");
	ck_assert_uint_eq(run.out_size, 0);
	TEST_SAYS(run.err, "sink.in: 1000 tokens in ", "\nnetwork 'chain': ", " looks",
		"\n  limit: ", ": latency of 1 path", " -> sink: p50 ", " followed windows arrived\n");
	program_free(&run);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000");
	ck_assert_ptr_null(strstr(run.err, "limit: "));
	ck_assert_ptr_null(strstr(run.err, "latency"));
	program_free(&run);
}
END_TEST

/* A timeline: the whole run, or its end, or its beginning. */
START_TEST(timelines)
{
	struct run run = { 0 };

	files_text("g.yaml", command_chain);
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000", "--trace", "t.json", "--team", "2");
	program_free(&run);
	ck_assert(trace_is_json("t.json"));
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000", "--trace", "t.json", "--trace-memory", "1",
		"--trace-keep", "first");
	program_free(&run);
	ck_assert(trace_is_json("t.json"));
	RUN(&run, 0, "run", "g.yaml", "--set", "tokens=1000", "--trace", "-");
	if (trace_reader_is_there())
		TEST_SAYS((char *)run.out, "{\"displayTimeUnit\"", "\"lost_firings\":0", "]}\n");
	program_free(&run);
	FAILS(2, "penstock: --trace-memory: '0' is not a number of MiB from 1 to 1048576\n", "run", "g.yaml",
		"--set", "tokens=1000", "--trace", "t.json", "--trace-memory", "0");
	FAILS(2, "penstock: --trace-keep: 'all' is not last or first\n", "run", "g.yaml", "--set",
		"tokens=1000", "--trace", "t.json", "--trace-keep", "all");
	FAILS(1, "trace './none/t.json': No such file or directory\n", "run", "g.yaml", "--set",
		"tokens=1000", "--trace", "./none/t.json");
	FAILS(1, "trace '/dev/full': No space left on device: it ends early\n", "run", "g.yaml", "--set",
		"tokens=1000", "--trace", "/dev/full");
}
END_TEST

/* A file that is written must be no other one of the command's: nothing is touched then. */
START_TEST(one_file_twice)
{
	size_t size;
	unsigned char *file;

	files_text("g.yaml", command_chain);
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
	FAILS(2, "penstock: --trace g.yaml: it is the graph file\n", "run", "g.yaml", "--trace", "g.yaml");
	FAILS(2, "penstock: --trace needs a name\n", "run", "g.yaml", "--trace", "");
	FAILS(2, "penstock: --output g.yaml: it is the graph file\n", "graph", "g.yaml", "--output",
		"g.yaml");
	FAILS(2, "penstock: --output g.yaml: it is the graph file\n", "bench", "g.yaml", "--output",
		"g.yaml");
	file = files_read("g.yaml", &size);
	ck_assert_uint_eq(size, strlen(command_chain));
	ck_assert_mem_eq(file, command_chain, size);
	free(file);
	/* of actors */
	files_text("two.yaml",
		"actors:\n  source: {type: video_source, size: 16x16, frames: 1}\n"
		"  one: {type: video_sink, output: b.gray}\n  two: {type: video_sink, output: ./b.gray}\n"
		"fifos:\n  - {from: source.out, to: [one.map, two.map], rate: 1}\n");
	FAILS(2, "two.yaml:4:3: error: 'two' writes ./b.gray, which 'one' writes\n", "run", "two.yaml");
	FAILS(2, "'two' writes ./b.gray, which 'one' writes\n", "check", "two.yaml");
	files_write("in.gray", command_chain, 256);
	FAILS(2, "'video_sink' writes in.gray, which 'video_source' reads\n", "run", "-e",
		"video_source input=in.gray size=16x16 ! video_sink output=in.gray");
	ck_assert_int_eq(files_size("in.gray"), 256);
	ck_assert(!files_exists("b.gray") && !files_exists("out.gray"));
}
END_TEST

static void write_graph_of_files(void)
{
	size_t size;
	unsigned char *own = files_read(strrchr(getenv("PENSTOCK_PLUGINS"), ':') + 1, &size);

	files_write("own.so", own, size);
	free(own);
	files_text("inc.yaml", "actors:\n  source: {type: count}\n  sink: {type: expect}\n  iq: {type: "
			       "iq_source, samples: 1}\n"
			       "  fir: {type: fir_f32, file: taps.txt}\n  none: {type: iq_sink}\n");
	files_text("over.yaml", "run: {team: 2}\n");
	files_text("init.bin", "1234");
	files_text("taps.txt", "1\n");
	files_text("g.yaml",
		"include: inc.yaml\nfifos:\n  - {from: source.out, to: sink.in, rate: 1, initial: {file: "
		"init.bin}}\n"
		"  - {from: iq.re, to: fir.in, rate: 1}\n  - {from: fir.out, to: none.re, rate: 1}\n"
#ifdef HAVE_OPENCL
		"  - {from: iq.im, to: k.in, rate: 1}\n  - {from: k.out, to: none.im, rate: 1}\n"
		"actors:\n  k: {kernel: k.cl, name: k, work_size: 1, ports: {in: {input: f32}, out: {output: "
		"f32}}}\n"
		"mapping: {k: 'pocl:cpu:0'}\n"
#else
		"  - {from: iq.im, to: none.im, rate: 1}\n"
#endif
	);
	files_text("k.cl", "__kernel void k(__global float *in, __global float *out, ulong n) {}\n");
}

/* Nor one that the graph is made of. */
START_TEST(files_of_the_graph)
{
	static const char *const files[] = { "inc.yaml", "over.yaml", "init.bin", "taps.txt", "own.so",
#ifdef HAVE_OPENCL
		"k.cl"
#endif
	};

	write_graph_of_files();
	for (size_t i = 0; i < TEST_COUNT(files); i++) {
		static const char *const writes[][2] = { { "graph", "--output" }, { "bench", "--output" },
#ifdef HAVE_JANSSON
			{ "run", "--stats" },
#endif
			{ "run", "--trace" } };
		size_t size, size_after;
		unsigned char *before = files_read(files[i], &size), *after;
		char words[64];

		for (size_t k = 0; k < TEST_COUNT(writes); k++) {
			snprintf(words, sizeof words, "penstock: %s %s: it is ", writes[k][1], files[i]);
			FAILS(2, words, writes[k][0], "g.yaml", "--plugin", "./own.so", "--mapping",
				"over.yaml", writes[k][1], files[i]);
		}
		after = files_read(files[i], &size_after);
		ck_assert_uint_eq(size_after, size);
		ck_assert_mem_eq(after, before, size);
		free(before);
		free(after);
	}
}
END_TEST

#ifdef HAVE_OPENCL
/* The first mistake that is made with a kernel. */
START_TEST(a_kernel_without_a_device)
{
	files_text("k.cl", "__kernel void k(__global float *out, ulong n) { out[0] = n; }\n");
	files_text("g.yaml",
		"actors:\n  k: {kernel: k.cl, name: k, ports: {out: {output: f32}}, work_size: [1]}\n"
		"  r: {type: iq_sink}\nfifos: [{from: k.out, to: [r.re, r.im], rate: 1}]\n");
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

	files_text("g.yaml", command_chain);
	program_start(&run, (const char *const[]){ "run", "g.yaml", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_msg(run.status == 130, "%d: %s", run.status, run.err);
	TEST_SAYS(run.err, "penstock: interrupted\n");
	program_free(&run);
}
END_TEST

static bool has_part(void)
{
	glob_t found = { 0 };
	bool has = !glob("out.cf32.*.part", 0, NULL, &found);

	globfree(&found);
	return has;
}

/* While an input waits for its pipe an output is open: a signal leaves no file behind. */
START_TEST(interrupted_while_loading)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };

	files_text("g.yaml", "actors:\n  sink: {type: iq_sink, output: out.cf32}\n  source: {type: "
			     "iq_source, input: pipe}\n"
			     "fifos:\n  - {from: source.re, to: sink.re, rate: 1}\n"
			     "  - {from: source.im, to: sink.im, rate: 1}\n");
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	program_start(&run, (const char *const[]){ "run", "g.yaml", NULL });
	while (!has_part())
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_msg(run.status == 130, "%d: %s", run.status, run.err);
	ck_assert_str_eq(run.err, "penstock: interrupted\n");
	ck_assert(!has_part() && !files_exists("out.cf32"));
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
	files_text("g.yaml", command_chain);
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

/* -- bench -- */

/* A source that computes for nothing is slower than one that does not, on any machine. */
START_TEST(finds_the_best)
{
	struct run run = { 0 };
	size_t size;
	unsigned char *file;

	files_text("g.yaml", command_chain);
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

	files_text("g.yaml", command_chain);
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
	files_text("g.yaml", command_chain);
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

	files_text("g.yaml", command_chain);
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

int main(void)
{
	Suite *suite = suite_create("penstock");
	TCase *c = files_case(suite, "penstock");

	command_find();
	tcase_add_loop_test(c, usage, 0, sizeof usages / sizeof *usages);
	tcase_add_test(c, helps);
	tcase_add_test(c, runs);
	tcase_add_test(c, runs_a_chain);
	tcase_add_test(c, order_of_settings);
	tcase_add_test(c, bad_graph);
	tcase_add_test(c, failure);
	tcase_add_test(c, devices);
	tcase_add_test(c, one_file_twice);
	tcase_add_test(c, files_of_the_graph);
	tcase_add_test(c, timelines);
	tcase_add_test(c, explained);
#ifdef HAVE_OPENCL
	tcase_add_test(c, a_kernel_without_a_device);
#endif
	tcase_add_test(c, interrupted);
	tcase_add_loop_test(c, interrupted_while_loading, 0, 3);
	tcase_add_loop_test(c, progress_on_a_terminal, 0, 2);
	tcase_add_test(c, finds_the_best);
	tcase_add_test(c, nothing_is_better);
	tcase_add_test(c, bench_of_a_chain);
	tcase_add_test(c, bench_errors);
	tcase_add_test(c, bench_interrupted);
	return test_main(suite);
}
