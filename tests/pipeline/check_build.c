/* SPDX-License-Identifier: MIT */
/* What pstk_pipeline_add() is told: the spec, configurations, the environment; memory that is not there. */
#include "lib/base/memory.h"
#include "tests/common/common.h"
#include "tests/energy/made_chip.h"
#include "tests/pipeline/line.h"

#include <penstock/plan.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A spec that is right but for what the arguments say. */
#define WITH(...)                                                                         \
	{                                                                                 \
		.struct_size = sizeof(struct pstk_pipeline_spec), .cores = 2, __VA_ARGS__ \
	}

static const struct {
	struct pstk_pipeline_spec spec;
	const char *words;
} wrong[] = {
	{ WITH(.min_rate = -1), "min_rate is -1: expected 0 or more" },
	{ WITH(.min_rate = NAN), "min_rate is nan: expected 0 or more" },
	{ WITH(.min_rate = INFINITY), "min_rate is inf: expected 0 or more" },
	{ WITH(.max_watts = -0.5), "max_watts is -0.5: expected 0 or more" },
	{ WITH(.max_watts = NAN), "max_watts is nan: expected 0 or more" },
	{ WITH(.max_overhead = -1), "max_overhead is -1: expected 0 to 1" },
	{ WITH(.max_overhead = 1.5), "max_overhead is 1.5: expected 0 to 1" },
	{ WITH(.max_overhead = NAN), "max_overhead is nan: expected 0 to 1" },
	{ WITH(.change = -1), "change is -1: expected 0 or more" },
	{ WITH(.change = NAN), "change is nan: expected 0 or more" },
	{ WITH(.tdp = -1), "tdp is -1: expected 0 or more" },
	{ WITH(.tdp = INFINITY), "tdp is inf: expected 0 or more" },
	{ { .struct_size = sizeof(struct pstk_pipeline_spec), .cores = 256 },
		"cores is 256: expected 1 to 255, or 0" },
	{ WITH(.in_flight = 1), "in_flight is 1: expected 2 to 256, or 0" },
	{ WITH(.in_flight = 257), "in_flight is 257: expected 2 to 256, or 0" },
	{ WITH(.candidates = UINT32_MAX), "candidates is 4294967295: expected 1 to 1024, or 0" },
	{ WITH(.objective = (enum pstk_objective)17), "there is no objective 17" },
	{ WITH(.objective = PSTK_OBJECTIVE_SCORE), "PSTK_OBJECTIVE_SCORE needs a score()" },
	{ WITH(.rule = (enum pstk_mapper_rule)9), "there is no rule 9" },
	{ WITH(.granularities = (enum pstk_granularity)9), "there are no granularities 9" },
	{ { .cores = 2 }, "struct_size" },
	/* configurations */
	{ WITH(.configuration = ""), "configuration ''" },
	{ WITH(.configuration = "fastest"), "configuration 'fastest'" },
	{ WITH(.configuration = "CG:00"), "configuration 'CG:00'" },
	{ WITH(.configuration = "CG:0:1"), "configuration 'CG:0:1'" },
	{ WITH(.configuration = "CG:000:1"), "configuration 'CG:000:1'" },
	{ WITH(.configuration = "CG:00:0"), "configuration 'CG:00:0'" },
	{ WITH(.configuration = "CG:00:4"), "configuration 'CG:00:4'" },
	{ WITH(.configuration = "MG:00:2"), "configuration 'MG:00:2'" },
	{ WITH(.configuration = "CP-CG:00:2"), "configuration 'CP-CG:00:2'" },
	{ WITH(.configuration = "CG:10:2"),
		"configuration 'CG:10:2': it needs a device, and the pipeline has none: give it a `device`" },
	{ WITH(.configuration = "DP-MG:11:3"), "it needs a device, and the pipeline has none" },
	{ WITH(.device = "cores", .configuration = "CG:10:2"),
		"configuration 'CG:10:2': it needs a device, and the pipeline has none" },
	{ WITH(.configuration = "adaptiv"),
		"configuration 'adaptiv': expected adaptive, baseline or KIND-GRAIN:MASK:N, as CPU-CG:00:2; "
		"did you mean 'adaptive'?" },
	{ WITH(.configuration = "Baseline"),
		"or KIND-GRAIN:MASK:N, as CPU-CG:00:2; did you mean 'baseline'?" },
	{ WITH(.configuration = "cp-cg:10:2"), "as CPU-CG:00:2; did you mean 'CP-CG:10:2'?" },
	{ WITH(.configuration = "XX-CG:10:2"), "configuration 'XX-CG:10:2': expected adaptive, baseline or "
					       "KIND-GRAIN:MASK:N, as CPU-CG:00:2" },
	{ WITH(.configuration = "CG:00:4"), "configuration 'CG:00:4': '4' is no number of threads" },
	/* what is wrong with the meter is no fault of the goal */
	{ WITH(.objective = PSTK_OBJECTIVE_ENERGY, .meter = "sim:cores=1"),
		"pipeline 'line': its meter: sim: 'core' is missing: expected cores=W," },
	{ WITH(.max_watts = 3, .meter = "powercapp"),
		"pipeline 'line': its meter: there is no meter 'powercapp': expected one of none, " },
};

