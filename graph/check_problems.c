/* SPDX-License-Identifier: MIT */
/* Every message of the readers of graph files, with its place: what is wrong is found, all of it at once. */
#include "graph/check_load.h"

/* Each problem without the file's folder, in order. */
static const struct wrong {
	const char *text, *problems[6];
} wrongs[] = {
	/* YAML */
	{ "actors: {a: [}\n",
		{ "g.yaml:1:14: error: did not find expected node content, while parsing a flow node" } },
	{ "\tactors: {}\n", { "g.yaml:1:1: error: found character that cannot start any token, while "
			      "scanning for the next token" } },
	{ "actors: \xff\n", { "g.yaml:1:1: error: not a text in UTF-8: invalid leading UTF-8 octet" } },
	{ "run: &r {team: 2}\n", { "g.yaml:1:6: error: '&r': a graph file has no anchors: use a parameter "
				   "(`parameters:`, $name)" } },
	{ "run: {team: *t}\n", { "g.yaml:1:13: error: '*t': a graph file has no aliases: use a parameter "
				 "(`parameters:`, $name)" } },
	{ "run: !run {team: 2}\n", { "g.yaml:1:6: error: '!run': a graph file has no tags" } },
	{ "run: {team: 1}\n---\nrun: {}\n", { "g.yaml:2:1: error: a second document: a graph file is one" } },
	{ "run: {[a]: 1}\n", { "g.yaml:1:7: error: a list as a key" } },
	{ "run: {team: 1, watchdog: 3, team: 2}\n",
		{ "g.yaml:1:29: error: 'team' is here a second time; the first: line 1" } },
	{ "run: \"a\\0b\"\n", { "g.yaml:1:6: error: a zero byte in a value" } },
	/* the document */
	{ "- a\n", { "g.yaml:1:1: error: 'an entry' is a list: expected a map, {key: value}" } },
	{ "actor: {}\nfifos: {}\nactors: []\nparameters: 3\n",
		{ "g.yaml:1:1: error: a graph file has no key 'actor'; did you mean 'actors'? It has "
		  "network, include, "
		  "parameters, actors, fifos, mapping, run",
			"g.yaml:2:8: error: 'fifos' is a map: expected a list, [..]",
			"g.yaml:3:9: error: 'actors' is a list: expected a map, {name: ..}",
			"g.yaml:4:13: error: 'parameters' is a value: expected a map, {name: value}" } },
	{ "include: {a: b}\n", { "g.yaml:1:10: error: 'include' is a map: expected a list of files" } },
	{ "include: [none.yaml]\n", { "g.yaml:1:11: error: none.yaml: No such file or directory" } },
	{ "include: g.yaml\n", { "g.yaml:1:10: error: g.yaml is included a second time" } },
	/* parameters */
	{ "parameters: {a b: 1, c: [1]}\n",
		{ "g.yaml:1:14: error: 'a b' as a parameter: a name has letters, digits and _",
			"g.yaml:1:25: error: 'c' is a list: expected a value" } },
	{ "parameters: {team: 2}\nrun: {team: $teem}\nnetwork: a$\nmapping: {s: \"${a\"}\n",
		{ "g.yaml:2:13: error: the graph has no parameter 'teem'; did you mean 'team'? It has team",
			"g.yaml:3:10: error: 'a$': a $ is the beginning of $name or ${name}; a dollar itself "
			"is $$",
			"g.yaml:4:11: error: the graph has no actor 's': it has none at all",
			"g.yaml:4:14: error: '${a': a $ is the beginning of $name or ${name}; a dollar "
			"itself is $$" } },
	/* actors */
	{ "actors:\n  a: 1\n  b: {}\n  c: {type: x, kernel: y}\n  d: {type: repeet, times: 1}\n  e: {type: "
	  "[x]}\n",
		{ "g.yaml:2:6: error: 'a' is a value: expected a map, {type: ..} or {kernel: ..}",
			"g.yaml:3:3: error: 'b' has neither a type nor a kernel: give it one of both",
			"g.yaml:4:3: error: 'c' has a type and a kernel: give it one of both",
			"g.yaml:5:13: error: no plug-in has an actor type 'repeet'; did you mean 'repeat'? "
			"It has adder, "
			"configuration, deinterleave, equalize, fir, fir_cf32, fir_f32, gauss5x5, "
			"interleave, "
			"median5, polynomial, repeat, resample_cf32, resample_f32, skip, threshold, fft, "
			"iq_sink, iq_source, spectrum, video_sink, video_source",
			"g.yaml:6:13: error: 'type' is a list: expected a value" } },
	{ "actors:\n  a: {type: repeat, times: 0}\n  b: {type: repeat, time: 3}\n  c: {type: skip, count: x, "
	  "guard: 1}\n",
		{ "g.yaml:2:28: error: 'a': parameter 'times' is '0': expected u32 in 1..",
			"g.yaml:3:27: error: 'b' (repeat) has no parameter 'time'; did you mean 'times'? It "
			"has times",
			"g.yaml:4:26: error: 'c': parameter 'count' is 'x': expected u32 in 0..4294967294",
			"g.yaml:4:29: error: 'guard' is not known in this version" } },
	{ "actors:\n  f: {type: fir_f32, taps: [1, {a: 2}]}\n  i: {type: interleave, widths: [1, -2]}\n  x: "
	  "{type: "
	  "interleave}\n  p: {type: polynomial, branches: 1 2x}\n  r: {type: resample_f32, p: 2, q: 0, "
	  "parameters: 3}\n",
		{ "g.yaml:2:32: error: 'an entry' is a map: expected a value",
			"g.yaml:3:3: error: 'i': widths are '1 -2': expected whole numbers, apart by blanks "
			"or commas",
			"g.yaml:4:3: error: 'x' (interleave): parameter 'widths' is not given: tokens of "
			"each stream in a "
			"row: a list",
			"g.yaml:5:3: error: 'p': branches are '1 2x': expected odd orders, with * behind one "
			"of the "
			"conjugate: 1 3 1* 3*",
			"g.yaml:6:36: error: 'r': parameter 'q' is '0': expected u32 in 1..65536",
			"g.yaml:6:51: error: 'parameters' is a value: expected a map, {name: value}" } },
	{ "actors:\n  a: {type: repeat, times: 2, steps: 0, pin: -1, concurrency: 1000}\n",
		{ "g.yaml:2:38: error: 'steps' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:2:46: error: 'pin' is '-1': expected a whole number, 0 to 4294967295",
			"g.yaml:2:63: error: 'a' (repeat): pstk_actor_set_concurrency: 1000 firings side by "
			"side: expected 1 to 256" } },
	{ "actors:\n  a: {type: repeat, times: 2, ports: 1, name: b}\n",
		{ "g.yaml:2:31: error: 'ports' is of actors with a kernel; a parameter of this name stands "
		  "under parameters: {ports: ..}",
			"g.yaml:2:41: error: 'name' is of actors with a kernel; a parameter of this name "
			"stands under parameters: {name: ..}" } },
	/* a builder is not asked with a value that is not known */
	{ "actors:\n  f: {type: fir, taps: $none}\n  g: {type: fir, taps: [1, $none]}\n",
		{ "g.yaml:2:24: error: the graph has no parameter 'none': it has none at all",
			"g.yaml:3:28: error: the graph has no parameter 'none': it has none at all" } },
	/* kernels */
	{ "actors:\n  k: {kernel: k.cl}\n  l: {kernel: k.cl, name: l, ports: 1, work_size: [1], arg: 2}\n"
	  "  m: {kernel: k.cl, name: m, ports: 1, work_size: [1]}\n",
		{ "g.yaml:2:3: error: 'k' has a kernel, but no 'name'",
			"g.yaml:2:3: error: 'k' has a kernel, but no 'ports'",
			"g.yaml:2:3: error: 'k' has a kernel, but no 'work_size'",
			"g.yaml:3:56: error: an actor with a kernel has no key 'arg'; did you mean 'args'? "
			"It has kernel, "
			"name, options, ports, work_size, args, control, state_size, concurrency, pin, steps",
			"g.yaml:4:37: error: 'ports' is a value: expected a map, {in: {input: f32}, ..}" } },
	{ "actors:\n  k: {kernel: k.cl, name: k, ports: {a: {inpt: f32}, b: {rate: 2}, c: {input: f32, "
	  "output: f32}}, "
	  "work_size: [1]}\n",
		{ "g.yaml:2:42: error: a port has no key 'inpt'; did you mean 'input'? It has input, output, "
		  "dynamic_input, dynamic_output, control, token_size, format, rate, history, peek",
			"g.yaml:2:57: error: the port 'b' is of no kind: expected one of input, output, "
			"dynamic_input, "
			"dynamic_output, control, and behind it the type of its tokens",
			"g.yaml:2:71: error: the port 'c' is of more than one kind: expected one of input, "
			"output, "
			"dynamic_input, dynamic_output, control, and behind it the type of its tokens" } },
	{ "actors:\n  k: {kernel: k.cl, name: k, ports: {o: {output: f32}}, work_size: [rate(i), 0, 1, 1],\n "
	  "  args: [1, "
	  "{rate: x}, {f33: 1}, {f32: x}, {cf32: [1]}, {u8: 256}, {f32: 1, u8: 1}, {local: -1}]}\n",
		{ "g.yaml:2:68: error: 'work_size' has too many numbers: expected 1 to 3",
			"g.yaml:2:69: error: the kernel's actor has no port 'i': it has o",
			"g.yaml:2:78: error: 'an entry' is '0': expected a whole number, 1 to "
			"18446744073709551615",
			"g.yaml:3:11: error: an argument is a value: expected {f32: 0.5}, {rate: in}, "
			"{valid: in}, {width: in}, {height: in}, {steps: true} or {local: 1KiB}",
			"g.yaml:3:21: error: the kernel's actor has no port 'x': it has o",
			"g.yaml:3:31: error: there is no type 'f33'; did you mean 'f32'? It has u8, i8, u16, "
			"i16, u32, i32, u64, i64, f32, f64, cf32, cf64" } },
	{ "actors:\n  k: {kernel: k.cl, name: k, ports: {o: {output: u8, format: gray8}}, work_size: [1]}\n"
	  "  l: {kernel: k.cl, name: k, ports: {o: {output: u8, format: rgb8 4x4}}, work_size: [1]}\n"
	  "  m: {kernel: k.cl, name: k, ports: {o: {output: u8, format: gray8 4x0}}, work_size: [1]}\n"
	  "  n: {kernel: k.cl, name: k, ports: {o: {output: u8}}, work_size: [width(o), width(), "
	  "height(p)],\n"
	  "      args: [{height: o}]}\n",
		{ "g.yaml:2:62: error: no FIFO brings the size of 'k.o': give it, as in gray8 320x240",
			"g.yaml:3:62: error: 'format' is 'rgb8 4x4': expected gray8 WIDTHxHEIGHT, or gray8 "
			"of the "
			"size that comes in",
			"g.yaml:4:62: error: 'format' is 'gray8 4x0': expected gray8 WIDTHxHEIGHT, or gray8 "
			"of the "
			"size that comes in",
			"g.yaml:5:68: error: the port 'o' has no format: give it one, as in format: gray8",
			"g.yaml:5:78: error: 'an entry' is 'width()': expected a whole number, 1 to "
			"18446744073709551615",
			"g.yaml:5:87: error: the kernel's actor has no port 'p': it has o" } },
	/* FIFOs */
	{ "actors:\n  r: {type: repeat, times: 2}\n  s: {type: skip, count: 1}\nfifos:\n  - {from: r.out}\n"
	  "  - {from: r, to: s.in}\n  - {from: x.out, to: [s.in, [], {}, {s.in: {dely: 1}}]}\n"
	  "  - {from: r.aut, to: s.in}\n",
		{ "g.yaml:5:5: error: a FIFO without 'to'", "g.yaml:6:12: error: 'r': expected actor.port",
			"g.yaml:7:12: error: the graph has no actor 'x': it has r, s",
			"g.yaml:7:30: error: a reader is a list: expected actor.port, or actor.port: {delay: "
			"1, ..}",
			"g.yaml:7:34: error: a reader is not one entry of a map: expected actor.port, or "
			"actor.port: "
			"{delay: 1, ..}",
			"g.yaml:7:46: error: a reader has no key 'dely'; did you mean 'delay'? It has rate, "
			"write_rate, "
			"read_rate, depth, delay, initial, tail, token, token_size, capacity" } },
	{ "actors:\n  r: {type: repeat, times: 2}\n  s: {type: skip, count: 1}\nfifos:\n"
	  "  - {from: r.aut, to: s.in}\n  - {from: r.out, to: s.in, initial: [1], rate: 0}\n"
	  "  - {from: r.out, to: s.in, initial: [1]}\n  - {from: r.out, to: s.in, token: f16}\n"
	  "  - {from: r.out, to: s.in, token: f32, delay: 3, initial: [1, 2]}\n",
		{ "g.yaml:5:12: error: 'r' (repeat) has no port 'aut'; did you mean 'out'? It has in, out",
			"g.yaml:6:49: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:7:38: error: no port says of which type the tokens are: give the FIFO "
			"'token', as in "
			"token: f32",
			"g.yaml:8:36: error: there is no type 'f16'; did you mean 'u16'? It has u8, i8, u16, "
			"i16, u32, "
			"i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:9:60: error: 'initial' has 8 bytes: expected 3 tokens of 4 bytes" } },
	{ "actors:\n  r: {type: repeat, times: 2}\n  s: {type: skip, count: 1}\nfifos:\n"
	  "  - {from: r.out, to: s.in, token: f32, initial: {fil: x}}\n"
	  "  - {from: r.out, to: s.in, token: f32, initial: {}}\n"
	  "  - {from: r.out, to: s.in, token: f32, initial: {file: none.bin}}\n"
	  "  - {from: r.out, to: s.in, token: f32, initial: {file: /}}\n  - {from: s.in, to: s.in, token: "
	  "f32}\n",
		{ "g.yaml:5:51: error: 'initial' has no key 'fil'; did you mean 'file'? It has file",
			"g.yaml:6:50: error: 'initial' has no 'file': expected a list of numbers, or {file: "
			"PATH}",
			"g.yaml:7:57: error: none.bin: No such file or directory",
			"g.yaml:8:57: error: /: no file",
			"g.yaml:9:22: error: 's': port 'in' is an input, not an output" } },
	/* mapping, run */
	{ "actors:\n  r: {type: repeat, times: 2}\nmapping: {r: {cor: 1}, s: cores}\n"
	  "run: {team: 1000, watchdog: x, unchecked: 1, depth_budget: 1kB, treads: 2}\n",
		{ "g.yaml:3:15: error: a place has no key 'cor'; did you mean 'core'? It has core",
			"g.yaml:3:24: error: the graph has no actor 's': it has r",
			"g.yaml:4:13: error: pstk_network_set_threads: 1000 threads: expected 1 to 256, or "
			"0, a thread per actor",
			"g.yaml:4:29: error: 'watchdog' is 'x': expected seconds, 0 to 1000000000",
			"g.yaml:4:43: error: 'unchecked' is '1': expected true or false",
			"g.yaml:4:60: error: 'depth_budget' is '1kB': expected bytes: a whole number, also "
			"with KiB, MiB "
			"or GiB" } },
};

START_TEST(problem)
{
	const struct wrong *w = &wrongs[_i];

	load_expect(pstk_graph_load(test_file("g.yaml", w->text), PSTK_GRAPH(.plugins = load_plugins)),
		w->problems, TEST_COUNT(w->problems));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("problems");
	TCase *c = test_case(suite, "files");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_loop_test(c, problem, 0, (int)TEST_COUNT(wrongs));
	return test_main(suite);
}
