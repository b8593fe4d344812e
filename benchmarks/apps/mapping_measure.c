/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_measure.h"
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/apps/mapping_simulation.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items on one core that a run lasts at least, before what counts and then: slow ones are far from steady at first. */
enum { SETTLE_ITEMS = 5, RUN_ITEMS = 15, SAMPLES = 8, SIMULATED = 4000, ENERGY_SECONDS = 20 };

/* Ideal stages may stay for ever in an order that no run keeps. */
#define SLIGHTLY_LATE 1.01
#define LATE_MOST 1.05

const char *const mapping_choosers[MAPPING_CHOOSERS] = { "capacity", "paper", "baseline" };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double mapping_median(double *values, unsigned count)
{
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

/* -- one run -- */

static struct pstk_pipeline_spec spec_of(const struct mapping_how *how)
{
	struct pstk_pipeline_spec spec = { .struct_size = sizeof spec };

	spec.in_flight = how->in_flight;
	spec.objective = how->objective;
	spec.meter = how->meter;
	spec.once = true;
	return spec;
}

/* J an item, of the latest window; NAN: none is over. */
static double energy_now(const struct mapping_bed *bed)
{
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(bed->pipeline);
	double energy = r ? r->energy : NAN;

	pstk_pipeline_free_report(r);
	return energy;
}

/* The median of those that are known. A slow one has no window yet: waits for it. */
static double energy_of(const struct mapping_bed *bed, double energies[SAMPLES])
{
	uint64_t until = mapping_cores_now() + (uint64_t)(ENERGY_SECONDS * 1e9);
	unsigned known = 0;

	for (unsigned i = 0; i < SAMPLES; i++)
		if (!isnan(energies[i]))
			energies[known++] = energies[i];
	while (!known && mapping_cores_now() < until) {
		uint64_t now;

		mapping_bed_next(bed, 1, &now);
		energies[0] = energy_now(bed);
		known = !isnan(energies[0]);
	}
	return known ? mapping_median(energies, known) : NAN;
}

/* The median of what its windows say meanwhile, and its rate. */
static void take_figure(const struct mapping_bed *bed, const struct mapping_pipeline *p,
	const struct mapping_how *how, struct mapping_figure *f)
{
	double energies[SAMPLES], item = 0, settle, seconds;
	uint64_t begin, end, first, last;

	for (unsigned k = 0; k < p->stages; k++)
		item += p->core[k];
	settle = fmax(how->settle, SETTLE_ITEMS * item);
	seconds = fmax(how->seconds, RUN_ITEMS * item);
	mapping_cores_sleep(mapping_cores_now() + (uint64_t)(settle * 1e9));
	first = mapping_bed_next(bed, 1, &begin);
	for (unsigned i = 0; i < SAMPLES; i++) {
		mapping_cores_sleep(begin + (uint64_t)(seconds * 1e9 * (i + 1) / SAMPLES));
		energies[i] = energy_now(bed);
	}
	last = mapping_bed_next(bed, 1, &end);
	f->rate = (double)(last - first) / (1e-9 * (double)(end - begin));
	f->late = mapping_cores_late();
	f->energy = how->meter ? energy_of(bed, energies) : NAN;
}

/* Other processes had the cores, or stopped this one. */
static bool is_late(const struct mapping_figure *f, const struct mapping_how *how, unsigned runs)
{
	return f->late > LATE_MOST && runs <= how->again;
}

void mapping_measure_fixed(const struct mapping_pipeline *p, const struct pstk_configuration *with,
	const struct mapping_how *how, struct mapping_figure *f)
{
	struct pstk_pipeline_spec spec = spec_of(how);
	char text[PSTK_CONFIGURATION_TEXT];
	unsigned runs = 0;

	pstk_configuration_print(with, p->stages, text, sizeof text);
	spec.configuration = text;
	do {
		struct mapping_bed bed;

		mapping_bed_open(&bed, p, &spec, &how->bed);
		take_figure(&bed, p, how, f);
		mapping_bed_close(&bed);
	} while (is_late(f, how, ++runs));
}

static void predict(const struct pstk_measurements *m, struct mapping_predictions *all)
{
	static struct pstk_prediction list[MAPPING_CONFIGURATIONS];

	for (unsigned k = 0; k < MAPPING_RULES; k++) {
		int count =
			pstk_mapper_predict_all(m, (enum pstk_mapper_rule)k, list, MAPPING_CONFIGURATIONS);

		if (count < 1)
			rounds_fail("the mapper refuses what the pipeline has measured");
		for (int i = 0; i < count; i++) {
			all->rate[k][i] = list[i].rate;
			all->energy[k][i] = list[i].energy;
		}
	}
}

static void run_choice(const struct mapping_pipeline *p, const struct pstk_pipeline_spec *spec,
	const struct mapping_how *how, struct mapping_choice *c, struct mapping_predictions *predictions)
{
	struct pstk_pipeline_report *r;
	struct mapping_bed bed;

	mapping_bed_open(&bed, p, spec, &how->bed);
	r = mapping_bed_chosen(&bed);
	c->chosen = r->configuration;
	c->predicted = r->predicted;
	c->training = r->training_seconds;
	c->dt = r->dt;
	if (predictions)
		predict(&r->measurements, predictions);
	pstk_pipeline_free_report(r);
	take_figure(&bed, p, how, &c->measured);
	mapping_bed_close(&bed);
}

void mapping_measure_choice(const struct mapping_pipeline *p, enum mapping_chooser chooser,
	const struct mapping_how *how, struct mapping_choice *c, struct mapping_predictions *predictions)
{
	struct pstk_pipeline_spec spec = spec_of(how);
	unsigned runs = 0;

	if (chooser == MAPPING_PAPER) {
		spec.rule = PSTK_RULE_PAPER;
		spec.candidates = 1;
	}
	if (chooser == MAPPING_BASELINE)
		spec.configuration = "baseline";
	do
		run_choice(p, &spec, how, c, predictions);
	while (is_late(&c->measured, how, ++runs));
}

/* -- the simulation -- */

static struct mapping_simulation simulation_of(
	const struct mapping_pipeline *p, const struct mapping_how *how, double late)
{
	return (struct mapping_simulation){ .items = SIMULATED,
		.in_flight = how->in_flight ? how->in_flight : 2 * (p->cores + 1),
		.jitter = late > 1 ? 2 * (late - 1) : 0,
		.stagger = 1e-6,
		.stretch = how->bed.stretch,
		.permits = how->bed.permits };
}

double mapping_measure_simulated(const struct mapping_pipeline *p, const struct pstk_configuration *with,
	const struct mapping_how *how, double late)
{
	const struct mapping_simulation s = simulation_of(p, how, late);

	return mapping_simulate(p, with, &s, NULL);
}

/* Of "sim:KEY=W,..". */
static double watts_of(const char *meter, const char *key)
{
	size_t length = strlen(key);

	for (const char *item = strchr(meter, ':'); item; item = strchr(item + 1, ','))
		if (!strncmp(item + 1, key, length) && item[1 + length] == '=')
			return strtod(item + 2 + length, NULL);
	return 0;
}

double mapping_measure_simulated_score(const struct mapping_pipeline *p,
	const struct pstk_configuration *with, const struct mapping_how *how)
{
	const struct mapping_simulation s = simulation_of(p, how, SLIGHTLY_LATE);
	const char *meter = how->meter ? how->meter : "";
	struct mapping_busy busy;
	double rate = mapping_simulate(p, with, &s, &busy);
	double always = watts_of(meter, "cores") + watts_of(meter, "rest") + watts_of(meter, "device_idle");

	return mapping_score(how, rate,
		always / rate + watts_of(meter, "core") * busy.cores +
			(watts_of(meter, "device") - watts_of(meter, "device_idle")) * busy.device);
}

/* -- all of them -- */

/* NAN is none. */
static unsigned highest(const double *scores, unsigned count)
{
	unsigned best = 0;

	for (unsigned i = 1; i < count; i++)
		if (scores[i] > scores[best] || isnan(scores[best]))
			best = i;
	return best;
}

/* One sort of place, without the other one. */
static bool is_homogeneous(const struct mapping_pipeline *p, const struct pstk_configuration *c)
{
	return !c->mask || (c->mask == (1u << p->stages) - 1 && c->threads == 1);
}

static void choose_some(
	const struct mapping_pipeline *p, const struct mapping_how *how, bool these[MAPPING_CONFIGURATIONS])
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	static double scores[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(p, list);

	for (unsigned i = 0; i < count; i++) {
		these[i] = !how->some || (how->most && is_homogeneous(p, &list[i]));
		scores[i] = how->some && how->most ? mapping_measure_simulated_score(p, &list[i], how) : 0;
	}
	for (unsigned n = 0; how->some && n < how->most && n < count; n++) {
		unsigned best = highest(scores, count);

		these[best] = true;
		scores[best] = NAN;
	}
}

void mapping_measure_all(const struct mapping_pipeline *p, const struct mapping_how *how,
	struct mapping_figure figures[MAPPING_CONFIGURATIONS])
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	static double rates[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS],
		energies[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS],
		lates[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS];
	bool these[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(p, list), rounds = how->passes ? how->passes : how->rounds;

	choose_some(p, how, these);
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < count; i++) {
			struct mapping_figure f = { NAN, NAN, NAN };

			if (these[i])
				mapping_measure_fixed(p, &list[i], how, &f);
			rates[i][r] = f.rate;
			energies[i][r] = f.energy;
			lates[i][r] = f.late;
		}
	for (unsigned i = 0; i < count; i++)
		figures[i] = (struct mapping_figure){ mapping_median(rates[i], rounds),
			mapping_median(energies[i], rounds), mapping_median(lates[i], rounds) };
}

double mapping_score(const struct mapping_how *how, double rate, double energy)
{
	switch (how->objective) {
	case PSTK_OBJECTIVE_ENERGY:
		return -energy;
	case PSTK_OBJECTIVE_RATIO:
		return rate / energy;
	default:
		return rate;
	}
}

unsigned mapping_best(const struct mapping_pipeline *p, const struct mapping_how *how,
	const struct mapping_figure figures[MAPPING_CONFIGURATIONS])
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	static double scores[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(p, list);

	for (unsigned i = 0; i < count; i++)
		scores[i] = mapping_score(how, figures[i].rate, figures[i].energy);
	if (how->some && !how->most)
		for (unsigned i = 0; i < count; i++)
			scores[i] = mapping_measure_simulated_score(p, &list[i], how);
	return highest(scores, count);
}
