/* SPDX-License-Identifier: MIT */
/* penstock plan, and runs as planned. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTORS                                                                                         \
	"actors:\n  s: {type: count, tokens: 8}\n  m: {type: repeat, times: 1}\n  e: {type: expect}\n" \
	"fifos:\n  - {from: s.out, to: m.in, rate: 2}\n  - {from: m.out, to: e.in, rate: 2}\n"

static const char machine[] =
	"machine: {hosts: {h: {devices: {g: {}}}}, links: [{between: [h, h/g], kind: copy, rate: 8000}]}\n",
		  planned[] = ACTORS "mapping: {m: h/g}\ntimes: {s: 1e-3, m: 2e-3, e: 1e-3}\n";

static void write_graph(const char *more)
{
	char text[2000];

	snprintf(text, sizeof text, "%s%s", planned, more);
	files_text("g.yaml", text);
}

START_TEST(tables)
{
	struct run run = { 0 };

	write_graph(machine);
	RUN(&run, 0, "plan", "g.yaml");
	TEST_SAYS((char *)run.out, "m      h/g           1        2      0    2.00 ms\n",
		"h -> h/g       1.00 ms", "overlap is on: with it a run is 1.50 times as fast as without\n");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--overlap", "off", "--merge=off");
	TEST_SAYS((char *)run.out, "overlap is off: with it a run is 1.50 times as fast as without\n");
	program_free(&run);
	write_graph("");
	files_text("m.yaml", machine);
	RUN(&run, 0, "plan", "g.yaml", "--machine", "m.yaml", "--format", "dot");
	TEST_SAYS((char *)run.out, "digraph plan {", "subgraph cluster1 {\n\t\tlabel=\"h/g\"",
		"\t\"s\" -> b0;\n", "\tb0 -> b2 [style=bold", "\tb2 -> \"m\";\n");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--machine", "m.yaml", "--format", "yaml", "--output", "map.yaml");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--machine", "m.yaml", "--mapping", "map.yaml");
	TEST_SAYS((char *)run.out, "m      h/g ");
	program_free(&run);
#ifdef HAVE_JANSSON
	RUN(&run, 0, "plan", "g.yaml", "--machine", "m.yaml", "--json");
	TEST_SAYS((char *)run.out, "\"period\": 0.002",
		"\"latency\": {\n  \"s\": 0,\n  \"m\": 2,\n  \"e\": 4\n }",
		"\"slack\": {\n  \"s\": 0,\n  \"m\": 0,\n  \"e\": 0\n }",
		"\"seconds\": {\n  \"s\": 0.001,\n  \"m\": 0.002,\n  \"e\": 0.001\n }",
		"\"mapping\": {\n  \"s\": \"h\",\n  \"m\": \"h/g\"");
	program_free(&run);
#endif
}
END_TEST

/* 3 ms on the host, 1 ms on the device for one of both: the transfers of 1 ms pay off. */
START_TEST(chooses_places)
{
	struct run run = { 0 };
	char text[2000];

	snprintf(text, sizeof text, "%s%s",
		ACTORS "fixed: [s, e]\ntimes: {s: 1e-3, m: {h: 9e-3, h/g: 2e-3}, e: 1e-3}\n", machine);
	files_text("g.yaml", text);
	RUN(&run, 0, "plan", "g.yaml", "--mapping", "auto");
	TEST_SAYS(
		(char *)run.out, "m      h/g ", "places: chosen in ", " steps, no other mapping is better\n");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--mapping", "auto", "--format", "yaml");
	ck_assert_str_eq((char *)run.out, "mapping:\n  \"s\": \"h\"\n  \"m\": \"h/g\"\n  \"e\": \"h\"\n");
	program_free(&run);
	snprintf(text, sizeof text, "%s%s", ACTORS "fixed: [s, e]\n", machine);
	files_text("g.yaml", text);
	FAILS(2,
		"penstock: g.yaml: 'm' has no time at any place: times: says where it can be, or fixed: that "
		"it stays where "
		"it is",
		"plan", "g.yaml", "--mapping", "auto");
	snprintf(text, sizeof text, "%s%s", ACTORS "fixed: [s, x]\n", machine);
	files_text("g.yaml", text);
	FAILS(2, "g.yaml:8:12: error: the graph has no actor 'x': it has s, m, e", "plan", "g.yaml",
		"--mapping", "auto");
	files_text("g.yaml",
		ACTORS "fixed: [s, e]\ntimes: {m: {h/g: 1}}\nmachine: {hosts: {h: {devices: {g: {}}}}}\n");
	FAILS(2, "no mapping was found in 3 steps: no links join the places where the actors can be", "plan",
		"g.yaml", "--mapping", "auto");
}
END_TEST

