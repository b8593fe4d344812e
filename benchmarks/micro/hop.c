/* SPDX-License-Identifier: MIT */
/*
 * What a firing costs by itself: actors of which each passes one number of 4 bytes on, in a chain (the first
 * makes numbers, the last adds them up), a star (all others read and add up what the first makes) or a loop
 * (one number goes around). Nanoseconds a firing, and as a ratio to oneTBB's flow_graph and parallel_pipeline
 * with the same actors, where configure has found oneTBB.
 *
 * Why it is fair: the same numbers through the same graph, one after the other through each actor, in order.
 * Nodes of the flow graph are serial function_nodes, those of the pipeline serial filters in order with as
 * many tokens in flight as actors. A chain of continue_nodes is simpler than what the library does: its
 * messages are empty, one at a time. A team of one is to be compared with oneTBB in an arena of one thread, a
 * team of two with one of two. The policy `lightweight` makes of a node a call in the thread of the one
 * before. Threads for each actor run a part of the numbers, because each waits for a waking. In a loop only
 * one actor can fire at a time: that is what handing over takes. The sum is checked.
 *
 * Ratios are to oneTBB with one thread; of a team of two compare the nanoseconds with those of its two.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: hop [-a ACTORS] [-g SHAPE] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/micro/hop_network.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/peers/hop_tbb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTORS_MOST = 1000, WAYS = 7, FEW = 16, NUMBERS_LEAST = 1024 };

/* Constant while anything runs. */
static unsigned actors = 16;
static enum hop_shape shape = HOP_CHAIN;

/* items: firings */
static uint64_t run_library(const void *arg, uint64_t items)
{
	struct hop_run run = { .way = arg, .items = items / actors };

	rounds_run_network(hop_network_build(&run));
	return hop_network_end(&run);
}

/* What all have to give. */
static uint64_t expected(const void *arg, uint64_t items)
{
	(void)arg;
	return hop_network_expected(&(struct hop_way){ .shape = shape, .actors = actors }, items / actors);
}

/* -- oneTBB -- */

#ifdef HOP_TBB
struct tbb_way {
	uint64_t (*run)(const struct hop_tbb *, uint64_t numbers);
	unsigned threads;
	const char *name, *versus;
};

static uint64_t run_tbb(const void *arg, uint64_t items)
{
	const struct tbb_way *way = arg;

	return way->run(&(struct hop_tbb){ .actors = actors, .threads = way->threads, .tokens = actors },
		items / actors);
}
#endif

/* -- the table -- */

static struct rounds_table table = { .unit = "ns a firing", .scale = 1, .times = true, .expect = expected };

static void add_peers(void)
{
#ifdef HOP_TBB
	static struct tbb_way ways[] = { { NULL, 1, "flow_graph, 1 thread", "flow_graph" },
		{ NULL, 2, "flow_graph, 2 threads", NULL },
		{ hop_tbb_pipeline, 1, "pipeline, 1 thread", "pipeline" },
		{ hop_tbb_pipeline, 2, "pipeline, 2 threads", NULL },
		{ hop_tbb_continue, 1, "continue_nodes, 1 thread", "continue_node" },
		{ hop_tbb_lightweight, 1, "flow_graph lightweight", NULL } };
	const unsigned count = shape == HOP_CHAIN ? sizeof ways / sizeof *ways : 2;

	ways[0].run = ways[1].run = shape == HOP_STAR   ? hop_tbb_star
	                            : shape == HOP_LOOP ? hop_tbb_loop
	                                                : hop_tbb_flow;
	for (struct tbb_way *w = ways; w < ways + count; w++) {
		struct rounds_variant *v = rounds_add(&table, run_tbb, w, "%s", w->name);

		v->versus = w->versus;
		v->one_thread = w->threads == 1;
		v->role = ROUNDS_PEER;
	}
#endif
}

static void add_library(void)
{
	static const unsigned teams[WAYS] = { 1, 1, 1, 2, 2, 0, 0 },
			      depths[WAYS] = { 2, 4, 16, 4, 16, 2, 16 };
	static struct hop_way ways[WAYS];

	for (unsigned i = 0; i < WAYS; i++) {
		struct hop_way *w = &ways[i];
		struct rounds_variant *v;

		*w = (struct hop_way){ shape, actors, teams[i], depths[i] };
		if (shape == HOP_LOOP && w->depth > (w->team == 1 ? 2 : 4)) /* of no use to one number */
			continue;
		v = w->team ? rounds_add(&table, run_library, w, "team %u, depth %u", w->team, w->depth)
		            : rounds_add(&table, run_library, w, "threads, depth %u", w->depth);
		v->one_thread = w->team == 1;
		v->divide = w->team ? 1 : shape == HOP_LOOP ? 400 : 100;
	}
}

static bool option(int c, const char *arg)
{
	if (c == 'g') {
		for (shape = HOP_CHAIN; shape < HOP_SHAPES; shape++)
			if (!strcmp(arg, hop_shape_names[shape]))
				return true;
		return false;
	}
	return c == 'a' && number_unsigned(arg, 2, ACTORS_MOST, &actors);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "a:g:", option,
		"  -a ACTORS   in the network, 2 to 1000 (16)\n"
		"  -g SHAPE    of it: chain, star or loop (chain)\n\n"
		"What a firing of an actor that only passes a number on costs: ns a firing. \"threads\" (one "
		"for each\n"
		"actor) and \"team N\" are the library with FIFOs of so many windows, the others oneTBB.\n");
	char title[64], family[64];

	snprintf(
		title, sizeof title, "one firing in a %s of %u empty actors", hop_shape_names[shape], actors);
	snprintf(family, sizeof family, "one firing in a %s of empty actors", hop_shape_names[shape]);
	table.title = title;
	table.family = family;
	table.sweep = "actors";
	table.at = actors;
	/* where a busy machine makes the calibration too short, the start of a short chain must not count */
	table.least = actors > FEW ? actors : NUMBERS_LEAST * actors;
	add_peers();
	add_library();
	rounds_run(&o, &table);
	return 0;
}
