/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/app.h"

#include <inttypes.h>
#include <stdio.h>

enum { CORES = 4 };

void app_add(struct rounds_table *table, enum runner_app app, app_run run, const char *word)
{
	static struct app_way all[ROUNDS_VARIANTS];
	const struct runner_ways *ways = &runner_ways[app];

	for (unsigned i = 0; i < ways->count; i++) {
		const struct runner_way *w = &ways->ways[i];
		struct rounds_variant *v = rounds_add(table, run, &all[i],
			"%s, %s %" PRIu32 ", capacity %" PRIu32 "%s%s", w->name, word, w->size, w->capacity,
			w->change ? ", " : "", w->change ? w->change : "");

		all[i] = (struct app_way){ .plain = { .block = w->size }, .way = w };
		v->cost = &all[i].cost;
		v->role = runner_role;
	}
}

void app_absent(struct rounds_table *table, app_run run, const char *why)
{
	for (unsigned i = 0; i < table->count; i++)
		if (table->variants[i].run == run)
			table->variants[i].absent = why;
}

void app_table(const struct rounds_options *o, struct rounds_table *table, app_run run, bool memory)
{
	if (!memory) {
		rounds_run(o, table);
		return;
	}
	printf("%s: bytes of channels\n", table->title);
	for (unsigned i = 0; i < table->count; i++) {
		const struct rounds_variant *v = &table->variants[i];

		if (v->run != run || v->absent)
			continue;
		run(v->arg, table->least);
		printf("%-56s %12zu\n", v->name, ((const struct app_way *)v->arg)->bytes);
	}
}

void app_run_files(struct app_way *w, const struct pstk_dal_process *processes, unsigned count,
	const char network[FILES_PATH], const char *mapping)
{
	w->bytes = runner_run(w->way, &(struct runner_job){ network, mapping, processes, count }, &w->cost);
	rounds_channels(w->bytes, w->bytes);
}

void app_map_cores(char path[FILES_PATH], const char *name)
{
	static const char *const names[CORES] = { "CORE_0", "CORE_1", "CORE_2", "CORE_3" };
	struct files_value values[CORES];
	uint32_t cores[CORES];

	files_cores(cores, CORES);
	for (unsigned i = 0; i < CORES; i++)
		values[i] = (struct files_value){ names[i], cores[i] };
	files_copy(path, name, values, CORES);
}
