/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_report.h"
#include "benchmarks/common/rounds.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Off by no more: as good. */
#define TENTH 0.1
#define TWENTIETH 0.05

static const char *text_of(const struct mapping_result *r, const struct pstk_configuration *c)
{
	static char texts[4][PSTK_CONFIGURATION_TEXT];
	static unsigned next;
	char *text = texts[next++ % 4];

	pstk_configuration_print(c, r->is.stages, text, sizeof texts[0]);
	return text;
}

static const char *text_at(const struct mapping_result *r, unsigned i)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];

	mapping_list(&r->is, list);
	return text_of(r, &list[i]);
}

static unsigned count_of(const struct mapping_result *r)
{
	return mapping_count(&r->is);
}

static void print_times(const char *what, const double *times, unsigned count)
{
	printf("  %s", what);
	for (unsigned k = 0; k < count; k++)
		printf(" %.2f", times[k] * 1e3);
}

/* Real stages have no times of their own. */
static void print_head(const struct mapping_result *r)
{
	printf("%s: %u stages, %u core%s", r->is.name, r->is.stages, r->is.cores, r->is.cores > 1 ? "s" : "");
	if (r->is.core[0] > 0) {
		printf("; ms of a stage:");
		print_times("core", r->is.core, r->is.stages);
		print_times("device", r->is.device, r->is.stages);
		print_times("medium", r->is.medium, r->is.stages);
	}
	printf("\n");
}

/* -- fixed -- */

void mapping_report_fixed(const struct mapping_result *r)
{
	print_head(r);
	printf("  %-18s %9s %9s %6s %9s %6s %9s %6s %6s\n", "configuration", "measured", "simulated", "ratio",
		"late", "ratio", "file", "ratio", "late");
	for (unsigned i = 0; i < count_of(r); i++) {
		double rate = r->figures[i].rate;

		printf("  %-18s %9.2f %9.2f %6.3f %9.2f %6.3f", text_at(r, i), rate, r->simulated[i],
			rate / r->simulated[i], r->late[i], rate / r->late[i]);
		if (r->expected.rate[i] > 0)
			printf(" %9.2f %6.3f", r->expected.rate[i], rate / r->expected.rate[i]);
		else
			printf(" %9s %6s", "-", "-");
		printf(" %6.3f\n", r->figures[i].late);
	}
	fflush(stdout);
}

static bool is_near(double rate, double expected)
{
	return fabs(rate / expected - 1) <= TENTH;
}

void mapping_report_within(const struct mapping_result *results, unsigned count)
{
	unsigned all = 0, simulated = 0, late = 0, any = 0, said = 0, file = 0;
	double sum = 0, least = INFINITY, most = 0;

	for (unsigned k = 0; k < count; k++)
		for (unsigned i = 0; i < count_of(&results[k]); i++) {
			const struct mapping_result *r = &results[k];
			double rate = r->figures[i].rate, ratio = rate / r->late[i];
			bool as_file = r->expected.rate[i] > 0 && is_near(rate, r->expected.rate[i]);

			all++;
			said += r->expected.rate[i] > 0;
			file += as_file;
			simulated += is_near(rate, r->simulated[i]);
			late += is_near(rate, r->late[i]);
			any += as_file || is_near(rate, r->simulated[i]) || is_near(rate, r->late[i]);
			sum += ratio;
			least = fmin(least, ratio);
			most = fmax(most, ratio);
		}
	printf("within 10 %%: %u of %u configurations of the simulation, %u where its stages are as late as "
	       "those of the run, %u of any of them",
		simulated, all, late, any);
	if (said)
		printf("; %u of %u of the file", file, said);
	printf("\nmeasured by simulated, stages as late: mean %.3f, least %.3f, most %.3f\n", sum / all,
		least, most);
}

/* -- chosen -- */

void mapping_report_choices(const struct mapping_result *r, const struct mapping_how *how)
{
	print_head(r);
	printf("  best %s: %.2f items/s", text_at(r, r->best), r->figures[r->best].rate);
	if (how->meter)
		printf(", %.4f J an item", r->figures[r->best].energy);
	printf("\n");
	for (unsigned k = 0; k < MAPPING_CHOOSERS; k++) {
		const struct mapping_choice *c = &r->choices[k];

		if (!c->chosen.threads)
			continue;
		printf("  %-8s %-18s %9.2f items/s, of the best %.3f", mapping_choosers[k],
			text_of(r, &c->chosen), c->measured.rate, r->of_best[k]);
		if (!isnan(r->of_best_ideal[k]))
			printf(" (simulated %.3f)", r->of_best_ideal[k]);
		if (!isnan(c->predicted.rate))
			printf("; predicted %9.2f: %.3f of that; trained %.2f s", c->predicted.rate,
				c->predicted.rate / c->measured.rate, c->training);
		if (how->meter)
			printf("; %.4f J, predicted %.4f", c->measured.energy, c->predicted.energy);
		printf("\n");
	}
	fflush(stdout);
}