START_TEST(refusals)
{
	struct run run = { 0 };

	files_text("g.yaml", ACTORS);
	FAILS(2,
		"penstock: g.yaml: there is no machine to plan on: machine: {hosts: ..} in the graph says "
		"which, or "
		"--machine FILE\n",
		"plan", "g.yaml");
	FAILS(2, "penstock: --overlap maybe: expected on or off", "plan", "g.yaml", "--overlap", "maybe");
	FAILS(2, "penstock: --merge 1: expected on or off", "plan", "g.yaml", "--merge", "1");
	FAILS(2, "penstock: --format png: expected text, json, dot, svg or yaml", "plan", "g.yaml",
		"--format", "png");
	FAILS(2, "penstock: --contiguous says how --mapping auto chooses: give both\n", "plan",
		"--contiguous", "g.yaml");
	write_graph(machine);
	RUN(&run, 0, "graph", "g.yaml");
	program_free(&run);
	FAILS(3, "'m': place 'h/g' has no device: it can be planned, but nothing runs there", "run",
		"g.yaml");
	FAILS(2, "'m': the machine has no place 'gpu': it has h, h/g", "plan", "g.yaml", "--device", "m=gpu");
}
END_TEST

/* The networks of PACCO's vector of refusals, and places without memory: refused by each command, with the place. */
START_TEST(negatives)
{
	static const char *const commands[] = { "plan", "run", "check" };
	const char *command = commands[_i];

	files_text("g.yaml", "actors: {a: {type: repeat, times: 1}, b: {type: repeat, times: 1}}\n"
			     "fifos: [{from: a.out, to: b.in, rate: 1, token: u32}, {from: b.out, to: a.in, "
			     "rate: 1, token: u32}]\n"
			     "machine: {hosts: {h: {}}}\n");
	FAILS(4,
		"g.yaml:2:27: error: a cycle without a whole iteration of initial tokens: 'b' -> 'a' -> 'b': "
		"give one of its FIFOs a delay\n",
		command, "g.yaml");
	write_graph("machine: {hosts: {h: {devices: {g: cpu}}}}\n");
	FAILS(2,
		"g.yaml:6:23: error: no links lead from 'h' to 'h/g', but 'm' there reads what 's' here "
		"writes\n",
		command, "g.yaml");
	files_text("m.yaml", "machine: {hosts: {h: {devices: {g: cpu}}}}\nmapping: {skip: h/g}\n");
	FAILS(2,
		"chain:1:18: error: no links lead from 'h' to 'h/g', but 'skip' there reads what 'count' "
		"here writes\n",
		command, "-e", "count tokens=3 ! skip count=1 ! expect", "--mapping", "m.yaml");
	write_graph("machine: {hosts: {h: {devices: {h0: cpu}}}}\n");
	FAILS(2,
		"g.yaml:8:14: error: 'm': the machine has no place 'h/g'; did you mean 'h/h0'? It has h, "
		"h/h0\n",
		command, "g.yaml");
	files_text("g.yaml", ACTORS "  - {from: s.out, to: e.in, rate: 2}\nmachine: {hosts: {h: {}}}\n");
	FAILS(2, "g.yaml:8:23: error: 's'.out -> 'e'.in: the input is connected already, to 'm'", command,
		"g.yaml");
	files_text("g.yaml", ACTORS "mapping: {m: h, m: h}\nmachine: {hosts: {h: {}}}\n");
	FAILS(2, "g.yaml:8:17: error: 'm' is here a second time; the first: line 8\n", command, "g.yaml");
	files_text("m.yaml", "mapping: {m: h}\n");
	files_text("g.yaml", ACTORS "include: m.yaml\nmapping: {m: h}\nmachine: {hosts: {h: {}}}\n");
	FAILS(2, "error: the place of 'm' is in ", command, "g.yaml");
}
END_TEST

