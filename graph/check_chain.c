/* SPDX-License-Identifier: MIT */
/* Chains: one line is the network that a graph file says, and what is wrong with it has its column. */
#include "graph/arena.h"
#include "graph/check_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_network *net_of(const struct pstk_graph *g)
{
	return pstk_graph_network(g);
}

static void expect_fifo(const struct pstk_graph *g, unsigned index, const char *from, const char *to,
	uint32_t write_rate, uint32_t read_rate, uint32_t delay)
{
	struct pstk_fifo_info info = load_fifo(g, index);
	char text[128];

	snprintf(text, sizeof text, "%s.%s", pstk_actor_name(info.src),
		pstk_actor_get_type(info.src)->ports[info.src_port].name);
	ck_assert_str_eq(text, from);
	snprintf(text, sizeof text, "%s.%s", pstk_actor_name(info.dst),
		pstk_actor_get_type(info.dst)->ports[info.dst_port].name);
	ck_assert_str_eq(text, to);
	ck_assert_uint_eq(info.write_rate, write_rate);
	ck_assert_uint_eq(info.rate, read_rate);
	ck_assert_uint_eq(info.delay, delay);
}

/* Types, names, sizes, and an input that is one token late. */
START_TEST(frames)
{
	static const char chain[] =
		"video_source size=16x8 frames=3 ! gauss5x5 ! threshold threshold=7 steps=2 !\n"
		"\tgauss5x5   ! median5 name=last ! gauss5x5 name=gauss5x5-4 ! gauss5x5 ! video_sink";
	static const char *const names[] = { "video_source", "gauss5x5", "threshold", "gauss5x5-2", "last",
		"gauss5x5-4", "gauss5x5-3", "video_sink" };
	struct pstk_graph *g = load_chain(chain, NULL);

	ck_assert_uint_eq(pstk_network_actor_count(net_of(g)), TEST_COUNT(names));
	for (unsigned i = 0; i < TEST_COUNT(names); i++)
		ck_assert_str_eq(pstk_actor_name(pstk_network_actor(net_of(g), i)), names[i]);
	ck_assert_uint_eq(pstk_network_fifo_count(net_of(g)), 8);
	ck_assert_int_eq(pstk_network_check(net_of(g), NULL, NULL), 0);
	ck_assert_uint_eq(pstk_actor_steps(load_actor(g, "threshold")), 2);
	expect_fifo(g, 0, "video_source.out", "gauss5x5.in", 1, 1, 0);
	expect_fifo(g, 1, "gauss5x5.out", "threshold.now", 1, 2, 0);
	expect_fifo(g, 2, "gauss5x5.out", "threshold.before", 1, 2, 1);
	expect_fifo(g, 7, "gauss5x5-3.out", "video_sink.map", 1, 1, 0);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(load_fifo(g, i).token_size, 128);
	load_run(g);
}
END_TEST

