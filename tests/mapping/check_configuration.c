/* SPDX-License-Identifier: MIT */
/* The notation of configurations: what is printed is read, what is wrong is named. */
#include "penstock/mapper.h"
#include "tests/common/common.h"

#include <string.h>

START_TEST(all_are_read_back)
{
	for (unsigned stages = 1; stages <= 5; stages++)
		for (unsigned cores = 1; cores <= 3; cores++)
			for (uint32_t mask = 0; mask < 1u << stages; mask++)
				for (uint32_t n = 1; n <= cores + 2; n++) {
					const bool medium = n == cores + 2;
					const struct pstk_configuration c = { mask, medium ? cores + 1 : n,
						medium };
					struct pstk_configuration read = { 0 };
					char text[PSTK_CONFIGURATION_TEXT], *short_text;

					ck_assert_int_eq(
						pstk_configuration_print(&c, stages, text, sizeof text),
						(int)strlen(text));
					short_text = strchr(text, '-') + 1;
					for (unsigned i = 0; i < 2; i++) {
						const char *from = i ? short_text : text;

						read.threads = 0;
						ck_assert_int_eq(pstk_configuration_parse(
									 from, stages, cores, &read, NULL, 0),
							0);
						ck_assert_uint_eq(read.mask, mask);
						ck_assert_uint_eq(read.threads, c.threads);
						ck_assert_int_eq(read.medium_grain, medium);
					}
				}
}
END_TEST

START_TEST(notations)
{
	static const struct {
		const char *text, *full;
	} cases[] = { { "CP-CG:101:4", "CP-CG:101:4" }, { "CG:101:4", "CP-CG:101:4" },
		{ "CPU-CG:000:2", "CPU-CG:000:2" }, { "CG:000:1", "CPU-CG:000:1" },
		{ "DP-MG:111:5", "DP-MG:111:5" }, { "MG:111", "DP-MG:111:5" }, { "CP-MG:100", "CP-MG:100:5" },
		{ "MG:000:5", "CPU-MG:000:5" }, { "CG:110:05", "CP-CG:110:5" } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_configuration c;
		char text[PSTK_CONFIGURATION_TEXT];

		ck_assert_int_eq(pstk_configuration_parse(cases[i].text, 3, 4, &c, NULL, 0), 0);
		pstk_configuration_print(&c, 3, text, sizeof text);
		ck_assert_str_eq(text, cases[i].full);
	}
}
END_TEST

static const struct {
	const char *text, *said;
} wrong[] = { { "", "'': there is no grain '', expected CG or MG" },
	{ "CX:101:4", "'CX:101:4': there is no grain 'CX', expected CG or MG" },
	{ "cg:101:4", "there is no grain 'cg'" },
	{ "XP-CG:101:4", "there is no kind 'XP', expected CPU, CP or DP" },
	{ "-CG:101:4", "there is no kind '', expected CPU, CP or DP" },
	{ "CP-CP-CG:101:4", "there is no grain 'CP-CG', expected CG or MG" },
	{ "CG", "there is no mask, expected ':' and a 0 or 1 for each of 3 stages" },
	{ "CG::4", "the mask '' has 0 digits, expected 3: a 0 or 1 for each stage" },
	{ "CG:1:4", "the mask '1' has 1 digit, expected 3: a 0 or 1 for each stage" },
	{ "CG:10:4", "the mask '10' has 2 digits, expected 3: a 0 or 1 for each stage" },
	{ "CG:10100000000000000000000000000000:4", "the mask '101000000000000000000000' has 32 digits" },
	{ "CG:1x1:4", "the mask '1x1' has a 'x', expected a 0 or 1 for each stage" },
	{ "DP-CG:101:4", "'DP-CG:101:4': of this mask the kind is CP, not DP" },
	{ "CP-CG:111:4", "of this mask the kind is DP, not CP" },
	{ "CP-CG:000:4", "of this mask the kind is CPU, not CP" },
	{ "CG:101", "'CG:101': CG needs a number of threads behind the mask, expected :1 to :5" },
	{ "CG:101:", "'' is no number of threads, expected 1 to 5" },
	{ "CG:101:0", "'0' is no number of threads, expected 1 to 5" },
	{ "CG:101:6", "'6' is no number of threads, expected 1 to 5" },
	{ "CG:101:-1", "'-1' is no number of threads, expected 1 to 5" },
	{ "CG:101:4:4", "'4:4' is no number of threads, expected 1 to 5" },
	{ "CG:101:99999999999999", "'99999999999999' is no number of threads" },
	{ "MG:111:4", "'MG:111:4': MG has 5 threads with 4 cores, not 4" },
	{ "MG:111:6", "'6' is no number of threads, expected 1 to 5" } };

START_TEST(what_is_wrong)
{
	struct pstk_configuration c = { .threads = 77 };
	char said[256] = "";

	ck_assert_int_eq(pstk_configuration_parse(wrong[_i].text, 3, 4, &c, said, sizeof said), -EINVAL);
	TEST_SAYS(said, wrong[_i].said);
	ck_assert_uint_eq(c.threads, 77);
	ck_assert_int_eq(pstk_configuration_parse(wrong[_i].text, 3, 4, &c, NULL, 0), -EINVAL);
}
END_TEST

START_TEST(wrong_calls)
{
	const struct pstk_configuration good = { 5, 4, false };
	struct pstk_configuration c;
	char text[PSTK_CONFIGURATION_TEXT], said[256];

	ck_assert_int_eq(pstk_configuration_parse(NULL, 3, 4, &c, said, sizeof said), -EINVAL);
	ck_assert_int_eq(pstk_configuration_parse("CG:101:4", 3, 4, NULL, said, sizeof said), -EINVAL);
	ck_assert_int_eq(pstk_configuration_parse("CG::4", 0, 4, &c, said, sizeof said), -EINVAL);
	ck_assert_int_eq(
		pstk_configuration_parse("CG:10000000000000000:4", 17, 4, &c, said, sizeof said), -EINVAL);
	TEST_SAYS(said, "expected 1 to 16 stages and 1 to 4096 cores");
	ck_assert_int_eq(pstk_configuration_parse("CG:101:1", 3, 0, &c, said, sizeof said), -EINVAL);
	ck_assert_int_eq(pstk_configuration_parse("CG:101:1", 3, 4097, &c, said, sizeof said), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(NULL, 3, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(&good, 3, NULL, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(&good, 0, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(&good, 17, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(&good, 2, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_configuration_print(&good, 3, text, strlen("CP-CG:101:4")), -ENOSPC);
	ck_assert_int_eq(pstk_configuration_print(&good, 3, text, strlen("CP-CG:101:4") + 1), 11);
	/* the longest one */
	ck_assert_int_gt(pstk_configuration_print(
				 &(struct pstk_configuration){ 0, UINT32_MAX, false }, 16, text, sizeof text),
		0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("configuration");
	TCase *c = test_case(suite, "configuration");

	tcase_add_test(c, all_are_read_back);
	tcase_add_test(c, notations);
	tcase_add_loop_test(c, what_is_wrong, 0, (int)TEST_COUNT(wrong));
	tcase_add_test(c, wrong_calls);
	return test_main(suite);
}
