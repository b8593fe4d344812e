/* SPDX-License-Identifier: MIT */
/* That the benchmark of mappings simulates what an independent simulation does, that its bed gives right items under
 * each configuration, and what it writes. No times. */
#include "benchmarks/apps/mapping_report.h"
#include "benchmarks/apps/mapping_simulation.h"
#include "tests/common/common.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIPELINES = 8, ITEMS = 4000 };

static struct pstk_configuration list[MAPPING_CONFIGURATIONS];

static unsigned find(const struct mapping_pipeline *p, const char *text)
{
	struct pstk_configuration c;

	ck_assert_int_eq(pstk_configuration_parse(text, p->stages, p->cores, &c, NULL, 0), 0);
	return mapping_index(p, &c);
}

/* -- the simulation -- */

/* What ends at the same time may be in any order, and some pipelines stay in the order that they begin with. */
static double apart(const struct mapping_pipeline *p, const struct pstk_configuration *with, double expected)
{
	static const double staggers[] = { 0, 1e-6, 1e-3 };
	double least = INFINITY;

	for (size_t i = 0; i < TEST_COUNT(staggers); i++) {
		const struct mapping_simulation how = { .items = ITEMS, .stagger = staggers[i] };

		least = fmin(least, fabs(mapping_simulate(p, with, &how) / expected - 1));
	}
	return least;
}

START_TEST(simulates_as_the_reference)
{
	static struct mapping_pipeline pipelines[PIPELINES];
	static struct mapping_rates expected[PIPELINES];
	unsigned count = mapping_read(TEST_DATA "/mapping/simulated.json", pipelines, expected, PIPELINES);
	unsigned all = 0, far = 0;

	ck_assert_uint_eq(count, 4);
	for (unsigned k = 0; k < count; k++) {
		unsigned configurations = mapping_list(&pipelines[k], list);

		for (unsigned i = 0; i < configurations; i++) {
			double off = apart(&pipelines[k], &list[i], expected[k].rate[i]);

			ck_assert(expected[k].rate[i] > 0);
			ck_assert_msg(
				off < 0.15, "%s, configuration %u: %g apart", pipelines[k].name, i, off);
			far += off > 0.005;
			all++;
		}
	}
	ck_assert_uint_eq(all, 136);
	/* CP-CG:101 with 4 and 5 threads: both go to the device twice an item, and there are other orders */
	ck_assert_uint_le(far, 3);
}
END_TEST

static double rate_of(const struct mapping_pipeline *p, const char *text, struct mapping_simulation how)
{
	struct pstk_configuration c;

	ck_assert_int_eq(pstk_configuration_parse(text, p->stages, p->cores, &c, NULL, 0), 0);
	how.items = ITEMS;
	return mapping_simulate(p, &c, &how);
}

#define RATE(p, text, ...) rate_of(p, text, (struct mapping_simulation){ __VA_ARGS__ })

static void near(double is, double expected)
{
	ck_assert_msg(fabs(is / expected - 1) < 0.01, "%g, not %g", is, expected);
}

/* Outputs leave in order: what is behind a slow item waits, and with it all threads. */
START_TEST(in_flight_bounds)
{
	const struct mapping_pipeline p = { .name = "slow device",
		.stages = 1,
		.cores = 1,
		.core = { 0.01 },
		.device = { 1 },
		.medium = { 0.01 } };

	near(RATE(&p, "DP-CG:1:2", .in_flight = 0), 101);
	near(RATE(&p, "DP-CG:1:2", .in_flight = 4), 4);
	near(RATE(&p, "CPU-CG:0:2", .in_flight = 4), 100);
}
END_TEST