/* In quotes. */
static bool is_twice(const char *text, const char *word)
{
	char quoted[80];
	const char *first;

	snprintf(quoted, sizeof quoted, "'%s'", word);
	first = strstr(text, quoted);
	return first && strstr(first + 1, quoted);
}

/* Each is refused by its words, and the network with it. What was given is said once. */
START_TEST(wrong_specs)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, &wrong[_i].spec));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(pstk_network_error(line.net), "pipeline 'line': ", wrong[_i].words);
	ck_assert(!wrong[_i].spec.configuration || !*wrong[_i].spec.configuration ||
		  !is_twice(pstk_network_error(line.net), wrong[_i].spec.configuration));
	pstk_network_destroy(line.net);
}
END_TEST

static const struct pstk_pipeline_spec right[] = {
	WITH(.configuration = "CG:00:1"),
	WITH(.configuration = "CG:00:3"),
	WITH(.configuration = "CPU-CG:00:2"),
	WITH(.configuration = "MG:00"),
	WITH(.configuration = "CPU-MG:00:3"),
	WITH(.configuration = "baseline"),
	WITH(.device = "cores"),
	WITH(.in_flight = 2),
	WITH(.in_flight = 256),
	WITH(.objective = PSTK_OBJECTIVE_THROUGHPUT, .min_rate = 1000, .max_overhead = 1, .change = 3,
		.tdp = 15),
	{ .struct_size = sizeof(struct pstk_pipeline_spec) },
};

START_TEST(right_specs)
{
	struct line line;

	line_begin(&line, 2, 100, 3);
	ck_assert_msg(line_make(&line, &right[_i]), "%s", pstk_network_error(line.net));
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

/* The device is the pipeline's, and so is the fault. */
START_TEST(no_device)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.device = "none:gpu:7")));
	ck_assert_int_eq(pstk_network_run(line.net), -ENODEV);
	TEST_SAYS(pstk_network_error(line.net), "pipeline 'line': ", "none:gpu:7");
	pstk_network_destroy(line.net);
}
END_TEST

/* Meters of the machine: none, one that counts, or one that may not be read. */
static const struct {
	struct pstk_pipeline_spec spec;
	enum { NO_CHIP, CHIP, LOCKED } machine;
	int err;
	const char *words[2]; /* the second one is the meter in use, if err is 0 */
} metered[] = {
	{ WITH(.objective = PSTK_OBJECTIVE_ENERGY), NO_CHIP, -ENODATA,
		{ "its goal needs a meter of energy: no meter: " } },
	{ WITH(.objective = PSTK_OBJECTIVE_RATIO), NO_CHIP, -ENODATA,
		{ "its goal needs a meter of energy: no meter: " } },
	{ WITH(.max_watts = 3, .meter = "none"), CHIP, -ENODATA, { "its goal needs a meter of energy: " } },
	{ WITH(.objective = PSTK_OBJECTIVE_ENERGY), LOCKED, -EACCES,
		{ "its goal needs a meter of energy: no meter: ", "energy_uj: Permission denied" } },
	{ WITH(.max_watts = 3, .meter = "powercap"), LOCKED, -EACCES,
		{ "its goal needs a meter of energy: ", "energy_uj: Permission denied" } },
	{ WITH(.meter = "powercap"), LOCKED, -EACCES, { "its meter: ", "energy_uj: Permission denied" } },
	{ WITH(.meter = "powercap"), NO_CHIP, -ENODEV, { "its meter: " } },
	{ WITH(.objective = PSTK_OBJECTIVE_ENERGY), CHIP, 0, { "", "powercap" } },
	{ WITH(.max_watts = 3), CHIP, 0, { "", "powercap" } },
	/* no goal needs one, and none is named: none is opened */
	{ WITH(.min_rate = 3), CHIP, 0, { "", "none" } },
	{ WITH(.min_rate = 3), LOCKED, 0, { "", "none" } },
	{ WITH(.meter = "none"), NO_CHIP, 0, { "", "none" } },
};

