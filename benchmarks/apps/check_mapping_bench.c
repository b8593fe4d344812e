/* SPDX-License-Identifier: MIT */
/* That the benchmark of mappings simulates what an independent simulation does, that its bed gives right items under
 * each configuration, and what it writes. No times. */
#include "benchmarks/apps/mapping_adapt.h"
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

		least = fmin(least, fabs(mapping_simulate(p, with, &how, NULL) / expected - 1));
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
	return mapping_simulate(p, &c, &how, NULL);
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

/* What an item keeps busy, and the joules of that: by hand. */
START_TEST(busy_times)
{
	const struct mapping_pipeline p = { .name = "busy",
		.stages = 2,
		.cores = 2,
		.core = { 0.01, 0.03 },
		.device = { 0.005, 0.005 },
		.medium = { 0.01, 0.02 } };
	const struct mapping_how how = { .objective = PSTK_OBJECTIVE_ENERGY,
		.meter = "sim:rest=3,cores=2,core=5,device_idle=1,device=8" };
	const struct {
		const char *text;
		double rate, cores, device;
	} rows[] = { { "CPU-CG:00:1", 25, 0.04, 0 }, { "CPU-CG:00:2", 50, 0.04, 0 },
		{ "CPU-CG:00:3", 50, 0.06, 0 }, /* three threads share two cores */
		{ "CPU-MG:00:3", 1 / 0.03, 0.06, 0 }, { "DP-CG:11:1", 100, 0, 0.01 },
		{ "CP-CG:01:1", 1 / 0.015, 0.01, 0.005 } };

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct mapping_simulation s = { .items = ITEMS, .stagger = 1e-6 };
		struct pstk_configuration c;
		struct mapping_busy busy;

		ck_assert_int_eq(pstk_configuration_parse(rows[i].text, 2, 2, &c, NULL, 0), 0);
		near(mapping_simulate(&p, &c, &s, &busy), rows[i].rate);
		ck_assert_double_eq_tol(busy.cores, rows[i].cores, 6e-4);
		ck_assert_double_eq_tol(busy.device, rows[i].device, 1e-4);
		/* a little more: its stages are a little late */
		ck_assert_double_eq_tol(-mapping_measure_simulated_score(&p, &c, &how),
			6 / rows[i].rate + 5 * rows[i].cores + 7 * rows[i].device, 0.01);
	}
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

/* Scene recognition: 5 that the paper counts, and those of the cores. */
START_TEST(stages_without_kernels)
{
	static const char *const texts[] = { "CPU-CG:00:1", "CPU-CG:00:2", "CPU-CG:00:3", "CPU-CG:00:4",
		"CPU-CG:00:5", "CP-CG:10:1", "CP-CG:10:2", "CP-CG:10:3", "CP-CG:10:4", "CP-CG:10:5" };
	const struct mapping_pipeline p = { .stages = 2,
		.cores = 4,
		.core = { 1e-3, 1e-3 },
		.device = { 1e-3 },
		.no_kernel = 2,
		.coarse = true };
	const struct mapping_pipeline last = { .stages = 3, .cores = 1, .no_kernel = 1 };
	struct pstk_prediction predictions[10];
	struct mapping_ideal ideal;
	struct pstk_measurements m = mapping_measurements(&p, &ideal, 10);

	ck_assert_uint_eq(mapping_count(&p), 10);
	ck_assert_uint_eq(mapping_list(&p, list), 10);
	ck_assert_int_eq(pstk_mapper_predict_all(&m, PSTK_RULE_CAPACITY, predictions, 10), 10);
	for (unsigned i = 0; i < 10; i++) {
		char text[PSTK_CONFIGURATION_TEXT];

		pstk_configuration_print(&list[i], 2, text, sizeof text);
		ck_assert_str_eq(text, texts[i]);
		ck_assert_uint_eq(mapping_index(&p, &list[i]), i);
		ck_assert_uint_eq(mapping_index(&p, &predictions[i].configuration), i);
	}
	ck_assert_uint_eq(mapping_count(&last), 12);
	ck_assert_uint_eq(mapping_list(&last, list), 12);
	for (unsigned i = 0; i < 12; i++)
		ck_assert_uint_eq(mapping_index(&last, &list[i]), i);
}
END_TEST

