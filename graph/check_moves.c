/* SPDX-License-Identifier: MIT */
/* Moves that graph files ask for: `may_move`, `guard`, `moves`, overlays, places of a machine. On halves of PoCL. */
#include "graph/check_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "pocl:cpu:0/1of2"
#define SECOND "pocl:cpu:0/2of2"

static const char filters[] = "actors:\n"
			      "  source: {type: video_source, size: 32x16, frames: 12}\n"
			      "  gauss: {type: gauss5x5, may_move: [cores, \"" SECOND "\"]}\n"
			      "  sink: {type: video_sink, output: \"\"}\n"
			      "fifos: [{from: source.out, to: gauss.in}, {from: gauss.out, to: sink.map}]\n";

static bool has_halves(void)
{
	struct pstk_device_info info;

	setenv("POCL_DEVICES", "pthread", 1);
	if (!pstk_device_find(SECOND, &info, NULL, 0))
		return true;
	printf("no " SECOND ": skipped\n");
	return false;
}

static struct pstk_graph *load(const char *text, const char *overlay)
{
	const char *overlays[] = { overlay, NULL };
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins, .overlays = overlays));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	return g;
}

static void expect_move(const struct pstk_graph *g, unsigned number, const char *to, uint64_t firing)
{
	struct pstk_move move = PSTK_MOVE();

	ck_assert_int_eq(pstk_network_move(pstk_graph_network(g), number, &move), 0);
	ck_assert_str_eq(pstk_actor_name(move.actor), "gauss");
	ck_assert_str_eq(move.to, to);
	ck_assert_int_eq(move.state, PSTK_MOVE_DONE);
	ck_assert_uint_eq(move.firing, firing);
}

/* The file asks for one move, the overlay for another one. */
START_TEST(moves)
{
	char text[1024];
	const char *overlay = test_file("m.yaml", "mapping: {gauss: \"" FIRST "\"}\n"
						  "moves: [{actor: gauss, at: 7, to: cores}]\n");
	struct pstk_graph *g;
	struct pstk_actor *gauss;

	if (!has_halves())
		return;
	snprintf(text, sizeof text, "%smoves: [{actor: gauss, at: 0x3, to: \"" SECOND "\"}]\n", filters);
	g = load(text, overlay);
	gauss = load_actor(g, "gauss");
	ck_assert_ptr_null(pstk_actor_place_name(gauss, 3));
	ck_assert_str_eq(pstk_actor_place_name(gauss, 0), FIRST);
	ck_assert_str_eq(pstk_actor_place_name(gauss, 1), "cores");
	ck_assert_str_eq(pstk_actor_at(gauss), FIRST);
	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), 0);
	expect_move(g, 0, SECOND, 3);
	expect_move(g, 1, "cores", 7);
	ck_assert_str_eq(pstk_actor_at(gauss), "cores");
	pstk_graph_destroy(g);
}
END_TEST

/* The value may be a parameter. */
START_TEST(guard)
{
	struct pstk_graph *g;

	if (!has_halves())
		return;
	g = load("parameters: {on: true}\nactors:\n"
		 "  source: {type: video_source, size: 32x16, frames: 12}\n"
		 "  gauss: {type: gauss5x5, may_move: cores, guard: $on}\n"
		 "  sink: {type: video_sink, output: \"\", guard: false}\n"
		 "fifos: [{from: source.out, to: gauss.in}, {from: gauss.out, to: sink.map}]\n"
		 "mapping: {gauss: \"" FIRST "\"}\nmoves: [{actor: gauss, at: 5, to: cores}]\n",
		NULL);
	ck_assert(pstk_actor_guarded(load_actor(g, "gauss")));
	ck_assert(!pstk_actor_guarded(load_actor(g, "source")));
	ck_assert(!pstk_actor_guarded(load_actor(g, "sink")));
	ck_assert_str_eq(pstk_actor_place_name(load_actor(g, "gauss"), 1), "cores");
	ck_assert_ptr_null(pstk_actor_place_name(load_actor(g, "gauss"), 2));
	ck_assert_str_eq(pstk_actor_at(load_actor(g, "gauss")), FIRST);
	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), 0);
	expect_move(g, 0, "cores", 5);
	pstk_graph_destroy(g);
}
END_TEST

