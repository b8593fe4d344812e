/* SPDX-License-Identifier: MIT */
#include "lib/base/environment_check.h"
#include "tests/common/common.h"

#include <penstock/penstock.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

/* What the log got. */
static struct {
	unsigned count;
	char last[1024];
} warnings;

static void hear(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data;
	ck_assert_int_eq(level, PSTK_LOG_WARNING);
	ck_assert_str_eq(topic, "network");
	warnings.count++;
	snprintf(warnings.last, sizeof warnings.last, "%s", message);
}

static void clear(void)
{
	for (unsigned v = 0; v < PS_VARIABLE_COUNT; v++)
		if (!strncmp(ps_environment_table[v].name, "PENSTOCK_", 9))
			unsetenv(ps_environment_table[v].name);
	warnings.count = 0;
	*warnings.last = 0;
	pstk_set_log(hear, NULL);
}

static bool same(const struct ps_environment *a, const struct ps_environment *b)
{
	return a->launch_own == b->launch_own && a->memory == b->memory && a->profile == b->profile &&
	       a->share == b->share && a->threads == b->threads && a->watchdog_ns == b->watchdog_ns &&
	       a->watchdog_aborts == b->watchdog_aborts && a->serial == b->serial && a->wait == b->wait;
}

static const struct ps_environment standard = { .share = true, .watchdog_ns = 30 * SECOND };

#define GOOD(...)                                                      \
	{                                                              \
		.share = true, .watchdog_ns = 30 * SECOND, __VA_ARGS__ \
	}
#define BAD                                               \
	{                                                 \
		.share = true, .watchdog_ns = 30 * SECOND \
	}
#define WATCHED(seconds, aborts)                                                            \
	{                                                                                   \
		.share = true, .watchdog_ns = (seconds)*SECOND, .watchdog_aborts = (aborts) \
	}

static const struct {
	const char *name, *text;
	bool wrong;
	struct ps_environment said;
} values[] = {
	{ "PENSTOCK_LAUNCH", "own", false, GOOD(.launch_own = true) },
	{ "PENSTOCK_LAUNCH", "x", true, BAD },
	{ "PENSTOCK_MEMORY", "svm", false, GOOD(.memory = PS_MEMORY_SVM) },
	{ "PENSTOCK_MEMORY", "map", false, GOOD(.memory = PS_MEMORY_MAP) },
	{ "PENSTOCK_MEMORY", "copy", false, GOOD(.memory = PS_MEMORY_COPY) },
	{ "PENSTOCK_MEMORY", "sv", true, BAD },
	{ "PENSTOCK_MEMORY", "svm map", true, BAD },
	{ "PENSTOCK_MEMORY", "SVM", true, BAD },
	{ "PENSTOCK_MEMORY", "", false, BAD },
	{ "PENSTOCK_PIPELINE", "MG:11", false, GOOD(.pipeline = "MG:11") },
	{ "PENSTOCK_PIPELINE", "CP-CG:0000000000000000000000000000000000000000000000000000000000:1", true,
		BAD },
	{ "PENSTOCK_PROFILE", "1", false, GOOD(.profile = true) },
	{ "PENSTOCK_PROFILE", "0", false, BAD },
	{ "PENSTOCK_PROFILE", "yes", true, BAD },
	{ "PENSTOCK_SHARE", "0", false, { .watchdog_ns = 30 * SECOND } },
	{ "PENSTOCK_SHARE", "1", false, BAD },
	{ "PENSTOCK_SHARE", "2", true, BAD },
	{ "PENSTOCK_SERIAL", "1", false, GOOD(.serial = true) },
	{ "PENSTOCK_SERIAL", "on", true, BAD },
	{ "PENSTOCK_WAIT", "block", false, BAD },
	{ "PENSTOCK_WAIT", "spin", false, GOOD(.wait = PS_EVENT_WAIT_SPIN) },
	{ "PENSTOCK_WAIT", "adaptive", false, GOOD(.wait = PS_EVENT_WAIT_ADAPTIVE) },
	{ "PENSTOCK_WAIT", "sleep", true, BAD },
	{ "PENSTOCK_TEAM", "2", false, GOOD(.threads = 2) },
	{ "PENSTOCK_TEAM", "256", false, GOOD(.threads = 256) },
	{ "PENSTOCK_TEAM", "257", true, BAD },
	{ "PENSTOCK_TEAM", "2 ", true, BAD },
	{ "PENSTOCK_TEAM", "4294967298", true, BAD },
	{ "PENSTOCK_WATCHDOG", "0", false, WATCHED(0, false) },
	{ "PENSTOCK_WATCHDOG", "5", false, WATCHED(5, false) },
	{ "PENSTOCK_WATCHDOG", "1,abort", false, WATCHED(1, true) },
	{ "PENSTOCK_WATCHDOG", "0,abort", false, WATCHED(0, true) },
	{ "PENSTOCK_WATCHDOG", "18446744073", false, WATCHED(UINT64_C(18446744073), false) },
	{ "PENSTOCK_WATCHDOG", "18446744074", true, BAD },
	{ "PENSTOCK_WATCHDOG", "99999999999999999999", true, BAD },
	{ "PENSTOCK_WATCHDOG", "-1", true, BAD },
	{ "PENSTOCK_WATCHDOG", " 1", true, BAD },
	{ "PENSTOCK_WATCHDOG", "1s", true, BAD },
	{ "PENSTOCK_WATCHDOG", "1,", true, BAD },
	{ "PENSTOCK_WATCHDOG", "1,abort,", true, BAD },
	{ "PENSTOCK_WATCHDOG", "abort", true, BAD },
	{ "PENSTOCK_WATCHDOG", "1.5", true, BAD },
};

