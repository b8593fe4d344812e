/* SPDX-License-Identifier: MIT */
/* The guard against hangs of these tests (tests/common/common.h): whatever waits in vain ends, with or without
 * processor time. */
#include "tests/common/child.h"
#include "tests/common/common.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void spin_for_ever(void)
{
	static const _Atomic uint64_t never;

	test_await(&never, 1);
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

START_TEST(never_ends)
{
	sleep_for_ever();
}
END_TEST

/* A suite of one test that says nothing of a guard. */
static void run_suite(void)
{
	Suite *suite = suite_create("hangs");

	alarm(0); /* this child's own */
	tcase_add_test(test_case(suite, "hangs"), never_ends);
	exit(test_main(suite));
}

START_TEST(two_rounds)
{
	struct child child;

	test_guard("a round", 9);
	test_guard("a round", 7);
	child_start(&child, test_log_stop); /* its end is not the test's */
	child_exits(&child, CHILD_FINE);
}
END_TEST

START_TEST(fails_in_a_round)
{
	test_guard("a round", 11);
	ck_abort();
}
END_TEST

static void run_rounds(void)
{
	Suite *suite = suite_create("rounds");
	TCase *c = test_case(suite, "rounds");

	alarm(0); /* this child's own */
	tcase_add_test(c, two_rounds);
	tcase_add_test(c, fails_in_a_round);
	exit(test_main(suite));
}

static void (*body)(void);

static void say_and_run(void)
{
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) >= 0 && dup2(child_to_parent, STDOUT_FILENO) >= 0);
	if (body != run_suite && body != run_rounds)
		test_guard("a round", 7);
	body();
}

/* What the child said until the guard of a second has ended it. */
static void end_child(char *text, size_t room, int *status)
{
	struct child child;

	setenv("PENSTOCK_TEST_GUARD", "1", 1);
	child_start(&child, say_and_run);
	child_read(&child, text, room);
	*status = child_status(&child);
}

static void check_end(void (*hangs)(void))
{
	char text[4096];
	int status;

	body = hangs;
	end_child(text, sizeof text, &status);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGABRT);
	TEST_SAYS(text, ": a round has not ended in 1 s: it hangs, PENSTOCK_TEST_SEED=7\n");
}

START_TEST(what_spins_is_ended)
{
	check_end(spin_for_ever);
}
END_TEST

START_TEST(what_sleeps_is_ended)
{
	check_end(sleep_for_ever);
}
END_TEST

START_TEST(each_test_has_it)
{
	char text[4096];
	int status;

	body = run_suite;
	end_child(text, sizeof text, &status);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILURE);
	TEST_SAYS(text, ": a test has not ended in 1 s: it hangs, PENSTOCK_TEST_SEED=",
		"hangs:never_ends:0: (after this point) Received signal 6");
}
END_TEST

/* scripts/check asks which test it was. */
START_TEST(it_is_written_down)
{
	char name[] = "tmp-guard-XXXXXX", text[200] = "";
	int file = mkstemp(name);

	ck_assert_int_ge(file, 0);
	setenv("PENSTOCK_TEST_HUNG", name, 1);
	check_end(sleep_for_ever);
	unlink(name);
	ck_assert_int_gt(read(file, text, sizeof text - 1), 0);
	close(file);
	TEST_SAYS(text, ": a round has not ended in 1 s: it hangs, PENSTOCK_TEST_SEED=7\n");
}
END_TEST

/* make campaign asks what the tests that came to their end have run. */
START_TEST(rounds_are_written_down)
{
	char name[] = "tmp-guard-XXXXXX", said[4096], text[200] = "";
	int file = mkstemp(name), status;

	ck_assert_int_ge(file, 0);
	setenv("PENSTOCK_TEST_COVERED", name, 1);
	body = run_rounds;
	end_child(said, sizeof said, &status);
	unlink(name);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILURE);
	ck_assert_int_gt(read(file, text, sizeof text - 1), 0);
	close(file);
	ck_assert_str_eq(text, "2 7 9\n");
}
END_TEST

START_TEST(counts_follow_the_environment)
{
	const uint64_t usual = TEST_SANITIZED ? 10 : 100;

	unsetenv("PENSTOCK_TEST_LONG");
	unsetenv("PENSTOCK_TEST_SHORT");
	ck_assert_uint_eq(test_rounds(100), usual);
	setenv("PENSTOCK_TEST_SEED", "8", 1);
	ck_assert_uint_eq(test_next(1), 4);
	ck_assert_uint_eq(test_next(4), TEST_SANITIZED ? 10 : 7);
	setenv("PENSTOCK_TEST_SHORT", "5", 1);
	ck_assert_uint_eq(test_next(1), TEST_SANITIZED ? 10 : 4);
	ck_assert_uint_eq(test_next(4), TEST_SANITIZED ? 16 : 10);
	unsetenv("PENSTOCK_TEST_SHORT");
	setenv("PENSTOCK_TEST_LONG", "3", 1);
	ck_assert_uint_eq(test_next(1), 2);
	ck_assert_uint_eq(test_next(4), 5);
	ck_assert_uint_eq(test_rounds(100), 3 * usual);
	setenv("PENSTOCK_TEST_SHORT", "2", 1);
	ck_assert_uint_eq(test_rounds(100), 3 * usual / 2);
	setenv("PENSTOCK_TEST_SHORT", "0", 1);
	ck_assert_uint_eq(test_rounds(100), 3 * usual);
	setenv("PENSTOCK_TEST_SHORT", "1000", 1);
	ck_assert_uint_eq(test_rounds(100), 1); /* one at least */
}
END_TEST

/* Each round has all of the time, which is generous unless the environment says otherwise. */
START_TEST(rounds_begin_again)
{
	unsetenv("PENSTOCK_TEST_GUARD");
	ck_assert_uint_gt(alarm(5), 0);
	test_guard("a round", 1);
	ck_assert_uint_eq(alarm(0), 600);
}
END_TEST

/* A debugger takes its time. */
START_TEST(debuggers_have_none)
{
	alarm(0);
	setenv("CK_FORK", "no", 1);
	test_guard("a round", 1);
	ck_assert_uint_eq(alarm(0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("guard");
	TCase *c = test_case(suite, "guard");

	unsetenv("PENSTOCK_TEST_HUNG"); /* these hangs are none of scripts/check's */
	tcase_add_test(c, what_spins_is_ended);
	tcase_add_test(c, what_sleeps_is_ended);
	tcase_add_test(c, each_test_has_it);
	tcase_add_test(c, it_is_written_down);
	tcase_add_test(c, rounds_are_written_down);
	tcase_add_test(c, counts_follow_the_environment);
	tcase_add_test(c, rounds_begin_again);
	tcase_add_test(c, debuggers_have_none);
	return test_main(suite);
}
