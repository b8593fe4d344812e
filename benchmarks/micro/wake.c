/* SPDX-License-Identifier: MIT */
/*
 * How threads wait, a thread per actor: what waking late saves where threads share cores (a chain of five
 * actors), and what looking again before sleeping saves where each has a core (two actors). Tokens a
 * second, and as ratios to one thread that does the same work, and to the same network without.
 *
 * Why it is fair: the same network runs with and without, in turn; only lib/schedule/thread_wait.h's switches differ. The
 * work is a sequence of dependent multiplications on a number, the same number of them in each actor; what
 * comes out is checked against the same without a network. Waking late is off by itself for firings above
 * 20 us, so at -w 30000 or more the ways with and without it are the same.
 *
 * Column "x without": to the table's first network, of depth 2 and without what the table's title names.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: wake [-w NS] [-p STEPS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/common/number.h"
#include "benchmarks/common/probe.h"
#include "benchmarks/common/rounds.h"
#include "lib/base/clock.h"
#include "lib/schedule/thread_wait.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHARING = 5, ALONE = 2, WORK_MOST = 1000000, SWITCH_NS = 20000 };

static double speed; /* steps a nanosecond; 0: not known yet */
static double work_ns = 5000;
static uint64_t steps; /* of work in each actor; constant while anything runs */

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

struct way {
	unsigned actors, depth;
	bool late, spin, pinned;
};

static uint64_t run_serial(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < items; i++)
		sum += rounds_hash_at(work(i, steps * way->actors), i);
	return sum;
}

/* What the actors of a run share. */
struct run {
	uint64_t items; /* constant */
	uint64_t sum;   /* sink's */
};

static int first_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	*(uint64_t *)pstk_fifo_write_start(f, 0) = work(i, steps);
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->items ? PSTK_DONE : PSTK_AGAIN;
}

static int middle_fire(struct pstk_firing *f)
{
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	*out = work(*in, steps);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int last_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	run->sum += rounds_hash_at(work(*in, steps), pstk_firing_index(f));
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
	struct run run = { items, 0 };
	struct pstk_network *net = pstk_network_create("wake");
	struct pstk_actor *before = add(net, 0, way->actors, &run);

	ps_thread_wait_tuning.patient_below_ns = way->late ? SWITCH_NS : 0;
	ps_thread_wait_tuning.spin_ns = way->spin ? SWITCH_NS : 0;
	pstk_network_set_threads(net, 0);
	if (way->pinned)
		pstk_actor_pin(before, (unsigned)probe_core(0));
	for (unsigned i = 1; i < way->actors; i++) {
		struct pstk_actor *next = add(net, i, way->actors, &run);

		if (way->pinned)
			pstk_actor_pin(next, (unsigned)probe_core(2 * i >= way->actors));
		pstk_connect(before, "out", next, "in",
			PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = sizeof(uint64_t)));
		before = next;
	}
	rounds_run_network(net);
	return run.sum;
}

/* Each way with it runs right after the one without it. */
static void measure(const struct rounds_options *o, const char *title, const struct way *ways, unsigned count)
{
	static struct rounds_table table;
	struct rounds_variant *v;

	table = (struct rounds_table){ .title = title, .unit = "tokens/s", .scale = 1, .least = 16 };
	v = rounds_add(&table, run_serial, ways, "serial");
	v->versus = "serial";
	v->one_thread = true;
	for (const struct way *w = ways; w < ways + count; w++)
		rounds_add(&table, run_chain, w, "depth %u%s%s%s", w->depth, w->pinned ? ", pinned" : "",
			w->late ? ", late" : "", w->spin ? ", spin" : "")
			->versus = w == ways ? "without" : NULL;
	set_steps(o, &table, work_ns);
	rounds_run(o, &table);
}

static bool option(int c, const char *arg)
{
	if (c == 'p')
		return number_real(arg, 0, 1e9, &speed) && speed > 0;
	return c == 'w' && number_real(arg, 0, WORK_MOST, &work_ns);
}

int main(int argc, char **argv)
{
	static const struct way sharing[] = { { SHARING, 2, false, true, false },
		{ SHARING, 8, false, true, false }, { SHARING, 8, true, true, false },
		{ SHARING, 16, false, true, false }, { SHARING, 16, true, true, false },
		{ SHARING, 2, false, true, true }, { SHARING, 4, false, true, true },
		{ SHARING, 4, true, true, true }, { SHARING, 8, false, true, true },
		{ SHARING, 8, true, true, true }, { SHARING, 16, false, true, true },
		{ SHARING, 16, true, true, true } };
	static const struct way alone[] = { { ALONE, 2, true, false, false }, { ALONE, 2, true, true, false },
		{ ALONE, 16, true, false, false }, { ALONE, 16, true, true, false } };
	struct rounds_options o = rounds_parse(argc, argv, "w:p:", option,
		"  -w NS       work of a firing (5000)\n"
		"  -p STEPS    of work a nanosecond (measured)\n\n"
		"What waking late and looking again before sleeping save, a thread for each actor: tokens a "
		"second.\n"
		"Variants with neither \"late\" nor \"spin\" in their name do without; \"x without\" is to "
		"the first.\n");
	char title[96];

	snprintf(title, sizeof title, "five actors of %.3g us a firing: waking late", work_ns / 1e3);
	measure(&o, title, sharing, sizeof sharing / sizeof *sharing);
	snprintf(title, sizeof title, "two actors of %.3g us a firing: looking again before sleeping",
		work_ns / 1e3);
	measure(&o, title, alone, sizeof alone / sizeof *alone);
	return 0;
}
