/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_network.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/peer_table.h"

/* What runs a table. */
struct program {
	struct rounds_options options;
	void (*add)(void);
};

static unsigned block_of(const void *arg)
{
	const struct predistortion_way *way = arg;

	return way->block;
}

static void measure(void *data)
{
	static const struct predistortion_way best[] = { { 2, 16384, 4 }, { 2, 8192, 4 }, { 2, 32768, 2 } };
	static struct predistortion_way plain;
	const struct program *program = data;
	struct rounds_table *table = peer_table();
	struct rounds_variant *v;

	plain = predistortion_plain_way();
	peer_begin(&(struct rounds_table){ .title = predistortion_title(),
			   .unit = "Msamples/s",
			   .scale = 1e6,
			   .least = 2 * HAMMERSTEIN_PERIOD,
			   .expect = predistortion_run_serial },
		block_of);
	rounds_again(table, "-b", "%u", plain.block);
	peer_add(predistortion_run_serial, &plain, "serial, block %u", plain.block);
	v = &table->variants[table->count - 1];
	v->versus = "serial";
	v->role = ROUNDS_SERIAL;
	v->one_thread = true;
	peer_add(predistortion_run_ideal, &plain, "ideal, 2 threads, block %u", plain.block);
	table->variants[table->count - 1].versus = "ideal";
	table->variants[table->count - 1].role = ROUNDS_IDEAL;
	for (const struct predistortion_way *w = best; w < best + sizeof best / sizeof *best; w++) {
		peer_add(predistortion_run_network, w, "team %u, block %u, depth %u", w->team, w->block,
			w->depth);
		table->variants[table->count - 1].role = ROUNDS_LIBRARY;
		if (w == best)
			table->variants[table->count - 1].versus = "team";
	}
	program->add();
	rounds_run(&program->options, table);
}

int peer_predistortion(int argc, char **argv, void (*add)(void))
{
	struct program program = { rounds_parse(argc, argv, PREDISTORTION_OPTIONS, predistortion_option,
					   PREDISTORTION_HELP PREDISTORTION_ABOUT),
		add };

	hammerstein_open();
	predistortion_each(measure, &program);
	hammerstein_close();
	return 0;
}