/* As many as a program may ask for besides the file's. */
static void ask_for_more(struct pstk_graph *g, unsigned first)
{
	struct pstk_actor *gauss = load_actor(g, "gauss");

	for (unsigned i = 0; i < 64; i++)
		ck_assert_int_eq(pstk_actor_migrate(gauss, i % 2 ? "cores" : SECOND, 11), (int)(first + i));
}

/* A network keeps as many moves as its file asks for, and those of the program besides. */
START_TEST(many)
{
	static char text[8192];
	size_t length = (size_t)snprintf(text, sizeof text, "%smoves:\n", filters);
	struct pstk_graph *g;

	if (!has_halves())
		return;
	for (unsigned i = 0; i < 100; i++)
		length += (size_t)snprintf(text + length, sizeof text - length,
			"- {actor: gauss, at: %u, to: \"%s\"}\n", 1 + i / 10, i % 2 ? "cores" : SECOND);
	g = load(text, NULL);
	ask_for_more(g, 100);
	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), 0);
	for (unsigned i = 0; i < 100; i++)
		expect_move(g, i, i % 2 ? "cores" : SECOND, 1 + i / 10);
	for (unsigned i = 100; i < 164; i++)
		expect_move(g, i, i % 2 ? "cores" : SECOND, 11);
	pstk_graph_destroy(g);
	snprintf(text, sizeof text, "%smoves: [{actor: gauss, at: 3, to: cores}]\n", filters);
	g = load(text, NULL);
	ask_for_more(g, 1);
	pstk_graph_destroy(g);
}
END_TEST

START_TEST(too_many)
{
	enum { COUNT = 65473 };
	static char text[COUNT * 32 + 512];
	size_t length = (size_t)snprintf(text, sizeof text,
		"actors: {gauss: {type: gauss5x5, width: 8, height: 8}}\n"
		"machine: {hosts: {h: {}}}\nmoves: [");
	struct pstk_graph *g;

	for (unsigned i = 0; i < COUNT; i++)
		length += (size_t)snprintf(
			text + length, sizeof text - length, "{actor: gauss, at: 1, to: h},\n");
	snprintf(text + length, sizeof text - length, "]\n");
	g = pstk_graph_load(test_file("g.yaml", text),
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true, .dry = true));
	ck_assert_ptr_null(pstk_graph_network(g));
	TEST_SAYS(
		pstk_graph_problem(g, 0), "g.yaml:3:", "pstk_network_set_moves(65537): expected 1 to 65536");
	ck_assert_ptr_null(pstk_graph_problem(g, 1));
	pstk_graph_destroy(g);
}
END_TEST

