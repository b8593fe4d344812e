/* SPDX-License-Identifier: MIT */
/* Coefficients, built in and of JSON files, and what is said of wrong ones. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_said.h"
#include "apps/predistortion/check_model.h"
#include "apps/predistortion/coefficients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(built_in)
{
	struct coefficients c;

	ck_assert_int_eq(coefficients_load(&c, NULL), 0);
	ck_assert(c.built_in);
	ck_assert_uint_eq(c.count, 10);
	ck_assert_uint_eq(c.least, 2);
	ck_assert_uint_eq(c.most, 10);
	ck_assert(isfinite(c.lo.re) && isfinite(c.lo.im));
	for (unsigned b = 0; b < 10; b++) {
		ck_assert_uint_eq(c.branches[b].term.order, (b % 5) * 2 + 1);
		ck_assert_int_eq(c.branches[b].term.conjugate, b >= 5);
		ck_assert_uint_eq(c.branches[b].tap_count, 10);
		for (unsigned k = 0; k < 10; k++)
			ck_assert(isfinite(c.branches[b].taps[k].re) && isfinite(c.branches[b].taps[k].im));
	}
	/* most of the signal comes through the first branch */
	ck_assert_double_gt(hypot(c.branches[0].taps[0].re, c.branches[0].taps[0].im), 0.5);
	coefficients_free(&c);
	coefficients_free(&c); /* nothing is left */
}
END_TEST

START_TEST(no_memory_for_the_built_in_ones)
{
	struct coefficients c;
	unsigned failed = 0;
	bool fell;
	int status;

	do {
		said_start();
		test_fail_allocation(failed + 1);
		status = coefficients_load(&c, NULL);
		fell = test_allocation_failed();
		said_stop();
		coefficients_free(&c);
		ck_assert_int_eq(status, fell ? 1 : 0);
		if (status)
			ck_assert_str_eq(said_err, "predistortion: out of memory\n");
		failed += status != 0;
	} while (status);
	ck_assert_uint_eq(failed, 10);
}
END_TEST

/* Refused with this text, all of it, after the program's name. */
static void refuse(const char *path, const char *text)
{
	struct coefficients c;
	char line[1024];
	int status;

	said_start();
	status = coefficients_load(&c, path);
	said_stop();
	coefficients_free(&c);
	snprintf(line, sizeof(line), "predistortion: %s\n", text);
	ck_assert_str_eq(said_err, line);
	ck_assert_str_eq(said_out, "");
	ck_assert_int_eq(status, 2);
}

#ifdef HAVE_JANSSON

#include <jansson.h>

static void expect_equal(const struct coefficients *a, const struct coefficients *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_float_eq(a->lo.re, b->lo.re);
	ck_assert_float_eq(a->lo.im, b->lo.im);
	for (unsigned i = 0; i < a->count; i++) {
		const struct branch *x = &a->branches[i], *y = &b->branches[i];

		ck_assert_uint_eq(x->term.order, y->term.order);
		ck_assert_int_eq(x->term.conjugate, y->term.conjugate);
		ck_assert_uint_eq(x->tap_count, y->tap_count);
		for (unsigned k = 0; k < x->tap_count; k++) {
			ck_assert_float_eq(x->taps[k].re, y->taps[k].re);
			ck_assert_float_eq(x->taps[k].im, y->taps[k].im);
		}
	}
}

static void random_coefficients(struct coefficients *c, struct test_rng *rng)
{
	*c = (struct coefficients){ .count = test_between(rng, 1, PSTK_MAX_BRANCHES) };
	c->lo.re = ldexpf((float)test_between(rng, 0, 1 << 24) - (1 << 23), -23);
	c->lo.im = (float)test_between(rng, 0, 7);
	for (unsigned b = 0; b < c->count; b++) {
		struct branch *branch = &c->branches[b];

		branch->term.order = 2 * test_between(rng, 0, 49) + 1;
		branch->term.conjugate = test_chance(rng, 50);
		branch->tap_count = test_between(rng, 1, 20);
		branch->taps = calloc(branch->tap_count, sizeof(*branch->taps));
		for (unsigned k = 0; k < branch->tap_count; k++) {
			branch->taps[k].re = ldexpf((float)test_between(rng, 0, 1 << 24) - (1 << 23),
				(int)test_between(rng, 0, 200) - 130);
			branch->taps[k].im = (float)test_between(rng, 0, 3) - 1;
		}
	}
}

