/* SPDX-License-Identifier: MIT */
/*
 * A driver that would end the program. It is PoCL that does: where hwloc finds no machine, as without /sys, for which
 * another root does (HWLOC_FSROOT), and with an empty POCL_CACHE_DIR. Each test is a process of its own; one that a
 * driver ends fails.
 */
#include "lib/opencl/cl_error.h"
#include "lib/opencl/cl_probe.h"
#include "tests/opencl/cl_wrap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/pstk-root-XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(root));
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
}

static void teardown(void)
{
	ck_assert_int_eq(rmdir(root), 0);
}

/* No device, with these words; again, too. Any thread. */
static void check_refused(const char *why)
{
	struct pstk_device_info info;
	char reason[400];

	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(pstk_devices(&info, 1), 0);
		ck_assert_int_eq(pstk_device_find("cpu", &info, reason, sizeof reason), -ENODEV);
		TEST_SAYS(reason, "no OpenCL device: a driver, such as PoCL, would end this program: ", why);
		ck_assert_uint_lt(strlen(reason), PS_CL_TEXT - 1); /* nothing is cut */
	}
}

static void check_no_child(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(without_sys)
{
	char why[400];

	setenv("HWLOC_FSROOT", root, 1);
	check_refused("/sys does not say what processor this is: mount it (mount -t sysfs sysfs /sys), or "
		      "say it with "
		      "HWLOC_SYNTHETIC='numa:1(memory=");
	check_no_child();
	/* what it proposes is a machine */
	ck_assert(ps_cl_probe_doubt(why, sizeof why));
	*strrchr(why, '\'') = '\0';
	unsetenv("HWLOC_FSROOT");
	setenv("HWLOC_SYNTHETIC", strchr(why, '\'') + 1, 1);
	ck_assert(!ps_cl_probe_doubt(why, sizeof why));
	ck_assert_int_eq(pstk_devices(NULL, 0), 1);
}
END_TEST

START_TEST(an_empty_cache_dir)
{
	/* also where /sys is not mounted, as in a bare root */
	setenv("HWLOC_SYNTHETIC", "numa:1(memory=1024MB) core:2 pu:1", 1);
	setenv("POCL_CACHE_DIR", "", 1);
	check_refused("POCL_CACHE_DIR is set, but empty: unset it, or name a directory");
	unsetenv("POCL_CACHE_DIR");
	ck_assert_int_eq(pstk_devices(NULL, 0), 1);
}
END_TEST

static void on_signal(int n)
{
	int kept = errno;

	(void)n;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = kept;
}

/* A program that wants to know nothing of children, or waits for all of them itself. */
START_TEST(children_of_the_program)
{
	signal(SIGCHLD, _i ? on_signal : SIG_IGN);
	signal(SIGABRT, on_signal);
	setenv("HWLOC_FSROOT", root, 1);
	check_refused("HWLOC_SYNTHETIC");
	check_no_child();
}
END_TEST

static void *find(void *arg)
{
	(void)arg;
	check_refused("HWLOC_SYNTHETIC");
	return NULL;
}

START_TEST(threads)
{
	pthread_t thread[4];

	setenv("HWLOC_FSROOT", root, 1);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, find, NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	check_no_child();
}
END_TEST

/* A doubt, and a driver that ends nothing: what it says counts. */
START_TEST(a_driver_that_lives)
{
	struct pstk_device_info info;
	char reason[400];

	setenv("HWLOC_FSROOT", root, 1);
	let_fail(PLATFORM_IDS, 0, CL_SUCCESS);
	ck_assert_int_eq(pstk_device_find("cpu", &info, reason, sizeof reason), -ENODEV);
	TEST_SAYS(reason, "no OpenCL device: install a driver");
}
END_TEST

static void hang(void)
{
	for (;;)
		pause();
}

static void live(void)
{
}

static void leave(void)
{
	exit(0);
}

/* One that says nothing is not taken for one that ends the program. */
START_TEST(a_child_that_hangs)
{
	ps_cl_probe_ms = 50;
	ck_assert(ps_cl_probe(hang));
	check_no_child();
	ps_cl_probe_ms = 60000;
	ck_assert(ps_cl_probe(live));
	ck_assert(!ps_cl_probe(abort));
	ck_assert(!ps_cl_probe(leave)); /* as LLVM does */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_probe");
	TCase *tcase = test_case(suite, "cl_probe");

	cl_machine();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, without_sys);
	tcase_add_test(tcase, an_empty_cache_dir);
	tcase_add_loop_test(tcase, children_of_the_program, 0, 2);
	tcase_add_test(tcase, threads);
	tcase_add_test(tcase, a_driver_that_lives);
	tcase_add_test(tcase, a_child_that_hangs);
	return test_main(suite);
}