START_TEST(meters)
{
	struct pstk_pipeline_report *r;
	const char *const *words = metered[_i].words;
	struct line line;

	made_start();
	if (metered[_i].machine != NO_CHIP)
		made_zone("powercap/intel-rapl:0", "package-0", 0, 300000);
	if (metered[_i].machine == LOCKED) {
		made_locked = "intel-rapl:0/energy_uj";
		made_error = EACCES;
	}
	line_begin(&line, 2, 4, 1);
	line_make(&line, &metered[_i].spec);
	made_stop();
	ck_assert_int_eq(!line.pipeline, metered[_i].err != 0);
	if (line.pipeline) {
		r = pstk_pipeline_get_report(line.pipeline);
		ck_assert_ptr_nonnull(r);
		ck_assert_str_eq(r->meter, words[1]);
		pstk_pipeline_free_report(r);
	} else {
		ck_assert_int_eq(pstk_network_run(line.net), metered[_i].err);
		TEST_SAYS(pstk_network_error(line.net), "pipeline 'line': ", words[0],
			words[1] ? words[1] : "");
	}
	pstk_network_destroy(line.net);
}
END_TEST

/* What is no pipeline, no name, no spec. */
START_TEST(nothing)
{
	struct line line;

	line_begin(&line, 1, 4, 1);
	ck_assert_ptr_null(pstk_pipeline_add(NULL, "line", line.stages, 1, PSTK_PIPELINE()));
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "line", line.stages, 1, NULL));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(
		pstk_network_error(line.net), "pstk_pipeline_add: its spec is NULL: PSTK_PIPELINE() is one");
	pstk_network_destroy(line.net);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { NULL, "", "two\nlines" };

		line_begin(&line, 1, 4, 1);
		ck_assert_ptr_null(pstk_pipeline_add(line.net, names[i], line.stages, 1, PSTK_PIPELINE()));
		ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
		TEST_SAYS(pstk_network_error(line.net), "pstk_pipeline_add: its name ");
		pstk_network_destroy(line.net);
	}
}
END_TEST

/* A network that has run is not changed. */
START_TEST(too_late)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	line_run(&line);
	test_log_start();
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE()));
	ck_assert(test_log_has("pstk_pipeline_add() comes too late"));
	test_log_stop();
	ck_assert_ptr_null(pstk_network_pipeline(line.net, 0));
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(never_started)
{
	struct line line;

	line_begin(&line, 3, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.configuration = "MG:000")));
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CG:000:1", NULL, 0), 0);
	pstk_network_destroy(line.net);
	ck_assert_uint_eq(line.at[0].inits + line.at[0].finishes, 0);
}
END_TEST

/*
 * Configurations that are set.
 */