START_TEST(test_values)
{
	struct ps_environment e;
	char expected[128];

	clear();
	ps_environment_take(&e);
	ck_assert(same(&e, &standard));
	setenv(values[_i].name, values[_i].text, 1);
	ps_environment_take(&e);
	ck_assert_msg(same(&e, &values[_i].said), "%s=%s", values[_i].name, values[_i].text);
	ck_assert_uint_eq(warnings.count, values[_i].wrong);
	snprintf(
		expected, sizeof expected, "%s='%s' is ignored: expected ", values[_i].name, values[_i].text);
	if (values[_i].wrong)
		TEST_SAYS(warnings.last, expected);
}
END_TEST

START_TEST(test_table)
{
	for (unsigned v = 0; v < PS_VARIABLE_COUNT; v++) {
		const struct ps_variable_row *row = &ps_environment_table[v];
		struct ps_environment e = standard;

		ck_assert(row->name && *row->name && row->effect && *row->effect && row->standard);
		ck_assert_int_eq(!row->form, !row->take);
		for (unsigned o = 0; o < v; o++)
			ck_assert_str_ne(row->name, ps_environment_table[o].name);
		/* what the table calls the default does what the variable does when it is not set */
		if (row->take && *row->standard)
			ck_assert_msg(row->take(row->standard, &e) && same(&e, &standard), "%s", row->name);
	}
}
END_TEST

/* A wrong value is warned of once, another one again. */
START_TEST(test_once)
{
	struct ps_environment e;

	clear();
	setenv("PENSTOCK_SHARE", "no", 1);
	setenv("PENSTOCK_MEMORY", "gpu", 1);
	ps_environment_take(&e);
	ck_assert_uint_eq(warnings.count, 2);
	ps_environment_take(&e);
	ck_assert_uint_eq(warnings.count, 2);
	setenv("PENSTOCK_SHARE", "never", 1);
	ps_environment_take(&e);
	ck_assert_uint_eq(warnings.count, 3);
	ck_assert_str_eq(warnings.last, "PENSTOCK_SHARE='never' is ignored: expected 0 or 1");
}
END_TEST

/* The end of what a name without effect gets. */
#define KNOWN                                                                                         \
	"it reads PENSTOCK_LAUNCH PENSTOCK_MEMORY PENSTOCK_PIPELINE PENSTOCK_PROFILE PENSTOCK_SHARE " \
	"PENSTOCK_TEAM "                                                                              \
	"PENSTOCK_TRACE "                                                                             \
	"PENSTOCK_WATCHDOG PENSTOCK_DEBUG PENSTOCK_SERIAL PENSTOCK_WAIT PENSTOCK_PLUGINS PENSTOCK_MPI"

