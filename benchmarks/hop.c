/* SPDX-License-Identifier: MIT */
/*
 * What a firing costs by itself: a chain of 16 actors of which each passes one number of 4 bytes on, the
 * first makes it, the last adds it up. Nanoseconds a firing, and as a ratio to oneTBB's flow_graph and
 * parallel_pipeline with the same chain, where configure has found oneTBB.
 *
 * Why it is fair: the same numbers through the same chain, one after the other through each actor, in
 * order. Nodes of the flow graph are serial function_nodes, those of the pipeline serial filters in order
 * with as many tokens in flight as actors. A chain of continue_nodes is simpler than what the library does:
 * its messages are empty, one at a time. A team of one is to be compared with oneTBB in an arena of one
 * thread, a team of two with one of two. The policy `lightweight` makes of a node a call in the thread of
 * the one before. Threads for each actor run a hundredth of the numbers, because each waits for a waking.
 * The sum is checked.
 *
 * Ratios are to oneTBB with one thread; of a team of two compare the nanoseconds with those of its two.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: hop [-a ACTORS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/peers/hop_tbb.h"
#include "benchmarks/rounds.h"

#include <stdio.h>
#include <stdlib.h>

enum { ACTORS_MOST = 1000, THREADS_DIVIDE = 100 };

static unsigned actors = 16; /* constant while anything runs */

/* What source and sink of a run share. */
struct run {
	uint64_t items; /* constant */
	uint64_t sum;   /* sink's */
};

struct way {
	unsigned team, depth;
};

static int source_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)i;
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->items ? PSTK_DONE : PSTK_AGAIN;
}

static int pass_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	*out = *in;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	run->sum += *in;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static struct pstk_actor *add(struct pstk_network *net, unsigned index, struct run *run)
{
	bool first = !index, last = index + 1 == actors;
	char name[24];

	snprintf(name, sizeof name, "actor%u", index);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "pass", .ports = first ? ports + 1 : ports,
			.port_count = first || last ? 1 : 2,
			.fire = first  ? source_fire
	                        : last ? sink_fire
	                               : pass_fire),
		run);
}

/* items: firings */
static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { items / actors, 0 };
	struct pstk_network *net = pstk_network_create("hop");
	struct pstk_actor *before = add(net, 0, &run);

	for (unsigned i = 1; i < actors; i++) {
		struct pstk_actor *next = add(net, i, &run);

		pstk_connect(before, "out", next, "in",
			PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = sizeof(uint32_t)));
		before = next;
	}
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	return run.sum;
}

/* What all have to give. */
static uint64_t run_plain(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	(void)arg;
	for (uint64_t i = 0; i < items / actors; i++)
		sum += (uint32_t)i;
	return sum;
}

#ifdef HOP_TBB
static struct hop_tbb tbb[2];

static uint64_t run_flow(const void *arg, uint64_t items)
{
	return hop_tbb_flow(arg, items / actors);
}

static uint64_t run_continue(const void *arg, uint64_t items)
{
	return hop_tbb_continue(arg, items / actors);
}

static uint64_t run_lightweight(const void *arg, uint64_t items)
{
	return hop_tbb_lightweight(arg, items / actors);
}

static uint64_t run_pipeline(const void *arg, uint64_t items)
{
	return hop_tbb_pipeline(arg, items / actors);
}
#endif

/* -- the table -- */

static struct rounds_table table = { .unit = "ns a firing", .scale = 1, .times = true, .expect = run_plain };

static void add_peers(void)
{
#ifdef HOP_TBB
	struct rounds_variant *v;

	for (unsigned threads = 1; threads <= 2; threads++) {
		struct hop_tbb *hop = &tbb[threads - 1];
		const char *s = threads == 1 ? "" : "s";

		*hop = (struct hop_tbb){ .actors = actors, .threads = threads, .tokens = actors };
		v = rounds_add(&table, run_flow, hop, "flow_graph, %u thread%s", threads, s);
		v->versus = threads == 1 ? "flow_graph" : NULL;
		v->one_thread = threads == 1;
		v->role = ROUNDS_PEER;
		v = rounds_add(&table, run_pipeline, hop, "pipeline, %u thread%s", threads, s);
		v->versus = threads == 1 ? "pipeline" : NULL;
		v->one_thread = threads == 1;
		v->role = ROUNDS_PEER;
	}
	v = rounds_add(&table, run_continue, &tbb[0], "continue_nodes, 1 thread");
	v->versus = "continue_node";
	v->one_thread = true;
	v->role = ROUNDS_PEER;
	v = rounds_add(&table, run_lightweight, &tbb[0], "flow_graph lightweight");
	v->one_thread = true;
	v->role = ROUNDS_PEER;
#endif
}

static bool option(int c, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	actors = (unsigned)n;
	return c == 'a' && !*end && n >= 3 && n <= ACTORS_MOST;
}

int main(int argc, char **argv)
{
	static const struct way ways[] = { { 1, 2 }, { 1, 4 }, { 1, 16 }, { 2, 4 }, { 2, 16 }, { 0, 2 },
		{ 0, 16 } };
	struct rounds_options o =
		rounds_parse(argc, argv, "a:", option, "  -a ACTORS   in the chain, 3 to 1000 (16)\n");
	char title[64];

	snprintf(title, sizeof title, "one firing in a chain of %u empty actors", actors);
	table.title = title;
	table.family = "one firing in a chain of empty actors";
	table.sweep = "actors";
	table.at = actors;
	table.least = actors;
	add_peers();
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		struct rounds_variant *v =
			w->team ? rounds_add(&table, run_library, w, "team %u, depth %u", w->team, w->depth)
				: rounds_add(&table, run_library, w, "threads, depth %u", w->depth);

		v->one_thread = w->team == 1;
		v->divide = w->team ? 1 : THREADS_DIVIDE;
	}
	rounds_run(&o, &table);
	return 0;
}
