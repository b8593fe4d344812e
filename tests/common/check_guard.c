/* SPDX-License-Identifier: MIT */
/* The guard against hangs of these tests (tests/common/common.h): whatever waits in vain ends, with or without processor time. */
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

static void (*body)(void);

static void say_and_run(void)
{
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) >= 0 && dup2(child_to_parent, STDOUT_FILENO) >= 0);
	if (body != run_suite)
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
	tcase_add_test(c, rounds_begin_again);
	tcase_add_test(c, debuggers_have_none);
	return test_main(suite);
}
