/* SPDX-License-Identifier: MIT */
/* The mapper's vectors (tests/data/mapping), which an independent reference computed. */
#include "config.h"

#include "tests/mapping/pipeline.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const files[] = { "A", "B", "C", "D", "E", "F", "G", "O" };
static const struct {
	const char *name;
	enum pstk_mapper_rule rule;
} rules[] = { { "paper", PSTK_RULE_PAPER }, { "bounded", PSTK_RULE_BOUNDED },
	{ "capacity", PSTK_RULE_CAPACITY } };
static const struct {
	const char *name;
	enum pstk_objective objective;
} objectives[] = { { "throughput", PSTK_OBJECTIVE_THROUGHPUT }, { "energy", PSTK_OBJECTIVE_ENERGY },
	{ "ratio", PSTK_OBJECTIVE_RATIO } };

static struct pstk_prediction list[PIPELINE_CONFIGURATIONS];

static json_t *load(const char *name)
{
	char path[4096];
	json_t *json;

	snprintf(path, sizeof path, "%s/mapping/%s.json", TEST_DATA, name);
	json = json_load_file(path, 0, NULL);
	ck_assert_msg(json != NULL, "%s", path);
	return json;
}

static double number(const json_t *json, const char *key)
{
	return json_number_value(json_object_get(json, key));
}

static uint32_t integer(const json_t *json, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(json, key));
}

static void read_times(const json_t *json, const char *key, double *times)
{
	size_t i;
	json_t *value;

	json_array_foreach(json_object_get(json, key), i, value) times[i] = json_number_value(value);
}

static void read_joules(const json_t *json, const char *key, struct pstk_joules *joules)
{
	size_t i;
	json_t *e;

	json_array_foreach(json_object_get(json, key), i, e) joules[i] =
		(struct pstk_joules){ json_number_value(json_array_get(e, 0)),
			json_number_value(json_array_get(e, 1)), json_number_value(json_array_get(e, 2)) };
}

static uint32_t mask(const json_t *json, const char *key, uint32_t otherwise)
{
	const char *text = json_string_value(json_object_get(json, key));
	uint32_t bits = 0;

	for (unsigned k = 0; text && text[k]; k++)
		bits |= (uint32_t)(text[k] == '1') << k;
	return text ? bits : otherwise;
}

static void read_pipeline(const json_t *json, struct pipeline *p)
{
	pipeline_make(p, integer(json, "s"), integer(json, "nC"));
	read_times(json, "T_CG1", p->t_cg1);
	read_times(json, "T_CG", p->t_cg);
	read_times(json, "T_G", p->t_g);
	read_times(json, "T_MG", p->t_mg);
	read_joules(json, "E_CG1", p->e_cg1);
	read_joules(json, "E_CG", p->e_cg);
	read_joules(json, "E_G", p->e_g);
	read_joules(json, "E_MG", p->e_mg);
	if (!json_object_get(json, "E_CG"))
		p->m.e_cg1 = p->m.e_cg = p->m.e_g = p->m.e_mg = NULL;
	p->m.tdp = number(json, "TDP");
	p->m.in_flight = integer(json, "R");
	p->m.device_ok = mask(json, "device_ok", p->m.device_ok);
	p->m.device_must = mask(json, "device_must", 0);
	p->m.medium_grain = !json_is_false(json_object_get(json, "medium_grain"));
}

static void expect_number(double value, double wanted, const char *what)
{
	ck_assert_msg(fabs(value - wanted) <= 1e-9 * fabs(wanted), "%s: %.17g, expected %.17g", what, value,
		wanted);
}

static void expect_prediction(
	const struct pipeline *p, const struct pstk_prediction *found, const json_t *wanted)
{
	char text[PSTK_CONFIGURATION_TEXT];

	pstk_configuration_print(&found->configuration, p->m.stages, text, sizeof text);
	ck_assert_str_eq(text, json_string_value(json_object_get(wanted, "configuration")));
	expect_number(found->rate, number(wanted, "rate"), text);
	if (json_object_get(wanted, "energy"))
		expect_number(found->energy, number(wanted, "energy"), text);
	else
		ck_assert(isnan(found->energy));
	if (json_object_get(wanted, "device_share"))
		expect_number(found->device_share, number(wanted, "device_share"), text);
}

static void expect_table(const struct pipeline *p, unsigned count, const json_t *wanted)
{
	ck_assert_uint_eq(json_array_size(wanted), count);
	for (unsigned i = 0; i < count; i++)
		expect_prediction(p, &list[i], json_array_get(wanted, i));
}

static void expect_best(const struct pipeline *p, unsigned count, const json_t *wanted)
{
	for (unsigned i = 0; i < TEST_COUNT(objectives); i++) {
		const json_t *best = json_object_get(wanted, objectives[i].name);
		struct pstk_candidate c;
		int found = pstk_mapper_choose(
			list, count, PSTK_GOAL(.objective = objectives[i].objective), &c, 1);

		ck_assert_int_eq(found, json_is_string(best) ? -ENODATA : 1);
		if (found < 0)
			continue;
		expect_prediction(p, &c.prediction, best);
		ck_assert_int_eq(c.met, json_is_true(json_object_get(best, "met")));
	}
}