static const struct {
	const char *name, *said; /* said NULL: nothing */
} names[] = {
	{ "PENSTOCK_MEMROY", "PENSTOCK_MEMROY has no effect: Penstock has no such variable; did you mean "
			     "PENSTOCK_MEMORY?; " KNOWN },
	{ "PENSTOCK_TEAMS", "PENSTOCK_TEAMS has no effect: Penstock has no such variable; did you mean "
			    "PENSTOCK_TEAM?; " KNOWN },
	{ "PENSTOCK_XYZZY", "PENSTOCK_XYZZY has no effect: Penstock has no such variable; " KNOWN },
	{ "PENSTOCK_", "PENSTOCK_ has no effect: Penstock has no such variable; " KNOWN },
	{ "PENSTOCK_TEST_THIS", NULL },
	{ "PENSTOCK_FAKE_THIS", NULL },
	{ "PENSTOCK", NULL },
	{ "MY_PENSTOCK_TEAM", NULL },
	{ "PENSTOCK_TEAM", NULL },
};

START_TEST(test_names)
{
	struct pstk_network *net;

	clear();
	setenv(names[_i].name, "1", 1);
	net = pstk_network_create("first");
	ck_assert_uint_eq(warnings.count, names[_i].said != NULL);
	if (names[_i].said)
		ck_assert_str_eq(warnings.last, names[_i].said);
	pstk_network_destroy(net);
	net = pstk_network_create("second");
	ck_assert_uint_eq(warnings.count, names[_i].said != NULL);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_long_name)
{
	struct ps_environment e;
	char name[300];

	clear();
	memset(name, 'X', sizeof name - 1);
	name[sizeof name - 1] = 0;
	memcpy(name, "PENSTOCK_", 9);
	setenv(name, "1", 1);
	setenv("PENSTOCK_TEAM", name, 1);
	ps_environment_take(&e);
	ck_assert_uint_eq(warnings.count, 2);
	TEST_SAYS(
		warnings.last, "PENSTOCK_TEAM='PENSTOCK_XX", "' is ignored: expected 1 to 256 threads, or 0");
	ck_assert_uint_lt(strlen(warnings.last), 200);
}
END_TEST

/* A network keeps what the environment said when it was created. */
START_TEST(test_snapshot)
{
	struct pstk_network *before, *after;

	clear();
	setenv("PENSTOCK_TEAM", "3", 1);
	before = pstk_network_create("before");
	setenv("PENSTOCK_TEAM", "5", 1);
	after = pstk_network_create("after");
	ck_assert_uint_eq(pstk_network_threads(before), 3);
	ck_assert_uint_eq(pstk_network_threads(after), 5);
	pstk_network_destroy(before);
	pstk_network_destroy(after);
	ck_assert_uint_eq(warnings.count, 0);
}
END_TEST

/* The process keeps what it said at the first use; drivers' variables are read at each. */
START_TEST(test_process)
{
	clear();
	setenv("PENSTOCK_WAIT", "spin", 1);
	ck_assert_int_eq(ps_environment_process()->wait, PS_EVENT_WAIT_SPIN);
	setenv("PENSTOCK_WAIT", "block", 1);
	ck_assert_int_eq(ps_environment_process()->wait, PS_EVENT_WAIT_SPIN);
	setenv("POCL_DEVICES", "basic", 1);
	ck_assert_str_eq(ps_environment_text(PS_VARIABLE_POCL_DEVICES), "basic");
	unsetenv("POCL_DEVICES");
	ck_assert_ptr_null(ps_environment_text(PS_VARIABLE_POCL_DEVICES));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("environment");
	TCase *tcase = test_case(suite, "environment");

	tcase_add_loop_test(tcase, test_values, 0, TEST_COUNT(values));
	tcase_add_test(tcase, test_table);
	tcase_add_test(tcase, test_once);
	tcase_add_loop_test(tcase, test_names, 0, TEST_COUNT(names));
	tcase_add_test(tcase, test_long_name);
	tcase_add_test(tcase, test_snapshot);
	tcase_add_test(tcase, test_process);
	return test_main(suite);
}
