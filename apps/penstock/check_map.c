/* SPDX-License-Identifier: MIT */
/* penstock map: what it prints is what the library predicts, what is wrong in a file is named. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"
#include "tests/mapping/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JANSSON

#include "apps/common/measurements_json.h"
#include "apps/penstock/map_measurements.h"

#include "apps/common/app.h"

#include <math.h>

const char app_name[] = "check_map"; /* of what is linked in */

/* One of tests/data/mapping. */
static const char *vector(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/mapping/%s.json", TEST_DATA, name);
	return path;
}

static json_t *load(const char *name)
{
	json_t *json = json_load_file(vector(name), 0, NULL);

	ck_assert_msg(json != NULL, "%s", name);
	return json;
}

/* What the command prints as JSON. */
static json_t *said(const char *const *arguments)
{
	struct run run = { 0 };
	json_t *json;

	program_run(&run, 0, arguments);
	json = json_loadb((const char *)run.out, run.out_size, 0, NULL);
	ck_assert_msg(json != NULL, "%s", (const char *)run.out);
	program_free(&run);
	return json;
}
#define SAID(...) said((const char *const[]){ __VA_ARGS__, NULL })

/* Is it the same, to 1e-9? Keys that are wanted; there are no others. */
static void expect_same(const json_t *found, const json_t *wanted)
{
	const char *key;
	size_t i;
	json_t *value;

	if (json_is_number(wanted)) {
		const double a = json_number_value(found), b = json_number_value(wanted);

		ck_assert_msg(json_is_number(found) && fabs(a - b) <= 1e-9 * fabs(b), "%.17g, expected %.17g",
			a, b);
	} else if (json_is_object(wanted)) {
		ck_assert_uint_eq(json_object_size(found), json_object_size(wanted));
		json_object_foreach((json_t *)(uintptr_t)wanted, key, value)
			expect_same(json_object_get(found, key), value);
	} else if (json_is_array(wanted)) {
		ck_assert_uint_eq(json_array_size(found), json_array_size(wanted));
		json_array_foreach(wanted, i, value) expect_same(json_array_get(found, i), value);
	} else {
		ck_assert(json_equal(found, wanted));
	}
}

static const char *const names[] = { "A", "B", "C", "D", "E", "F", "G", "O" };

START_TEST(vectors_are_met)
{
	char name[32];
	const char *rule, *objective;
	json_t *expected, *by_rule, *best;

	snprintf(name, sizeof name, "%s.expected", names[_i]);
	expected = load(name);
	json_object_foreach(json_object_get(expected, "best"), rule, by_rule)
		json_object_foreach(by_rule, objective, best)
	{
		json_t *json;

		if (json_is_string(best)) {
			FAILS(2, "needs the energies E_CG1, E_CG, E_G and E_MG, and the file has none", "map",
				"--model", vector(names[_i]), "--rule", rule, "--objective", objective);
			continue;
		}
		json = SAID("map", "--model", vector(names[_i]), "--rule", rule, "--objective", objective,
			"--json");
		ck_assert_str_eq(json_string_value(json_object_get(json, "rule")), rule);
		ck_assert_uint_eq(json_object_size(json), 3);
		expect_same(json_object_get(json, "configurations"),
			json_object_get(json_object_get(expected, "configurations"), rule));
		json_object_del(json_object_get(json, "best"), "device_share");
		expect_same(json_object_get(json, "best"), best);
		json_decref(json);
	}
	json_decref(expected);
}
END_TEST

static void expect_best(const char *text, bool met, const char *const *arguments)
{
	json_t *json = said(arguments);
	const json_t *best = json_object_get(json, "best");

	ck_assert_str_eq(json_string_value(json_object_get(best, "configuration")), text);
	ck_assert_int_eq(json_is_true(json_object_get(best, "met")), met);
	json_decref(json);
}
#define BEST(text, met, ...) \
	expect_best(text, met, (const char *const[]){ "map", "--json", "--model", __VA_ARGS__, NULL })