START_TEST(tables_and_choices)
{
	char name[32];
	struct pipeline p;
	json_t *json = load(files[_i]), *expected;

	snprintf(name, sizeof name, "%s.expected", files[_i]);
	expected = load(name);
	ck_assert_uint_eq(json_object_size(json_object_get(expected, "knobs")), 0);
	read_pipeline(json, &p);
	for (unsigned r = 0; r < TEST_COUNT(rules); r++) {
		const unsigned count = pipeline_predict(&p, rules[r].rule, list);

		expect_table(&p, count,
			json_object_get(json_object_get(expected, "configurations"), rules[r].name));
		expect_best(&p, count, json_object_get(json_object_get(expected, "best"), rules[r].name));
	}
	json_decref(json);
	json_decref(expected);
}
END_TEST

START_TEST(counts)
{
	json_t *json = load("counts"), *v;
	size_t i;

	ck_assert_uint_eq(json_array_size(json), 7);
	json_array_foreach(json, i, v)
	{
		struct pipeline p;

		pipeline_make(&p, integer(v, "s"), integer(v, "nC"));
		ck_assert_int_eq(pstk_mapper_count(&p.m), (int)integer(v, "configurations"));
		ck_assert_int_eq(pstk_training_items(p.m.cores), (int)integer(v, "items"));
		ck_assert_uint_eq(p.m.cores + 3, integer(v, "experiments"));
	}
	json_decref(json);
}
END_TEST

/* The inputs of both kinds: the paper's have the sum of all experiments. */
static void expect_overhead(const json_t *v)
{
	double cgn[PIPELINE_CORES], dt, seconds;
	struct pstk_training t = { .struct_size = sizeof t,
		.cores = integer(v, "nC"),
		.t_cg = number(v, "t_CG"),
		.t_cgn = cgn,
		.t_mg = number(v, "t_MG"),
		.t_g = number(v, "t_G"),
		.rate = number(v, "rate") };

	if (json_object_get(v, "t_train")) {
		for (unsigned n = 0; n < t.cores; n++)
			cgn[n] = number(v, "t_train") / (t.cores + 3);
		t.t_cg = t.t_mg = t.t_g = cgn[0];
	} else {
		read_times(v, "t_CGn", cgn);
		ck_assert_int_eq(pstk_training_items(t.cores), (int)integer(v, "N_s"));
	}
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	expect_number(dt, number(v, "dt"), "dt");
	if (json_object_get(v, "min_interval")) {
		ck_assert_int_eq(pstk_training_interval(dt, number(v, "max_overhead"), &seconds), 0);
		expect_number(seconds, number(v, "min_interval"), "min_interval");
	}
	if (json_object_get(v, "break_even")) {
		ck_assert_int_eq(pstk_training_break_even(dt, number(v, "gain"), &seconds), 0);
		expect_number(seconds, number(v, "break_even"), "break_even");
	}
}

START_TEST(overheads)
{
	json_t *json = load("overhead"), *v;
	size_t i;

	ck_assert_uint_eq(json_array_size(json_object_get(json, "paper")), 3);
	json_array_foreach(json_object_get(json, "paper"), i, v) expect_overhead(v);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "made")), 2);
	json_array_foreach(json_object_get(json, "made"), i, v) expect_overhead(v);
	json_decref(json);
}
END_TEST

static void scale(double *times, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		times[i] /= 1000;
}

/* The predictions that stand beside the simulated rates; cores scale ideally there. */
START_TEST(simulated)
{
	json_t *json = load("simulated"), *v;
	size_t i;

	json_array_foreach(json, i, v)
	{
		struct pipeline p;
		const char *text;
		json_t *wanted;

		pipeline_make(&p, integer(v, "s"), integer(v, "nC"));
		read_times(v, "core_ms", p.t_cg1);
		read_times(v, "device_ms", p.t_g);
		read_times(v, "medium_ms", p.t_mg);
		scale(p.t_cg1, p.m.stages);
		scale(p.t_g, p.m.stages);
		scale(p.t_mg, p.m.stages);
		p.t_cg[0] = 0;
		for (unsigned k = 0; k < p.m.stages; k++)
			p.t_cg[0] += p.t_cg1[k];
		for (unsigned n = 2; n <= p.m.cores + 1; n++)
			p.t_cg[n - 1] = p.t_cg[0] / (n < p.m.cores ? n : p.m.cores);
		for (unsigned r = 0; r < TEST_COUNT(rules); r++)
			json_object_foreach(json_object_get(v, rules[r].name), text, wanted)
			{
				const struct pstk_configuration c = pipeline_configuration(&p, text);
				struct pstk_prediction one;

				ck_assert_int_eq(pstk_mapper_predict(&p.m, rules[r].rule, &c, &one), 0);
				expect_number(one.rate, json_number_value(wanted), text);
			}
	}
	json_decref(json);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mapper_vectors");
	TCase *c = test_case(suite, "mapper_vectors");

	tcase_add_loop_test(c, tables_and_choices, 0, (int)TEST_COUNT(files));
	tcase_add_test(c, counts);
	tcase_add_test(c, overheads);
	tcase_add_test(c, simulated);
	return test_main(suite);
}