/* Before anything runs; a plan alone may be made for a place that is too small. */
START_TEST(too_little_memory)
{
	struct run run = { 0 };

	write_graph("machine: {hosts: {h: {memory: 15}}}\n");
	FAILS(1, "penstock: place 'h' has 15 bytes of memory, the plan needs 16\n", "run", "g.yaml",
		"--device", "m=h");
	RUN(&run, 0, "plan", "g.yaml", "--device", "m=h");
	TEST_SAYS((char *)run.out, "h                   16              16\n");
	program_free(&run);
}
END_TEST

/* Each actor where it is: the plan lacks no time, and the file that is written has them. */
START_TEST(measures_times)
{
	struct run run = { 0 };

	files_text("g.yaml",
		ACTORS "machine: {hosts: {h: {}, far: {}}, links: [{between: [h, far], kind: net}]}\n"
		       "times: {m: {far: 1.5}}\n");
	RUN(&run, 0, "plan", "g.yaml");
	TEST_SAYS((char *)run.out, "no time is known of 3 actors, 's', ..");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--seconds", "0.01");
	TEST_SAYS(run.err, "measured: 's' at h: ", " a firing, 4 firings\n",
		"measured: 'm' at h: ", "measured: 'e' at h: ");
	ck_assert_msg(!strstr((char *)run.out, "no time is known"), "%s", (char *)run.out);
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--format", "yaml", "--output", "map.yaml");
	program_free(&run);
	RUN(&run, 0, "plan", "g.yaml", "--mapping", "map.yaml", "--device", "m=far");
	TEST_SAYS((char *)run.out, "m      far           1        2      0     1.50 s\n");
	ck_assert_msg(!strstr((char *)run.out, "no time is known"), "%s", (char *)run.out);
	program_free(&run);
#ifdef HAVE_JANSSON
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--json");
	TEST_SAYS((char *)run.out, "\"measured\": [", "\"actor\": \"m\"", "\"firings\": 4");
	program_free(&run);
#endif
	FAILS(2, "penstock: --seconds is of the runs of --measure: give both", "plan", "g.yaml", "--seconds",
		"1");
	FAILS(2, "penstock: --seconds: 'x' is not a number from 0.01 to 3600", "plan", "g.yaml", "--measure",
		"--seconds", "x");
	/* without a machine nothing runs */
	files_text("g.yaml", ACTORS);
	FAILS(2, "there is no machine to plan on", "plan", "g.yaml", "--measure");
	/* what can't run can't be measured */
	files_text(
		"g.yaml", ACTORS "machine: {hosts: {h: {devices: {g: {}}}, far: {}}}\nmapping: {m: far}\n");
	FAILS(2, "no links lead from 'h' to 'far'", "plan", "g.yaml", "--measure");
	files_text("g.yaml",
		ACTORS "machine: {hosts: {h: {devices: {g: {}}}, far: {}}, links: [{between: [h, far], "
		       "kind: net}]}\nmapping: {m: far}\n");
	FAILS(2, "g.yaml: its actors are at several hosts, and this runs it in one process", "plan", "g.yaml",
		"--measure");
}
END_TEST

/* The run of a network without end is interrupted, and nothing is planned. */
START_TEST(measuring_is_interrupted)
{
	static const char *const arguments[] = { "plan", "g.yaml", "--measure", "--seconds", "3600",
		"--mapping", "auto", NULL };
	struct run run = { 0 };

	files_text("g.yaml", "actors: {s: {type: count, tokens: 0}, e: {type: expect}}\n"
			     "fifos: [{from: s.out, to: e.in, rate: 2}]\nmachine: {hosts: {h: {}}}\n");
	program_start(&run, arguments);
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_msg(run.status == 130, "%d: %s", run.status, run.err);
	ck_assert_uint_eq(run.out_size, 0);
	TEST_SAYS(run.err, "penstock: interrupted\n");
	program_free(&run);
}
END_TEST

