/* SPDX-License-Identifier: MIT */
#include "lib/base/log.h"
#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

START_TEST(topics_and_levels)
{
	static const struct {
		const char *text;
		bool good;
		int levels[PS_TOPIC_COUNT];
	} cases[] = {
		{ NULL, true, { 1, 1, 1, 1 } },
		{ "", true, { 1, 1, 1, 1 } },
		{ "fifo:debug", true, { 1, 3, 1, 1 } },
		{ "*:info", true, { 2, 2, 2, 2 } },
		{ "*:info,thread:error,opencl:debug", true, { 2, 2, 0, 3 } },
		{ "NETWORK:Debug,,thread:info,", true, { 3, 1, 2, 1 } },
		{ "fifo", false, { 1, 1, 1, 1 } },
		{ "fifo:loud,thread:info", false, { 1, 1, 2, 1 } },
		{ "fif:debug", false, { 1, 1, 1, 1 } },
		{ ":debug", false, { 1, 1, 1, 1 } },
		{ "fifo:", false, { 1, 1, 1, 1 } },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		int levels[PS_TOPIC_COUNT];

		ck_assert_msg(ps_log_parse(cases[i].text, levels) == cases[i].good, "%s", cases[i].text);
		for (unsigned t = 0; t < PS_TOPIC_COUNT; t++)
			ck_assert_msg(levels[t] == cases[i].levels[t], "%s: topic %u", cases[i].text, t);
	}
}
END_TEST

START_TEST(the_environment_chooses)
{
	setenv("PENSTOCK_DEBUG", "fifo:debug", 1);
	test_log_start();
	ck_assert(ps_log_on(PS_TOPIC_FIFO, PSTK_LOG_DEBUG));
	ck_assert(!ps_log_on(PS_TOPIC_THREAD, PSTK_LOG_INFO));
	ps_log(PS_TOPIC_FIFO, PSTK_LOG_DEBUG, "said %d", 1);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "not said");
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_WARNING, "also said");
	ck_assert(test_log_has("said 1"));
	ck_assert(test_log_has("also said"));
	ck_assert(!test_log_has("not said"));
	test_log_stop();
}
END_TEST

START_TEST(the_version)
{
	ck_assert_str_eq(pstk_version(), PSTK_VERSION);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *c = test_case(suite, "log");

	tcase_add_test(c, topics_and_levels);
	tcase_add_test(c, the_environment_chooses);
	tcase_add_test(c, the_version);
	return test_main(suite);
}