static void print_loss(
	const char *what, const struct mapping_result *results, unsigned count, unsigned chooser, bool ideal)
{
	unsigned good = 0, all = 0;
	double lost = 0;

	for (unsigned i = 0; i < count; i++) {
		double of = ideal ? results[i].of_best_ideal[chooser] : results[i].of_best[chooser];

		if (isnan(of))
			continue;
		all++;
		good += of >= 1 - TWENTIETH;
		lost += of < 1 ? 1 - of : 0;
	}
	if (all)
		printf("  %s: within 5 %% of the best in %u of %u (%.0f %%), mean loss %.1f %%\n", what, good,
			all, 100.0 * good / all, 100 * lost / all);
}

static void print_error(const struct mapping_result *results, unsigned count, unsigned chooser, bool energies)
{
	static double errors[1024];
	unsigned n = 0, good = 0;

	for (unsigned i = 0; i < count && n < 1024; i++) {
		const struct mapping_choice *c = &results[i].choices[chooser];
		double e = energies ? c->predicted.energy / c->measured.energy
		                    : c->predicted.rate / c->measured.rate;

		if (isnan(e) || !c->chosen.threads)
			continue;
		errors[n++] = fabs(e - 1);
		good += fabs(e - 1) <= TENTH;
	}
	if (n)
		printf("  predicted %s by measured: off by %.1f %% (median), within 10 %% in %u of %u\n",
			energies ? "energy" : "rate", 100 * mapping_median(errors, n), good, n);
}

void mapping_report_losses(
	const struct mapping_result *results, unsigned count, const struct mapping_how *how)
{
	for (unsigned k = 0; k < MAPPING_CHOOSERS; k++) {
		printf("%s\n", mapping_choosers[k]);
		print_loss("measured", results, count, k, false);
		if (!how->meter)
			print_loss("by the simulation", results, count, k, true);
		print_error(results, count, k, false);
		if (how->meter)
			print_error(results, count, k, true);
	}
}

/* -- JSON -- */

/* NAN is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* By configuration. */
static json_t *by_configuration(const struct mapping_result *r, const double *values)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < count_of(r); i++)
		json_object_set_new(all, text_at(r, i), number(values[i]));
	return all;
}

static json_t *measured_of(const struct mapping_result *r, bool energies)
{
	static double values[MAPPING_CONFIGURATIONS];

	for (unsigned i = 0; i < count_of(r); i++)
		values[i] = energies ? r->figures[i].energy : r->figures[i].rate;
	return by_configuration(r, values);
}

static json_t *rules_of(const struct mapping_result *r)
{
	static const char *const names[MAPPING_RULES] = { [PSTK_RULE_CAPACITY] = "capacity",
		[PSTK_RULE_BOUNDED] = "bounded",
		[PSTK_RULE_PAPER] = "paper" };
	json_t *all = json_object();

	for (unsigned k = 0; r->chosen && k < MAPPING_RULES; k++)
		json_object_set_new(all, names[k],
			json_pack("{s:o, s:o}", "rates", by_configuration(r, r->predictions.rate[k]),
				"energies", by_configuration(r, r->predictions.energy[k])));
	return all;
}

static json_t *choice_of(const struct mapping_result *r, unsigned k)
{
	const struct mapping_choice *c = &r->choices[k];
	json_t *is = json_object();

	if (!c->chosen.threads) {
		json_decref(is);
		return json_null();
	}
	json_object_set_new(is, "chosen", json_string(text_of(r, &c->chosen)));
	json_object_set_new(is, "predicted", number(c->predicted.rate));
	json_object_set_new(is, "predicted_energy", number(c->predicted.energy));
	json_object_set_new(is, "rate", number(c->measured.rate));
	json_object_set_new(is, "energy", number(c->measured.energy));
	json_object_set_new(is, "of_best", number(r->of_best[k]));
	json_object_set_new(is, "of_best_simulated", number(r->of_best_ideal[k]));
	json_object_set_new(is, "training", number(c->training));
	json_object_set_new(is, "dt", number(c->dt));
	return is;
}

static json_t *result_of(const struct mapping_result *r)
{
	json_t *is = json_object(), *choosers = json_object();

	json_object_set_new(is, "name", json_string(r->is.name));
	json_object_set_new(is, "measured", measured_of(r, false));
	json_object_set_new(is, "energies", measured_of(r, true));
	json_object_set_new(is, "simulated", by_configuration(r, r->simulated));
	json_object_set_new(is, "rules", rules_of(r));
	json_object_set_new(is, "best", json_string(text_at(r, r->best)));
	json_object_set_new(is, "chosen",
		r->chosen ? json_string(text_of(r, &r->choices[MAPPING_CAPACITY].chosen)) : json_null());
	json_object_set_new(is, "predicted",
		r->chosen ? number(r->choices[MAPPING_CAPACITY].predicted.rate) : json_null());
	for (unsigned k = 0; r->chosen && k < MAPPING_CHOOSERS; k++)
		json_object_set_new(choosers, mapping_choosers[k], choice_of(r, k));
	json_object_set_new(is, "choosers", choosers);
	return is;
}

void mapping_report_json(const char *path, const struct mapping_result *results, unsigned count)
{
	json_t *root = json_object(), *list = json_array();

	json_object_set_new(root, "pipelines", list);
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, result_of(&results[i]));
	if (json_dump_file(root, path, JSON_INDENT(1)))
		rounds_fail("%s: it can't be written", path);
	json_decref(root);
}