/* By hand from the table of E by the rule `paper`: 12.2 21.7 30.7 38.2 37.7 items/s, .813 .851 .776 .738 .737 J. */
START_TEST(limits)
{
	const char *e = vector("E");

	BEST("CP-CG:10:5", true, e, "--rule", "paper", "--min-rate", "10");
	BEST("CP-CG:10:4", true, e, "--rule", "paper", "--min-rate", "38");
	BEST("CP-CG:10:4", true, e, "--rule", "paper", "--min-rate", "10", "--objective", "throughput");
	BEST("CP-CG:10:4", false, e, "--rule", "paper", "--min-rate", "39");
	BEST("CP-CG:10:2", true, e, "--rule", "paper", "--max-watts", "20");
	BEST("CP-CG:10:1", false, e, "--rule", "paper", "--max-watts", "5");
	BEST("CP-CG:10:2", true, e, "--rule", "paper", "--max-watts", "20", "--min-rate", "20");
	/* without a meter the fastest one */
	BEST("CP-CG:101:2", true, vector("G"), "--rule", "paper", "--min-rate", "100");
	FAILS(2, "G.json: --max-watts needs the energies E_CG1, E_CG, E_G and E_MG, and the file has none",
		"map", "--model", vector("G"), "--max-watts", "10");
}
END_TEST

START_TEST(tables)
{
	struct run run = { 0 };

	RUN(&run, 0, "map", "--model", vector("E"));
	TEST_SAYS((char *)run.out,
		"configuration  rate (items/s)  energy (J)  power (W)   device\n"
		"CP-CG:10:1             10.309       0.813      8.381  100.0 %\n",
		"\n\nbest by the rule 'capacity' for the highest rate: CP-CG:10:5, 43.293 items/s, 0.813 J "
		"an item, "
		"35.2 W\n");
	program_free(&run);
	RUN(&run, 0, "map", "--model", vector("G"), "--rule", "paper", "--min-rate", "1000");
	TEST_SAYS((char *)run.out,
		"configuration  rate (items/s)   device\n"
		"CPU-CG:000:1           58.824    0.0 %\n",
		"\n\nbest by the rule 'paper' for the highest rate within the limits, which none meets; the "
		"nearest: "
		"CP-CG:101:2, 219.61 items/s\n");
	program_free(&run);
}
END_TEST

/* The inputs of the vectors, and what follows from them. */
START_TEST(overheads)
{
	static const char *const results[] = { "N_s", "dt", "min_interval", "break_even" };
	json_t *file = load("overhead"), *made = json_object_get(file, "made"), *wanted = json_array(),
	       *found, *v;
	struct run run = { 0 };
	size_t i;

	json_array_foreach(made, i, v)
	{
		json_t *result = json_object();

		for (unsigned k = 0; k < TEST_COUNT(results); k++) {
			json_object_set(result, results[k], json_object_get(v, results[k]));
			json_object_del(v, results[k]);
		}
		json_array_append_new(wanted, result);
	}
	ck_assert_int_eq(json_dump_file(made, "made.json", 0), 0);
	found = SAID("map", "--overhead", "made.json", "--json");
	expect_same(found, wanted);
	RUN(&run, 0, "map", "--overhead", "made.json");
	TEST_SAYS((char *)run.out, "  items  overhead (s)  least interval (s)  break-even (s)\n"
				   "      8        0.1213               2.305           0.364\n"
				   "      5       0.03944               1.933          0.4339\n");
	program_free(&run);
	json_decref(found);
	json_decref(wanted);
	json_decref(file);
}
END_TEST

#define OPENING "{\"s\": 2, \"nC\": 1, "
#define TIMES "\"T_CG1\": [1, 2], \"T_CG\": [3, 2.5], \"T_G\": [1, 2], \"T_MG\": [1, 2]"
#define GOOD OPENING TIMES