static const char *file_with(const char *text)
{
	static char path[64];
	FILE *file;

	snprintf(path, sizeof path, "check_mapping_bench.%ld.json", (long)getpid());
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

START_TEST(reads_what_may_lack)
{
	static struct mapping_pipeline p[2];
	const char *path = file_with(
		"[{ \"name\": \"scene\", \"s\": 2, \"nC\": 4, \"core_ms\": [1, 2], \"device_ms\": [3, 0],"
		"   \"device_ok\": \"10\", \"medium_grain\": false },"
		" { \"s\": 1, \"nC\": 1, \"core_ms\": [1], \"device_ms\": [3], \"medium_ms\": [2] }]");

	ck_assert_uint_eq(mapping_read(path, p, NULL, 2), 2);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_eq(p[0].no_kernel, 2);
	ck_assert(p[0].coarse);
	ck_assert(p[0].core[1] == 2e-3);
	ck_assert_uint_eq(p[1].no_kernel, 0);
	ck_assert(!p[1].coarse);
	ck_assert_str_eq(p[1].name, "unnamed");
}
END_TEST

#define STAGE "[{ \"s\": 1, \"nC\": 1, \"core_ms\": [1], \"device_ms\": [1], \"medium_ms\": [1]"

static const char *const wrong_files[] = { STAGE ", \"device_ok\": \"11\" }]",
	STAGE ", \"device_ok\": \"x\" }]", STAGE ", \"device_ok\": 1 }]", STAGE ", \"medium_grain\": 0 }]",
	"[{ \"s\": 1, \"nC\": 1, \"core_ms\": [0], \"device_ms\": [1], \"medium_ms\": [1] }]",
	"[{ \"s\": 1, \"nC\": 1, \"core_ms\": [1], \"device_ms\": [0], \"medium_ms\": [1] }]",
	"[{ \"s\": 1, \"nC\": 1, \"core_ms\": [1], \"device_ms\": [1] }]",
	"[{ \"s\": 7, \"nC\": 1, \"core_ms\": [1], \"device_ms\": [1], \"medium_ms\": [1] }]", "[]" };

START_TEST(a_wrong_file)
{
	static struct mapping_pipeline p;
	const char *path = file_with(wrong_files[_i]);
	FILE *file = fopen(path, "r");

	ck_assert_int_eq(unlink(path), 0); /* what is open can still be read */
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(dup2(fileno(file), STDIN_FILENO), STDIN_FILENO);
	mapping_read("/dev/stdin", &p, NULL, 1);
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

		mapping_measure_choice(&brief, (enum mapping_chooser)k, &how, &c, NULL);
		ck_assert(c.measured.rate > 0);
		ck_assert_int_eq(isnan(c.predicted.rate), k == MAPPING_BASELINE);
		ck_assert_int_eq(isnan(c.predicted.energy), k == MAPPING_BASELINE);
		ck_assert(k != MAPPING_BASELINE || c.chosen.medium_grain);
	}
}
END_TEST

/* One stage that the device can't do, and no medium grain. */
START_TEST(coarse_pipelines_run)
{
	const struct mapping_pipeline p = { .name = "coarse",
		.stages = 2,
		.cores = 2,
		.core = { 1e-4, 2e-4 },
		.device = { 1e-4 },
		.no_kernel = 2,
		.coarse = true };
	const struct mapping_how how = { .settle = 0.01, .seconds = 0.02, .rounds = 1 };
	struct mapping_predictions predictions;
	struct mapping_choice c;
	unsigned count = mapping_list(&p, list);

	ck_assert(mapping_bed_driver());
	ck_assert_uint_eq(count, 6);
	for (unsigned i = 0; i < count; i++) {
		struct mapping_figure f;

		mapping_measure_fixed(&p, &list[i], &how, &f);
		ck_assert(f.rate > 0);
	}
	mapping_measure_choice(&p, MAPPING_CAPACITY, &how, &c, &predictions);
	ck_assert(!c.chosen.medium_grain);
	ck_assert_uint_eq(c.chosen.mask & p.no_kernel, 0);
	for (unsigned k = 0; k < MAPPING_RULES; k++)
		for (unsigned i = 0; i < count; i++) {
			ck_assert(predictions.rate[k][i] > 0);
			ck_assert(isnan(predictions.energy[k][i]));
		}
}
END_TEST

