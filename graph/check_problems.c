/* SPDX-License-Identifier: MIT */
/* Every message of the readers of graph files, with its place: what is wrong is found, all of it at once. */
#include "graph/check_load.h"

/* Each problem without the file's folder, in order. */
static const struct wrong {
	const char *text, *problems[16];
} wrongs[] = {
	/* YAML */
	{ "actors: {a: [}\n",
		{ "g.yaml:1:14: error: did not find expected node content, while parsing a flow node" } },
	{ "\tactors: {}\n", { "g.yaml:1:1: error: a tab: YAML is indented with spaces" } },
	{ "actors:\n  a:\n  \ttype: x\n", { "g.yaml:3:3: error: a tab: YAML is indented with spaces" } },
	{ "network: a\n\tb: c\n", { "g.yaml:2:1: error: a tab: YAML is indented with spaces" } },
	{ "network: |\n\tb\n", { "g.yaml:2:1: error: a tab: YAML is indented with spaces" } },
	{ "network: @\n", { "g.yaml:1:10: error: found character that cannot start any token, while "
			    "scanning for the next token" } },
	{ "actors: \xff\n", { "g.yaml:1:1: error: not a text in UTF-8: invalid leading UTF-8 octet" } },
	{ "run: &r {team: 2}\n", { "g.yaml:1:6: error: '&r': a graph file has no anchors: use a parameter "
				   "(`parameters:`, $name)" } },
	{ "run: {team: *t}\n", { "g.yaml:1:13: error: '*t': a graph file has no aliases: use a parameter "
				 "(`parameters:`, $name)" } },
	{ "run: !run {team: 2}\n", { "g.yaml:1:6: error: '!run': a graph file has no tags" } },
	{ "run: {team: 1}\n---\nrun: {}\n", { "g.yaml:2:1: error: a second document: a graph file is one" } },
	/* an anchor does not end the reading */
	{ "run: &r {team: *t}\nactor: !x 1\ninclude: [none.yaml]\n---\nrun: {}\n",
		{ "g.yaml:1:6: error: '&r': a graph file has no anchors: use a parameter (`parameters:`, "
		  "$name)",
			"g.yaml:1:16: error: '*t': a graph file has no aliases: use a parameter "
			"(`parameters:`, $name)",
			"g.yaml:2:8: error: '!x': a graph file has no tags",
			"g.yaml:4:1: error: a second document: a graph file is one" } },
	/* a wrong key hides no include */
	{ "actor: {}\ninclude: [none.yaml]\n",
		{ "g.yaml:1:1: error: a graph file has no key 'actor'; did you mean 'actors'? It has "
		  "network, "
		  "include, parameters, actors, fifos, mapping, run, machine, times, fixed, moves, pipelines",
			"g.yaml:2:11: error: none.yaml: No such file or directory" } },
	/* nor what else is wrong with an actor */
	{ "actors:\n  k: {kernel: k.cl, ports: {i: {input: u8, rate: -1}}, work_size: 0, args: [{f33: 1}],\n"
	  "    steps: 0, state_size: -1}\nmapping: {k: [1]}\n",
		{ "g.yaml:2:3: error: 'k' has a kernel, but no 'name'",
			"g.yaml:2:50: error: 'rate' is '-1': expected a whole number, 1 to 4294967295",
			"g.yaml:2:67: error: 'work_size' is '0': expected a whole number, 1 to 2147483647",
			"g.yaml:2:83: error: there is no type 'f33'; did you mean 'f32'? It has u8, i8, u16, "
			"i16, u32, i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:3:12: error: 'steps' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:3:27: error: 'state_size' is '-1': expected bytes: a whole number, also with "
			"KiB, MiB or GiB, from 0 to 1024 GiB",
			"g.yaml:4:14: error: 'k' is a list: a place is a selector, cores, or {core: N}" } },
	{ "run: {[a]: 1}\n", { "g.yaml:1:7: error: a list as a key" } },
	{ "run: {team: 1, watchdog: 3, team: 2}\n",
		{ "g.yaml:1:29: error: 'team' is here a second time; the first: line 1" } },
	{ "run: \"a\\0b\"\n", { "g.yaml:1:6: error: a zero byte in a value" } },
	/* the document */
	{ "- a\n", { "g.yaml:1:1: error: a graph file is a list: expected a map, {key: value}" } },
	{ "actor: {}\nfifos: {}\nactors: []\nparameters: 3\n",
		{ "g.yaml:1:1: error: a graph file has no key 'actor'; did you mean 'actors'? It has "
		  "network, include, "
		  "parameters, actors, fifos, mapping, run, machine, times, fixed, moves, pipelines",
			"g.yaml:2:8: error: 'fifos' is a map: expected a list, [..]",
			"g.yaml:3:9: error: 'actors' is a list: expected a map, {name: ..}",
			"g.yaml:4:13: error: 'parameters' is a value: expected a map, {name: value}" } },
	{ "include: {a: b}\n", { "g.yaml:1:10: error: 'include' is a map: expected a list of files" } },
	{ "include: [none.yaml]\n", { "g.yaml:1:11: error: none.yaml: No such file or directory" } },
	/* what else is wrong is so for want of it */
	{ "include: [none.yaml]\nactors: {a: {type: nosuch}}\nmapping: {b: cores}\n",
		{ "g.yaml:1:11: error: none.yaml: No such file or directory" } },
	{ "include: g.yaml\n", { "g.yaml:1:10: error: g.yaml is included a second time" } },
	/* names */
	{ "network: \"a\\tb\"\n", { "g.yaml:1:10: error: the name of a network has a tab or another control "
				    "character: expected 1 to 127 bytes of text" } },
	{ "network: ''\n",
		{ "g.yaml:1:10: error: the name of a network is empty: expected 1 to 127 bytes of text" } },
	{ "network: 'a=$$b'\nrun: {}\nactors:\n  a=b: {type: skip, count: 1}\n  a$b: {typ: x}\n"
	  "  '': {type: skip, count: 1}\n  \"a\\x7F\": {type: skip, count: 1}\nfifos:\n"
	  "  - {from: a=b.out, to: a$$b.in, rate: 0}\n",
		{ "g.yaml:4:3: error: the name of an actor, 'a=b', has a =, which no such name may have",
			"g.yaml:5:3: error: 'a$b' has neither a type nor a kernel: give it one of both",
			"g.yaml:5:3: error: the name of an actor, 'a$b', has a $, which no such name may "
			"have",
			"g.yaml:6:3: error: the name of an actor is empty: expected 1 to 127 bytes of text",
			"g.yaml:7:3: error: the name of an actor has a tab or another control character: "
			"expected 1 to 127 bytes of text",
			"g.yaml:9:40: error: 'rate' is '0': expected a whole number, 1 to 4294967295" } },
	/* a key that stands twice is one mistake */
	{ "actors:\n  a: {type: skip, count: 1}\n  a: {type: skip, count: 2}\n  a: {}\n"
	  "  k: {kernel: k.cl, name: k, ports: {o: {output: u8}, o: {output: f32}}, work_size: 1}\n"
	  "parameters: {p: 1, p: [2]}\n",
		{ "g.yaml:3:3: error: 'a' is here a second time; the first: line 2",
			"g.yaml:4:3: error: 'a' is here a second time; the first: line 2",
			"g.yaml:5:55: error: 'o' is here a second time; the first: line 5",
			"g.yaml:6:20: error: 'p' is here a second time; the first: line 6" } },
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
			"g.yaml:5:13: error: no plug-in has an actor type 'repeet'; did you mean 'repeat'?",
			"g.yaml:6:13: error: 'type' is a list: expected a value" } },
	{ "actors: {a: {type: vocoder}, b: {type: limiter}, c: {type: skp}}\n",
		{ "g.yaml:1:20: error: no plug-in has an actor type 'vocoder'",
			"g.yaml:1:40: error: no plug-in has an actor type 'limiter'",
			"g.yaml:1:60: error: no plug-in has an actor type 'skp'; did you mean 'skip'?",
			"error: 'penstock actors' lists the actor types; those of other plug-ins need "
			"PENSTOCK_PLUGINS, or --plugin FILE" } },
	{ "actors:\n  a: {type: repeat, times: 0}\n  b: {type: repeat, time: 3}\n  c: {type: skip, count: x, "
	  "guard: 1}\n",
		{ "g.yaml:2:28: error: 'a': parameter 'times' is '0': expected u32 in 1..",
			"g.yaml:3:27: error: 'b' (repeat) has no parameter 'time'; did you mean 'times'? It "
			"has times",
			"g.yaml:4:26: error: 'c': parameter 'count' is 'x': expected u32 in 0..4294967294",
			"g.yaml:4:36: error: 'guard' is '1': expected true or false" } },
	{ "actors:\n  a: {type: repeat, times: 1, maymove: [cores]}\n  b: {type: repeat, times: 1, gaurd: "
	  "true}\n",
		{ "g.yaml:2:40: error: 'a' (repeat) has no parameter 'maymove'; did you mean 'may_move'? It "
		  "has times",
			"g.yaml:3:38: error: 'b' (repeat) has no parameter 'gaurd'; did you mean 'guard'? It "
			"has times" } },
	{ "actors:\n  f: {type: fir_f32, taps: [1, {a: 2}]}\n  i: {type: interleave, widths: [1, -2]}\n  x: "
	  "{type: "
	  "interleave}\n  p: {type: polynomial, branches: 1 2x}\n  r: {type: resample_f32, p: 2, q: 0, "
	  "parameters: 3}\n",
		{ "g.yaml:2:32: error: an entry of 'taps' is a map: expected a value",
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
			"g.yaml:2:63: error: 'concurrency' is '1000': expected a whole number, 1 to 256" } },
	{ "actors:\n  a: {type: repeat, times: 2, ports: 1, name: b}\n",
		{ "g.yaml:2:31: error: 'ports' is of actors with a kernel; a parameter of this name stands "
		  "under parameters: {ports: ..}",
			"g.yaml:2:41: error: 'name' is of actors with a kernel; a parameter of this name "
			"stands under parameters: {name: ..}" } },
	/* moves */
	{ "actors:\n  a: {type: repeat, times: 2, may_move: {b: c}}\n  b: {type: repeat, times: 2, may_move: "
	  "[[cores]]}\n"
	  "moves: [1, {actor: a}, {actor: a, at: 0, to: cores}, {actor: c, at: 1, to: cores},\n"
	  "  {actor: a, at: 1, too: x}, {actor: a, at: 1, to: cores}]\n",
		{ "g.yaml:2:41: error: 'may_move' is a map: expected a value",
			"g.yaml:3:42: error: an entry of 'may_move' is a list: expected a value",
			"g.yaml:4:9: error: a move is a value: expected a map, {key: value}",
			"g.yaml:4:12: error: the move has no 'at': expected {actor: NAME, at: FIRING, to: "
			"PLACE}",
			"g.yaml:4:12: error: the move has no 'to': expected {actor: NAME, at: FIRING, to: "
			"PLACE}",
			"g.yaml:4:39: error: 'at' is '0': expected a whole number, 1 to 18446744073709551615",
			"g.yaml:4:62: error: the graph has no actor 'c': it has a, b",
			"g.yaml:5:21: error: a move has no key 'too'; did you mean 'to'? It has actor, at, "
			"to",
			"g.yaml:5:52: error: 'a' (repeat): it can't move to 'cores', which is none of its "
			"places: "
			"declare it with pstk_actor_may_move() before the start" } },
	{ "moves: {a: b}\n", { "g.yaml:1:8: error: 'moves' is a map: expected a list, [..]" } },
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
			"g.yaml:3:37: error: 'ports' is a value: expected a map, {in: {input: f32}, ..}",
			"g.yaml:3:56: error: an actor with a kernel has no key 'arg'; did you mean 'args'? "
			"It has kernel, "
			"name, options, ports, work_size, args, control, state_size, concurrency, pin, "
			"steps, share, may_move, guard",
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
			"g.yaml:2:78: error: an entry of 'work_size' is '0': expected a whole number, 1 to "
			"2147483647",
			"g.yaml:3:11: error: an argument is a value: expected {f32: 0.5}, {rate: in}, "
			"{valid: in}, {width: in}, {height: in}, {steps: true} or {local: 1KiB}",
			"g.yaml:3:21: error: the kernel's actor has no port 'x': it has o",
			"g.yaml:3:31: error: there is no type 'f33'; did you mean 'f32'? It has u8, i8, u16, "
			"i16, u32, i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:3:41: error: 'x' is no f32", "g.yaml:3:52: error: 1 number: a cf32 has 2",
			"g.yaml:3:63: error: '256' is no u8",
			"g.yaml:3:69: error: an argument is more than one: expected {f32: 0.5}, {rate: in}, "
			"{valid: in}, {width: in}, {height: in}, {steps: true} or {local: 1KiB}",
			"g.yaml:3:94: error: 'local' is '-1': expected bytes: a whole number, also with KiB, "
			"MiB or GiB, from 1 to 1024 GiB" } },
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
			"g.yaml:5:78: error: an entry of 'work_size' is 'width()': expected a whole number, "
			"1 to "
			"2147483647",
			"g.yaml:5:87: error: the kernel's actor has no port 'p': it has o",
			"g.yaml:6:23: error: the port 'o' has no format: give it one, as in format: "
			"gray8" } },
	{ "actors:\n  k: {kernel: k.cl, name: k, ports: {i: {input: u8}}, work_size: 65536, state_size: "
	  "18446744073709551615,\n      args: [{steps: false}, {local: 0}, {u8: []}]}\n"
	  "  l: {kernel: k.cl, name: k, ports: {i: {input: f32, format: gray8 4x4, rate: 0}}, work_size: 1}\n"
	  "  m: {kernel: k.cl, name: k, ports: {i: {input: u8}}, work_size: [65536, 2, 16384], control: "
	  "[[]]}\n"
	  "  n: {kernel: k.cl, name: k, ports: {w: {control: u32}, i: {dynamic_input: f32}}, work_size: "
	  "4294967296}\n"
	  "  o: {kernel: k.cl, name: k, ports: {w: {control: u32}, i: {dynamic_input: f32}}, work_size: 1, "
	  "control: []}\n"
	  "  p: {kernel: k.cl, name: k, ports: {w: {control: u32}, i: {input: f32}, o: {dynamic_output: "
	  "u8}}, "
	  "work_size: 1, control: [[o, i]]}\n",
		{ "g.yaml:2:85: error: 'state_size' is '18446744073709551615': expected bytes: a whole "
		  "number, also with KiB, MiB or GiB, from 0 to 1024 GiB",
			"g.yaml:3:22: error: 'steps' is false: leave this argument out, or say true",
			"g.yaml:3:38: error: 'local' is '0': expected bytes: a whole number, also with KiB, "
			"MiB or GiB, from 1 to 1024 GiB",
			"g.yaml:3:47: error: 'u8' has no values: expected at least one",
			"g.yaml:4:62: error: the port 'i' has tokens of f32 and a format: frames of gray8 "
			"are u8; leave the format out, or say u8",
			"g.yaml:4:79: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:5:66: error: 'work_size' is 2147483648 work-items: expected at most "
			"2147483647",
			"g.yaml:5:94: error: 'control' without a control port: give 'ports' one, as in "
			"which: {control: u32}",
			"g.yaml:6:3: error: 'n' has the control port 'w', but no 'control': expected a list "
			"by control value, [[], [out1], ..]",
			"g.yaml:6:94: error: 'work_size' is '4294967296': expected a whole number, 1 to "
			"2147483647",
			"g.yaml:7:106: error: 'control' is an empty list: expected a list by control value, "
			"[[], [out1], ..]",
			"g.yaml:8:128: error: the port 'i' is always on: only dynamic ones are listed" } },
	/* neither a wrong port nor a size that is missing hides what is wrong beside it */
	{ "actors:\n  k: {kernel: k.cl, name: k, ports: {w: {control: u32, rate: 0}, i: {inpt: u8}, o: "
	  "{output: "
	  "u8}},\n      work_size: 1, control: [[i, x], [o], 3]}\n"
	  "  l: {kernel: k.cl, name: k, ports: {i: {input: u8, output: u8}}, work_size: 1, control: [[i]]}\n"
	  "  m: {kernel: k.cl, name: k, ports: {w: {control: u32, rate: 0}}, work_size: 1}\n"
	  "  n: {kernel: k.cl, name: k, ports: 1, work_size: 1, control: 2}\n"
	  "  o: {kernel: k.cl, name: k, ports: {o: {output: u8, format: gray8, rate: 0}}, work_size: 0,\n"
	  "      args: [{f33: 1}], control: [[]]}\n",
		{ "g.yaml:2:62: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:2:70: error: a port has no key 'inpt'; did you mean 'input'? It has input, "
			"output, dynamic_input, dynamic_output, control, token_size, format, rate, history, "
			"peek",
			"g.yaml:3:35: error: the kernel's actor has no port 'x': it has w, i, o",
			"g.yaml:3:40: error: the port 'o' is always on: only dynamic ones are listed",
			"g.yaml:3:44: error: 'control' has an entry that is a value: expected the list of "
			"ports that are on",
			"g.yaml:4:41: error: the port 'i' is of more than one kind: expected one of input, "
			"output, dynamic_input, dynamic_output, control, and behind it the type of its "
			"tokens",
			"g.yaml:5:3: error: 'm' has the control port 'w', but no 'control': expected a list "
			"by control value, [[], [out1], ..]",
			"g.yaml:5:62: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:6:37: error: 'ports' is a value: expected a map, {in: {input: f32}, ..}",
			"g.yaml:6:63: error: 'control' is a value: expected a list by control value, [[], "
			"[out1], ..]",
			"g.yaml:7:62: error: no FIFO brings the size of 'o.o': give it, as in gray8 320x240",
			"g.yaml:7:75: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:7:91: error: 'work_size' is '0': expected a whole number, 1 to 2147483647",
			"g.yaml:8:20: error: there is no type 'f33'; did you mean 'f32'? It has u8, i8, u16, "
			"i16, u32, i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:8:34: error: 'control' without a control port: give 'ports' one, as in "
			"which: {control: u32}" } },
	/* FIFOs: what a token has is what the library will find */
	{ "actors:\n  v: {type: video_source, size: 320x240}\n  g: {type: gauss5x5}\n  h: {type: gauss5x5}\n"
	  "  k: {kernel: k.cl, name: k, ports: {i: {input: u16, token_size: 6}, o: {output: u16}}, "
	  "work_size: 1}\n"
	  "  f: {type: fir_f32, taps: 1}\n  e: {type: fir_f32, taps: 1}\n"
	  "  r: {type: repeat, times: 1}\n  s: {type: skip, count: 0}\n  w: {type: skip, count: 0}\nfifos:\n"
	  "  - {from: v.out, to: [g.in: {initial: [0]}, h.in: {initial: {file: g.yaml}}]}\n"
	  "  - {from: k.o, to: k.i, initial: [1, 2], delay: 2}\n"
	  "  - {from: f.out, to: e.in, initial: []}\n"
	  "  - {from: r.out, to: s.in, token: u8, token_size: 3}\n"
	  "  - {from: r.out, to: r.in, token_size: 2GiB, initial: 1}\n"
	  "  - {from: s.out, to: f.in, token: cf32, initial: [1, 2, 3, 4], delay: 1}\n"
	  "  - {from: s.out, to: w.in, initial: {file: g.yaml}}\n"
	  "  - {from: r.out, to: w.in, initial: {file: g.yaml}, delay: 1}\n",
		{ "g.yaml:12:40: error: 'initial' has 1 number, and a token has 76800 bytes: give 76800 "
		  "numbers for each token, or {file: PATH}",
			"g.yaml:12:62: error: 'initial' has 822 bytes, and a token has 76800 bytes: give "
			"76800 bytes for each token",
			"g.yaml:13:35: error: 'initial' has 2 numbers, and a token has 6 bytes: give 3 "
			"numbers for each of 2 tokens, or {file: PATH}",
			"g.yaml:14:38: error: 'initial' has 0 numbers, and a token has 4 bytes: give 1 "
			"number for each token, or {file: PATH}",
			"g.yaml:16:56: error: no port says of which type the tokens are: give the FIFO "
			"'token', as in token: f32",
			"g.yaml:17:51: error: 'initial' has 4 numbers, and a token has 8 bytes: give 2 "
			"numbers for each of 1 token, or {file: PATH}",
			"g.yaml:18:38: error: no port says how many bytes a token has: give the FIFO 'token' "
			"or 'token_size'",
			"g.yaml:19:38: error: 'initial' has 822 bytes, and a token has 3 bytes: give 3 bytes "
			"for each of 1 token" } },
	{ "actors:\n  k: {kernel: none.cl, name: k, ports: {o: {output: u8}}, work_size: 1}\n"
	  "  l: {kernel: /nowhere/k.cl, name: k, ports: {o: {output: u8}}, work_size: 1}\n"
	  "  m: {kernel: /, name: k, ports: {o: {output: u8}}, work_size: 1}\n",
		{ "g.yaml:2:15: error: none.cl: No such file or directory",
			"g.yaml:3:15: error: /nowhere/k.cl: No such file or directory",
			"g.yaml:4:15: error: /: Is a directory" } },
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
			"read_rate, depth, delay, initial, tail, token, token_size, capacity",
			"g.yaml:8:12: error: 'r' (repeat) has no port 'aut'; did you mean 'out'? It has in, "
			"out" } },
	{ "actors:\n  r: {type: repeat, times: 2}\n  s: {type: skip, count: 1}\nfifos:\n"
	  "  - {from: r.aut, to: s.in}\n  - {from: r.out, to: s.in, initial: [1], rate: 0}\n"
	  "  - {from: r.out, to: s.in, initial: [1]}\n  - {from: r.out, to: s.in, token: f16}\n"
	  "  - {from: r.out, to: s.in, token: f32, delay: 3, initial: [1, 2]}\n",
		{ "g.yaml:5:12: error: 'r' (repeat) has no port 'aut'; did you mean 'out'? It has in, out",
			"g.yaml:6:38: error: no port says of which type the tokens are: give the FIFO "
			"'token', as in "
			"token: f32",
			"g.yaml:6:49: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:7:38: error: no port says of which type the tokens are: give the FIFO "
			"'token', as in "
			"token: f32",
			"g.yaml:8:36: error: there is no type 'f16'; did you mean 'u16'? It has u8, i8, u16, "
			"i16, u32, "
			"i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:9:60: error: 'initial' has 2 numbers, and a token has 4 bytes: give 1 number "
			"for "
			"each of 3 tokens, or {file: PATH}" } },
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
			"g.yaml:4:13: error: 'team' is '1000': expected threads, 0 to 256, or auto",
			"g.yaml:4:29: error: 'watchdog' is 'x': expected seconds, 0 to 1000000000",
			"g.yaml:4:43: error: 'unchecked' is '1': expected true or false",
			"g.yaml:4:60: error: 'depth_budget' is '1kB': expected bytes: a whole number, also "
			"with KiB, MiB or GiB, from 0 to 1024 GiB",
			"g.yaml:4:65: error: 'run' has no key 'treads': it has team, watchdog, depth_budget, "
			"unchecked, depth_auto, steps_auto, profile" } },
	{ "actors:\n  r: {type: repeat, times: 2}\nmapping: {r: {}}\nrun: {team: many}\n",
		{ "g.yaml:3:14: error: a place that is an empty map: expected a selector, cores, or {core: "
		  "N}",
			"g.yaml:4:13: error: 'team' is 'many': expected threads, 0 to 256, or auto" } },
};