/* Keys in any order. */
static void write_branch(FILE *file, const struct branch *branch, struct test_rng *rng)
{
	unsigned first = test_between(rng, 0, 2);

	for (unsigned i = 0; i < 3; i++) {
		unsigned key = (first + i) % 3;

		fputs(i ? ", " : "{ ", file);
		if (key == 0)
			fprintf(file, "\"order\": %u.0", branch->term.order);
		else if (key == 1)
			fprintf(file, "\"conjugate\":%s", branch->term.conjugate ? "true" : "false");
		else
			fputs("\"taps\" :\n[", file);
		for (unsigned k = 0; key == 2 && k < branch->tap_count; k++)
			fprintf(file, "%s[%.9g, %.9g]", k ? "," : "", (double)branch->taps[k].re,
				(double)branch->taps[k].im);
		if (key == 2)
			fputs("]", file);
	}
	fputs(" }", file);
}

static void write_json(const char *path, const struct coefficients *c, struct test_rng *rng)
{
	FILE *file = fopen(path, "w");
	bool before = test_chance(rng, 50);

	ck_assert_ptr_nonnull(file);
	fputs("{", file);
	if (before)
		fprintf(file, "\"lo\": [%.9g, %.9g], ", (double)c->lo.re, (double)c->lo.im);
	fputs("\"branches\": [", file);
	for (unsigned b = 0; b < c->count; b++) {
		fputs(b ? ",\n" : "\n", file);
		write_branch(file, &c->branches[b], rng);
	}
	fputs("]", file);
	if (!before)
		fprintf(file, ", \"lo\": [%.9g, %.9g]", (double)c->lo.re, (double)c->lo.im);
	if (test_chance(rng, 50))
		fputs(", \"source\": \"a test, \\u00fc\\n\"", file);
	fputs("}\n", file);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(any_file)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t i = 0; i < test_rounds(200); i++) {
		struct coefficients given, got;

		random_coefficients(&given, &rng);
		write_json("c.json", &given, &rng);
		if (i % 2) {
			ck_assert_ptr_nonnull(freopen("c.json", "r", stdin));
			ck_assert_int_eq(coefficients_load(&got, "-"), 0);
		} else
			ck_assert_int_eq(coefficients_load(&got, "c.json"), 0);
		expect_equal(&got, &given);
		ck_assert(!got.built_in);
		ck_assert_uint_eq(got.least, 1);
		ck_assert_uint_eq(got.most, given.count);
		coefficients_free(&given);
		coefficients_free(&got);
	}
}
END_TEST

/* Pairs of numbers; the caller frees them. */
static double *pairs(const json_t *list, size_t *count)
{
	double *numbers;

	*count = json_array_size(list);
	numbers = calloc(2 * *count, sizeof(*numbers));
	for (size_t i = 0; i < 2 * *count; i++)
		numbers[i] = json_number_value(json_array_get(json_array_get(list, i / 2), i % 2));
	return numbers;
}

/* The published set gives the published output: it means what its authors meant. */
START_TEST(published_set)
{
	static const uint32_t all = 0x1f;
	json_t *vectors = json_load_file(TEST_DATA "/dpd-5x5-vectors.json", 0, NULL);
	struct coefficients c;
	size_t count, expected_count;
	double *given = pairs(json_object_get(vectors, "input"), &count),
	       *expected = pairs(json_object_get(vectors, "expected"), &expected_count),
	       *output = calloc(2 * count, sizeof(*output));
	float *input = calloc(2 * count, sizeof(*input)), *got = calloc(2 * count, sizeof(*got));

	ck_assert_uint_eq(count, 999);
	ck_assert_uint_eq(expected_count, 999);
	ck_assert_int_eq(coefficients_load(&c, TEST_DATA "/dpd-5x5.json"), 0);
	ck_assert_uint_eq(c.count, 5);
	for (size_t i = 0; i < 2 * count; i++)
		input[i] = (float)given[i];
	model_run(&c, &all, 1, count, input, count, output);
	for (size_t i = 0; i < 2 * count; i++)
		got[i] = (float)output[i];
	model_expect(got, expected, count, "the published set");
	coefficients_free(&c);
	free(given), free(expected), free(output), free(input), free(got);
	json_decref(vectors);
}
END_TEST