static const struct {
	const char *text, *said;
} wrong_models[] = { { "", "m.json:1:0: this is no JSON: '[' or '{' expected near end of file" },
	{ "{", "m.json:1:1: this is no JSON: " },
	{ OPENING "\n\"T_CG1\": [1, NaN]}", "m.json:2:16: this is no JSON: invalid token near 'NaN'" },
	{ GOOD ", \"s\": 2}", "this is no JSON: duplicate object key near" },
	{ "[]", "m.json: the file is a list; an object, { \"KEY\": VALUE, .. }, is wanted" },
	{ GOOD ", \"T_CPU\": [1]}",
		"m.json: it can't have a key 'T_CPU'; did you mean 'T_CG1'? It has name, s, nC, " },
	{ "{\"nC\": 1, " TIMES "}", "m.json: s is missing; a whole number from 1 to 16 is wanted" },
	{ "{\"s\": 17, \"nC\": 1, " TIMES "}", "m.json: s is 17; a whole number from 1 to 16 is wanted" },
	{ "{\"s\": 0, \"nC\": 1, " TIMES "}", "s is 0; " },
	{ "{\"s\": 1.5, \"nC\": 1, " TIMES "}", "s is 1.5; " },
	{ "{\"s\": \"2\", \"nC\": 1, " TIMES "}",
		"s is the text '2'; a whole number from 1 to 16 is wanted" },
	{ "{\"s\": 2, " TIMES "}", "nC is missing; a whole number from 1 to 4096 is wanted" },
	{ "{\"s\": 2, \"nC\": -1, " TIMES "}", "nC is -1; a whole number from 1 to 4096 is wanted" },
	{ OPENING "\"T_CG\": [3, 2]}", "m.json: T_CG1 is missing, expected 2 times in s" },
	{ OPENING "\"T_CG1\": [1, 2]}", "T_CG is missing, expected 2 times in s" },
	{ OPENING "\"T_CG1\": [1, 2], \"T_CG\": [3, 2]}", "T_G is missing, expected 2 times in s" },
	{ OPENING "\"T_CG1\": [1, 2], \"T_CG\": [3, 2], \"T_G\": [1, 1]}",
		"T_MG is missing, expected 2 times in s" },
	{ OPENING "\"T_CG1\": 1}", "T_CG1 is 1; a list of 2 times in s, one for each stage, is wanted" },
	{ OPENING "\"T_CG1\": [1]}",
		"T_CG1 has 1 entry; a list of 2 times in s, one for each stage, is wanted" },
	{ OPENING "\"T_CG\": [1, 2, 3]}",
		"T_CG has 3 entries; a list of 2 times in s, one for each number of threads up "
		"to nC + 1, is wanted" },
	{ GOOD ", \"h2d\": [0, 0]}",
		"h2d has 2 entries; a list of 3 times in s, one for each stage and one behind the "
		"last, is wanted" },
	{ OPENING "\"T_CG1\": [1, \"2\"]}", "T_CG1, value 2 of 2, is the text '2'; a number is wanted" },
	{ OPENING "\"T_CG1\": [null, 2]}", "T_CG1, value 1 of 2, is null; a number is wanted" },
	{ OPENING "\"T_CG1\": [1, -2], \"T_CG\": [3, 2]}",
		"m.json: T_CG1: value 2 of 2 is -2, expected a time in s from" },
	{ OPENING "\"T_CG1\": [1, 2], \"T_CG\": [0, 2]}",
		"T_CG: value 1 of 2 is 0, expected a time in s from 1e-12" },
	{ OPENING "\"T_CG1\": [1, 1e999]}", "this is no JSON: real number overflow" },
	{ GOOD ", \"d2h\": [0, 0, -1]}", "d2h: value 3 of 3 is -1, expected a time in s from 0" },
	{ GOOD ", \"E_CG1\": [[1, 1, 1], [1, 1, 1]]}",
		"E_CG is missing: other energies are there, expected all or none" },
	{ GOOD ", \"E_CG1\": {}}", "E_CG1 is an object; a list of 2 triples of joules is wanted" },
	{ GOOD ", \"E_CG1\": [[1, 1, 1]]}", "E_CG1 has 1 entry; a list of 2 triples of joules is wanted" },
	{ GOOD ", \"E_CG1\": [1, 2]}",
		"E_CG1, value 1, is 1; a list of three numbers, the joules of cores, device and "
		"rest, is wanted" },
	{ GOOD ", \"E_CG1\": [[1, 1, 1], [1, 1]]}",
		"E_CG1, value 2, has 2 entries; a list of three numbers" },
	{ GOOD ", \"E_CG1\": [[1, true, 1], [1, 1, 1]]}",
		"E_CG1, value 1, number 2, is true; a number of joules is wanted" },
	{ GOOD ", \"E_CG1\": [[1, 1, -1], [1, 1, 1]], \"E_CG\": [[1, 1, 1], [1, 1, 1]]}",
		"E_CG1: value 1 of 2, rest, is -1, expected joules from 0" },
	{ GOOD ", \"device_ok\": 11}",
		"device_ok is 11; a text of 2 digits, a 0 or 1 for each stage, is wanted" },
	{ GOOD ", \"device_ok\": \"111\"}", "device_ok is the text '111'; a text of 2 digits" },
	{ GOOD ", \"device_must\": \"1x\"}", "device_must is the text '1x'; a text of 2 digits" },
	{ GOOD ", \"device_ok\": \"10\", \"device_must\": \"01\"}",
		"device_must has a stage that device_ok has not" },
	{ GOOD ", \"medium_grain\": 0}", "medium_grain is 0; true or false is wanted" },
	{ GOOD ", \"R\": 0}", "R is 0; a whole number from 1 to 4294967295 is wanted" },
	{ GOOD ", \"R\": 2.5}", "R is 2.5; a whole number" },
	{ GOOD ", \"TDP\": -3}", "TDP is -3; a number of watts from 1e-12 to 1e+12 is wanted" },
	{ GOOD ", \"TDP\": [3]}", "TDP is a list; a number of watts" },
	{ GOOD ", \"name\": 7}", "name is 7; a text is wanted" },
	{ GOOD ", \"name\": false}", "name is false; a text is wanted" },
	{ GOOD ", \"R\": \"012345678901234567890\\n1234567890123456789\"}",
		"R is the text '012345678901234567890 123456'..; a whole number" } };

