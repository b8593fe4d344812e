/* SPDX-License-Identifier: MIT */
/*
 * Predistortion written as DAL processes, run by libpenstock-dal (penstock_predistortion) or by the baseline
 * (baseline_predistortion), the same objects in both; in the tables of benchmarks/predistortion. Beside them
 * the library's own network with a thread per actor.
 *
 * capacity: blocks that a channel holds. The kernels are the same functions that all variants call, so that
 * outputs of one block size are compared bit by bit. Each process copies between channels and its own
 * memory, as DAL has it.
 *
 * Usage: penstock_predistortion [-a ACTIVE] [-b BLOCK] [-m] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/dal/app.h"
#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_network.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/dal/predistortion_processes.h"

static bool memory; /* constant after the options */

static bool option(int c, const char *arg)
{
	memory = memory || c == 'm';
	return c == 'm' || predistortion_option(c, arg);
}

static const struct pstk_dal_process processes[] = {
	PSTK_DAL_PROCESS("source", predistortion_end_init, predistortion_source_fire,
		predistortion_end_finish, PREDISTORTION_END_STATE),
	PSTK_DAL_PROCESS("polynomial", predistortion_branches_init, predistortion_polynomial_fire,
		predistortion_branches_finish, PREDISTORTION_BRANCHES_STATE),
	PSTK_DAL_PROCESS("fir", predistortion_fir_init, predistortion_fir_fire, predistortion_fir_finish,
		PREDISTORTION_FIR_STATE),
	PSTK_DAL_PROCESS("adder", predistortion_branches_init, predistortion_adder_fire,
		predistortion_branches_finish, PREDISTORTION_BRANCHES_STATE),
	PSTK_DAL_PROCESS("sink", predistortion_end_init, predistortion_sink_fire, predistortion_end_finish,
		PREDISTORTION_END_STATE),
};

static uint64_t run(const void *arg, uint64_t samples)
{
	struct app_way *w = (struct app_way *)(uintptr_t)arg;
	const struct files_value values[] = { { "BLOCK", w->way->size }, { "BLOCKS", w->way->capacity } };
	char network[FILES_PATH], mapping[FILES_PATH];

	predistortion_outside = (struct predistortion_outside){
		.block = w->way->size, .blocks = samples / w->way->size, .active = predistortion_active()
	};
	files_copy(network, "predistortion.xml", values, sizeof values / sizeof *values);
	if (w->way->mapped)
		app_map_cores(mapping, "predistortion_mapping.xml");
	app_run_files(
		w, processes, sizeof processes / sizeof *processes, network, w->way->mapped ? mapping : NULL);
	return predistortion_outside.sum;
}

static void add_own(struct rounds_table *table)
{
	static const struct predistortion_way ways[] = { { 0, 65536, 2 }, { 0, 16384, 2 }, { 0, 32768, 2 },
		{ 0, 16384, 2, true }, { 0, 32768, 2, true }, { 0, 65536, 2, true } };
	static struct predistortion_way plain;
	struct rounds_variant *v;

	plain = predistortion_plain_way();
	rounds_again(table, "-b", "%u", plain.block);
	v = rounds_add(table, predistortion_run_serial, &plain, "serial, block %u", plain.block);
	v->versus = "serial";
	v->one_thread = true;
	v->group = plain.block;
	for (const struct predistortion_way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		v = rounds_add(table, predistortion_run_network, w, "threads%s, block %u, depth %u",
			w->fixed ? ", fixed" : "", w->block, w->depth);
		v->group = w->block;
		v->versus = w == ways ? "threads" : NULL;
	}
}

static void measure(void *options)
{
	static struct rounds_table table;

	table = (struct rounds_table){ .title = predistortion_title(),
		.unit = "Msamples/s",
		.scale = 1e6,
		.least = 2 * HAMMERSTEIN_PERIOD,
		.expect = predistortion_run_serial };
	add_own(&table);
	app_add(&table, RUNNER_PREDISTORTION, run, "block");
	for (unsigned i = 0; i < table.count; i++)
		if (table.variants[i].run == run)
			table.variants[i].group = ((const struct app_way *)table.variants[i].arg)->way->size;
	app_table(options, &table, run, memory);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, PREDISTORTION_OPTIONS "m", option,
		PREDISTORTION_HELP "  -m          print the channels' memory instead\n" APP_ABOUT);

	hammerstein_open();
	predistortion_each(measure, &o);
	hammerstein_close();
	return 0;
}