#define ONE "{\"order\":1,\"conjugate\":false,\"taps\":[[1,0]]}"
#define FOUR ONE "," ONE "," ONE "," ONE
#define LO ",\"lo\":[0,0]}"
#define BRANCHES(...) "{\"branches\":[" __VA_ARGS__ "]" LO
#define TAPS(taps) BRANCHES(ONE ",{\"order\":3,\"conjugate\":true,\"taps\":" taps "}")
#define ORDER(order) BRANCHES("{\"order\":" order ",\"conjugate\":true,\"taps\":[[1,0]]}")
#define PAIR "[re, im], two finite 32-bit floats, is wanted"
#define ORDER_WANTED " an odd integer from 1 to 99 is wanted"

static const struct {
	const char *content, *text;
} wrong[] = {
	/* no JSON: line and column */
	{ "", "c:1:0: '[' or '{' expected near end of file" },
	{ "nonsense", "c:1:8: '[' or '{' expected near 'nonsense'" },
	{ "{\n  \"branches\": [\n    {,\n", "c:3:6: string or '}' expected near ','" },
	{ BRANCHES(ONE) "\n}", "c:2:1: end of file expected near '}'" },
	{ "{\"branches\": [" ONE "]\n", "c:2:0: '}' expected near end of file" },
	{ ORDER("1,\"order\":3"), "c:1:31: duplicate object key near '\"order\"'" },
	{ "{\"lo\":[0,0],\n\"lo\":[0,0]}", "c:2:4: duplicate object key near '\"lo\"'" },
	{ TAPS("[[NaN,0]]"), "c:1:98: invalid token near 'NaN'" },
	{ TAPS("[[1e999,0]]"), "c:1:100: real number overflow near '1e999'" },
	{ TAPS("[[99999999999999999999,0]]"), "c:1:115: too big integer near '99999999999999999999'" },
	/* the whole */
	{ "[]", "c: is a list; an object with \"branches\" and \"lo\" is wanted" },
	{ "{}", "c: \"branches\" is missing; a list of 1 to 16 branches is wanted" },
	{ "{\"branches\":[" ONE "]}",
		"c: \"lo\" is missing; [re, im], the constant that is added, is wanted" },
	{ "{\"branches\":[]" LO, "c: there is no branch; a list of 1 to 16 branches is wanted" },
	{ "{\"branches\":{}" LO, "c: \"branches\" is an object; a list of 1 to 16 branches is wanted" },
	{ "{\"branches\":null" LO, "c: \"branches\" is null; a list of 1 to 16 branches is wanted" },
	{ BRANCHES(FOUR "," FOUR "," FOUR "," FOUR "," ONE), "c: 17 branches; at most 16 are possible" },
	{ "{\"branches\":[" ONE "],\"lo\":0}", "c: \"lo\" is 0; " PAIR },
	{ "{\"branches\":[" ONE "],\"lo\":[0]}", "c: \"lo\" has 1 number; " PAIR },
	{ "{\"branches\":[" ONE "],\"lo\":[0,null]}", "c: \"lo\": im is null; " PAIR },
	{ "{\"source\":1,\"branches\":[" ONE "]" LO, "c: \"source\" is 1; a text is wanted" },
	/* keys */
	{ "{\"branch\":[],\"x\":1}", "c: there is no key \"branch\"; is \"branches\" meant?" },
	{ "{\"Branches\":[]}", "c: there is no key \"Branches\"; is \"branches\" meant?" },
	{ "{\"l0\":[]}", "c: there is no key \"l0\"; is \"lo\" meant?" },
	{ "{\"gain\":1}", "c: there is no key \"gain\"; the keys are \"branches\", \"lo\", \"source\"" },
	{ "{\"a\\nb\":1}", "c: there is no key \"a b\"; the keys are \"branches\", \"lo\", \"source\"" },
	{ "{\"\":1}", "c: there is no key \"\"; the keys are \"branches\", \"lo\", \"source\"" },
	{ "{\"0123456789012345678901234567890123456789x\":1}",
		"c: there is no key \"0123456789012345678901234567890123456789..\"; the keys are "
		"\"branches\", \"lo\", \"source\"" },
	{ BRANCHES(ONE ",{\"odrer\":1}"), "c: branch 2: there is no key \"odrer\"; is \"order\" meant?" },
	{ BRANCHES("{\"tap\":1}"), "c: branch 1: there is no key \"tap\"; is \"taps\" meant?" },
	{ BRANCHES("{\"delay\":1}"), "c: branch 1: there is no key \"delay\"; the keys are \"order\", "
				     "\"conjugate\", \"taps\"" },
	/* what is behind a known one is not taken for that */
	{ "{\"branches\":[],\"gain\":1}",
		"c: there is no key \"gain\"; the keys are \"branches\", \"lo\", \"source\"" },
	{ BRANCHES("{\"order\":1,\"conj\":true}"),
		"c: branch 1: there is no key \"conj\"; the keys are \"order\", \"conjugate\", \"taps\"" },
	/* a branch */
	{ BRANCHES(ONE ",7"), "c: branch 2: is 7; an object with \"order\", \"conjugate\" and \"taps\" is "
			      "wanted" },
	{ BRANCHES("{}"), "c: branch 1: \"order\" is missing;" ORDER_WANTED },
	{ BRANCHES("{\"order\":1}"), "c: branch 1: \"conjugate\" is missing; true or false is wanted" },
	{ BRANCHES(ONE ",{\"order\":1,\"conjugate\":true}"),
		"c: branch 2: \"taps\" is missing; a list of pairs [re, im] is wanted" },
	{ ORDER("2"), "c: branch 1: \"order\" is 2;" ORDER_WANTED },
	{ ORDER("0"), "c: branch 1: \"order\" is 0;" ORDER_WANTED },
	{ ORDER("-1"), "c: branch 1: \"order\" is -1;" ORDER_WANTED },
	{ ORDER("101"), "c: branch 1: \"order\" is 101;" ORDER_WANTED },
	{ ORDER("4294967297"), "c: branch 1: \"order\" is 4294967297;" ORDER_WANTED },
	{ ORDER("2.0"), "c: branch 1: \"order\" is 2;" ORDER_WANTED },
	{ ORDER("1.5"), "c: branch 1: \"order\" is 1.5;" ORDER_WANTED },
	{ ORDER("\"1\""), "c: branch 1: \"order\" is a text;" ORDER_WANTED },
	{ BRANCHES("{\"order\":1,\"conjugate\":1,\"taps\":[[1,0]]}"),
		"c: branch 1: \"conjugate\" is 1; true or false is wanted" },
	/* its taps */
	{ TAPS("[]"), "c: branch 2: \"taps\" is empty; at least one pair [re, im] is wanted" },
	{ TAPS("true"), "c: branch 2: \"taps\" is true; a list of pairs [re, im] is wanted" },
	{ TAPS("[1,0]"), "c: branch 2: \"taps\", pair 1 is 1; " PAIR },
	{ TAPS("[[1,0],[]]"), "c: branch 2: \"taps\", pair 2 has 0 numbers; " PAIR },
	{ TAPS("[[1,0,0]]"), "c: branch 2: \"taps\", pair 1 has 3 numbers; " PAIR },
	{ TAPS("[[1,0],[1,0],[\"1\",0]]"), "c: branch 2: \"taps\", pair 3: re is a text; " PAIR },
	{ TAPS("[[false,0]]"), "c: branch 2: \"taps\", pair 1: re is false; " PAIR },
	{ TAPS("[[0,1e39]]"), "c: branch 2: \"taps\", pair 1: im is 1e+39; " PAIR },
	{ TAPS("[[0,-3.5e38]]"), "c: branch 2: \"taps\", pair 1: im is -3.5e+38; " PAIR },
};