START_TEST(what_is_wrong_in_a_model)
{
	files_text("m.json", wrong_models[_i].text);
	FAILS(2, wrong_models[_i].said, "map", "--model", "m.json", "--json");
}
END_TEST

#define TRAINING(rest) \
	"[{\"nC\": 1, \"t_CG\": 1, \"t_CGn\": [1], \"t_MG\": 1, \"t_G\": 1, \"rate\": 1, " rest "}]"
#define SHARES "\"max_overhead\": 0.1, \"gain\": 2"

static const struct {
	const char *text, *said;
} wrong_trainings[] = {
	{ "{}", "o.json: the file is an object; a list of trainings, [{ \"nC\": .. }, ..], is wanted" },
	{ "[1]", "o.json, entry 1: it is 1; an object, { \"KEY\": VALUE, .. }, is wanted" },
	{ TRAINING(SHARES ", \"dt\": 3"), "o.json, entry 1: it can't have a key 'dt'" },
	{ TRAINING("\"max_overhead\": 0.1"), "entry 1: gain is missing; " },
	{ TRAINING("\"gain\": 2"),
		"entry 1: max_overhead is missing; a share of the time from 1e-12 to 1 is wanted" },
	{ TRAINING("\"max_overhead\": 0, \"gain\": 2"), "max_overhead is 0; a share of the time" },
	{ TRAINING("\"max_overhead\": 0.5, \"gain\": 1"),
		"gain is 1; how many times as fast it is, from 1 to 1e+12 " },
	{ "[{\"nC\": 0}]", "entry 1: nC is 0; a whole number from 1 to 4096 is wanted" },
	{ "[{\"nC\": 1}]", "entry 1: t_CG is missing; a time in s from 1e-12 to 1e+12 is wanted" },
	{ "[{\"nC\": 1, \"t_CG\": -1}]", "entry 1: t_CG is -1; a time in s" },
	{ "[{\"nC\": 1, \"t_CG\": 1}]", "entry 1: t_CGn is missing; a list of times in s is wanted" },
	{ "[{\"nC\": 2, \"t_CG\": 1, \"t_CGn\": [1]}]", "t_CGn has 1 entry; a list of 2 times in s, one "
							"for each number of threads from 2 on, is wanted" },
	{ "[{\"nC\": 2, \"t_CG\": 1, \"t_CGn\": [1, 0]}]",
		"t_CGn: value 2 of 2 is 0; a time in s from 1e-12" },
	{ "[{\"nC\": 1, \"t_CG\": 1, \"t_CGn\": [1], \"t_MG\": 0}]", "t_MG is 0; a time in s" },
	{ "[{\"nC\": 1, \"t_CG\": 1, \"t_CGn\": [1], \"t_MG\": 1, \"t_G\": \"x\"}]",
		"t_G is the text 'x'; a time" },
	{ "[{\"nC\": 1, \"t_CG\": 1, \"t_CGn\": [1], \"t_MG\": 1, \"t_G\": 1, \"rate\": 0}]",
		"rate is 0; a number of items/s" }
};