/* The rate is that of FIFOs whose ports move one token a step; where they move more it is their steps. */
START_TEST(rate)
{
	struct pstk_graph *g =
		pstk_graph_chain("iq_source input=/nowhere/x ! fir taps=\"1 0, .5 .5\" ! iq_sink",
			PSTK_GRAPH(.dry = true, .plugins = load_plugins,
				.sets = (const char *const[]){ "rate=32", NULL }));

	ck_assert_msg(net_of(g) != NULL, "%s", pstk_graph_problem(g, 0));
	expect_fifo(g, 0, "iq_source.re", "fir.re", 32, 32, 0);
	expect_fifo(g, 1, "iq_source.im", "fir.im", 32, 32, 0);
	expect_fifo(g, 2, "fir.re_out", "iq_sink.re", 32, 32, 0);
	pstk_graph_destroy(g);
	g = load_chain("video_source size=16x8 frames=5 ! repeat times=3 ! gauss5x5 ! video_sink",
		(const char *const[]){ "rate=4", NULL });
	ck_assert_int_eq(pstk_network_check(net_of(g), NULL, NULL), 0);
	expect_fifo(g, 0, "video_source.out", "repeat.in", 4, 4, 0);
	expect_fifo(g, 1, "repeat.out", "gauss5x5.in", 12, 4, 0);
	expect_fifo(g, 2, "gauss5x5.out", "video_sink.map", 4, 4, 0);
	load_run(g);
	/* an actor's own steps stay */
	g = pstk_graph_chain("fir_f32 taps=1 ! repeat times=3 steps=5 ! resample_f32 p=3 q=2 ! fir_f32 "
			     "taps=1 decimation=2",
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true,
			.sets = (const char *const[]){ "rate=16", NULL }));
	ck_assert_msg(net_of(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_network_check(net_of(g), NULL, NULL);
	expect_fifo(g, 0, "fir_f32.out", "repeat.in", 16, 5, 0);
	expect_fifo(g, 1, "repeat.out", "resample_f32.in", 15, 32, 0);
	expect_fifo(g, 2, "resample_f32.out", "fir_f32-2.in", 48, 32, 0);
	pstk_graph_destroy(g);
}
END_TEST

/* The stream of the first actor ends after so many frames. */
START_TEST(frames_parameter)
{
	static const char *const chains[] = { "video_source size=16x8 ! video_sink",
		"video_source size=16x8 frames=9 ! video_sink" };

	for (unsigned i = 0; i < TEST_COUNT(chains); i++) {
		struct pstk_graph *g = load_chain(chains[i], (const char *const[]){ "frames=5", NULL });

		ck_assert_int_eq(pstk_network_run(net_of(g)), 0);
		ck_assert_uint_eq(load_fifo(g, 0).written, 5);
		pstk_graph_destroy(g);
	}
	load_expect(pstk_graph_chain("iq_source ! iq_sink",
			    PSTK_GRAPH(.plugins = load_plugins, .dry = true,
				    .sets = (const char *const[]){ "frames=5", NULL })),
		(const char *const[]){ "chain:1:1: error: 'iq_source' (iq_source) has no parameter 'frames': "
				       "it has input, format, "
				       "samples, seed, refuse_empty" },
		1);
}
END_TEST

/* Quotes and backslashes: names of files as a shell's user may write them. */
START_TEST(quotes)
{
	static const char *const chains[] = { "\"video_source\" 'input=%s/a ! b\"c.y4m' ! video_sink",
		"video_source input=%s/'a ! b'\\\"c.y4m ! video_sink",
		"video_source input=\"%s/a ! b\\\"c.y4m\" ! video_sink",
		"video_source input=%s/a\\ !\\ b\\\"c.y4m ! video_sink" };
	const char *path = test_file("a ! b\"c.y4m", "YUV4MPEG2 W2 H1 F25:1 Cmono\nFRAME\nab");
	int folder = (int)(strrchr(path, '/') - path);

	for (unsigned i = 0; i < TEST_COUNT(chains); i++) {
		char chain[256], format[256], *at;

		snprintf(format, sizeof format, "%s", chains[i]);
		at = strstr(format, "%s");
		snprintf(chain, sizeof chain, "%.*s%.*s%s", (int)(at - format), format, folder, path, at + 2);
		load_run(load_chain(chain, NULL));
	}
}
END_TEST

static const struct wrong {
	const char *chain, *problems[4];
} wrongs[] = {
	{ "", { "chain:1:1: error: expected a type: TYPE KEY=VALUE .. ! TYPE .." } },
	{ "  ", { "chain:1:3: error: expected a type: TYPE KEY=VALUE .. ! TYPE .." } },
	{ "skip count=1 !",
		{ "chain:1:15: error: expected a type behind the !: TYPE KEY=VALUE .. ! TYPE .." } },
	{ "! skip", { "chain:1:1: error: a ! without an actor in front of it" } },
	{ "skip ! ! skip", { "chain:1:8: error: a ! without an actor in front of it" } },
	{ "skip!repeat", { "chain:1:1: error: 'skip!repeat' as a type: a ! stands between blanks" } },
	{ "count=1",
		{ "chain:1:1: error: 'count=1' where a type is expected: TYPE KEY=VALUE .. ! TYPE .." } },
	{ "''", { "chain:1:1: error: '' as a type: a ! stands between blanks" } },
	{ "skip 3", { "chain:1:6: error: '3': expected KEY=VALUE, or ! and the next type" } },
	{ "skip 'count=3", { "chain:1:6: error: a ' without the one that ends it" } },
	{ "skip count=3 count=4", { "chain:1:14: error: 'count' is here a second time" } },
	{ "skip type=skip", { "chain:1:6: error: 'type' is here a second time" } },
	{ "skip name=a count=1 ! skip name=a count=1", { "chain:1:33: error: a second actor 'a'" } },
	{ "skip count=1 name=a=b", { "chain:1:19: error: the name of an actor, 'a=b', has a =, which no such "
				     "name may have" } },
	{ "skip count=1 name=$rate", { "chain:1:19: error: the name of an actor, '$rate', has a $, which no "
				       "such name may have" } },
	{ "skip name=\xc3\xa4\xff",
		{ "chain:1:11: error: the name of an actor is not UTF-8: expected 1 to 127 "
		  "bytes of text" } },
	{ "skip name=\xed\xa0\x80",
		{ "chain:1:11: error: the name of an actor is not UTF-8: expected 1 to 127 "
		  "bytes of text" } },
	{ "skip name=\xf0\x9f\x98",
		{ "chain:1:11: error: the name of an actor is not UTF-8: expected 1 to 127 "
		  "bytes of text" } },
	{ "skip name='a\tb'", { "chain:1:11: error: the name of an actor has a tab or another control "
				"character: expected 1 to 127 bytes of text" } },
	{ "skip name=''",
		{ "chain:1:11: error: the name of an actor is empty: expected 1 to 127 bytes of text" } },
	{ "sk$p",
		{ "chain:1:1: error: the name of an actor, 'sk$p', has a $, which no such name may have" } },
	{ "skip cuont=3 ! skp count=$rte", { "chain:1:12: error: 'skip' (skip) has no parameter 'cuont'; did "
					     "you mean 'count'? It has count",
						   "chain:1:16: error: no plug-in has an actor type 'skp'; "
						   "did you mean 'skip'?",
						   "chain:1:26: error: the graph has no parameter 'rte'; did "
						   "you mean 'rate'? It has frames, rate" } },
	{ "skip count=3 steps=0",
		{ "chain:1:20: error: 'steps' is '0': expected a whole number, 1 to 4294967295" } },
	{ "skip count=3 ! adder count=2 ! skip count=1",
		{ "chain:1:16: error: 1 output of 'skip' (skip), 4 inputs of 'adder' (adder): a chain "
		  "connects as many "
		  "inputs as outputs: write a graph file",
			"chain:1:32: error: 2 outputs of 'adder' (adder), 1 input of 'skip-2' (skip): a "
			"chain connects "
			"as many inputs as outputs: write a graph file" } },
	{ "iq_source input=x ! polynomial branches=1 dynamic=true",
		{ "chain:1:21: error: 2 outputs of 'iq_source' (iq_source), 2 inputs of 'polynomial' "
		  "(polynomial) and "
		  "its control port: a chain connects as many inputs as outputs: write a graph file" } },
	{ "iq_sink name=a ! iq_sink", { "chain:1:18: error: 0 outputs of 'a' (iq_sink), 2 inputs of "
					"'iq_sink' (iq_sink): a chain connects as "
					"many inputs as outputs: write a graph file" } },
	{ "video_source size=16x8 ! gauss5x5 width=8",
		{ "chain:1:26: error: gauss5x5.in takes gray8 8x8, video_source.out gives gray8 16x8" } },
};

START_TEST(problem)
{
	load_expect(pstk_graph_chain(wrongs[_i].chain,
			    PSTK_GRAPH(.dry = true, .plugins = load_plugins, .unfinished = true)),
		wrongs[_i].problems, TEST_COUNT(wrongs[_i].problems));
}
END_TEST

/* A name has 127 bytes at most, which may be any letters. */
START_TEST(names)
{
	char chain[300], name[129] = "";
	struct pstk_graph *g;

	for (unsigned i = 0; i < 31; i++)
		memcpy(name + strlen(name), "\xf0\x9f\x98\x80", 4);
	memcpy(name + strlen(name), "a.b", 3);
	snprintf(chain, sizeof chain, "video_source size=16x8 ! video_sink name=%s", name);
	g = load_chain(chain, NULL);
	ck_assert_str_eq(pstk_actor_name(pstk_network_actor(net_of(g), 1)), name);
	pstk_graph_destroy(g);
	name[127] = 'c';
	snprintf(chain, sizeof chain, "video_source size=16x8 ! video_sink name=%s", name);
	load_expect(pstk_graph_chain(chain, PSTK_GRAPH(.plugins = load_plugins)),
		(const char *const[]){
			"chain:1:42: error: the name of an actor has more than 127 bytes: expected 1 "
			"to 127 bytes of text" },
		1);
}
END_TEST

/* The ends of a chain are a source and a sink. */
START_TEST(ends)
{
	load_expect(
		pstk_graph_chain("skip count=1 ! repeat times=1 name=b",
			PSTK_GRAPH(.plugins = load_plugins, .sets = (const char *const[]){ "rate=2", NULL })),
		(const char *const[]){ "chain:1:1: error: 'skip' (skip): input 'in' is not connected: put an "
				       "actor and a ! in "
				       "front of it",
			"chain:1:16: error: 'b' (repeat): output 'out' is not connected: put a ! and an "
			"actor "
			"behind it" },
		2);
}
END_TEST

/* What is no text, or too much of it. */
START_TEST(limits)
{
	enum { BYTES = (64 << 10) + 1, ACTORS = 1001 };
	char *text = calloc(1, BYTES + 1);

	load_expect(pstk_graph_chain(NULL, NULL),
		(const char *const[]){ "chain:1:1: error: expected a type: TYPE KEY=VALUE .. ! TYPE .." }, 1);
	load_expect(pstk_graph_chain("skip ! skip",
			    PSTK_GRAPH(.plugins = load_plugins, .unfinished = true,
				    .sets = (const char *const[]){ "rate=0", "reat=1", NULL })),
		(const char *const[]){
			"chain:1:8: error: 'rate' is '0': expected a whole number, 1 to 4294967295",
			"error: the graph has no parameter 'reat': it has frames, rate" },
		2);
	memset(text, ' ', BYTES);
	load_expect(pstk_graph_chain(text, NULL),
		(const char *const[]){ "chain:1:1: error: more than 64 KiB: write a graph file" }, 1);
	for (unsigned i = 0; i < ACTORS; i++)
		memcpy(text + i * 4, i ? "! a " : "  a ", 4);
	text[4 * ACTORS] = 0;
	load_expect(pstk_graph_chain(text, NULL),
		(const char *const[]){ "chain:1:4003: error: more than 1000 actors: write a graph file" }, 1);
	free(text);
}
END_TEST

/* Files of mappings and settings go with a chain, too. */
START_TEST(includes)
{
	const char *const files[] = { test_file("run.yaml", "run: {team: 3}\nmapping: {skip: cores}\n"),
		NULL };
	struct pstk_graph *g = pstk_graph_chain(
		"skip count=1", PSTK_GRAPH(.plugins = load_plugins, .overlays = files, .unfinished = true));

	ck_assert_msg(net_of(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_uint_eq(pstk_network_threads(net_of(g)), 3);
	pstk_graph_destroy(g);
}
END_TEST

/* Each block of memory in turn can't be had. */
START_TEST(no_memory)
{
	static char text[40000];
	bool built = false;
	int end = snprintf(text, sizeof text, "video_source size=16x8");
	long at = 0;

	for (unsigned i = 0; i < 300; i++)
		end += snprintf(
			text + end, sizeof text - (size_t)end, " ! gauss5x5 name='gauss %u' steps=2", i);
	for (; !built; at++) {
		struct pstk_graph *g;

		ps_arena_fail_at = at;
		g = pstk_graph_chain(text, PSTK_GRAPH(.plugins = load_plugins, .unfinished = true));
		built = ps_arena_fail_at >= 0;
		if (!built)
			ck_assert_str_eq(pstk_graph_problem(g, 0), "error: out of memory");
		ck_assert_int_eq(net_of(g) != NULL, built);
		pstk_graph_destroy(g);
	}
	ps_arena_fail_at = -1;
	ck_assert_int_gt(at, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chain");
	TCase *c = test_case(suite, "chains");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, frames);
	tcase_add_test(c, rate);
	tcase_add_test(c, frames_parameter);
	tcase_add_test(c, quotes);
	tcase_add_loop_test(c, problem, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, names);
	tcase_add_test(c, ends);
	tcase_add_test(c, limits);
	tcase_add_test(c, includes);
	tcase_add_test(c, no_memory);
	return test_main(suite);
}
