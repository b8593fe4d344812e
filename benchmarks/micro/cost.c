/* SPDX-License-Identifier: MIT */
/*
 * What networks cost beside their firings: bytes of memory for each actor and FIFO of chains of 10 to 10,000
 * actors, and the time to create, build, start and end one of 5 (motion detection has as many), 17
 * (predistortion), 100 and 1,000.
 *
 * Memory is told by the library (what the tokens of FIFOs take, what the start took for them) and by what
 * the process has grown, measured in a process of its own while all threads are there. One with 16 FIFOs
 * from each actor to the next tells those apart: "each FIFO more" is a fifteenth of what it takes more
 * than with one. With a thread for each actor that is what the system keeps of their stacks, too.
 *
 * Why it is fair: start-up runs from before the network is created until it has been destroyed, and two
 * numbers go through it. oneTBB's flow_graph is a chain of as many nodes, through which two numbers go,
 * with its arena. By hand are as many threads as actors that are only created and joined: no runtime with
 * a thread for each starts faster. The sum of what arrived is checked.
 *
 * Tables: as of all programs here (-h). In tables of memory "seconds" of a run are bytes.
 *
 * Usage: cost [-m | -u] [-a ACTORS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/micro/cost_memory.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/micro/hop_network.h"
#include "benchmarks/peers/hop_tbb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACTORS_MOST = 10000, THREADS_MOST = 1000, NUMBERS = 2 };

/* -- memory -- */

/* Bytes are told as seconds: a figure is them by items, and an item is an actor. */
static struct rounds_cost cost;

static void tell(double bytes)
{
	cost = (struct rounds_cost){ .seconds = bytes };
}

/* The items are the actors, as often as the driver wants: figures are of one. */
static uint64_t run_memory(const void *arg, uint64_t items)
{
	const struct cost_memory *what = arg;
	struct cost_bytes bytes = cost_memory_measure(what);

	tell((double)bytes.grown_bytes * (double)(items / what->actors));
	return 0;
}

static uint64_t run_fifo_bytes(const void *arg, uint64_t items)
{
	const struct cost_memory *what = arg;
	struct cost_bytes bytes = cost_memory_measure(what);

	tell((double)bytes.fifo_bytes * (double)(items / what->actors));
	return 0;
}

static uint64_t run_allocated(const void *arg, uint64_t items)
{
	const struct cost_memory *what = arg;
	struct cost_bytes bytes = cost_memory_measure(what);

	tell((double)bytes.allocated_bytes * (double)(items / what->actors));
	return 0;
}

static uint64_t run_fifo_more(const void *arg, uint64_t items)
{
	const struct cost_memory *what = arg;
	struct cost_memory one = { what->actors, 1, what->team }, many = one;
	double more;

	many.fifos = COST_FIFOS_MOST;
	more = ((double)cost_memory_measure(&many).grown_bytes -
		       (double)cost_memory_measure(&one).grown_bytes) /
	       (COST_FIFOS_MOST - 1);
	tell((more > 1 ? more : 1) * (double)(items / what->actors));
	return 0;
}

static void add_memory(struct rounds_table *t, uint64_t (*run)(const void *, uint64_t),
	const struct cost_memory *what, const char *name)
{
	struct rounds_variant *v = rounds_add(t, run, what, "%s", name);

	v->cost = &cost;
	v->one_thread = true;
}

static void measure_memory(const struct rounds_options *o, unsigned actors)
{
	static struct rounds_table table;
	const struct cost_memory team = { actors, 1, 2 }, threads = { actors, 1, 0 },
				 team_many = { actors, COST_FIFOS_MOST, 2 };
	char title[80];

	snprintf(title, sizeof title, "memory of a chain of %u actors", actors);
	table = (struct rounds_table){ .title = title,
		.unit = "bytes an actor",
		.scale = 1e9,
		.times = true,
		.least = actors,
		.family = "memory of a chain",
		.sweep = "actors",
		.at = actors };
	add_memory(&table, run_fifo_bytes, &team, "tokens in FIFOs, team 2");
	add_memory(&table, run_allocated, &team, "FIFOs, as allocated, team 2");
	add_memory(&table, run_memory, &team, "process, team 2, a FIFO each");
	add_memory(&table, run_memory, &team_many, "process, team 2, 16 FIFOs each");
	add_memory(&table, run_fifo_more, &team, "process, team 2, each FIFO more");
	if (actors <= THREADS_MOST)
		add_memory(&table, run_memory, &threads, "process, threads, a FIFO each");
	rounds_run(o, &table);
}

/* -- start-up -- */

