/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_measure.h"
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/apps/mapping_simulation.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <stdlib.h>

/* Items on one core that a run lasts at least, before what counts and then: slow ones are far from steady at first. */
enum { SETTLE_ITEMS = 5, RUN_ITEMS = 15, SAMPLES = 8, SIMULATED = 4000 };

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
		struct pstk_pipeline_report *r;

		mapping_cores_sleep(begin + (uint64_t)(seconds * 1e9 * (i + 1) / SAMPLES));
		r = pstk_pipeline_get_report(bed->pipeline);
		energies[i] = r ? r->energy : NAN;
		pstk_pipeline_free_report(r);
	}
	last = mapping_bed_next(bed, 1, &end);
	f->rate = (double)(last - first) / (1e-9 * (double)(end - begin));
	f->energy = how->meter ? mapping_median(energies, SAMPLES) : NAN;
	f->late = mapping_cores_late();
}

void mapping_measure_fixed(const struct mapping_pipeline *p, const struct pstk_configuration *with,
	const struct mapping_how *how, struct mapping_figure *f)
{
	struct pstk_pipeline_spec spec = spec_of(how);
	char text[PSTK_CONFIGURATION_TEXT];
	struct mapping_bed bed;

	pstk_configuration_print(with, p->stages, text, sizeof text);
	spec.configuration = text;
	mapping_bed_open(&bed, p, &spec, &how->bed);
	take_figure(&bed, p, how, f);
	mapping_bed_close(&bed);
}

void mapping_measure_choice(const struct mapping_pipeline *p, enum mapping_chooser chooser,
	const struct mapping_how *how, struct mapping_choice *c)
{
	struct pstk_pipeline_spec spec = spec_of(how);
	struct pstk_pipeline_report *r;
	struct mapping_bed bed;

	if (chooser == MAPPING_PAPER) {
		spec.rule = PSTK_RULE_PAPER;
		spec.candidates = 1;
	}
	if (chooser == MAPPING_BASELINE)
		spec.configuration = "baseline";
	mapping_bed_open(&bed, p, &spec, &how->bed);
	r = mapping_bed_chosen(&bed);
	c->chosen = r->configuration;
	c->predicted = r->predicted;
	c->training = r->training_seconds;
	pstk_pipeline_free_report(r);
	take_figure(&bed, p, how, &c->measured);
	mapping_bed_close(&bed);
}

/* -- all of them -- */

void mapping_measure_all(const struct mapping_pipeline *p, const struct mapping_how *how,
	struct mapping_figure figures[MAPPING_CONFIGURATIONS])
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	static double rates[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS],
		energies[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS],
		lates[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS];
	unsigned count = mapping_list(p, list);

	for (unsigned r = 0; r < how->rounds; r++)
		for (unsigned i = 0; i < count; i++) {
			struct mapping_figure f;

			mapping_measure_fixed(p, &list[i], how, &f);
			rates[i][r] = f.rate;
			energies[i][r] = f.energy;
			lates[i][r] = f.late;
		}
	for (unsigned i = 0; i < count; i++)
		figures[i] = (struct mapping_figure){ mapping_median(rates[i], how->rounds),
			mapping_median(energies[i], how->rounds), mapping_median(lates[i], how->rounds) };
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
	unsigned count = (1u << p->stages) * (p->cores + 2), best = 0;

	for (unsigned i = 1; i < count; i++)
		if (mapping_score(how, figures[i].rate, figures[i].energy) >
			mapping_score(how, figures[best].rate, figures[best].energy))
			best = i;
	return best;
}

double mapping_measure_simulated(const struct mapping_pipeline *p, const struct pstk_configuration *with,
	const struct mapping_how *how, double late)
{
	const struct mapping_simulation s = { .items = SIMULATED,
		.in_flight = how->in_flight ? how->in_flight : 2 * (p->cores + 1),
		.jitter = late > 1 ? 2 * (late - 1) : 0,
		.stagger = 1e-6,
		.stretch = how->bed.stretch,
		.permits = how->bed.permits };

	return mapping_simulate(p, with, &s);
}