/* What is missing is told only of a graph that the program does not go on building. */
static const struct wrong wholes[] = {
	{ "", { "g.yaml:1:1: error: the graph has no actors: expected actors: {NAME: {type: TYPE}, ..} and "
		"fifos: [{from: NAME.PORT, to: NAME.PORT}, ..]" } },
	{ "# a comment\n", { "g.yaml:1:1: error: the graph has no actors: expected actors: {NAME: {type: "
			     "TYPE}, ..} and fifos: [{from: NAME.PORT, to: NAME.PORT}, ..]" } },
	{ "---\n", { "g.yaml:2:1: error: a graph file is a value: expected a map, {key: value}" } },
	/* each port, and each parameter, with and without a builder */
	{ "actors:\n  r: {type: repeat}\n  p: {type: polynomial}\n  s: {type: skip, count: 1}\n"
	  "  t: {type: skip}\nfifos:\n  - {from: r.out, to: s.in, token: u8}\n",
		{ "g.yaml:2:3: error: 'r' (repeat): input 'in' is not connected: give it a FIFO, {from: .., "
		  "to: r.in}",
			"g.yaml:2:3: error: 'r' (repeat): parameter 'times' is not given: how often each "
			"token is written",
			"g.yaml:3:3: error: 'p' (polynomial): parameter 'branches' is not given: a list of "
			"odd orders, with * behind one of the conjugate: 1 3 1* 3*",
			"g.yaml:4:3: error: 's' (skip): output 'out' is not connected: give it a FIFO, "
			"{from: s.out, to: ..}",
			"g.yaml:5:3: error: 't' (skip): input 'in' is not connected: give it a FIFO, {from: "
			".., to: t.in}",
			"g.yaml:5:3: error: 't' (skip): output 'out' is not connected: give it a FIFO, "
			"{from: t.out, to: ..}",
			"g.yaml:5:3: error: 't' (skip): parameter 'count' is not given: tokens that are "
			"dropped" } },
	/* what a FIFO says of no port that there is may be meant for one that is not connected; all else that is wrong
	 * with it is told */
	{ "actors:\n  r: {type: repeat, times: 1}\n  s: {type: skip, count: 1}\n  t: {type: skip, count: 1}\n"
	  "  u: {typ: skip}\n  w: {type: fir_f32, taps: 1}\nfifos:\n  - {from: r.aut, to: [s.in, t.on: "
	  "{rate: 0}], rate: -1, depth: x, "
	  "token: "
	  "f16, initial: [1], dpth: 2}\n"
	  "  - {from: u.out, to: w.in, tail: -1, token: u8, initial: [300]}\n  - {from: s, to: t.in}\n"
	  "  - {to: r.in, from: t.out, token: u8, initial: {file: none}, delay: y}\n",
		{ "g.yaml:5:3: error: 'u' has neither a type nor a kernel: give it one of both",
			"g.yaml:6:3: error: 'w' (fir_f32): output 'out' is not connected: give it a FIFO, "
			"{from: w.out, to: ..}",
			"g.yaml:8:12: error: 'r' (repeat) has no port 'aut'; did you mean 'out'? It has in, "
			"out",
			"g.yaml:8:30: error: 't' (skip) has no port 'on'; did you mean 'in'? It has in, out",
			"g.yaml:8:43: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:8:54: error: 'rate' is '-1': expected a whole number, 1 to 4294967295",
			"g.yaml:8:65: error: 'depth' is 'x': expected a whole number, 0 to 4294967295",
			"g.yaml:8:75: error: there is no type 'f16'; did you mean 'u16'? It has u8, i8, u16, "
			"i16, u32, i32, u64, i64, f32, f64, cf32, cf64",
			"g.yaml:8:94: error: a FIFO has no key 'dpth'; did you mean 'depth'? It has from, "
			"to, rate, write_rate, read_rate, depth, delay, initial, tail, token, token_size, "
			"capacity",
			"g.yaml:9:35: error: 'tail' is '-1': expected a whole number, 0 to 4294967295",
			"g.yaml:9:60: error: '300' is no u8", "g.yaml:10:12: error: 's': expected actor.port",
			"g.yaml:11:56: error: none: No such file or directory",
			"g.yaml:11:70: error: 'delay' is 'y': expected a whole number, 0 to 4294967295" } },
};

START_TEST(whole)
{
	const struct wrong *w = &wholes[_i];

	load_expect(pstk_graph_load(test_file("g.yaml", w->text), PSTK_GRAPH(.plugins = load_plugins)),
		w->problems, TEST_COUNT(w->problems));
}
END_TEST

START_TEST(problem)
{
	const struct wrong *w = &wrongs[_i];

	test_file("k.cl", "");
	load_expect(pstk_graph_load(test_file("g.yaml", w->text),
			    PSTK_GRAPH(.plugins = load_plugins, .unfinished = true)),
		w->problems, TEST_COUNT(w->problems));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("problems");
	TCase *c = test_case(suite, "files");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_loop_test(c, whole, 0, (int)TEST_COUNT(wholes));
	tcase_add_loop_test(c, problem, 0, (int)TEST_COUNT(wrongs));
	return test_main(suite);
}