#ifdef HAVE_OPENCL
/* Actors that can be at several places, at each of them: repeat has a form for devices, the others have none. */
START_TEST(measures_everywhere)
{
	struct run run = { 0 };

	files_text("g.yaml",
		ACTORS "fixed: [s]\n"
		       "machine: {hosts: {h: {devices: {c: 'pocl:cpu:0', g: {}, x: no such device}}}, "
		       "links: [{between: [h, h/c], kind: shared}, {between: [h, h/x], kind: copy}]}\n");
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--mapping", "auto", "--format", "yaml");
	TEST_SAYS(run.err, "measured: 's' at h: ", "measured: 'm' at h: ", "measured: 'e' at h: ",
		"measured: 'm' at h/c: ", " a firing, 4 firings\n", "no such device",
		"not measured: what can be at h/x\n");
	ck_assert_ptr_null(strstr(run.err, "h/g"));
	ck_assert_ptr_null(strstr(run.err, "'e' at h/c"));
	TEST_SAYS((char *)run.out,
		"times:\n  \"s\": {\"h\": ", "\n  \"m\": {\"h\": ", ", \"h/c\": ", "\n  \"e\": {\"h\": ");
	program_free(&run);
}
END_TEST
#endif

#ifdef HAVE_OPENCL
/* A kernel alone: its device tells how long commands took, or does not. */
START_TEST(measures_a_kernel)
{
	struct run run = { 0 };

	setenv("OCL_ICD_VENDORS", FAKE_CL_DRIVER, 1);
	/* the fake's kernel has a factor where the firing's number comes: 0 */
	setenv("PENSTOCK_FAKE_CL", "argsize=0,arginfo=0,quiet=1", 1);
	files_text("k.cl", "kernel void scale_uint(global const uint *in, global uint *out, ulong n) {}\n");
	files_text("g.yaml", "actors: {s: {type: count, tokens: 1}, e: {type: expect}, k: {kernel: k.cl, "
			     "name: scale_uint,\n"
			     "  ports: {in: {input: u32}, out: {output: u32}}, work_size: [rate(in)]}}\n"
			     "fifos: [{from: s.out, to: k.in, rate: 1}, {from: k.out, to: e.in, rate: 1}]\n"
			     "mapping: {k: h/g}\n"
			     "machine: {hosts: {h: {devices: {g: 'pstk:gpu:0'}}}, links: [{between: [h, "
			     "h/g], kind: copy}]}\n");
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--seconds", "0.01");
	TEST_SAYS(run.err, "measured: 'k' at h/g: ", " a firing, 1 firing\n");
	program_free(&run);
	setenv("PENSTOCK_FAKE_CL", "argsize=0,arginfo=0,quiet=1,fail=clGetEventProfilingInfo:1:-7", 1);
	RUN(&run, 0, "plan", "g.yaml", "--measure", "--seconds", "0.01");
	TEST_SAYS(run.err, "not measured: 'k' at h/g: its device tells no times\n");
	TEST_SAYS((char *)run.out, "no time is known of 1 actor, 'k': counted as 0");
	program_free(&run);
}
END_TEST

/* s at the host, m and n at places of devices, e at the host. */
#define FOUR                                                                                                \
	"actors: {s: {type: count, tokens: 8}, m: {type: repeat, times: 1}, n: {type: repeat, times: 1},\n" \
	"  e: {type: expect}}\nfifos:\n  - {from: s.out, to: m.in, rate: 2}\n"                              \
	"  - {from: m.out, to: n.in, rate: 2, token: u32}\n  - {from: n.out, to: e.in, rate: 2}\n"          \
	"mapping: {m: h/g, n: h/k}\nmachine:\n  hosts: {h: {devices: "

/* Runs it, or fails for want of a kernel: what is said before that. */
static void warned(const char *devices, const char *links, int status, const char *words)
{
	struct run run = { 0 };
	char text[2000];

	snprintf(text, sizeof text, FOUR "%s}}\n  links: [%s]\n", devices, links);
	files_text("g.yaml", text);
	RUN(&run, status, "run", "g.yaml");
	if (words)
		TEST_SAYS(run.err, words);
	else
		ck_assert_msg(!strstr(run.err, "warning"), "%s", run.err);
	program_free(&run);
}

