/* SPDX-License-Identifier: MIT */
/*
 * Predistortion on the cores, the ten branches of the program of that name, of which 2, 6, 10 or every
 * 65,536 samples another random set are active: millions of samples a second of the library, a thread per
 * actor and a team, against the same kernels called by one thread and by two that share nothing (the
 * ideal).
 *
 * serial  one thread calls source, polynomial, filters, adder and sink for one block after the other. The
 *         block (-b) is the fastest of some that are tried before: small ones cost calls, of large ones
 *         not all stay in its cache.
 * ideal   two threads do so for one half of the periods each; what the second one's filters have to
 *         remember is computed again from the periods before.
 *
 * Why it is fair: all call the same kernels, the library's own actors; the source copies blocks of a signal
 * that stays in the cache, the sink reads all that comes. A block is as large as suits each: for the
 * library it is the window. Outputs of a block size are compared bit by bit with those of plain calls
 * (rounding depends on the size).
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: predistortion [-a ACTIVE] [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/hammerstein.h"
#include "benchmarks/rounds.h"

#include <penstock/actors.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BRANCHES = HAMMERSTEIN_BRANCHES, PERIOD = HAMMERSTEIN_PERIOD };

struct way {
	unsigned team;
	uint32_t block, depth;
};

/* Constant while anything runs. */
static unsigned active;
static uint32_t given_block; /* 0: the fastest */
static struct way plain;     /* of serial and ideal */

/* -- without the library -- */

static uint64_t run_serial(const void *arg, uint64_t items)
{
	const struct way *way = arg;

	return hammerstein_run(active, way->block, 0, items / PERIOD);
}

/* Processor time of a run by one thread in such blocks, the least of some. */
static double try_block(uint32_t block)
{
	enum { TRIES = 4, PERIODS = 4 };
	double least = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		clock_t begin = clock();

		hammerstein_run(active, block, 0, PERIODS);
		double took = (double)(clock() - begin);

		least = !i || took < least ? took : least;
	}
	return least;
}

/* Small blocks cost calls, large ones leave the cache. */
static uint32_t find_block(void)
{
	uint32_t best = 0;
	double least = 0;

	for (uint32_t block = 1024; block <= 16384; block *= 2) {
		double took = try_block(block);

		if (!best || took < least) {
			best = block;
			least = took;
		}
	}
	return best;
}

struct half {
	uint32_t block;
	uint64_t first, end, sum;
};

static void *run_half(void *arg)
{
	struct half *h = arg;

	h->sum = hammerstein_run(active, h->block, h->first, h->end);
	return NULL;
}

static uint64_t run_ideal(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	uint64_t periods = items / PERIOD;
	struct half one = { way->block, 0, periods / 2, 0 }, two = { way->block, periods / 2, periods, 0 };
	pthread_t other;

	if (pthread_create(&other, NULL, run_half, &two))
		rounds_fail("no thread");
	run_half(&one);
	pthread_join(other, NULL);
	return one.sum + two.sum;
}

/* -- with the library -- */

/* What source and sink of a run share. */
struct run {
	uint64_t samples; /* constant */
	uint64_t sum;     /* sink's */
};

enum { RE, IM };

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct run *run = pstk_actor_arg(self);
	uint32_t block = pstk_actor_port_rate(self, RE);
	uint64_t from = pstk_firing_index(f) * block;

	hammerstein_source(pstk_fifo_write_start(f, RE), pstk_fifo_write_start(f, IM), from, block);
	pstk_fifo_write_end(f, RE);
	pstk_fifo_write_end(f, IM);
	return from + block == run->samples ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, RE), *im = pstk_fifo_read_start(f, IM);

	run->sum += hammerstein_sink(re, im, pstk_firing_index(f), pstk_port_valid(f, RE));
	pstk_fifo_read_end(f, RE);
	pstk_fifo_read_end(f, IM);
	return PSTK_AGAIN;
}

static uint32_t choose(void *data, uint64_t period)
{
	(void)data;
	return hammerstein_set(active, period);
}

static struct pstk_actor *add_end(struct pstk_network *net, const char *name, enum pstk_port_kind kind,
	int (*fire)(struct pstk_firing *), struct run *run)
{
	const struct pstk_port ports[] = {
		{ .name = "re", .kind = kind, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "im", .kind = kind, .token_size = sizeof(float), .token_type = "f32" }
	};

	return pstk_network_add(
		net, name, PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = 2, .fire = fire), run);
}

static void connect_pair(const struct way *way, struct pstk_actor *src, const char *out,
	struct pstk_actor *dst, const char *in)
{
	static const char *const parts[] = { "re", "im" };

	for (unsigned k = 0; k < 2; k++) {
		char from[16], to[16];

		snprintf(from, sizeof from, "%s%s", parts[k], out);
		snprintf(to, sizeof to, "%s%s", parts[k], in);
		pstk_connect(src, from, dst, to,
			PSTK_FIFO(.rate = way->block, .depth = way->depth, .token_size = sizeof(float)));
	}
}

