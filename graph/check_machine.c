/* SPDX-License-Identifier: MIT */
/* The sections `machine` and `times` of graph files, and mappings to places: what they say, and what is wrong. */
#include "graph/check_load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char two_hosts[] =
	"network: two\n"
	"actors: {x: {type: skip, count: 1, share: 0.25}, y: {type: skip, count: 1}}\n"
	"mapping: {x: c0/g0, y: c1}\n"
	"times: {x: {c0: 9e-3, c0/g0: 0.7e-3}, y: 1.5}\n"
	"fixed: [y]\n"
	"machine:\n"
	"  hosts: {c0: {cores: 4, memory: 2GiB, devices: {g0: \"nvidia:gpu:0\", g1: {device: cpu, memory: "
	"1MiB}, g2: {}}},\n"
	"    c1: {address: node17}}\n"
	"  links:\n"
	"    - {between: [c0, c0/g0], kind: copy, rate: 5e9, latency: 10e-6, duplex: half}\n"
	"    - {between: [c0, c1], kind: net, rate: 2.6e9}\n"
	"    - {between: [c0/g1, c0], kind: shared}\n"
	"    - {between: [c0, c0/g2], kind: copy}\n";

static void expect_machine(const struct pstk_machine *m)
{
	struct pstk_place p;
	struct pstk_link l;

	ck_assert_uint_eq(pstk_machine_place_count(m), 5);
	ck_assert_int_eq(pstk_machine_get_place(m, 0, &p), 0);
	ck_assert_str_eq(p.name, "c0");
	ck_assert_uint_eq(p.cores, 4);
	ck_assert_uint_eq(p.memory, (uint64_t)2 << 30);
	ck_assert_int_eq(pstk_machine_get_place(m, 1, &p), 0);
	ck_assert_str_eq(p.name, "c0/g0");
	ck_assert_str_eq(p.selector, "nvidia:gpu:0");
	ck_assert_uint_eq(p.memory, 0);
	ck_assert_int_eq(pstk_machine_get_place(m, 2, &p), 0);
	ck_assert_str_eq(p.selector, "cpu");
	ck_assert_uint_eq(p.memory, 1 << 20);
	ck_assert_int_eq(pstk_machine_get_place(m, 3, &p), 0);
	ck_assert_ptr_null(p.selector);
	ck_assert_ptr_null(p.address);
	ck_assert_int_eq(pstk_machine_get_place(m, 4, &p), 0);
	ck_assert_uint_eq(p.cores, 1);
	ck_assert_str_eq(p.address, "node17");
	ck_assert_uint_eq(pstk_machine_link_count(m), 4);
	ck_assert_int_eq(pstk_machine_get_link(m, 0, &l), 0);
	ck_assert(l.half && l.kind == PSTK_LINK_COPY);
	ck_assert_double_eq(l.rate, 5e9);
	ck_assert_double_eq(l.latency, 10e-6);
	ck_assert_int_eq(pstk_machine_get_link(m, 1, &l), 0);
	ck_assert(!l.half && l.kind == PSTK_LINK_NET);
	ck_assert_double_eq(l.latency, 0);
	ck_assert_int_eq(pstk_machine_get_link(m, 2, &l), 0);
	ck_assert(l.kind == PSTK_LINK_SHARED);
	ck_assert_int_eq(pstk_machine_get_link(m, 3, &l), 0);
	ck_assert(isinf(l.rate));
}

static void expect_actors(const struct pstk_graph *g)
{
	uint64_t ns;

	ck_assert_str_eq(pstk_graph_fixed(g)[0], "y");
	ck_assert_ptr_null(pstk_graph_fixed(g)[1]);
	ck_assert_str_eq(pstk_actor_given_place(load_actor(g, "x")), "c0/g0");
	ck_assert_str_eq(pstk_actor_given_place(load_actor(g, "y")), "c1");
	ck_assert_double_eq(pstk_actor_share(load_actor(g, "x")), 0.25);
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "x"), "c0", &ns), 0);
	ck_assert_uint_eq(ns, 9000000);
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "x"), "c0/g0", &ns), 0);
	ck_assert_uint_eq(ns, 700000);
	ck_assert_int_ne(pstk_actor_get_time(load_actor(g, "x"), "c1", &ns), 0);
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "y"), "c0", &ns), 0);
	ck_assert_uint_eq(ns, 1500000000);
}