/* Three threads on two cores share them, or have one each in turn; busy cores slow each other down. */
START_TEST(cores_are_shared)
{
	const struct mapping_pipeline p = { .name = "cores",
		.stages = 2,
		.cores = 2,
		.core = { 0.01, 0.03 },
		.device = { 1, 1 },
		.medium = { 0.01, 0.02 } };

	near(RATE(&p, "CPU-CG:00:1", .permits = false), 25);
	near(RATE(&p, "CPU-CG:00:2", .permits = false), 50);
	near(RATE(&p, "CPU-CG:00:3", .permits = false), 50);
	near(RATE(&p, "CPU-CG:00:3", .permits = true), 50);
	near(RATE(&p, "CPU-MG:00:3", .permits = false), 1 / 0.03);
	near(RATE(&p, "CPU-CG:00:1", .stretch = 0.25), 25);
	near(RATE(&p, "CPU-CG:00:2", .stretch = 0.25), 40);
	near(RATE(&p, "CPU-MG:00:3", .stretch = 0.25), 1 / 0.03 / 1.25);
	near(RATE(&p, "CPU-CG:00:1", .jitter = 0.2), 25 / 1.1);
}
END_TEST

/* -- pipelines -- */

START_TEST(configurations_are_in_order)
{
	const struct mapping_pipeline p = { .stages = 3, .cores = 4 };
	struct mapping_pipeline filled = p;
	struct pstk_prediction predictions[48];
	struct mapping_ideal ideal;
	struct pstk_measurements m;

	for (unsigned k = 0; k < 3; k++)
		filled.core[k] = filled.device[k] = filled.medium[k] = 1e-3;
	m = mapping_measurements(&filled, &ideal, 10);
	ck_assert_int_eq(pstk_mapper_predict_all(&m, PSTK_RULE_CAPACITY, predictions, 48), 48);
	ck_assert_uint_eq(mapping_list(&p, list), 48);
	for (unsigned i = 0; i < 48; i++) {
		ck_assert_uint_eq(mapping_index(&p, &list[i]), i);
		ck_assert_uint_eq(mapping_index(&p, &predictions[i].configuration), i);
	}
}
END_TEST

START_TEST(draws)
{
	unsigned stages = 0, cores = 0;

	for (unsigned i = 0; i < 200; i++) {
		struct mapping_pipeline p, again;
		double item = 0;

		mapping_draw(&p, 7, i);
		mapping_draw(&again, 7, i);
		ck_assert_mem_eq(&p, &again, sizeof p);
		ck_assert(p.stages >= 1 && p.stages <= 4);
		stages |= 1u << p.stages;
		cores |= 1u << p.cores;
		for (unsigned k = 0; k < p.stages; k++) {
			item += p.core[k];
			ck_assert(p.device[k] >= p.core[k] / 6.001 && p.device[k] <= p.core[k] * 4.001);
			ck_assert(p.medium[k] * p.cores >= p.core[k] * 0.999);
			ck_assert(p.medium[k] * p.cores <= p.core[k] * 2.001);
		}
		ck_assert(item >= 7.999e-3 && item <= 20.001e-3);
	}
	ck_assert_uint_eq(stages, 2 + 4 + 8 + 16);
	ck_assert_uint_eq(cores, 2 + 4 + 16);
}
END_TEST

START_TEST(a_file_that_is_not_there)
{
	static struct mapping_pipeline p;

	mapping_read(TEST_DATA "/mapping/none.json", &p, NULL, 1);
}
END_TEST

START_TEST(a_file_of_something_else)
{
	static struct mapping_pipeline p;

	mapping_read(TEST_DATA "/mapping/counts.json", &p, NULL, 1);
}
END_TEST

/* -- the bed: its sink ends the program if an item is wrong or not in order -- */

static const struct mapping_pipeline brief = { .name = "brief",
	.stages = 2,
	.cores = 2,
	.core = { 1e-4, 2e-4 },
	.device = { 2e-4, 1e-4 },
	.medium = { 1e-4, 1e-4 } };