/* The network between its configuration and its ends, as the program builds it. */
static void build(struct pstk_network *net, const struct way *way, struct pstk_configuration *configuration,
	struct run *run)
{
	/* as many as the polynomial may be ahead of the adder */
	struct pstk_fifo_spec control = pstk_fifo_spec_init();
	struct pstk_actor *source = add_end(net, "source", PSTK_OUTPUT, source_fire, run),
			  *conf = pstk_configuration_add(net, "conf", configuration),
			  *poly = pstk_polynomial_add(net, "poly", hammerstein_terms, BRANCHES, true),
			  *adder = pstk_adder_add(net, "adder", BRANCHES, hammerstein_constant(), true),
			  *sink = add_end(net, "sink", PSTK_INPUT, sink_fire, run);

	control.rate = 1;
	control.depth = 2 * way->depth + 2;
	control.token_size = sizeof(uint32_t);
	pstk_connect(conf, "out", poly, "active", &control);
	pstk_connect(conf, "out", adder, "active", &control);
	connect_pair(way, source, "", poly, "");
	for (unsigned b = 0; b < BRANCHES; b++) {
		unsigned count;
		const struct pstk_cf32 *taps = hammerstein_taps(b, &count);
		char number[16], name[24];
		struct pstk_actor *fir;

		snprintf(number, sizeof number, "%u", b + 1);
		snprintf(name, sizeof name, "fir%s", number);
		fir = pstk_fir_add(net, name, taps, count);
		connect_pair(way, poly, number, fir, "");
		connect_pair(way, fir, "_out", adder, number);
	}
	connect_pair(way, adder, "", sink, "");
}

static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { items, 0 };
	struct pstk_network *net = pstk_network_create("predistortion");
	struct pstk_configuration *configuration = pstk_configuration_create(
		PSTK_CONFIGURATION(.period = PERIOD / way->block, .choose = choose));

	build(net, way, configuration, &run);
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	pstk_configuration_destroy(configuration);
	return run.sum;
}

/* -- the tables -- */

static void add_ways(struct rounds_table *t)
{
	static const struct way ways[] = { { 0, 4096, 2 }, { 0, 16384, 2 }, { 0, 32768, 2 }, { 0, 65536, 2 },
		{ 1, 16384, 4 }, { 2, 4096, 2 }, { 2, 4096, 4 }, { 2, 8192, 4 }, { 2, 16384, 2 },
		{ 2, 16384, 4 }, { 2, 32768, 2 }, { 2, 32768, 4 }, { 2, 65536, 2 } };
	struct rounds_variant *v = rounds_add(t, run_serial, &plain, "serial, block %u", plain.block);

	v->versus = "serial";
	v->one_thread = true;
	v->group = plain.block;
	v = rounds_add(t, run_ideal, &plain, "ideal, 2 threads, block %u", plain.block);
	v->versus = "ideal";
	v->group = plain.block;
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		if (w->team)
			v = rounds_add(t, run_library, w, "team %u, block %u, depth %u", w->team, w->block,
				w->depth);
		else
			v = rounds_add(t, run_library, w, "threads, block %u, depth %u", w->block, w->depth);
		v->one_thread = w->team == 1;
		v->group = w->block;
	}
}

static void measure(const struct rounds_options *o, unsigned branches)
{
	static struct rounds_table table;
	char title[64];

	active = branches;
	plain.block = given_block ? given_block : find_block();
	if (branches == HAMMERSTEIN_RANDOM)
		snprintf(title, sizeof title, "predistortion, random branches active");
	else
		snprintf(title, sizeof title, "predistortion, %u branches active", branches);
	table = (struct rounds_table){
		.title = title, .unit = "Msamples/s", .scale = 1e6, .least = 2 * PERIOD, .expect = run_serial
	};
	rounds_again(&table, "-b", "%" PRIu32, plain.block);
	add_ways(&table);
	rounds_run(o, &table);
}

static const unsigned all[] = { 2, 6, 10, HAMMERSTEIN_RANDOM };
static const unsigned *only;

static bool parse_active(const char *arg)
{
	static unsigned number;
	char *end;

	only = &number;
	number = HAMMERSTEIN_RANDOM;
	if (!strcmp(arg, "random"))
		return true;
	number = (unsigned)strtoul(arg, &end, 10);
	return !*end && number >= 1 && number <= BRANCHES;
}

static bool option(int c, const char *arg)
{
	char *end;

	if (c == 'a')
		return parse_active(arg);
	given_block = (uint32_t)strtoul(arg, &end, 10);
	return c == 'b' && !*end && given_block >= 64 && given_block <= PERIOD && PERIOD % given_block == 0;
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "a:b:", option,
		"  -a ACTIVE   branches, 1 to 10, or random (2, 6, 10, random)\n"
		"  -b BLOCK    of serial and ideal, 64, 128, .. 65536 (the fastest)\n");

	hammerstein_open();
	if (only)
		measure(&o, *only);
	else
		for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
			measure(&o, all[i]);
	hammerstein_close();
	return 0;
}
