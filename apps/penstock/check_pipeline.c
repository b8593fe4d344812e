/* SPDX-License-Identifier: MIT */
/* Graph files with pipelines: what the command shows of them, and writes behind a run. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* more: keys of the pipeline */
#define GRAPH(more)                                                          \
	"network: piped\n"                                                   \
	"parameters: {frames: 300, configuration: adaptive, second: true}\n" \
	"actors:\n"                                                          \
	"  source: {type: video_source, size: 64x48, frames: $frames}\n"     \
	"  gauss: {type: gauss5x5}\n"                                        \
	"  med: {type: median5}\n"                                           \
	"  sink: {type: video_sink, output: \"\"}\n"                         \
	"fifos:\n"                                                           \
	"  - {from: source.out, to: gauss.in}\n"                             \
	"  - {from: gauss.out, to: med.in}\n"                                \
	"  - {from: med.out, to: sink.map}\n"                                \
	"pipelines:\n"                                                       \
	"  - {name: filters, stages: [gauss, med], cores: 2, configuration: $configuration" more "}\n"

static const char graph[] = GRAPH("");

/* Limits that nothing meets, and 50 W at any time. */
static const char limited[] = GRAPH(", min_rate: 1e9, max_watts: 1, meter: "
				    "'sim:cores=0,core=0,device_idle=0,device=0,rest=50'");

START_TEST(shows)
{
	struct run run = { 0 };

	files_text("g.yaml", graph);
	RUN(&run, 0, "check", "g.yaml", "--set", "configuration=CPU-CG:00:2");
	TEST_SAYS((char *)run.out, "network 'piped': 3 actors, 2 FIFOs",
		"filters  pipeline      on cores, CPU-CG:00:2, 6 items in flight\n",
		"gauss  gauss5x5      core\n", "med  median5       core\n",
		"proven: free of deadlock in bounded memory", "'filters'             6  its in_flight");
	program_free(&run);
	RUN(&run, 0, "graph", "g.yaml", "--set", "configuration=MG:00");
	TEST_SAYS((char *)run.out,
		"\t\"filters\" [label=\"filters\\npipeline\\n1: gauss (gauss5x5)\\n2: med "
		"(median5)\\nMG:00\"",
		"\t\"source\" -> \"filters\" [taillabel=\"out\", headlabel=\"gauss.in\"");
	program_free(&run);
	RUN(&run, 0, "graph", "g.yaml", "--format", "yaml");
	TEST_SAYS((char *)run.out, "- {from: gauss.out, to: med.in, ",
		"pipelines:\n- {name: filters, stages: [gauss, med], cores: 2, configuration: adaptive}\n");
	program_free(&run);
	/* an overlay adds one */
	files_text("m.yaml", "pipelines: [{name: more, stages: [med]}]\n");
	FAILS(2, "m.yaml:1:13: error: pipeline 'more': 'med' (median5) is a stage of another pipeline",
		"check", "g.yaml", "--mapping", "m.yaml");
}
END_TEST

/* What limited it, and why it runs as it does, is said behind a run. */
START_TEST(says)
{
	struct run run = { 0 };

	files_text("g.yaml", graph);
	RUN(&run, 0, "run", "g.yaml", "--set", "configuration=CPU-CG:00:2", "--explain", "--latency",
		"--top");
	TEST_SAYS(run.err, "pipeline 'filters': CPU-CG:00:2, it was given\n", "300 on the cores alone\n",
		"  stage   one core  all cores     device\n", "  gauss ", "  med ", "  filters: busy ",
		"source -> sink: p50", "CPU-CG:00:2\n");
	program_free(&run);
}
END_TEST