START_TEST(some_are_measured)
{
	static struct mapping_figure figures[MAPPING_CONFIGURATIONS];
	struct mapping_how how = { .settle = 0.001, .seconds = 0.002, .rounds = 1, .some = true };
	unsigned measured = 0, first;

	ck_assert(mapping_bed_driver());
	mapping_measure_all(&brief, &how, figures);
	for (unsigned i = 0; i < 16; i++)
		measured += !isnan(figures[i].rate);
	ck_assert_uint_eq(measured, 0);
	first = mapping_best(&brief, &how, figures);
	how.most = 1;
	mapping_measure_all(&brief, &how, figures);
	for (unsigned i = 0; i < 16; i++)
		measured += !isnan(figures[i].rate);
	/* CPU-CG:00:1 to :3, CPU-MG, DP-CG:11:1, and the first one of the simulation */
	ck_assert_uint_eq(measured, 6);
	ck_assert(figures[find(&brief, "CPU-MG:00:3")].rate > 0);
	ck_assert(figures[find(&brief, "DP-CG:11:1")].rate > 0);
	ck_assert(figures[first].rate > 0);
}
END_TEST

/* What is late is run again, but not for ever: in each run an item takes more than a thread that wakes at once. */
START_TEST(late_runs_are_repeated)
{
	const struct mapping_pipeline tiny = { .name = "tiny",
		.stages = 1,
		.cores = 1,
		.core = { 1e-7 },
		.device = { 1e-7 },
		.medium = { 1e-7 } };
	const struct pstk_configuration c = { .threads = 1 };
	const struct mapping_how how = { .settle = 0.001, .seconds = 0.002, .rounds = 1, .again = 2 };
	struct mapping_figure f;

	ck_assert(mapping_bed_driver());
	mapping_measure_fixed(&tiny, &c, &how, &f);
	ck_assert(f.rate > 0);
	ck_assert(f.late > 1.05);
}
END_TEST

START_TEST(the_best_of_some)
{
	static struct mapping_figure figures[MAPPING_CONFIGURATIONS];
	const struct mapping_how how = { .some = true, .most = 2 };

	for (unsigned i = 0; i < 16; i++)
		figures[i] = (struct mapping_figure){ NAN, NAN, NAN };
	figures[7].rate = 5;
	figures[12].rate = 6;
	figures[14].rate = 4;
	ck_assert_uint_eq(mapping_best(&brief, &how, figures), 12);
}
END_TEST

/* -- adapting -- */

static const struct mapping_adaptation adaptation = { .is = { { .name = "A", .stages = 1, .cores = 1 },
							      { .name = "B", .stages = 1, .cores = 1 } },
	.best = { { .mask = 1, .threads = 2 }, { .threads = 1 } },
	.under = { { { 100, 2, 1 }, { 50, 3, 1 } }, { { 8, 4, 1 }, { 10, NAN, 1 } } },
	.phases = { { 10, 950, 2, 0.5, 0.3, 0, { .mask = 1, .threads = 2 } },
		{ 40, 360, NAN, 4, 2, 1, { .threads = 1 } },
		{ 10, 900, 2, 0.5, 0.2, 1, { .mask = 1, .threads = 2 } } } };

/* 18.5 s of A and 36 of B at once; 37 and 36 under B's best; 18.5 and 45 under A's; of 60 s. */
START_TEST(compares_with_switching_at_once)
{
	struct mapping_adaptation a = adaptation;

	mapping_adapt_compare(&a);
	ck_assert_double_eq_tol(a.of_once, 54.5 / 60, 1e-12);
	ck_assert_double_eq_tol(a.of_fixed[0], 63.5 / 60, 1e-12);
	ck_assert_double_eq_tol(a.of_fixed[1], 73.0 / 60, 1e-12);
	ck_assert_double_eq_tol(mapping_adapt_gain(&a, 0), 2, 1e-12);
	ck_assert_double_eq_tol(mapping_adapt_gain(&a, 1), 1.25, 1e-12);
	/* dt / (1 - 1 / gain) */
	ck_assert_double_eq_tol(mapping_adapt_break_even(&a, 0), 0.4, 1e-12);
	ck_assert_double_eq_tol(mapping_adapt_break_even(&a, 1), 10, 1e-12);
	a.under[1][0].rate = 10;
	ck_assert(isinf(mapping_adapt_break_even(&a, 1)));
}
END_TEST