START_TEST(set_configuration)
{
	struct line line;
	char error[120] = "former";

	line_begin(&line, 2, 50, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	ck_assert_int_eq(pstk_pipeline_set_configuration(NULL, "MG:00", error, sizeof error), -EINVAL);
	TEST_SAYS(error, "there is no pipeline");
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "MG:00", error, sizeof error), 0);
	ck_assert_str_eq(error, "");
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, NULL, error, sizeof error), 0);
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "baseline", error, sizeof error), 0);
	ck_assert_int_eq(
		pstk_pipeline_set_configuration(line.pipeline, "MG:000", error, sizeof error), -EINVAL);
	ck_assert_str_ne(error, "");
	ck_assert_int_eq(
		pstk_pipeline_set_configuration(line.pipeline, "CG:01:1", error, sizeof error), -EINVAL);
	TEST_SAYS(error, "it needs a device, and the pipeline has none");
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CG:00:9", NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CG:00:9", error, 1), -EINVAL);
	ck_assert_str_eq(error, "");
	line_run(&line);
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CG:00:1", NULL, 0), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/* A pipeline whose configuration was refused is still found; asked for another one it says no more than that. */
START_TEST(set_of_one_that_was_refused)
{
	const struct pstk_goal goal = { .struct_size = sizeof goal };
	struct line line;
	char error[80];

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "x")));
	ck_assert_ptr_nonnull(pstk_network_pipeline(line.net, 0));
	ck_assert_int_eq(pstk_pipeline_set_configuration(
				 pstk_network_pipeline(line.net, 0), "MG:00", error, sizeof error),
		-EINVAL);
	TEST_SAYS(error, "the pipeline was refused");
	ck_assert_int_eq(
		pstk_pipeline_set_goal(pstk_network_pipeline(line.net, 0), &goal, error, sizeof error),
		-EINVAL);
	ck_assert_str_eq(error, "the pipeline was refused");
	error[0] = 0;
	ck_assert_int_eq(
		pstk_pipeline_retrain(pstk_network_pipeline(line.net, 0), error, sizeof error), -EINVAL);
	ck_assert_str_eq(error, "the pipeline was refused");
	ck_assert_ptr_null(pstk_pipeline_get_report(pstk_network_pipeline(line.net, 0)));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(pstk_network_error(line.net), "configuration 'x'");
	pstk_network_destroy(line.net);
}
END_TEST

static double no_score(void *data, double rate, double joules)
{
	(void)data, (void)joules;
	return rate;
}

/* Goals that are none, and what is said. */
START_TEST(set_goal)
{
	static const struct {
		struct pstk_goal goal;
		int err;
		const char *words;
	} goals[] = {
		{ { .struct_size = 3 }, -EINVAL, "the goal's struct_size is 3, expected " },
		{ { .objective = (enum pstk_objective)9 }, -EINVAL, "there is no objective 9" },
		{ { .min_rate = -1 }, -EINVAL, "min_rate is -1: expected 0 or more" },
		{ { .min_rate = NAN }, -EINVAL, "min_rate is nan: expected 0 or more" },
		{ { .max_watts = INFINITY }, -EINVAL, "max_watts is inf: expected 0 or more" },
		{ { .objective = PSTK_OBJECTIVE_SCORE }, -EINVAL, "PSTK_OBJECTIVE_SCORE needs a score()" },
		{ { .objective = PSTK_OBJECTIVE_RATIO }, -ENODATA, "it needs a meter of energy, and " },
		{ { .max_watts = 3 }, -ENODATA, "the pipeline has none: give it a `meter`" },
		{ { .objective = PSTK_OBJECTIVE_SCORE, .score = no_score }, 0, "" },
		{ { .min_rate = 3 }, 0, "" },
	};
	struct line line;
	char error[120];

	line_begin(&line, 2, 50, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	for (unsigned i = 0; i < TEST_COUNT(goals); i++) {
		struct pstk_goal goal = goals[i].goal;

		goal.struct_size = goal.struct_size ? goal.struct_size : sizeof goal;
		snprintf(error, sizeof error, "former");
		ck_assert_int_eq(
			pstk_pipeline_set_goal(line.pipeline, &goal, error, sizeof error), goals[i].err);
		TEST_SAYS(error, goals[i].words);
		ck_assert_int_eq(!*error, !goals[i].err);
	}
	ck_assert_int_eq(
		pstk_pipeline_set_goal(NULL, PSTK_GOAL(.min_rate = 1), error, sizeof error), -EINVAL);
	ck_assert_str_eq(error, "there is no pipeline (NULL)");
	ck_assert_int_eq(pstk_pipeline_set_goal(line.pipeline, NULL, error, sizeof error), -EINVAL);
	TEST_SAYS(error, "the goal is NULL");
	ck_assert_int_eq(pstk_pipeline_set_goal(line.pipeline, NULL, NULL, 0), -EINVAL);
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(retrain)
{
	struct line line;
	char error[160] = "former";

	line_begin(&line, 2, 50, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	ck_assert_int_eq(pstk_pipeline_retrain(line.pipeline, error, sizeof error), 0);
	ck_assert_str_eq(error, "");
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "MG:00", NULL, 0), 0);
	ck_assert_int_eq(pstk_pipeline_retrain(line.pipeline, error, sizeof error), -EINVAL);
	TEST_SAYS(error, "its configuration is given", "pstk_pipeline_set_configuration() with NULL");
	ck_assert_int_eq(pstk_pipeline_retrain(line.pipeline, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_retrain(NULL, error, sizeof error), -EINVAL);
	ck_assert_str_eq(error, "there is no pipeline (NULL)");
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(environment)
{
	struct line line;

	setenv("PENSTOCK_PIPELINE", "sideways", 1);
	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "CG:00:1")));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(pstk_network_error(line.net),
		"pipeline 'line': PENSTOCK_PIPELINE's configuration 'sideways'");
	pstk_network_destroy(line.net);

	setenv("PENSTOCK_PIPELINE", "adaptive", 1);
	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "nonsense")));
	line_run(&line);
	pstk_network_destroy(line.net);

	setenv("PENSTOCK_PIPELINE", "MG:00", 1);
	line_begin(&line, 2, 40, 1);
	ck_assert_msg(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "nonsense")), "%s",
		pstk_network_error(line.net));
	line_run(&line);
	pstk_network_destroy(line.net);

	/* longer than any configuration: the log says so, and the pipeline has its own */
	setenv("PENSTOCK_PIPELINE",
		"CPU-CG:0000000000000000000000000000000000000000000000000000000000000000000000:1", 1);
	test_log_start();
	line_begin(&line, 2, 40, 1);
	ck_assert(test_log_has("PENSTOCK_PIPELINE"));
	test_log_stop();
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "CG:00:1")));
	line_run(&line);
	pstk_network_destroy(line.net);
	unsetenv("PENSTOCK_PIPELINE");
}
END_TEST