START_TEST(wrong_files)
{
	files_text("c", wrong[_i].content);
	refuse("c", wrong[_i].text);
}
END_TEST

START_TEST(names)
{
	refuse("none.json", "none.json: No such file or directory");
	refuse(".", ".: Is a directory");
	files_text("c", "{}");
	ck_assert_ptr_nonnull(freopen("c", "r", stdin));
	refuse("-", "stdin: \"branches\" is missing; a list of 1 to 16 branches is wanted");
}
END_TEST

/* The most that there may be, and one more. */
START_TEST(limits)
{
	enum { MOST = 65536 };
	static const float largest = 3.40282347e38f;
	struct coefficients c;

	for (unsigned more = 0; more < 2; more++) {
		FILE *file = fopen("c", "w");

		fputs("{\"branches\":[{\"order\":99,\"conjugate\":false,\"taps\":[[3.40282347e38,-1e-50]",
			file);
		for (unsigned k = 1; k < MOST + more; k++)
			fputs(",[1,0]", file);
		fputs("]}]" LO, file);
		fclose(file);
		if (more) {
			refuse("c", "c: branch 1: \"taps\" has 65537 pairs; at most 65536 are possible");
			break;
		}
		ck_assert_int_eq(coefficients_load(&c, "c"), 0);
		ck_assert_uint_eq(c.branches[0].term.order, 99);
		ck_assert_uint_eq(c.branches[0].tap_count, MOST);
		ck_assert_float_eq(c.branches[0].taps[0].re, largest);
		ck_assert_float_eq(c.branches[0].taps[0].im, 0);
		coefficients_free(&c);
	}
	files_text("c", BRANCHES(FOUR "," FOUR "," FOUR "," FOUR));
	ck_assert_int_eq(coefficients_load(&c, "c"), 0);
	ck_assert_uint_eq(c.count, 16);
	coefficients_free(&c);
}
END_TEST