/* Read, written and read again. */
START_TEST(a_machine_is_read)
{
	struct pstk_graph *g = load_file(two_hosts, NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	expect_machine(pstk_graph_machine(g));
	expect_actors(g);
	ck_assert_int_eq(pstk_graph_write(g, out), 0);
	fclose(out);
	pstk_graph_destroy(g);
	g = load_file(text, NULL);
	expect_machine(pstk_graph_machine(g));
	expect_actors(g);
	pstk_graph_destroy(g);
	free(text);
	g = load_file("actors: {}\n", NULL);
	ck_assert_ptr_null(pstk_graph_machine(g));
	pstk_graph_destroy(g);
	ck_assert_ptr_null(pstk_graph_machine(NULL));
	ck_assert_ptr_null(pstk_graph_fixed(NULL));
}
END_TEST

/* What the program says, and an overlay, counts instead. */
START_TEST(overlays_replace_it)
{
	char machine[400];
	const char *const overlays[] = { machine, NULL }, *const places[] = { "y=h/d", NULL };
	struct pstk_graph *g;
	uint64_t ns;

	snprintf(machine, sizeof machine, "%s",
		test_file("m.yaml", "machine: {hosts: {h: {devices: {d: {}}}}}\nmapping: {x: h}\ntimes: {x: "
				    "2, y: {h: 3}}\n"));
	g = pstk_graph_load(
		test_file("g.yaml", two_hosts), PSTK_GRAPH(.overlays = overlays, .places = places,
							.plugins = load_plugins, .unfinished = true));
	ck_assert_ptr_null(pstk_graph_problem(g, 0));
	ck_assert_uint_eq(pstk_machine_place_count(pstk_graph_machine(g)), 2);
	ck_assert_str_eq(pstk_actor_given_place(load_actor(g, "x")), "h");
	ck_assert_str_eq(pstk_actor_given_place(load_actor(g, "y")), "h/d");
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "x"), "h", &ns), 0);
	ck_assert_uint_eq(ns, 2000000000);
	ck_assert_int_ne(pstk_actor_get_time(load_actor(g, "y"), "h/d", &ns), 0);
	pstk_graph_destroy(g);
}
END_TEST