START_TEST(what_is_wrong_in_a_training)
{
	files_text("o.json", wrong_trainings[_i].text);
	FAILS(2, wrong_trainings[_i].said, "map", "--overhead", "o.json");
}
END_TEST

START_TEST(files)
{
	struct run run = { .input = (const unsigned char *)GOOD "}", .input_size = sizeof GOOD "}" - 1 };

	FAILS(2, "penstock: nowhere.json: No such file or directory\n", "map", "--model", "nowhere.json");
	FAILS(2, "penstock: nowhere.json: No such file or directory\n", "map", "--overhead", "nowhere.json");
	FAILS(2, "penstock: .: Is a directory\n", "map", "--model", ".");
	RUN(&run, 0, "map", "--model", "-");
	TEST_SAYS((char *)run.out, "DP-MG:11:2");
	program_free(&run);
	run = (struct run){ .input = (const unsigned char *)"{}", .input_size = 2 };
	RUN(&run, 2, "map", "--overhead", "-");
	TEST_SAYS(run.err, "penstock: stdin: the file is an object; ");
	program_free(&run);
	run = (struct run){ .out_fd = program_broken_pipe() };
	RUN(&run, 1013, "map", "--model", vector("A"), "--json");
	program_free(&run);
}
END_TEST

static void expect_bits(const void *a, const void *b, size_t size)
{
	ck_assert((a == NULL) == (b == NULL));
	if (a)
		ck_assert_mem_eq(a, b, size);
}

/* All that a configuration needs. */
static void expect_read_back(const struct pipeline *p, const struct pstk_measurements *m)
{
	const unsigned s = p->m.stages, n = p->m.cores + 1;
	const bool device = p->m.device_ok, medium = p->m.medium_grain;

	ck_assert_uint_eq(m->stages, s);
	ck_assert_uint_eq(m->cores, p->m.cores);
	ck_assert_uint_eq(m->in_flight, p->m.in_flight);
	ck_assert_uint_eq(m->device_ok, p->m.device_ok);
	ck_assert_uint_eq(m->device_must, p->m.device_must);
	ck_assert_int_eq(m->medium_grain, medium);
	ck_assert(m->tdp == p->m.tdp);
	expect_bits(m->t_cg1, p->m.t_cg1, s * sizeof(double));
	expect_bits(m->t_cg, p->m.t_cg, n * sizeof(double));
	expect_bits(m->t_g, device ? p->m.t_g : NULL, s * sizeof(double));
	expect_bits(m->t_mg, medium ? p->m.t_mg : NULL, s * sizeof(double));
	expect_bits(m->h2d, device ? p->m.h2d : NULL, (s + 1) * sizeof(double));
	expect_bits(m->d2h, device ? p->m.d2h : NULL, (s + 1) * sizeof(double));
	expect_bits(m->e_cg1, p->m.e_cg1, s * sizeof(struct pstk_joules));
	expect_bits(m->e_cg, p->m.e_cg, n * sizeof(struct pstk_joules));
	expect_bits(m->e_g, device ? p->m.e_g : NULL, s * sizeof(struct pstk_joules));
	expect_bits(m->e_mg, medium ? p->m.e_mg : NULL, s * sizeof(struct pstk_joules));
}

static void write_model(const struct pipeline *p, const char *name)
{
	FILE *out = fopen("m.json", "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(measurements_json_write(&p->m, name, out), 0);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(is_read_back)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(200); seed < end; seed++) {
		struct test_rng rng = { seed };
		struct map_measurements f;
		struct pipeline p;

		test_guard("check_map", seed);
		pipeline_random(&p, &rng);
		write_model(&p, "a \"name\"");
		ck_assert_int_eq(map_measurements_read(&f, "m.json"), 0);
		expect_read_back(&p, &f.m);
		map_measurements_free(&f);
	}
}
END_TEST