static unsigned left; /* allocations of jansson until one fails; 0: none does */
static bool fell;

static void *allocate(size_t size)
{
	if (left && !--left) {
		fell = true;
		return NULL;
	}
	return malloc(size);
}

/* With one allocation failing, of jansson's or of ours. */
static int load_without(bool ours, unsigned n)
{
	struct coefficients c;
	int status;

	said_start();
	fell = false;
	if (ours)
		test_fail_allocation(n);
	else
		left = n;
	status = coefficients_load(&c, "c");
	left = 0;
	fell |= test_allocation_failed(); /* before those of the test itself */
	said_stop();
	coefficients_free(&c);
	return status;
}

/* Each allocation fails once. jansson takes some of its own for an error in the text. */
START_TEST(out_of_memory)
{
	files_text("c", BRANCHES(FOUR));
	for (int ours = 1; ours >= 0; ours--) {
		unsigned failed = 0, said = 0;
		int status;

		if (!ours) /* not before: it goes by way of ours */
			json_set_alloc_funcs(allocate, free);
		while ((status = load_without(ours, failed + 1)) != 0) {
			ck_assert(fell);
			ck_assert_str_ne(said_err, "");
			ck_assert(status == 1 || (!ours && status == 2));
			ck_assert_int_eq(status == 1, !strcmp(said_err, "predistortion: out of memory\n"));
			said += status == 1;
			failed++;
		}
		ck_assert(!fell);
		ck_assert_uint_ge(failed, ours ? 4 : 20);
		ck_assert_uint_ge(said, ours ? failed : 1);
	}
}
END_TEST

#else

START_TEST(without_jansson)
{
	refuse("c.json", "--coefficients c.json: this build has no jansson; the built-in ones need none");
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("coefficients");
	TCase *c = files_case(suite, "coefficients");

	tcase_add_test(c, built_in);
	tcase_add_test(c, no_memory_for_the_built_in_ones);
#ifdef HAVE_JANSSON
	tcase_add_test(c, any_file);
	tcase_add_test(c, published_set);
	tcase_add_loop_test(c, wrong_files, 0, TEST_COUNT(wrong));
	tcase_add_test(c, names);
	tcase_add_test(c, limits);
	tcase_add_test(c, out_of_memory);
#else
	tcase_add_test(c, without_jansson);
#endif
	return test_main(suite);
}
