/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_change.h"
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PHASES = 4, PHASE_DTS = 20, TRAININGS = 3, MODEL_RUNS = 501, SWITCHES = 200 };

/* The device is good at the first stage, or at the last one. */
static const struct mapping_pipeline early = { .name = "A",
	.stages = 3,
	.cores = 2,
	.core = { 8e-3, 4e-3, 4e-3 },
	.device = { 2e-3, 12e-3, 12e-3 },
	.medium = { 5e-3, 2.5e-3, 2.5e-3 } };
static const struct mapping_pipeline late = { .name = "B",
	.stages = 3,
	.cores = 2,
	.core = { 4e-3, 4e-3, 8e-3 },
	.device = { 12e-3, 12e-3, 2e-3 },
	.medium = { 2.5e-3, 2.5e-3, 5e-3 } };

static void sleep_for(double seconds)
{
	mapping_cores_sleep(mapping_cores_now() + (uint64_t)(seconds * 1e9));
}

static const char *text_of(const struct pstk_configuration *c, unsigned stages)
{
	static char texts[4][PSTK_CONFIGURATION_TEXT];
	static unsigned next;
	char *text = texts[next++ % 4];

	pstk_configuration_print(c, stages, text, sizeof texts[0]);
	return text;
}

/* The best by the simulation. */
static struct pstk_configuration best_of(const struct mapping_pipeline *p, const struct mapping_how *how)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(p, list), best = 0;
	double most = 0;

	for (unsigned i = 0; i < count; i++) {
		double rate = mapping_measure_simulated(p, &list[i], how, 1.01);

		if (rate > most) {
			most = rate;
			best = i;
		}
	}
	return list[best];
}

/* -- the model -- */

static void model_of(unsigned stages, unsigned cores, double aim)
{
	static struct pstk_prediction list[MAPPING_CONFIGURATIONS];
	struct mapping_pipeline p = { .stages = stages, .cores = cores };
	struct mapping_ideal ideal;
	struct pstk_measurements m;
	struct pstk_candidate best[4];
	double times[MODEL_RUNS];
	int count = 0;
	uint64_t state = stages;

	for (unsigned k = 0; k < stages; k++) {
		p.core[k] = 1e-3 * (1 + mapping_random(&state));
		p.device[k] = 1e-3 * (1 + mapping_random(&state));
		p.medium[k] = p.core[k] / cores;
	}
	m = mapping_measurements(&p, &ideal, 2 * (cores + 1));
	for (unsigned i = 0; i < MODEL_RUNS; i++) {
		uint64_t begin = mapping_cores_now();

		count = pstk_mapper_predict_all(&m, PSTK_RULE_CAPACITY, list, MAPPING_CONFIGURATIONS);
		if (count < 1 || pstk_mapper_choose(list, (unsigned)count,
					 PSTK_GOAL(.objective = PSTK_OBJECTIVE_THROUGHPUT), best, 4) < 1)
			rounds_fail("the mapper refuses %u stages on %u cores", stages, cores);
		times[i] = (double)(mapping_cores_now() - begin) * 1e-3;
	}
	printf("predicting and choosing of %d configurations: %.2f us, median of %d (aim %.0f)\n", count,
		mapping_median(times, MODEL_RUNS), MODEL_RUNS, aim);
}

void mapping_change_model(void)
{
	model_of(3, 4, 10);
	model_of(6, 4, 100);
}

/* -- change -- */

/* Items/s of A and B, one after the other, each under a configuration of its own. */
struct pair {
	double a, b;
};

static struct pair measure_pair(const struct mapping_how *how, const struct pstk_configuration *under_a,
	const struct pstk_configuration *under_b)
{
	struct mapping_figure a, b;

	mapping_measure_fixed(&early, under_a, how, &a);
	mapping_measure_fixed(&late, under_b, how, &b);
	return (struct pair){ a.rate, b.rate };
}

static double together(struct pair p)
{
	return (p.a + p.b) / 2;
}

/* Phases as long as so many times what the latest training has cost, but the first one, which begins behind its
 * training. Returns items/s over all. */