/* A line where the library does something else than the machine says. */
START_TEST(warns_of_links)
{
	static const char parts[] = "{g: 'pocl:cpu:0/1of2', k: 'pocl:cpu:0/2of2'}",
			  shared[] = "{between: [h, h/g], kind: shared}, {between: [h/k, h], kind: shared}",
			  copies[] = "{between: [h, h/g], kind: copy}, {between: [h, h/k], kind: copy}";

	warned(parts, shared, 0, NULL);
	warned(parts, copies, 0,
		"penstock: warning: link 'h' - 'h/g' copies in the machine, but both places use one memory "
		"here "
		"(fine-grain SVM): the plan counts transfers that there are not; say kind: shared\n");
	setenv("PENSTOCK_MEMORY", "copy", 1);
	warned(parts, shared, 0,
		"penstock: warning: link 'h' - 'h/k' is shared in the machine, but windows are copied here "
		"(staged): the "
		"plan counts no transfers; say kind: copy\n");
	warned(parts, copies, 0, "penstock: warning: the way 'h/g' - 'h/k' copies in the machine, but both");
	warned(parts,
		"{between: [h, h/g], kind: copy}, {between: [h, h/k], kind: copy}, {between: [h/g, h/k], "
		"kind: shared}",
		0, NULL);
	unsetenv("PENSTOCK_MEMORY");
	setenv("OCL_ICD_VENDORS", FAKE_CL_DRIVER, 1);
	setenv("PENSTOCK_FAKE_CL", "devices=2", 1);
	warned("{g: 'pstk:gpu:0', k: 'pstk:gpu:1'}", copies, 1, NULL);
	warned("{g: 'pstk:gpu:0', k: 'pstk:gpu:1'}", shared, 1,
		"penstock: warning: the way 'h/g' - 'h/k' is shared in the machine, but windows are copied "
		"here (staged "
		"through the host): ");
	setenv("PENSTOCK_MEMORY", "map", 1);
	warned("{g: 'pstk:gpu:0', k: 'pstk:gpu:1'}", copies, 1, NULL);
}
END_TEST
#endif

/* All at one host: as planned. */
START_TEST(runs_as_planned)
{
	struct run run = { 0 };

	write_graph("machine: {hosts: {h: {}}}\n");
	RUN(&run, 0, "run", "g.yaml", "--device", "m=h", "--overlap=off");
	program_free(&run);
	RUN(&run, 0, "check", "g.yaml", "--device", "m=h");
	TEST_SAYS((char *)run.out, "depth 1");
	program_free(&run);
	/* without a machine: on what it is mapped to */
	write_graph("");
	RUN(&run, 0, "run", "g.yaml", "--device", "m=cores", "--overlap", "off");
	program_free(&run);
	RUN(&run, 0, "run", "g.yaml", "--device", "m=cores", "--merge", "off");
	program_free(&run);
}
END_TEST

/* A chain on one core: the first and the third FIFO have one memory. Said before the run, and by each command. */
#define CHAIN                                                                                                \
	"actors:\n  s: {type: count, tokens: 8}\n  a: {type: repeat, times: 1}\n  b: {type: repeat, times: " \
	"1}\n"                                                                                               \
	"  e: {type: expect}\nfifos:\n  - {from: s.out, to: a.in, rate: 2}\n"                                \
	"  - {from: a.out, to: b.in, rate: 2, token: u32}\n  - {from: b.out, to: e.in, rate: 2}\n"
static const char one_core[] = "machine: {hosts: {h: {cores: 1}}}\n";

static void says_merged(const char *command, const char *merge, unsigned times)
{
	struct run run = { 0 };
	unsigned count = 0;

	RUN(&run, 0, command, "g.yaml", "--machine", "m.yaml", "--merge", merge);
	for (const char *at = strcmp(command, "run") ? (char *)run.out : run.err;
		(at = strstr(at, ", merged")); at++)
		count++;
	ck_assert_msg(count == times, "%s --merge %s: %u times: %s%s", command, merge, count, (char *)run.out,
		run.err);
	program_free(&run);
}

START_TEST(what_is_merged_is_said)
{
	static const char *const commands[] = { "run", "check", "graph" };

	files_text("g.yaml", CHAIN);
	files_text("m.yaml", one_core);
	for (unsigned i = 0; i < TEST_COUNT(commands); i++) {
		says_merged(commands[i], "on", 2);
		says_merged(commands[i], "off", 0);
	}
}
END_TEST