/*
 * Memory.
 */

static void begin_with_places(struct line *line)
{
	line_begin(line, 3, 6, 1);
	pstk_actor_place(line->first, "h:a");
	for (unsigned k = 0; k < 3; k++)
		pstk_actor_place(line->stages[k], "h:b");
}

/* Each allocation of pstk_pipeline_add() fails once. The network says so, and goes as it has come. */
START_TEST(memory_of_add)
{
	const struct pstk_pipeline_spec *spec = PSTK_PIPELINE(.cores = 2, .configuration = "CG:000:2");
	unsigned failed = 0;
	bool done = false;

	for (long n = 0; !done; n++) {
		struct line line;

		begin_with_places(&line);
		ps_memory_fail_at = n;
		line_make(&line, spec);
		done = ps_memory_fail_at != -1;
		ps_memory_fail_at = -1;
		failed += !done;
		if (!line.pipeline)
			ck_assert_int_eq(pstk_network_run(line.net), -ENOMEM);
		else
			ck_assert_msg(done, "allocation %ld fails, and nothing is said", n);
		pstk_network_destroy(line.net);
	}
	ck_assert_uint_ge(failed, 10);
}
END_TEST

START_TEST(memory_of_start)
{
	bool done = false;

	for (long n = 0; !done; n = (long)test_next((unsigned)n)) {
		struct line line;
		int err;

		line_begin(&line, 3, 6, 1);
		ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
		ps_memory_fail_at = n;
		err = pstk_network_start(line.net);
		done = ps_memory_fail_at != -1;
		ps_memory_fail_at = -1;
		ck_assert_int_eq(err, done ? 0 : -ENOMEM);
		if (done)
			ck_assert_int_eq(pstk_network_wait(line.net), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipeline_build");
	TCase *spec = test_case(suite, "spec"), *set = test_case(suite, "set"),
	      *memory = test_case(suite, "memory");

	tcase_add_loop_test(spec, wrong_specs, 0, TEST_COUNT(wrong));
	tcase_add_loop_test(spec, right_specs, 0, TEST_COUNT(right));
	tcase_add_test(spec, no_device);
	tcase_add_loop_test(spec, meters, 0, TEST_COUNT(metered));
	tcase_add_test(spec, nothing);
	tcase_add_test(spec, too_late);
	tcase_add_test(spec, never_started);
	tcase_add_test(set, set_configuration);
	tcase_add_test(set, set_of_one_that_was_refused);
	tcase_add_test(set, set_goal);
	tcase_add_test(set, retrain);
	tcase_add_test(set, environment);
	tcase_add_test(memory, memory_of_add);
	tcase_add_test(memory, memory_of_start);
	return test_main(suite);
}