/* What limits ask for, what is reached, and what is missing; of each candidate the energy. */
START_TEST(says_what_is_missed)
{
	struct run run = { 0 };

	files_text("g.yaml", limited);
	RUN(&run, 0, "run", "g.yaml", "--set", "frames=1000");
	TEST_SAYS(run.err, "  min_rate   1000000000 items/s is missed: predicted ", " below it",
		"  max_watts  1 W is missed: predicted ", " above it",
		"no configuration is predicted to meet the limits: this one is the nearest\n",
		"J an item; tried ", "  <- chosen\n", "  meter      sim (split, simulated)\n");
	ck_assert_ptr_null(strstr(run.err, "e+"));
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON

static json_t *load(const char *name)
{
	json_error_t error;
	json_t *json = json_load_file(name, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(json != NULL, "%s:%d: %s", name, error.line, error.text);
	return json;
}

static json_t *get(const json_t *json, const char *a, const char *b)
{
	json_t *found = json_object_get(json, a);

	found = b ? json_object_get(found, b) : found;
	ck_assert_msg(found != NULL, "no %s %s", a, b ? b : "");
	return found;
}

static void expect_text(const json_t *json, const char *key, const char *text)
{
	ck_assert_ptr_nonnull(json_string_value(get(json, key, NULL)));
	ck_assert_str_eq(json_string_value(get(json, key, NULL)), text);
}

static void expect_count(const json_t *json, const char *a, const char *b, int count)
{
	ck_assert_int_eq((int)json_integer_value(get(json, a, b)), count);
}

static void expect_stages(const json_t *list)
{
	static const char *const names[] = { "gauss", "med" };

	ck_assert_uint_eq(json_array_size(list), 2);
	for (unsigned k = 0; k < 2; k++) {
		const json_t *stage = json_array_get(list, k);

		expect_text(stage, "name", names[k]);
		ck_assert_double_gt(json_number_value(get(stage, "core", NULL)), 0);
		ck_assert(json_is_null(get(stage, "device", NULL)));
		ck_assert_int_eq((int)json_integer_value(get(stage, "firings", NULL)), 300);
	}
}

/* The members of the only one. */
static void run_for_stats(const char *configuration, json_t **root, const json_t **pipeline)
{
	struct run run = { 0 };

	files_text("g.yaml", graph);
	RUN(&run, 0, "run", "g.yaml", "--set", configuration, "--stats", "s.json");
	program_free(&run);
	*root = load("s.json");
	*pipeline = json_array_get(get(*root, "pipelines", NULL), 0);
	ck_assert_uint_eq(json_array_size(get(*root, "pipelines", NULL)), 1);
	expect_text(*pipeline, "name", "filters");
	expect_count(*pipeline, "items", "device", 0);
	expect_count(*pipeline, "items", "cores", 300);
	expect_stages(get(*pipeline, "stages", NULL));
	expect_text(get(*pipeline, "meter", NULL), "name", "none");
}

/* What is not known is null. */
START_TEST(stats_fixed)
{
	const json_t *p;
	json_t *root;

	run_for_stats("configuration=CPU-CG:00:2", &root, &p);
	expect_text(p, "configuration", "CPU-CG:00:2");
	expect_text(p, "why", "fixed");
	ck_assert(json_is_null(get(p, "predicted", "rate")));
	ck_assert(json_is_null(get(p, "predicted", "met")));
	ck_assert(json_is_null(get(p, "predicted", "missed")) && json_is_null(get(p, "predicted", "watts")));
	ck_assert(json_is_null(get(p, "limits", "min_rate")) && json_is_null(get(p, "limits", "max_watts")));
	ck_assert(json_is_null(get(p, "measurements", NULL)));
	ck_assert_uint_eq(json_array_size(get(p, "candidates", NULL)), 0);
	expect_count(p, "trained", "count", 0);
	ck_assert(json_is_array(get(p, "trainings", NULL)));
	ck_assert_uint_eq(json_array_size(get(p, "trainings", NULL)), 0);
	json_decref(root);
}
END_TEST

/* The only one: 21 items of experiments, and candidates. What one has cost is what all have. */
static void expect_training(const json_t *p)
{
	const json_t *list = get(p, "trainings", NULL), *all = get(p, "trained", NULL), *one;

	ck_assert(json_is_array(list));
	ck_assert_uint_eq(json_array_size(list), 1);
	one = json_array_get(list, 0);
	expect_count(p, "trained", "count", 1);
	ck_assert_int_gt((int)json_integer_value(get(one, "items", NULL)), 21);
	ck_assert_int_eq((int)json_integer_value(get(one, "items", NULL)),
		(int)json_integer_value(get(all, "items", NULL)));
	ck_assert_double_gt(json_number_value(get(one, "seconds", NULL)), 0);
	ck_assert_double_eq_tol(json_number_value(get(one, "seconds", NULL)),
		json_number_value(get(all, "seconds", NULL)), 1e-9);
	/* eq. 2 with 5 % */
	ck_assert_double_eq_tol(json_number_value(get(one, "interval", NULL)),
		19 * json_number_value(get(one, "dt", NULL)), 1e-9);
	ck_assert(json_is_boolean(get(one, "estimated", NULL)) && json_is_true(get(one, "whole", NULL)));
	ck_assert_double_eq(json_number_value(get(all, "overhead", NULL)), 0);
	ck_assert(json_is_boolean(get(all, "pending", NULL)) && json_is_boolean(get(all, "tries", NULL)));
}

START_TEST(stats_adaptive)
{
	const json_t *p;
	json_t *root;

	run_for_stats("configuration=adaptive", &root, &p);
	expect_training(p);
	ck_assert_double_gt(json_number_value(get(p, "predicted", "rate")), 0);
	ck_assert(json_is_null(get(p, "predicted", "energy")));
	ck_assert(json_is_true(get(p, "predicted", "met")));
	expect_count(p, "measurements", "s", 2);
	expect_count(p, "measurements", "nC", 2);
	ck_assert_uint_ge(json_array_size(get(p, "candidates", NULL)), 1);
	ck_assert_double_gt(
		json_number_value(get(json_array_get(get(p, "candidates", NULL), 0), "predicted", "rate")),
		0);
	json_decref(root);
}
END_TEST

START_TEST(stats_limits)
{
	const json_t *missed, *predicted;
	struct run run = { 0 };
	double rate, watts;
	const json_t *p;
	json_t *root;

	files_text("g.yaml", limited);
	RUN(&run, 0, "run", "g.yaml", "--set", "frames=1000", "--stats", "s.json");
	program_free(&run);
	root = load("s.json");
	p = json_array_get(get(root, "pipelines", NULL), 0);
	predicted = get(p, "predicted", NULL);
	ck_assert(json_is_true(get(p, "has_run", NULL)));
	ck_assert_double_eq(json_number_value(get(p, "limits", "min_rate")), 1e9);
	ck_assert_double_eq(json_number_value(get(p, "limits", "max_watts")), 1);
	ck_assert(json_is_false(get(predicted, "met", NULL)));
	ck_assert(json_is_true(get(predicted, "nearest", NULL)));
	ck_assert(json_is_false(get(p, "trained", "tries")));
	rate = json_number_value(get(predicted, "rate", NULL));
	watts = json_number_value(get(predicted, "watts", NULL));
	missed = get(predicted, "missed", NULL);
	ck_assert_double_eq_tol(
		watts, rate * json_number_value(get(predicted, "energy", NULL)), 1e-9 * watts);
	ck_assert_double_eq_tol(json_number_value(get(missed, "rate", NULL)), 1e9 - rate, 1);
	ck_assert_double_eq_tol(json_number_value(get(missed, "watts", NULL)), watts - 1, 1e-9 * watts);
	ck_assert(get(p, "measured", "watts") && get(p, "measured", "missed"));
	json_decref(root);
}
END_TEST

/* As JSON of the network without a run. */
START_TEST(built)
{
	struct run run = { 0 };
	json_t *root;
	const json_t *p;

	files_text("g.yaml", graph);
	RUN(&run, 0, "graph", "g.yaml", "--set", "configuration=MG:00", "--json", "--output", "n.json");
	program_free(&run);
	root = load("n.json");
	p = json_array_get(get(root, "pipelines", NULL), 0);
	expect_text(p, "name", "filters");
	expect_text(p, "configuration", "MG:00");
	ck_assert(json_is_null(get(p, "device", NULL)));
	expect_text(json_array_get(get(p, "stages", NULL), 1), "type", "median5");
	json_decref(root);
}
END_TEST

/* What is saved is what `penstock map` predicts from. */
START_TEST(saves)
{
	static const char *const texts[] = { "m.json", "filters=m.json" };
	struct run run = { 0 };
	json_t *root;

	files_text("g.yaml", graph);
	RUN(&run, 0, "run", "g.yaml", "--save-measurements", texts[_i]);
	program_free(&run);
	root = load("m.json");
	expect_text(root, "name", "filters");
	expect_count(root, "s", NULL, 2);
	expect_count(root, "nC", NULL, 2);
	json_decref(root);
	RUN(&run, 0, "map", "--model", "m.json");
	TEST_SAYS((char *)run.out, "CPU-CG:00:1 ", "CPU-MG:00:3 ", "best by the rule 'capacity'");
	program_free(&run);
}
END_TEST

START_TEST(saves_nothing)
{
	struct run run = { 0 };

	files_text("g.yaml", graph);
	files_text("h.yaml", command_chain);
	FAILS(2, "penstock: --save-measurements m.json: the network has no pipeline\n", "run", "h.yaml",
		"--save-measurements", "m.json");
	FAILS(2,
		"penstock: --save-measurements filter=m.json: the network has no pipeline 'filter', but "
		"'filters'\n",
		"run", "g.yaml", "--save-measurements", "filter=m.json");
	FAILS(2, "penstock: --save-measurements is given twice: 'a' and 'b'\n", "run", "g.yaml",
		"--save-measurements", "a", "--save-measurements", "b");
	FAILS(2, "penstock: --save-measurements filters=: expected FILE.json or NAME=FILE.json\n", "run",
		"g.yaml", "--save-measurements", "filters=");
	FAILS(2, "--save-measurements", "run", "g.yaml", "--save-measurements", "g.yaml");
	FAILS(2, "--save-measurements", "run", "g.yaml", "--stats", "a.json", "--save-measurements",
		"a.json");
	FAILS(1, "/nowhere/m.json: No such file or directory\n", "run", "g.yaml", "--save-measurements",
		"/nowhere/m.json");
	RUN(&run, 1, "run", "g.yaml", "--set", "configuration=CPU-CG:00:2", "--save-measurements", "m.json");
	TEST_SAYS(run.err, "penstock: --save-measurements m.json: pipeline 'filters' has measured nothing: ");
	program_free(&run);
	RUN(&run, 1, "run", "g.yaml", "--save-measurements", "/dev/full");
	TEST_SAYS(run.err, "/dev/full: No space left on device\n");
	program_free(&run);
	ck_assert(!files_exists("m.json"));
}
END_TEST

#else

START_TEST(refuses)
{
	FAILS(2, "penstock: --save-measurements: this build has no jansson\n", "run", "g.yaml",
		"--save-measurements", "m.json");
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("pipeline");
	TCase *c = files_case(suite, "pipeline");

	unsetenv("PENSTOCK_PIPELINE");
	command_find();
	tcase_add_test(c, shows);
	tcase_add_test(c, says);
	tcase_add_test(c, says_what_is_missed);
#ifdef HAVE_JANSSON
	tcase_add_test(c, stats_fixed);
	tcase_add_test(c, stats_adaptive);
	tcase_add_test(c, stats_limits);
	tcase_add_test(c, built);
	tcase_add_loop_test(c, saves, 0, 2);
	tcase_add_test(c, saves_nothing);
#else
	tcase_add_test(c, refuses);
#endif
	return test_main(suite);
}
