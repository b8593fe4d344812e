/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_adapt.h"
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/common/rounds.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

enum { A, B, TRIED = 6 };

/* Of a phase: pauses between two looks at it. */
static const double look = 0.05;

static const char *text_of(const struct mapping_adaptation *a, const struct pstk_configuration *c)
{
	static char texts[4][PSTK_CONFIGURATION_TEXT];
	static unsigned next;
	char *text = texts[next++ % 4];

	pstk_configuration_print(c, a->is[A].stages, text, sizeof texts[0]);
	return text;
}

/* -- fixed -- */

static void measure_fixed(struct mapping_adaptation *a, const struct mapping_how *how)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	static struct mapping_figure figures[MAPPING_CONFIGURATIONS];
	struct mapping_how few = *how;

	few.some = true;
	few.most = TRIED;
	few.passes = 1;
	mapping_list(&a->is[A], list);
	for (unsigned k = A; k <= B; k++) {
		mapping_measure_all(&a->is[k], &few, figures);
		a->best[k] = list[mapping_best(&a->is[k], &few, figures)];
	}
	for (unsigned k = A; k <= B; k++)
		for (unsigned by = A; by <= B; by++) {
			double rates[MAPPING_ROUNDS], energies[MAPPING_ROUNDS];
			struct mapping_figure *f = &a->under[k][by];

			for (unsigned n = 0; n < how->rounds; n++) {
				mapping_measure_fixed(&a->is[k], &a->best[by], how, f);
				rates[n] = f->rate;
				energies[n] = f->energy;
			}
			f->rate = mapping_median(rates, how->rounds);
			f->energy = mapping_median(energies, how->rounds);
		}
}

/* -- adaptive -- */

static void take_training(struct mapping_phase *p, const struct pstk_pipeline_report *r)
{
	if (!r->latest_count)
		return;
	p->training = r->latest[r->latest_count - 1].seconds;
	p->dt = r->latest[r->latest_count - 1].dt;
}

static bool trains(const struct pstk_pipeline_report *r)
{
	return r->why == PSTK_WHY_TRAINING || r->why == PSTK_WHY_BEGINS;
}

/* To its end: as long as so many times what the latest training has cost, which is that of the phase when there was
 * one. before: trainings before the phase. */
static void run_phase(struct mapping_bed *bed, struct mapping_phase *p, unsigned before)
{
	uint64_t begin, now, first, last, until;
	double joules = 0, metered = 0; /* items of which joules are known: not those of a training */

	first = last = mapping_bed_next(bed, 1, &begin);
	do {
		struct pstk_pipeline_report *r;
		uint64_t count;

		mapping_cores_sleep(mapping_cores_now() + (uint64_t)(look * 1e9));
		r = pstk_pipeline_get_report(bed->pipeline);
		if (!r)
			rounds_fail("out of memory");
		count = r->on_device + r->on_cores;
		if (!isnan(r->energy)) {
			joules += (double)(count - last) * r->energy;
			metered += (double)(count - last);
		}
		last = count;
		now = mapping_cores_now();
		until = begin + (uint64_t)(1e9 * MAPPING_ADAPT_DTS * r->dt);
		p->trainings = r->trainings - before;
		p->at_end = r->configuration;
		if (p->trainings)
			take_training(p, r);
		if (trains(r))
			until = UINT64_MAX;
		pstk_pipeline_free_report(r);
	} while (now < until);
	last = mapping_bed_next(bed, 1, &now);
	p->seconds = 1e-9 * (double)(now - begin);
	p->items = (double)(last - first);
	p->energy = metered > 0 ? joules / metered : NAN;
}

static void run_adaptive(struct mapping_adaptation *a, const struct mapping_how *how)
{
	struct pstk_pipeline_spec spec = { .struct_size = sizeof spec,
		.in_flight = how->in_flight,
		.objective = how->objective,
		.meter = how->meter };
	struct pstk_pipeline_report *r;
	struct mapping_bed bed;
	unsigned before;

	mapping_bed_open(&bed, &a->is[A], &spec, &how->bed);
	r = mapping_bed_chosen(&bed);
	before = r->trainings;
	take_training(&a->phases[0], r);
	pstk_pipeline_free_report(r);
	for (unsigned i = 0; i < MAPPING_ADAPT_PHASES; i++) {
		struct mapping_phase *p = &a->phases[i];

		if (i)
			mapping_bed_change(&a->is[i % 2]);
		run_phase(&bed, p, before);
		before += p->trainings;
		printf("  %s: %.2f s, %.0f items, %.2f items/s; %u trainings, the latest %.3f s, dt %.3f s; "
		       "at "
		       "its end "
		       "%s\n",
			a->is[i % 2].name, p->seconds, p->items, p->items / p->seconds, p->trainings,
			p->training, p->dt, text_of(a, &p->at_end));
		fflush(stdout);
	}
	mapping_bed_close(&bed);
}

/* -- what follows -- */