static double run_changing(const struct mapping_how *how)
{
	struct pstk_pipeline_spec spec = { .struct_size = sizeof spec, .in_flight = how->in_flight };
	struct pstk_pipeline_report *r;
	uint64_t begin, end, first, last;
	double a = 0, b = 0; /* s */
	double items_a = 0, items_b = 0;
	struct mapping_bed bed;

	mapping_bed_open(&bed, &early, &spec, &how->bed);
	pstk_pipeline_free_report(mapping_bed_chosen(&bed));
	first = mapping_bed_next(&bed, 1, &begin);
	for (unsigned i = 0; i < PHASES; i++) {
		r = pstk_pipeline_get_report(bed.pipeline);
		sleep_for(PHASE_DTS * r->dt);
		pstk_pipeline_free_report(r);
		r = pstk_pipeline_get_report(bed.pipeline);
		mapping_bed_change(i % 2 ? &early : &late);
		last = mapping_bed_next(&bed, 1, &end);
		printf("  phase %u of %s: %.2f s, %.2f items/s, at its end %s; dt %.3f s, %u trainings\n",
			i + 1, i % 2 ? "B" : "A", 1e-9 * (double)(end - begin),
			(double)(last - first) / (1e-9 * (double)(end - begin)),
			text_of(&r->configuration, early.stages), r->dt, r->trainings);
		fflush(stdout);
		*(i % 2 ? &b : &a) += 1e-9 * (double)(end - begin);
		*(i % 2 ? &items_b : &items_a) += (double)(last - first);
		first = last;
		begin = end;
		pstk_pipeline_free_report(r);
	}
	mapping_bed_close(&bed);
	/* as if both had had as much of the time */
	return (items_a / a + items_b / b) / 2;
}

void mapping_change(const struct mapping_how *how)
{
	struct pstk_configuration for_a = best_of(&early, how), for_b = best_of(&late, how);
	double adaptive, at_once[MAPPING_ROUNDS], fixed_a[MAPPING_ROUNDS], fixed_b[MAPPING_ROUNDS], once,
		fixed;
	unsigned rounds = how->rounds;

	for (unsigned n = 0; n < rounds; n++) {
		at_once[n] = together(measure_pair(how, &for_a, &for_b));
		fixed_a[n] = together(measure_pair(how, &for_a, &for_a));
		fixed_b[n] = together(measure_pair(how, &for_b, &for_b));
	}
	adaptive = run_changing(how);
	once = mapping_median(at_once, rounds);
	fixed = fmax(mapping_median(fixed_a, rounds), mapping_median(fixed_b, rounds));
	printf("change: %.2f items/s; switched at once (%s, %s) %.2f: %.3f (aim 0.93); the better one of "
	       "both, fixed, "
	       "%.2f: %.3f (aim 1.05)\n",
		adaptive, text_of(&for_a, early.stages), text_of(&for_b, late.stages), once, adaptive / once,
		fixed, adaptive / fixed);
}

/* -- retrain -- */

/* Items/s from behind the first training to behind so many more; *chosen: what it is under then. */
static double run_retraining(
	const struct mapping_how *how, struct pstk_configuration *chosen, double *overhead)
{
	struct pstk_pipeline_spec spec = {
		.struct_size = sizeof spec, .in_flight = how->in_flight, .max_overhead = 0.05
	};
	struct pstk_pipeline_report *r;
	uint64_t begin, end, first, last;
	struct mapping_bed bed;
	unsigned trainings;

	mapping_bed_open(&bed, &early, &spec, &how->bed);
	pstk_pipeline_free_report(mapping_bed_chosen(&bed));
	first = mapping_bed_next(&bed, 1, &begin);
	do {
		pstk_pipeline_retrain(bed.pipeline, NULL, 0);
		sleep_for(2e-3);
		r = pstk_pipeline_get_report(bed.pipeline);
		trainings = r->trainings;
		*chosen = r->configuration;
		*overhead = r->overhead;
		pstk_pipeline_free_report(r);
	} while (trainings < 1 + TRAININGS);
	last = mapping_bed_next(&bed, 1, &end);
	mapping_bed_close(&bed);
	return (double)(last - first) / (1e-9 * (double)(end - begin));
}