static uint64_t run_network(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < items; i++) {
		struct hop_run run = { .way = arg, .items = NUMBERS };

		rounds_run_network(hop_network_build(&run));
		sum += hop_network_end(&run);
	}
	return sum;
}

static uint64_t expected(const void *arg, uint64_t items)
{
	return hop_network_expected(&(struct hop_way){ .actors = 2 }, NUMBERS) * (arg ? items : 0);
}

/* A number goes from each thread to the next one that ends. */
static void *count(void *arg)
{
	uint64_t *number = arg;

	++*number;
	return NULL;
}

static uint64_t run_threads(const void *arg, uint64_t items)
{
	const struct hop_way *way = arg;
	pthread_t *threads = rounds_alloc(way->actors * sizeof *threads);
	uint64_t *numbers = rounds_alloc(way->actors * sizeof *numbers), sum = 0;

	for (uint64_t i = 0; i < items; i++) {
		for (unsigned k = 0; k < way->actors; k++)
			if (pthread_create(&threads[k], NULL, count, &numbers[k]))
				rounds_fail("no thread");
		for (unsigned k = 0; k < way->actors; k++)
			pthread_join(threads[k], NULL);
	}
	for (unsigned k = 0; k < way->actors; k++)
		sum += numbers[k];
	free(threads);
	free(numbers);
	return sum / way->actors;
}

#ifdef HOP_TBB
static uint64_t run_flow(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < items; i++)
		sum += hop_tbb_flow(arg, NUMBERS);
	return sum;
}
#endif

static void measure_start(const struct rounds_options *o, unsigned actors)
{
	static struct rounds_table table;
	const struct hop_way team1 = { .actors = actors, .team = 1 }, team2 = { .actors = actors, .team = 2 },
			     threads = { .actors = actors };
	struct rounds_variant *v;
	char title[80];

	snprintf(title, sizeof title, "start-up of a chain of %u actors", actors);
	table = (struct rounds_table){ .title = title,
		.unit = "us a network",
		.scale = 1e3,
		.times = true,
		.least = 1,
		.expect = expected,
		.family = "start-up of a chain",
		.sweep = "actors",
		.at = actors };
	rounds_add(&table, run_network, &team1, "team 1");
	rounds_add(&table, run_network, &team2, "team 2");
	v = rounds_add(&table, run_network, &threads, "threads");
	v->divide = 4;
	v = rounds_add(&table, run_threads, &threads, "only threads, by hand");
	v->role = ROUNDS_LIMIT;
	v->versus = "by hand";
	v->divide = 4;
#ifdef HOP_TBB
	const struct hop_tbb hop = { .actors = actors, .threads = 2, .tokens = 2 };

	v = rounds_add(&table, run_flow, &hop, "flow_graph, 2 threads");
	v->role = ROUNDS_PEER;
	v->versus = "flow_graph";
#endif
	rounds_run(o, &table);
}

/* -- options -- */

static bool memory = true, start = true;
static unsigned only_actors;

static bool option(int c, const char *arg)
{
	if (c == 'm')
		start = false;
	else if (c == 'u')
		memory = false;
	if (c != 'a')
		return memory || start;
	return number_unsigned(arg, 2, ACTORS_MOST, &only_actors);
}

int main(int argc, char **argv)
{
	static const unsigned memories[] = { 10, 100, 1000, 10000 }, starts[] = { 5, 17, 100, 1000 };
	struct rounds_options o = rounds_parse(argc, argv, "mua:", option,
		"  -m          memory only\n"
		"  -u          start-up only\n"
		"  -a ACTORS   in the chain, 2 to 10000 (10, 100, 1000, 10000; of start-up 5, 17, 100, "
		"1000)\n\n"
		"What a network takes beside its firings. Memory: bytes an actor, as the library tells "
		"(\"tokens\n"
		"in FIFOs\", \"FIFOs, as allocated\") and by which the process grows; \"each FIFO more\" is "
		"of a FIFO.\n"
		"Start-up: microseconds from pstk_network_create() to pstk_network_destroy(). \"threads\" is "
		"one\n"
		"for each actor.\n");

	/* first: it is measured in children of a process that has run no network yet */
	for (unsigned i = 0; memory && i < (only_actors ? 1 : sizeof memories / sizeof *memories); i++)
		measure_memory(&o, only_actors ? only_actors : memories[i]);
	for (unsigned i = 0; start && i < (only_actors ? 1 : sizeof starts / sizeof *starts); i++)
		if (!only_actors || only_actors <= THREADS_MOST)
			measure_start(&o, only_actors ? only_actors : starts[i]);
	return 0;
}