void mapping_adapt_compare(struct mapping_adaptation *a)
{
	double took = 0, once = 0, fixed[2] = { 0, 0 };

	for (unsigned i = 0; i < MAPPING_ADAPT_PHASES; i++) {
		const struct mapping_phase *p = &a->phases[i];

		took += p->seconds;
		once += p->items / a->under[i % 2][i % 2].rate;
		for (unsigned by = A; by <= B; by++)
			fixed[by] += p->items / a->under[i % 2][by].rate;
	}
	a->of_once = once / took;
	for (unsigned by = A; by <= B; by++)
		a->of_fixed[by] = fixed[by] / took;
}

double mapping_adapt_gain(const struct mapping_adaptation *a, unsigned to)
{
	return a->under[to][to].rate / a->under[to][!to].rate;
}

/* The training of the latest phase of this pipeline. */
static const struct mapping_phase *phase_to(const struct mapping_adaptation *a, unsigned to)
{
	return &a->phases[to == A ? MAPPING_ADAPT_PHASES - 1 : B];
}

double mapping_adapt_break_even(const struct mapping_adaptation *a, unsigned to)
{
	double seconds;

	if (pstk_training_break_even(phase_to(a, to)->dt, mapping_adapt_gain(a, to), &seconds))
		return INFINITY;
	return seconds;
}

static void print(const struct mapping_adaptation *a)
{
	for (unsigned k = A; k <= B; k++) {
		const struct mapping_figure *own = &a->under[k][k], *other = &a->under[k][!k];

		printf("%s: under %s %.2f items/s, %.4f J an item, %.3f items/s/J; under %s, the other "
		       "one's best, "
		       "%.2f, %.4f, %.3f: %.3f of the rate; a switch to it pays for the training after %.2f "
		       "s\n",
			a->is[k].name, text_of(a, &a->best[k]), own->rate, own->energy,
			own->rate / own->energy, text_of(a, &a->best[!k]), other->rate, other->energy,
			other->rate / other->energy, other->rate / own->rate, mapping_adapt_break_even(a, k));
	}
	printf("adapt: %s, %s, %s, each %d dt long: %.3f of switching at once (aim 0.93), %.3f and %.3f of "
	       "the "
	       "best of "
	       "%s and %s, fixed (aim 1.0)\n",
		a->is[A].name, a->is[B].name, a->is[A].name, MAPPING_ADAPT_DTS, a->of_once, a->of_fixed[A],
		a->of_fixed[B], a->is[A].name, a->is[B].name);
}

void mapping_adapt(const struct mapping_pipeline is[2], const struct mapping_how *how, const char *json)
{
	struct mapping_adaptation a = { .is = { is[A], is[B] } };

	if (is[A].stages != is[B].stages || is[A].cores != is[B].cores ||
		is[A].no_kernel != is[B].no_kernel || is[A].coarse != is[B].coarse)
		rounds_fail("%s and %s have other stages or cores: --adapt goes from one to the other",
			is[A].name, is[B].name);
	measure_fixed(&a, how);
	run_adaptive(&a, how);
	mapping_adapt_compare(&a);
	print(&a);
	if (json)
		mapping_adapt_json(json, &a);
}

/* -- JSON -- */

/* What is no number is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *figure_of(const struct mapping_figure *f)
{
	return json_pack("{s:o, s:o}", "rate", number(f->rate), "energy", number(f->energy));
}

static json_t *pipeline_of(const struct mapping_adaptation *a, unsigned k)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", a->is[k].name, "best",
		text_of(a, &a->best[k]), "own", figure_of(&a->under[k][k]), "other",
		figure_of(&a->under[k][!k]), "break_even", number(mapping_adapt_break_even(a, k)), "of_fixed",
		number(a->of_fixed[k]));
}

static json_t *phase_of(const struct mapping_adaptation *a, unsigned i)
{
	const struct mapping_phase *p = &a->phases[i];

	return json_pack("{s:s, s:f, s:f, s:o, s:f, s:f, s:i, s:s}", "name", a->is[i % 2].name, "seconds",
		p->seconds, "items", p->items, "energy", number(p->energy), "training", p->training, "dt",
		p->dt, "trainings", (int)p->trainings, "at_end", text_of(a, &p->at_end));
}

void mapping_adapt_json(const char *path, const struct mapping_adaptation *a)
{
	json_t *phases = json_array(), *root = json_object();

	for (unsigned i = 0; i < MAPPING_ADAPT_PHASES; i++)
		json_array_append_new(phases, phase_of(a, i));
	json_object_set_new(root, "pipelines", json_pack("[o, o]", pipeline_of(a, A), pipeline_of(a, B)));
	json_object_set_new(root, "phases", phases);
	json_object_set_new(root, "of_once", number(a->of_once));
	json_object_set_new(root, "dts", json_integer(MAPPING_ADAPT_DTS));
	if (json_dump_file(root, path, JSON_INDENT(1)))
		rounds_fail("%s: it can't be written", path);
	json_decref(root);
}