/* With a machine places have its names. What is only looked at needs no device. */
START_TEST(machine)
{
	static const char places[] =
		"actors: {gauss: {type: gauss5x5, may_move: [h, h/b], width: 8, height: 8}}\n"
		"mapping: {gauss: h/a}\nmoves: [{actor: gauss, at: 2, to: h/b}]\n"
		"machine: {hosts: {h: {devices: {a: \"%s\", b: \"%s\"}}}}\n";
	char text[512];
	struct pstk_graph *g;
	struct pstk_move move = PSTK_MOVE();

	snprintf(text, sizeof text, places, "none:gpu:7", "none:gpu:8");
	g = pstk_graph_load(test_file("g.yaml", text),
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true, .dry = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_ptr_null(pstk_actor_place_name(load_actor(g, "gauss"), 0));
	pstk_graph_destroy(g);
	if (!has_halves())
		return;
	snprintf(text, sizeof text, places, FIRST, SECOND);
	g = pstk_graph_load(
		test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins, .unfinished = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_str_eq(pstk_actor_place_name(load_actor(g, "gauss"), 1), "cores");
	ck_assert_str_eq(pstk_actor_place_name(load_actor(g, "gauss"), 2), SECOND);
	ck_assert_int_eq(pstk_network_move(pstk_graph_network(g), 0, &move), 0);
	ck_assert_str_eq(move.to, SECOND);
	pstk_graph_destroy(g);
}
END_TEST

static const struct {
	const char *text, *problems[4];
} wrongs[] = {
	{ "actors: {gauss: {type: gauss5x5, may_move: [h/g, i, h/none, cores, {a: b}], width: 8, height: "
	  "8}}\n"
	  "mapping: {gauss: h}\nmachine: {hosts: {h: {devices: {g: {}}}, i: {}}}\n"
	  "moves: [{actor: gauss, at: 1, to: h/g}]\n",
		{ "g.yaml:1:45: error: 'gauss': it can't move to 'h/g', which has no device",
			"g.yaml:1:50: error: 'gauss': it can't move to 'i': that is another host than the "
			"one that it is at, and this process is alone: mpirun starts one for each host" } },
	{ "actors: {source: {type: video_source, size: 8x8, may_move: i}}\n"
	  "machine: {hosts: {h: {}, i: {}}}\nmoves: [{actor: source, at: 2, to: i}]\n",
		{ "g.yaml:1:60: error: 'source': it can't move to 'i': that is another host than the one "
		  "that it is at, to which only types go that are stateless or have portable_state, and no "
		  "unblock()",
			"g.yaml:3:36: error: 'source': it can't move to 'i': " } },
	{ "actors: {gauss: {type: gauss5x5, may_move: [cores, none:gpu:7], width: 8, height: 8}}\n",
		{ "g.yaml:1:52: error: 'gauss' (gauss5x5): " } },
	{ "actors: {gauss: {type: gauss5x5, may_move: [\"gpuu\"], width: 8, height: 8}}\n",
		{ "g.yaml:1:45: error: 'gauss' (gauss5x5): " } },
	{ "actors: {a: {type: repeat, times: 1, guard: yes}, b: {type: repeat, times: 1, guard: [true]}}\n",
		{ "g.yaml:1:45: error: 'guard' is 'yes': expected true or false",
			"g.yaml:1:86: error: 'guard' is a list: expected a value" } },
};

/* Their beginnings. */
START_TEST(problems)
{
	struct pstk_graph *g = pstk_graph_load(test_file("g.yaml", wrongs[_i].text),
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true));

	for (unsigned i = 0; i < 4 && wrongs[_i].problems[i]; i++)
		TEST_SAYS(pstk_graph_problem(g, i), wrongs[_i].problems[i]);
	ck_assert_ptr_null(pstk_graph_network(g));
	pstk_graph_destroy(g);
}
END_TEST

/* Of a process that is one of several what the file says waits for the plan, which names the hosts. How they go is in
 * apps/penstock/check_hosts.sh; here there is no plan. */
START_TEST(hosts)
{
	static const char text[] =
		"actors: {gauss: {type: gauss5x5, may_move: [zz0, zz1], width: 8, height: 8}}\n"
		"machine: {hosts: {zz0: {}, zz1: {}}}\nmoves: [{actor: gauss, at: 2, to: zz1}]\n";

	for (unsigned dry = 0; dry < 2; dry++) {
		struct pstk_graph *g = pstk_graph_load(test_file("g.yaml", text),
			PSTK_GRAPH(.plugins = load_plugins, .unfinished = true, .dry = dry, .host = "zz1"));

		ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
		ck_assert_ptr_null(pstk_actor_place_name(load_actor(g, "gauss"), 0));
		ck_assert_uint_eq(pstk_network_move_count(pstk_graph_network(g)), 0);
		/* the program's own, which is none of the file's */
		ck_assert_int_lt(pstk_actor_may_move(load_actor(g, "gauss"), "gpuu"), 0);
		ck_assert_int_eq(pstk_graph_apply_moves(g, NULL, NULL), dry ? 0 : -EINVAL);
		ck_assert_int_eq(pstk_graph_apply_moves(g, NULL, NULL), dry ? 0 : -EINVAL);
		ck_assert_int_eq(pstk_graph_network(g) != NULL, dry);
		if (!dry)
			TEST_SAYS(pstk_graph_problem(g, 0), "g.yaml:1:45: error: 'gauss' (gauss5x5): ");
		if (!dry)
			TEST_SAYS(pstk_graph_problem(g, 2), "g.yaml:3:35: error: 'gauss' (gauss5x5): ");
		pstk_graph_destroy(g);
	}
	ck_assert_int_eq(pstk_graph_apply_moves(NULL, NULL, NULL), -EINVAL);
}
END_TEST

START_TEST(no_device)
{
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml",
			"actors: {g: {type: gauss5x5, may_move: none:gpu:7, width: 8, height: 8}}\n"),
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true));

	ck_assert_int_eq(pstk_graph_error(g), -ENODEV);
	pstk_graph_destroy(g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("moves");
	TCase *c = test_case(suite, "moves");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, moves);
	tcase_add_test(c, guard);
	tcase_add_test(c, many);
	tcase_add_test(c, too_many);
	tcase_add_test(c, machine);
	tcase_add_loop_test(c, problems, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, hosts);
	tcase_add_test(c, no_device);
	return test_main(suite);
}
