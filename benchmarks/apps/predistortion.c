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
 * merged  fewer and larger actors: source, polynomial of all branches, what the filters remember, all filters with the
 *         adder, sink. That is what oneTBB's parallel_pipeline of the same table does; the others have an actor a
 *         branch, which takes tokens only while its branch is active, as the program has.
 *
 * fixed   each actor's thread is pinned to a core, as the paper's fixed mapping; else the system chooses, its
 *         free mapping.
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
#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_merged.h"
#include "benchmarks/apps/predistortion_network.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/common/rounds.h"

#include <stdio.h>

enum { PERIOD = HAMMERSTEIN_PERIOD };

static struct predistortion_way plain; /* of serial and ideal */

static void add_ways(struct rounds_table *t)
{
	static const struct predistortion_way ways[] = { { 0, 4096, 2 }, { 0, 16384, 2 }, { 0, 32768, 2 },
		{ 0, 65536, 2 }, { 0, 16384, 4 }, { 0, 16384, 8 }, { 0, 16384, 2, true },
		{ 0, 32768, 2, true }, { 0, 65536, 2, true }, { 1, 16384, 4 }, { 2, 4096, 2 }, { 2, 4096, 4 },
		{ 2, 8192, 2 }, { 2, 8192, 4 }, { 2, 16384, 2 }, { 2, 16384, 4 }, { 2, 16384, 8 },
		{ 2, 32768, 2 }, { 2, 32768, 4 }, { 2, 65536, 2 } };
	static const struct predistortion_way merged[] = { { 2, 4096, 2 }, { 2, 8192, 2 }, { 2, 8192, 4 },
		{ 2, 16384, 2 }, { 2, 16384, 4 }, { 2, 32768, 2 } };
	struct rounds_variant *v =
		rounds_add(t, predistortion_run_serial, &plain, "serial, block %u", plain.block);

	v->versus = "serial";
	v->one_thread = true;
	v->group = plain.block;
	v = rounds_add(t, predistortion_run_ideal, &plain, "ideal, 2 threads, block %u", plain.block);
	v->versus = "ideal";
	v->group = plain.block;
	for (const struct predistortion_way *w = merged; w < merged + sizeof merged / sizeof *merged; w++) {
		v = rounds_add(t, predistortion_run_merged, w, "team %u, merged, block %u, depth %u", w->team,
			w->block, w->depth);
		v->group = w->block;
	}
	for (const struct predistortion_way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		if (w->team)
			v = rounds_add(t, predistortion_run_network, w, "team %u, block %u, depth %u",
				w->team, w->block, w->depth);
		else
			v = rounds_add(t, predistortion_run_network, w, "threads%s, block %u, depth %u",
				w->fixed ? ", fixed" : "", w->block, w->depth);
		v->one_thread = w->team == 1;
		v->group = w->block;
	}
}

static void measure(void *data)
{
	static struct rounds_table table;

	plain = predistortion_plain_way();
	table = (struct rounds_table){ .title = predistortion_title(),
		.unit = "Msamples/s",
		.scale = 1e6,
		.least = 2 * PERIOD,
		.expect = predistortion_run_serial };
	rounds_again(&table, "-b", "%u", plain.block);
	add_ways(&table);
	rounds_run(data, &table);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, PREDISTORTION_OPTIONS, predistortion_option,
		PREDISTORTION_HELP PREDISTORTION_ABOUT);

	hammerstein_open();
	predistortion_each(measure, &o);
	hammerstein_close();
	return 0;
}