static void run_all(const struct mapping_how *how)
{
	unsigned count = mapping_list(&brief, list);

	for (unsigned i = 0; i < count; i++) {
		struct mapping_figure f;

		mapping_measure_fixed(&brief, &list[i], how, &f);
		ck_assert_msg(f.rate > 0, "configuration %u has no items", i);
		ck_assert(f.late >= 1);
		ck_assert_int_eq(isnan(f.energy), !how->meter);
	}
}

START_TEST(each_configuration_runs)
{
	struct mapping_how how = { .settle = 0.01, .seconds = 0.02, .rounds = 1 };

	ck_assert(mapping_bed_driver());
	run_all(&how);
	how.bed.permits = true;
	how.bed.stretch = 0.1;
	run_all(&how);
}
END_TEST

START_TEST(each_chooser_chooses)
{
	const struct mapping_how how = { .settle = 0.01,
		.seconds = 0.1,
		.rounds = 1,
		.objective = PSTK_OBJECTIVE_ENERGY,
		.meter = "sim:cores=1,core=2,device_idle=1,device=3,rest=1" };

	ck_assert(mapping_bed_driver());
	for (unsigned k = 0; k < MAPPING_CHOOSERS; k++) {
		struct mapping_choice c;

		mapping_measure_choice(&brief, (enum mapping_chooser)k, &how, &c);
		ck_assert(c.measured.rate > 0);
		ck_assert_int_eq(isnan(c.predicted.rate), k == MAPPING_BASELINE);
		ck_assert_int_eq(isnan(c.predicted.energy), k == MAPPING_BASELINE);
		ck_assert(k != MAPPING_BASELINE || c.chosen.medium_grain);
	}
}
END_TEST

/* -- what is written -- */

START_TEST(json)
{
	static struct mapping_result r;
	char path[64];
	json_t *root, *is;

	r.is = brief;
	for (unsigned i = 0; i < 16; i++)
		r.figures[i].rate = r.simulated[i] = 100 + i;
	r.best = find(&brief, "DP-CG:11:2");
	r.chosen = true;
	r.choices[MAPPING_CAPACITY].chosen = (struct pstk_configuration){ .mask = 1, .threads = 3 };
	r.choices[MAPPING_CAPACITY].predicted.rate = 123;
	r.choices[MAPPING_CAPACITY].predicted.energy = NAN;
	snprintf(path, sizeof path, "check_mapping_bench.%ld.json", (long)getpid());
	mapping_report_json(path, &r, 1);
	root = json_load_file(path, 0, NULL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_ptr_nonnull(root);
	is = json_array_get(json_object_get(root, "pipelines"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(is, "name")), "brief");
	ck_assert_str_eq(json_string_value(json_object_get(is, "best")), "DP-CG:11:2");
	ck_assert_str_eq(json_string_value(json_object_get(is, "chosen")), "CP-CG:10:3");
	ck_assert(json_real_value(json_object_get(is, "predicted")) == 123);
	ck_assert_uint_eq(json_object_size(json_object_get(is, "measured")), 16);
	ck_assert(json_real_value(json_object_get(json_object_get(is, "measured"), "CPU-CG:00:2")) == 101);
	ck_assert_uint_eq(json_object_size(json_object_get(is, "choosers")), MAPPING_CHOOSERS);
	json_decref(root);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mapping_bench");
	TCase *simulation = test_case(suite, "simulation"), *pipelines = test_case(suite, "pipelines"),
	      *bed = test_case(suite, "bed"), *report = test_case(suite, "report");

	tcase_add_test(simulation, simulates_as_the_reference);
	tcase_add_test(simulation, in_flight_bounds);
	tcase_add_test(simulation, cores_are_shared);
	tcase_add_test(pipelines, configurations_are_in_order);
	tcase_add_test(pipelines, draws);
	tcase_add_exit_test(pipelines, a_file_that_is_not_there, 1);
	tcase_add_exit_test(pipelines, a_file_of_something_else, 1);
	tcase_add_test(bed, each_configuration_runs);
	tcase_add_test(bed, each_chooser_chooses);
	tcase_add_test(report, json);
	return test_main(suite);
}