/* Places, devices and depths of the plan; without devices here places alone, with a warning. */
START_TEST(graphs_are_drawn_as_planned)
{
	struct run run = { 0 };

	setenv("PENSTOCK_TEAM", "0", 1); /* a team has other depths */
	write_graph(machine);
	RUN(&run, 0, "graph", "g.yaml");
	TEST_SAYS((char *)run.out, "\"m\" [label=\"m\\nrepeat\\nh/g\"", "depth 2");
	TEST_SAYS(run.err, "penstock: warning: g.yaml: 'm': place 'h/g' has no device",
		": drawn as it is without a plan\n");
	program_free(&run);
	write_graph("machine: {hosts: {h: {devices: {g: {}}}}}\n");
	RUN(&run, 0, "graph", "g.yaml");
	TEST_SAYS(run.err, "penstock: warning: g.yaml: no links lead from 'h' to 'h/g'");
	program_free(&run);
	write_graph(machine);
	RUN(&run, 0, "graph", "g.yaml", "--format", "yaml");
	ck_assert_str_eq(run.err, "");
	program_free(&run);
#ifdef HAVE_OPENCL
	setenv("OCL_ICD_VENDORS", FAKE_CL_DRIVER, 1);
	setenv("PENSTOCK_FAKE_CL", "svm=none,unified=0", 1);
	write_graph("machine: {hosts: {h: {devices: {g: 'pstk:gpu:0'}}}, links: [{between: [h, h/g], kind: "
		    "copy}]}\n");
	RUN(&run, 0, "graph", "g.yaml", "--overlap", "off");
	ck_assert_str_eq(run.err, "");
	TEST_SAYS((char *)run.out, "\"m\" [label=\"m\\nrepeat\\nh/g\\npstk:gpu:0\"", "depth 1");
	ck_assert_ptr_null(strstr((char *)run.out, "depth 2"));
	program_free(&run);
#endif
}
END_TEST

/* A cycle without initial tokens can't be planned, with a machine or without; it is drawn all the same. */
START_TEST(cycles_have_no_plan)
{
	struct run run = { 0 };

	files_text("g.yaml", "actors: {a: {type: repeat, times: 1}, b: {type: repeat, times: 1}}\n"
			     "fifos:\n"
			     "  - {from: a.out, to: b.in, rate: 2, token_size: 4}\n"
			     "  - {from: b.out, to: a.in, rate: 2, token_size: 4}\n");
	FAILS(4, "a cycle without a whole iteration of initial tokens: ", "check", "g.yaml", "--overlap",
		"on");
	RUN(&run, 0, "graph", "g.yaml", "--overlap", "on");
	TEST_SAYS(run.err, "initial tokens: ", ": drawn as it is without a plan\n");
	program_free(&run);
}
END_TEST

/* What a graph without a machine says, on one of a file. */
START_TEST(selectors_are_no_places)
{
	files_text("m.yaml", "machine: {hosts: {h: {devices: {g: 'pstk:gpu:0', k: cpu}}}}\n");
	files_text("g.yaml", ACTORS "mapping: {m: cores}\n");
	FAILS(2,
		"g.yaml:8:14: error: 'm': the machine has no place 'cores': it has h, h/g, h/k; name its "
		"place "
		"instead: h\n",
		"plan", "g.yaml", "--machine", "m.yaml");
	files_text("g.yaml", ACTORS "mapping: {m: cpu}\n");
	FAILS(2, "h, h/g, h/k; name its place instead: h/k (cpu)\n", "run", "g.yaml", "--machine", "m.yaml");
	files_text("g.yaml", ACTORS "mapping: {m: 'pocl:cpu:0'}\n");
	FAILS(2, "; name its place instead: h/g (pstk:gpu:0), h/k (cpu)\n", "check", "g.yaml", "--machine",
		"m.yaml");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *c = files_case(suite, "plan");

	command_find();
	tcase_add_test(c, tables);
	tcase_add_test(c, chooses_places);
	tcase_add_test(c, refusals);
	tcase_add_loop_test(c, negatives, 0, 3);
	tcase_add_test(c, too_little_memory);
	tcase_add_test(c, measures_times);
	tcase_add_test(c, measuring_is_interrupted);
#ifdef HAVE_OPENCL
	tcase_add_test(c, measures_everywhere);
	tcase_add_test(c, measures_a_kernel);
	tcase_add_test(c, warns_of_links);
#endif
	tcase_add_test(c, runs_as_planned);
	tcase_add_test(c, what_is_merged_is_said);
	tcase_add_test(c, graphs_are_drawn_as_planned);
	tcase_add_test(c, selectors_are_no_places);
	tcase_add_test(c, cycles_have_no_plan);
	return test_main(suite);
}