void mapping_change_retrain(const struct mapping_how *how)
{
	double ratios[MAPPING_ROUNDS], overhead;
	unsigned rounds = how->rounds < 3 ? how->rounds : 3; /* each takes a minute */

	for (unsigned n = 0; n < rounds; n++) {
		struct pstk_configuration chosen;
		struct mapping_how longer = *how;
		struct mapping_figure before, after;
		struct pstk_configuration best = best_of(&early, how);
		double rate;

		longer.seconds = 5 * how->seconds;
		mapping_measure_fixed(&early, &best, &longer, &before);
		rate = run_retraining(how, &chosen, &overhead);
		mapping_measure_fixed(&early, &chosen, &longer, &after);
		ratios[n] = rate / (mapping_index(&early, &best) == mapping_index(&early, &chosen)
						   ? (before.rate + after.rate) / 2
						   : after.rate);
		printf("  %s: %.2f items/s with trainings, %.2f without: %.3f; it says %.3f of the time\n",
			text_of(&chosen, early.stages), rate, after.rate, ratios[n], overhead);
		fflush(stdout);
	}
	printf("retrain: %.3f of the same configuration, fixed; median of %u (aim 0.94)\n",
		mapping_median(ratios, rounds), rounds);
}

/* -- switch -- */

/* The longest that an item takes: by the device path or on the cores, which threads share. */
static double longest_item(const struct mapping_pipeline *p, const struct pstk_configuration *c)
{
	double cores = 0, path = 0,
	       share = c->medium_grain || c->threads <= p->cores ? 1 : (double)c->threads / p->cores;
	const double *times = c->medium_grain ? p->medium : p->core;

	for (unsigned k = 0; k < p->stages; k++) {
		cores += times[k] * share;
		path += c->mask >> k & 1 ? p->device[k] : times[k] * share;
	}
	return c->mask ? fmax(cores, path) : cores;
}

/* Not coupled medium grain: there an item waits for another one. */
static struct pstk_configuration draw_configuration(const struct mapping_pipeline *p, uint64_t *state)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(p, list), i;
	uint32_t all = (1u << p->stages) - 1;

	do
		i = (unsigned)(count * mapping_random(state));
	while (list[i].medium_grain && list[i].mask && list[i].mask != all);
	return list[i];
}

/* Asks for it; s until it is there. */
static double time_switch(const struct mapping_bed *bed, const struct pstk_configuration *to)
{
	const char *text = text_of(to, bed->stages);
	uint64_t asked = mapping_cores_now();
	char error[256];

	if (pstk_pipeline_set_configuration(bed->pipeline, text, error, sizeof error))
		rounds_fail("%s: %s", text, error);
	for (;;) {
		struct pstk_pipeline_report *r = pstk_pipeline_get_report(bed->pipeline);
		bool there = mapping_index(&early, &r->configuration) == mapping_index(&early, to);

		pstk_pipeline_free_report(r);
		if (there)
			return 1e-9 * (double)(mapping_cores_now() - asked);
		sleep_for(2e-5);
	}
}

void mapping_change_switch(const struct mapping_how *how, uint64_t seed)
{
	struct pstk_pipeline_spec spec = {
		.struct_size = sizeof spec, .in_flight = how->in_flight, .configuration = "CPU-CG:000:1"
	};
	struct pstk_configuration from = { .threads = 1 };
	double ratios[SWITCHES], most;
	uint64_t state = seed;
	struct mapping_bed bed;

	mapping_bed_open(&bed, &early, &spec, &how->bed);
	for (unsigned i = 0; i < SWITCHES; i++) {
		struct pstk_configuration to;

		do
			to = draw_configuration(&early, &state);
		while (mapping_index(&early, &to) == mapping_index(&early, &from));
		sleep_for(0.03 + 0.05 * mapping_random(&state));
		ratios[i] = time_switch(&bed, &to) / longest_item(&early, &from);
		from = to;
	}
	mapping_bed_close(&bed);
	mapping_median(ratios, SWITCHES); /* in order */
	most = ratios[SWITCHES - 1];
	printf("switch: from a switch asked for to the first item under it, by the longest item: median "
	       "%.3f, 95 of 100 "
	       "%.3f, most %.3f, of %d (aim 1.1)\n",
		ratios[SWITCHES / 2], ratios[SWITCHES * 95 / 100], most, SWITCHES);
}
