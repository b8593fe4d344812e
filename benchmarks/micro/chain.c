/* SPDX-License-Identifier: MIT */
/*
 * What many actors cost: a chain of 1,000 against one of 10 that does the same work for each token, 100
 * times as much in each of its actors. Tokens a second, and as ratios to those of ten actors and to the
 * ideal. With -t: chains of 2 to 1,000 actors that all do the same work for a token, by teams of one
 * thread up to twice as many as there are cores, by a thread for each actor, and by oneTBB's
 * parallel_pipeline where configure has found it.
 *
 * Why it is fair: the work is one long sequence of dependent multiplications on a number, cut into equal
 * parts, so each chain does all of it, in this order; what comes out is checked against the same without a
 * chain. The ideal is two threads (with -t as many as cores) that each do it for a share of the tokens;
 * serial is one thread. Actors keep their order: none is stateless, and the pipeline's filters are serial
 * and in order, with four tokens in flight for each thread (more are no faster).
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: chain [-a ACTORS] [-w NS | -t NS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/peers/hop_tbb.h"
#include "lib/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FEW = 10, ACTORS_MOST = 4000, TOKENS_LEAST = 16, WORK_MOST = 1000000, THREADS_MOST = 64 };

/* Constant while anything runs. */
static unsigned many = 1000;
static uint64_t steps; /* of work in each of the many actors */

static uint64_t work(uint64_t number, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return number;
}

static double speed; /* steps a nanosecond; 0: not known yet */

/* The most of some tries. */
static double measure_speed(void)
{
	enum { TRIES = 20, COUNT = 200000 };
	double most = 0;
	volatile uint64_t keep = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t begin = ps_clock_ns();

		keep = work(keep, COUNT);
		double found = COUNT / (double)(ps_clock_ns() - begin + 1);

		most = found > most ? found : most;
	}
	return most;
}