/* A FIFO of the file has a place, one of the program's has none. */
START_TEST(fifos_have_places)
{
	struct pstk_graph *g =
		load_file("actors: {a: {type: repeat, times: 1}, b: {type: repeat, times: 1}}\n"
			  "fifos:\n  - {from: a.out, to: b.in, rate: 1, token: u8}\n",
			NULL);
	struct pstk_network *net = pstk_graph_network(g);
	const struct pstk_fifo *own = pstk_connect(
		load_actor(g, "b"), "out", load_actor(g, "a"), "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	char text[4096];

	ck_assert_int_eq(pstk_graph_where(g, pstk_network_fifo(net, 0), text, sizeof text), 0);
	ck_assert_str_eq(strrchr(text, '/'), "/g.yaml:3:23");
	ck_assert_int_eq(pstk_graph_where(g, own, text, sizeof text), -ENOENT);
	ck_assert_int_eq(pstk_graph_where(NULL, own, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_graph_where(g, NULL, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_graph_where(g, own, NULL, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_graph_where(g, own, text, 0), -EINVAL);
	pstk_graph_destroy(g);
}
END_TEST

static const struct wrong {
	const char *text, *problems[8];
} wrongs[] = {
	{ "actors: {a: {type: skip, count: 1}}\nmachine: {hosts: {c0: {}}}\nmapping: {a: c9}\n",
		{ "g.yaml:3:14: error: 'a': the machine has no place 'c9'; did you mean 'c0'? It has c0" } },
	{ "machine: 3\n", { "g.yaml:1:10: error: 'machine' is a value: expected a map, {key: value}" } },
	{ "machine: {}\n",
		{ "g.yaml:1:10: error: the machine has no hosts: expected hosts: {NAME: {cores: N}}" } },
	{ "machine: {hosts: [a]}\n",
		{ "g.yaml:1:18: error: the machine has no hosts: expected hosts: {NAME: {cores: N}}" } },
	{ "machine: {hosts: {a: 3, b: {cores: 0}, c: {memory: 0}, d: {cpus: 3}, /: {}}}\n",
		{ "g.yaml:1:22: error: 'a' is a value: expected a map, {key: value}",
			"g.yaml:1:36: error: 'cores' is '0': expected a whole number, 1 to 4294967295",
			"g.yaml:1:52: error: 'memory' is '0': expected bytes: a whole number, also with KiB, "
			"MiB or "
			"GiB, from 1 to 1024 GiB",
			"g.yaml:1:60: error: a host has no key 'cpus'; did you mean 'cores'? It has cores, "
			"memory, address, caches, numa, devices",
			"g.yaml:1:70: error: '/' is no name of a host: it begins with a letter, a digit or "
			"'_', and "
			"contains no '/'" } },
	{ "machine: {hosts: {a: {devices: [g]}, b: {devices: {g: [1], h: {device: [1]}, i: {x: 1}, -: "
	  "cpu}}}}\n",
		{ "g.yaml:1:32: error: 'devices' is a list: expected a map, {NAME: SELECTOR}",
			"g.yaml:1:55: error: 'g' is a list: expected a selector, or {device: SELECTOR, "
			"memory: BYTES}",
			"g.yaml:1:72: error: 'device' is a list: expected a value",
			"g.yaml:1:82: error: a device has no key 'x': it has device, memory",
			"g.yaml:1:89: error: '-' is no name of a device: it begins with a letter, a digit or "
			"'_', and "
			"contains no '/'" } },
	{ "machine: {hosts: {a: {}, b: {}}, links: {}}\n",
		{ "g.yaml:1:41: error: 'links' is a map: expected a list, [{between: [PLACE, PLACE], kind: "
		  "copy}]" } },
	{ "machine:\n  hosts: {a: {devices: {g: x}}, b: {}}\n  links:\n    - {kind: net}\n    - {between: "
	  "[a], kind: net}\n"
	  "    - {between: [a, b]}\n    - {between: [a, b], kind: bus}\n    - {between: [a, b], kind: net, "
	  "rate: -1}\n"
	  "    - {between: [a, b], kind: net, duplex: no}\n    - {between: [a, [b]], kind: net}\n",
		{ "g.yaml:4:7: error: a link needs both its ends: between: [PLACE, PLACE]",
			"g.yaml:5:17: error: a link needs both its ends: between: [PLACE, PLACE]",
			"g.yaml:6:7: error: the link has no kind: expected kind: shared, copy or net",
			"g.yaml:7:31: error: 'kind' is 'bus': expected shared, copy or net",
			"g.yaml:8:42: error: 'rate' is '-1': expected bytes/s, above 0",
			"g.yaml:9:44: error: 'duplex' is 'no': expected full or half",
			"g.yaml:10:21: error: an entry of 'between' is a list: expected a value" } },
	{ "machine:\n  hosts: {a: {devices: {g: x}}, b: {}}\n  links:\n    - {between: [a, b], kind: net, "
	  "rate: 0}\n"
	  "    - {between: [a, a], kind: copy}\n    - {between: [a, c], kind: net}\n    - {between: [a, b], "
	  "kind: copy}\n"
	  "    - {between: [a/g, b], kind: net}\n    - {between: [a, a/g], kind: shared, rate: 1}\n",
		{ "g.yaml:4:42: error: 'rate' is '0': expected bytes/s, above 0",
			"g.yaml:5:7: error: a link joins 'a' to itself",
			"g.yaml:6:7: error: the machine has no place 'c': it has a, a/g, b",
			"g.yaml:7:7: error: link 'a' - 'b': places of two hosts are joined by a net between "
			"the hosts",
			"g.yaml:8:7: error: link 'a/g' - 'b': a net joins two hosts",
			"g.yaml:9:7: error: link 'a' - 'a/g': a shared link copies nothing: it has no rate, "
			"latency or "
			"duplex" } },
	{ "machine:\n  hosts: {a: {caches: {}}, b: {numa: [3]}, c: {caches: [{levl: 1}]}, d: {numa: [{cores: "
	  "[1]}]},\n"
	  "    e: {address: [x]}}\n"
	  "  links: [{between: [a, b], kind: net, measured: 3}]\n",
		{ "g.yaml:2:23: error: 'caches' is a map: expected a list of maps",
			"g.yaml:2:39: error: a NUMA node is a value: expected a map, {key: value}",
			"g.yaml:2:58: error: a cache has no key 'levl'; did you mean 'level'? It has level, "
			"size, "
			"cores, count",
			"g.yaml:2:89: error: 'cores' is a list: expected a value",
			"g.yaml:3:18: error: 'address' is a list: expected a value",
			"g.yaml:4:50: error: 'measured' is a value: expected a list of maps" } },
	{ "actors: {a: {type: skip, count: 1, share: -1}, b: {type: skip, count: 1, share: 2}}\n"
	  "times: {x: 1, a: -1, b: {h: 1}}\n",
		{ "g.yaml:1:43: error: 'share' is '-1': expected a share of its firings, 0 or more",
			"g.yaml:1:81: error: 'b' (skip): a share of 2 of its firings: expected above 0, up "
			"to 1",
			"g.yaml:2:9: error: the graph has no actor 'x': it has a, b",
			"g.yaml:2:18: error: 'a' is '-1': expected seconds, 0 or more",
			"g.yaml:2:25: error: 'b' has times at places, but there is no machine: machine: "
			"{hosts: ..} "
			"says which places there are" } },
	{ "actors: {a: {type: skip, count: 1}}\nfixed: [[a], b]\n",
		{ "g.yaml:2:9: error: an entry of 'fixed' is a list: expected a value",
			"g.yaml:2:14: error: the graph has no actor 'b': it has a" } },
	{ "actors: {a: {type: skip, count: 1}}\nmachine: {hosts: {h: {}}}\ntimes: {a: {k: 1, h: 2e9}}\n",
		{ "g.yaml:3:13: error: 'a': the machine has no place 'k': it has h",
			"g.yaml:3:22: error: 'h' is '2e9': expected seconds, 0 to 1000000000" } },
};

START_TEST(problems_are_found)
{
	const struct wrong *w = &wrongs[_i];

	load_expect(pstk_graph_load(test_file("g.yaml", w->text),
			    PSTK_GRAPH(.plugins = load_plugins, .unfinished = true)),
		w->problems, TEST_COUNT(w->problems));
}
END_TEST

START_TEST(a_second_machine)
{
	static const char *const problems[] = {
		"m.yaml:1:10: error: the graph has a machine already, in g.yaml, line 2", NULL
	};

	test_file("m.yaml", "machine: {hosts: {h: {}}}\n");
	load_expect(pstk_graph_load(test_file("g.yaml", "include: m.yaml\nmachine: {hosts: {h: {}}}\n"),
			    PSTK_GRAPH(.unfinished = true)),
		problems, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine");
	TCase *c = test_case(suite, "machine");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, a_machine_is_read);
	tcase_add_test(c, overlays_replace_it);
	tcase_add_test(c, fifos_have_places);
	tcase_add_loop_test(c, problems_are_found, 0, TEST_COUNT(wrongs));
	tcase_add_test(c, a_second_machine);
	return test_main(suite);
}