/* What is written is what the command predicts of. */
START_TEST(is_predicted)
{
	static struct pstk_prediction list[PIPELINE_CONFIGURATIONS];

	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct test_rng rng = { seed };
		struct pipeline p;
		json_t *json;
		unsigned count;

		pipeline_random(&p, &rng);
		write_model(&p, NULL);
		count = pipeline_predict(&p, PSTK_RULE_CAPACITY, list);
		json = SAID("map", "--model", "m.json", "--json");
		ck_assert_uint_eq(json_array_size(json_object_get(json, "configurations")), count);
		for (unsigned i = 0; i < count; i++) {
			const json_t *v = json_array_get(json_object_get(json, "configurations"), i);

			ck_assert(json_number_value(json_object_get(v, "rate")) == list[i].rate);
			ck_assert(isnan(list[i].energy) ? !json_object_get(v, "energy")
							: json_number_value(json_object_get(v, "energy")) ==
								  list[i].energy);
		}
		json_decref(json);
	}
}
END_TEST

START_TEST(what_is_not_written)
{
	struct map_measurements f;
	struct pipeline p;
	FILE *full = fopen("/dev/full", "w");

	pipeline_make(&p, 3, 2);
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(measurements_json_write(&p.m, NULL, full), -EIO);
	fclose(full);
	/* not needed, so it may be anything */
	p.m.device_ok = 5;
	p.t_g[1] = (double)NAN;
	write_model(&p, NULL);
	ck_assert_int_eq(map_measurements_read(&f, "m.json"), 0);
	ck_assert(f.m.t_g[1] == 0);
	map_measurements_free(&f);
	p.t_g[0] = (double)NAN;
	ck_assert_int_eq(measurements_json_write(&p.m, NULL, stdout), -EINVAL);
	ck_assert_ptr_null(measurements_json(&p.m, NULL));
	ck_assert_int_eq(measurements_json_write(NULL, NULL, stdout), -EINVAL);
}
END_TEST

#else

START_TEST(needs_jansson)
{
	FAILS(2, "penstock: --model m.json: this build has no jansson\n", "map", "--model", "m.json");
	FAILS(2, "penstock: --overhead m.json: this build has no jansson\n", "map", "--overhead", "m.json");
}
END_TEST

#endif

START_TEST(options)
{
	FAILS(2,
		"penstock: a file is needed: --model FILE, with measurements, or --overhead FILE, with "
		"trainings\n",
		"map");
	FAILS(2, "penstock: --model and --overhead: expected one of both\n", "map", "--model", "a",
		"--overhead", "b");
	FAILS(2, "penstock: --rule is of --model\n", "map", "--overhead", "b", "--rule", "paper");
	FAILS(2, "penstock: --objective is of --model\n", "map", "--overhead", "b", "--objective", "energy");
	FAILS(2, "penstock: --min-rate is of --model\n", "map", "--overhead", "b", "--min-rate", "1");
	FAILS(2, "penstock: --max-watts is of --model\n", "map", "--overhead", "b", "--max-watts", "1");
	FAILS(2, "penstock: --rule: 'best' is not paper, bounded or capacity\n", "map", "--model", "a",
		"--rule", "best");
	FAILS(2, "penstock: --objective: 'rate' is not throughput, energy or ratio\n", "map", "--model", "a",
		"--objective", "rate");
	for (unsigned i = 0; i < 6; i++) {
		static const char *const values[] = { "0", "-1", "nan", "inf", "1x", "" };

		FAILS(2, "is not a number of items/s from 1e-12 to 1e12\n", "map", "--model", "a",
			"--min-rate", values[i]);
		FAILS(2, "is not a number of watts from 1e-12 to 1e12\n", "map", "--model", "a",
			"--max-watts", values[i]);
	}
	FAILS(2, "unexpected argument 'a.json'", "map", "a.json");
	FAILS(2, "unrecognized option '--modle'", "map", "--modle", "a.json");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("map");
	TCase *c = files_case(suite, "map");

	command_find();
#ifdef HAVE_JANSSON
	tcase_add_loop_test(c, vectors_are_met, 0, (int)TEST_COUNT(names));
	tcase_add_test(c, limits);
	tcase_add_test(c, tables);
	tcase_add_test(c, overheads);
	tcase_add_loop_test(c, what_is_wrong_in_a_model, 0, (int)TEST_COUNT(wrong_models));
	tcase_add_loop_test(c, what_is_wrong_in_a_training, 0, (int)TEST_COUNT(wrong_trainings));
	tcase_add_test(c, files);
	tcase_add_test(c, is_read_back);
	tcase_add_test(c, is_predicted);
	tcase_add_test(c, what_is_not_written);
#else
	tcase_add_test(c, needs_jansson);
#endif
	tcase_add_test(c, options);
	return test_main(suite);
}