/* Work of so many ns, in steps, for a table that is about to run: only then the machine is measured. */
static void set_steps(const struct rounds_options *o, struct rounds_table *t, double ns)
{
	if (!rounds_has_chosen(o, t))
		return;
	if (speed <= 0)
		speed = measure_speed();
	steps = (uint64_t)(ns * speed) + 1;
	rounds_again(t, "-p", "%.17g", speed);
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

/* arg: how many threads */
static uint64_t run_ideal(const void *arg, uint64_t items)
{
	const unsigned *count = arg;
	struct part parts[THREADS_MOST];
	pthread_t threads[THREADS_MOST];
	uint64_t sum = 0;

	for (unsigned i = 0; i < *count; i++) {
		parts[i] = (struct part){ items * i / *count, items * (i + 1) / *count, 0 };
		if (i && pthread_create(&threads[i], NULL, run_part, &parts[i]))
			rounds_fail("no thread");
	}
	run_part(&parts[0]);
	for (unsigned i = 0; i < *count; i++) {
		if (i)
			pthread_join(threads[i], NULL);
		sum += parts[i].sum;
	}
	return sum;
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

static void measure(const struct rounds_options *o, double ns)
{
	static const struct way ways[] = { { 2, 4, true }, { 2, 4, false }, { 2, 2, true }, { 2, 2, false },
		{ 1, 4, true }, { 1, 4, false }, { 0, 2, true }, { 0, 2, false } };
	static const unsigned two = 2;
	static struct rounds_table table;
	struct rounds_variant *v;
	char title[96];

	snprintf(title, sizeof title, "chains of %u and %d actors, %.3g us each of the %u", many, FEW,
		ns / 1e3, many);
	table = (struct rounds_table){
		.title = title, .unit = "tokens/s", .scale = 1, .least = TOKENS_LEAST
	};
	v = rounds_add(&table, run_serial, NULL, "serial");
	v->one_thread = true;
	v->role = ROUNDS_SERIAL;
	rounds_add(&table, run_ideal, &two, "ideal, two threads")->versus = "ideal";
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++)
		add_chain(&table, w);
	table.variants[2].versus = "ten, team 2";
	/* each actor of the short chain does a whole number of the long one's parts */
	set_steps(o, &table, ns);
	rounds_run(o, &table);
}

/* -- the same work for a token in chains of any length -- */

#ifdef HOP_TBB
static uint64_t tbb_work(const void *arg, uint64_t number)
{
	(void)arg;
	return work(number, steps);
}

static void tbb_take(void *sum, uint64_t number, uint64_t index)
{
	*(uint64_t *)sum += rounds_hash_at(number, index);
}

/* arg: how many threads */
static uint64_t run_pipeline(const void *arg, uint64_t items)
{
	const unsigned *threads = arg;
	struct hop_tbb hop = { .actors = many, .threads = *threads, .tokens = 4 * *threads };
	uint64_t sum = 0;

	hop_tbb_work(&hop, &(struct hop_tbb_work){ tbb_work, tbb_take, NULL, &sum }, items);
	return sum;
}
#endif

static unsigned count_cores(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 ? 1 : cores > THREADS_MOST / 2 ? THREADS_MOST / 2 : (unsigned)cores;
}

/* Threads of a thread each, of teams and pipelines: what variants borrow. */
struct scale {
	struct way teams[8], each;
	unsigned cores, one;
};

static void add_peers(struct rounds_table *t, const struct scale *s)
{
#ifdef HOP_TBB
	struct rounds_variant *v = rounds_add(t, run_pipeline, &s->one, "pipeline, threads 1");

	v->role = ROUNDS_PEER;
	v->one_thread = true;
	if (s->cores > 1)
		rounds_add(t, run_pipeline, &s->cores, "pipeline, threads %u", s->cores)->role = ROUNDS_PEER;
#else
	(void)t;
	(void)s;
#endif
}

static void measure_scale(const struct rounds_options *o, unsigned actors, double total_ns)
{
	static struct rounds_table table;
	struct scale s = { .cores = count_cores(), .one = 1 };
	struct rounds_variant *v;
	struct way *w = s.teams;
	char title[96], family[64];

	many = actors;
	snprintf(family, sizeof family, "chains that work %.3g us a token", total_ns / 1e3);
	snprintf(title, sizeof title, "%s, of %u actors", family, many);
	table = (struct rounds_table){ .title = title,
		.unit = "tokens/s",
		.scale = 1,
		.least = TOKENS_LEAST,
		.family = family,
		.sweep = "actors",
		.at = many };
	v = rounds_add(&table, run_serial, NULL, "serial");
	v->one_thread = true;
	v->versus = "serial";
	rounds_add(&table, run_ideal, &s.cores, "ideal, a thread a core")->versus = "ideal";
	for (unsigned team = 1; team <= 2 * s.cores || team <= 4; team *= 2, w++) {
		w->team = team;
		v = rounds_add(&table, run_chain, w, "team %u", team);
		v->one_thread = team == 1;
	}
	v = rounds_add(&table, run_chain, &s.each, "threads");
	v->divide = many / 20 + 1; /* waking takes as long as the work of many */
	add_peers(&table, &s);
	set_steps(o, &table, total_ns / many);
	rounds_run(o, &table);
}

static double only_ns, total_ns;
static unsigned only_actors;

static bool option(int c, const char *arg)
{
	if (c == 'p')
		return number_real(arg, 0, 1e9, &speed) && speed > 0;
	if (c == 'a')
		return number_unsigned(arg, 2, ACTORS_MOST, &only_actors);
	return number_real(arg, 1, WORK_MOST, c == 'w' ? &only_ns : &total_ns) &&
	       (only_ns <= 0 || total_ns <= 0);
}

static void scale(const struct rounds_options *o)
{
	static const unsigned counts[] = { 2, 5, 10, 30, 100, 300, 1000 };

	if (only_actors) {
		measure_scale(o, only_actors, total_ns);
		return;
	}
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
		measure_scale(o, counts[i], total_ns);
}

static const char help[] =
	"  -a ACTORS   of the long chain, 20, 30, .. 4000 (1000); with -t 2 to 4000 (2, 5, 10, 30, .. 1000)\n"
	"  -w NS       of work in each of them (100, then 1000, then 10000)\n"
	"  -t NS       of work for a token in all actors together: chains of any length, teams of any size\n"
	"  -p STEPS    of work a nanosecond (measured)\n\n"
	"How chains of many actors do beside short ones that do the same work: tokens a second. \"threads\" "
	"(one\n"
	"for each actor) and \"team N\" are the library, pipeline is oneTBB.\n";

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "a:w:t:p:", option, help);

	if (total_ns > 0) {
		scale(&o);
		return 0;
	}
	if (only_actors && (only_actors < 2 * FEW || only_actors % FEW))
		rounds_refuse("-a %u: without -t a multiple of %d from %d on", only_actors, FEW, 2 * FEW);
	many = only_actors ? only_actors : many;
	if (only_ns > 0) {
		measure(&o, only_ns);
		return 0;
	}
	measure(&o, 100);
	measure(&o, 1000);
	if (o.seconds > 0.1 || o.mode == ROUNDS_ONE)
		measure(&o, 10000);
	return 0;
}
