/* SPDX-License-Identifier: MIT */
/*
 * What many actors cost: a chain of 1,000 against one of 10 that does the same work for each token, 100
 * times as much in each of its actors. Tokens a second, and as ratios to those of ten actors and to the
 * ideal.
 *
 * Why it is fair: the work is one long sequence of dependent multiplications on a number, cut into equal
 * parts, so each chain does all of it, in this order; what comes out is checked against the same without a
 * chain. The ideal is two threads that each do it for one half of the tokens; serial is one thread. Actors
 * keep their order: none is stateless.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: chain [-a ACTORS] [-w NS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/rounds.h"
#include "lib/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 10, ACTORS_MOST = 4000, TOKENS_LEAST = 16, WORK_MOST = 1000000 };

/* Constant while anything runs. */
static unsigned many = 1000;
static uint64_t steps; /* of work in each of the many actors */

static uint64_t work(uint64_t number, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return number;
}

/* Steps a nanosecond: the most of some tries. */
static double measure_speed(void)
{
	enum { TRIES = 20, COUNT = 200000 };
	double most = 0;
	volatile uint64_t keep = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t begin = ps_clock_ns();

		keep = work(keep, COUNT);
		double speed = COUNT / (double)(ps_clock_ns() - begin + 1);

		most = speed > most ? speed : most;
	}
	return most;
}

/* -- without a chain -- */

struct part {
	uint64_t first, end, sum;
};

static void *run_part(void *arg)
{
	struct part *p = arg;

	for (uint64_t i = p->first; i < p->end; i++)
		p->sum += rounds_hash_at(work(i, steps * many), i);
	return NULL;
}

static uint64_t run_serial(const void *arg, uint64_t items)
{
	struct part all = { 0, items, 0 };

	(void)arg;
	run_part(&all);
	return all.sum;
}

static uint64_t run_ideal(const void *arg, uint64_t items)
{
	struct part parts[2] = { { 0, items / 2, 0 }, { items / 2, items, 0 } };
	pthread_t other;

	(void)arg;
	if (pthread_create(&other, NULL, run_part, &parts[1]))
		rounds_fail("no thread");
	run_part(&parts[0]);
	pthread_join(other, NULL);
	return parts[0].sum + parts[1].sum;
}

/* -- the chains -- */

struct way {
	unsigned team, depth;
	bool few;
};

/* What the actors of a run share. */
struct run {
	uint64_t items, steps; /* constant; steps: of one actor */
	uint64_t sum;          /* sink's */
};

static int first_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	*(uint64_t *)pstk_fifo_write_start(f, 0) = work(i, run->steps);
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->items ? PSTK_DONE : PSTK_AGAIN;
}

static int middle_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	*out = work(*in, run->steps);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int last_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	run->sum += rounds_hash_at(work(*in, run->steps), pstk_firing_index(f));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, unsigned index, unsigned count, struct run *run)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	bool first = !index, last = index + 1 == count;
	char name[24];

	snprintf(name, sizeof name, "actor%u", index);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "worker", .ports = first ? ports + 1 : ports,
			.port_count = first || last ? 1 : 2,
			.fire = first  ? first_fire
	                        : last ? last_fire
	                               : middle_fire),
		run);
}

static uint64_t run_chain(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	unsigned count = way->few ? FEW : many;
	struct run run = { items, steps * many / count, 0 };
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *before = add(net, 0, count, &run);

	for (unsigned i = 1; i < count; i++) {
		struct pstk_actor *next = add(net, i, count, &run);

		pstk_connect(before, "out", next, "in",
			PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = sizeof(uint64_t)));
		before = next;
	}
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	return run.sum;
}

/* -- the tables -- */

static void add_chain(struct rounds_table *t, const struct way *w)
{
	struct rounds_variant *v;
	unsigned count = w->few ? FEW : many;

	if (w->team)
		v = rounds_add(t, run_chain, w, "%u actors, team %u, depth %u", count, w->team, w->depth);
	else
		v = rounds_add(t, run_chain, w, "%u actors, threads, depth %u", count, w->depth);
	v->one_thread = w->team == 1;
}

static void measure(const struct rounds_options *o, double ns, double speed)
{
	static const struct way ways[] = { { 2, 4, true }, { 2, 4, false }, { 2, 2, true }, { 2, 2, false },
		{ 1, 4, true }, { 1, 4, false }, { 0, 2, true }, { 0, 2, false } };
	static struct rounds_table table;
	struct rounds_variant *v;
	char title[96];

	/* each actor of the short chain does a whole number of the long one's parts */
	steps = (uint64_t)(ns * speed) + 1;
	snprintf(title, sizeof title, "chains of %u and %d actors, %.3g us each of the %u", many, FEW,
		ns / 1e3, many);
	table = (struct rounds_table){
		.title = title, .unit = "tokens/s", .scale = 1, .least = TOKENS_LEAST
	};
	rounds_again(&table, "-p", "%.17g", speed);
	v = rounds_add(&table, run_serial, NULL, "serial");
	v->one_thread = true;
	v->role = ROUNDS_SERIAL;
	rounds_add(&table, run_ideal, NULL, "ideal, two threads")->versus = "ideal";
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++)
		add_chain(&table, w);
	table.variants[2].versus = "ten, team 2";
	rounds_run(o, &table);
}

static double only_ns, given_speed;

static bool option(int c, const char *arg)
{
	char *end;
	double n = strtod(arg, &end);

	if (c == 'p') {
		given_speed = n;
		return !*end && n > 0;
	}
	if (c == 'a')
		many = (unsigned)n;
	else if (c == 'w')
		only_ns = n;
	return !*end && n >= 1 &&
	       (c == 'a' ? n <= ACTORS_MOST && many >= 2 * FEW && many % FEW == 0 : n <= WORK_MOST);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "a:w:p:", option,
		"  -a ACTORS   of the long chain, 20, 30, .. 4000 (1000)\n"
		"  -w NS       of work in each of them (100, then 1000, then 10000)\n"
		"  -p STEPS    of work a nanosecond (measured)\n");
	double speed = given_speed > 0 ? given_speed : measure_speed();

	if (only_ns > 0) {
		measure(&o, only_ns, speed);
		return 0;
	}
	measure(&o, 100, speed);
	measure(&o, 1000, speed);
	if (o.seconds > 0.1 || o.mode == ROUNDS_ONE)
		measure(&o, 10000, speed);
	return 0;
}