START_TEST(adaptation_json)
{
	struct mapping_adaptation a = adaptation;
	char path[64];
	json_t *root, *b, *phase;

	snprintf(path, sizeof path, "check_mapping_bench.%ld.json", (long)getpid());
	mapping_adapt_compare(&a);
	mapping_adapt_json(path, &a);
	root = json_load_file(path, 0, NULL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_ptr_nonnull(root);
	b = json_array_get(json_object_get(root, "pipelines"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(b, "best")), "CPU-CG:0:1");
	ck_assert(json_real_value(json_object_get(json_object_get(b, "own"), "rate")) == 10);
	ck_assert(json_real_value(json_object_get(json_object_get(b, "other"), "rate")) == 8);
	ck_assert(json_is_null(json_object_get(json_object_get(b, "own"), "energy")));
	ck_assert_uint_eq(json_array_size(json_object_get(root, "phases")), MAPPING_ADAPT_PHASES);
	phase = json_array_get(json_object_get(root, "phases"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(phase, "name")), "B");
	ck_assert(json_real_value(json_object_get(phase, "dt")) == 2);
	ck_assert(json_is_null(json_object_get(phase, "energy")));
	json_decref(root);
}
END_TEST

START_TEST(adapts_between_others)
{
	const struct mapping_pipeline is[2] = { brief, { .name = "one", .stages = 1, .cores = 2 } };
	const struct mapping_how how = { .rounds = 1 };

	mapping_adapt(is, &how, NULL);
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
	r.predictions.rate[PSTK_RULE_PAPER][1] = 77;
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
	ck_assert_uint_eq(json_object_size(json_object_get(is, "energies")), 16);
	ck_assert_uint_eq(json_object_size(json_object_get(is, "rules")), MAPPING_RULES);
	ck_assert(json_real_value(json_object_get(
			  json_object_get(json_object_get(json_object_get(is, "rules"), "paper"), "rates"),
			  "CPU-CG:00:2")) == 77);
	ck_assert_uint_eq(json_object_size(json_object_get(is, "choosers")), MAPPING_CHOOSERS);
	/* no threads: it can't choose of this one */
	ck_assert(json_is_null(json_object_get(json_object_get(is, "choosers"), "baseline")));
	json_decref(root);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mapping_bench");
	TCase *simulation = test_case(suite, "simulation"), *pipelines = test_case(suite, "pipelines"),
	      *bed = test_case(suite, "bed"), *report = test_case(suite, "report"),
	      *adapt = test_case(suite, "adapt");

	tcase_add_test(simulation, simulates_as_the_reference);
	tcase_add_test(simulation, in_flight_bounds);
	tcase_add_test(simulation, cores_are_shared);
	tcase_add_test(simulation, busy_times);
	tcase_add_test(pipelines, configurations_are_in_order);
	tcase_add_test(pipelines, stages_without_kernels);
	tcase_add_test(pipelines, reads_what_may_lack);
	tcase_add_loop_exit_test(pipelines, a_wrong_file, 1, 0, (int)TEST_COUNT(wrong_files));
	tcase_add_test(pipelines, draws);
	tcase_add_exit_test(pipelines, a_file_that_is_not_there, 1);
	tcase_add_exit_test(pipelines, a_file_of_something_else, 1);
	tcase_add_test(bed, each_configuration_runs);
	tcase_add_test(bed, each_chooser_chooses);
	tcase_add_test(bed, coarse_pipelines_run);
	tcase_add_test(bed, some_are_measured);
	tcase_add_test(bed, late_runs_are_repeated);
	tcase_add_test(bed, the_best_of_some);
	tcase_add_test(adapt, compares_with_switching_at_once);
	tcase_add_test(adapt, adaptation_json);
	tcase_add_exit_test(adapt, adapts_between_others, 1);
	tcase_add_test(report, json);
	return test_main(suite);
}
