/* SPDX-License-Identifier: MIT */
/* The program's signal handlers outlive the use of a driver. */
#include "lib/opencl/cl_device.h"
#include "tests/common/child.h"
#include "tests/opencl/cl_wrap.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* -- signals
 * ------------------------------------------------------------------------------------------------------------ */

static const int taken[] = { SIGFPE, SIGSEGV, SIGBUS, SIGABRT, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 };
static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	handled = number;
}

static void on_info(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	handled = number + 100;
}

/* All that makes a driver install handlers. */
static void use_opencl(void)
{
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	struct pstk_device_info info;
	struct ps_cl_device *d;

	CHILD_NEEDS(pstk_devices(&info, 1) == 1);
	CHILD_NEEDS(pstk_device_find("cpu", &info, NULL, 0) == 0);
	CHILD_NEEDS(ps_cl_devices_get(&devices, "cpu", &d, &fault) == 0);
	CHILD_NEEDS(ps_cl_devices_get(&devices, "cpu/1of2", &d, &fault) == 0);
	CHILD_NEEDS(ps_cl_devices_open(&devices, &fault) == 0);
	ps_cl_devices_close(&devices);
}

static void body_handlers(void)
{
	for (unsigned i = 0; i < TEST_COUNT(taken); i++) {
		struct sigaction action = { .sa_flags = SA_RESTART };

		if (i % 2) {
			action.sa_flags |= SA_SIGINFO;
			action.sa_sigaction = on_info;
		} else {
			action.sa_handler = on_signal;
		}
		sigaddset(&action.sa_mask, SIGURG);
		CHILD_NEEDS(sigaction(taken[i], &action, NULL) == 0);
	}
	use_opencl();
	for (unsigned i = 0; i < TEST_COUNT(taken); i++) {
		struct sigaction now;

		CHILD_NEEDS(sigaction(taken[i], NULL, &now) == 0);
		CHILD_NEEDS((now.sa_flags & SA_RESTART) && sigismember(&now.sa_mask, SIGURG));
		if (taken[i] == SIGABRT) /* its handler may not return under all libraries */
			continue;
		raise(taken[i]);
		CHILD_NEEDS(handled == taken[i] + (i % 2 ? 100 : 0));
	}
}

START_TEST(handlers_of_the_program_stay)
{
	struct child child;

	child_start(&child, body_handlers);
	child_exits(&child, CHILD_FINE);
}
END_TEST

static unsigned which;
static volatile int zero;

static void no_core(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	for (unsigned i = 0; i < TEST_COUNT(taken); i++)
		signal(taken[i], SIG_DFL); /* a sanitizer has its own */
}

static void body_default(void)
{
	no_core();
	use_opencl();
	raise(taken[which]);
	_exit(CHILD_WRONG);
}

START_TEST(defaults_stay)
{
	for (which = 0; which < TEST_COUNT(taken); which++) {
		struct child child;
		int status;

		child_start(&child, body_default);
		status = child_status(&child);
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == taken[which],
			"signal %d: status 0x%x", taken[which], (unsigned)status);
	}
}
END_TEST

__attribute__((no_sanitize("undefined"))) static void body_division(void)
{
	no_core();
	use_opencl();
	zero = 5 / zero;
	_exit(CHILD_WRONG);
}

START_TEST(a_division_by_zero_kills)
{
	struct child child;
	int status;

	child_start(&child, body_division);
	status = child_status(&child);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE, "status 0x%x", (unsigned)status);
}
END_TEST

static void body_ignored(void)
{
	signal(SIGINT, SIG_IGN);
	use_opencl();
	raise(SIGINT);
	CHILD_NEEDS(signal(SIGINT, SIG_DFL) == SIG_IGN);
}

START_TEST(what_is_ignored_stays_ignored)
{
	struct child child;

	child_start(&child, body_ignored);
	child_exits(&child, CHILD_FINE);
}
END_TEST

static void body_stack(void)
{
	static char memory[16384]; /* too small for LLVM, which would bring its own */
	stack_t before = { .ss_sp = memory, .ss_size = sizeof memory }, none = { .ss_flags = SS_DISABLE },
		now;

	CHILD_NEEDS(sigaltstack(which ? &before : &none, NULL) == 0);
	use_opencl();
	CHILD_NEEDS(sigaltstack(&none, &now) == 0);
	CHILD_NEEDS(which ? now.ss_sp == memory && now.ss_size == sizeof memory : now.ss_flags == SS_DISABLE);
}

START_TEST(the_stack_for_handlers_stays)
{
	for (which = 0; which < 2; which++) {
		struct child child;

		child_start(&child, body_stack);
		child_exits(&child, CHILD_FINE);
	}
}
END_TEST

static void *looks(void *data)
{
	(void)data;
	for (unsigned i = 0; i < 20; i++) {
		struct pstk_device_info info;

		ck_assert_int_eq(pstk_devices(&info, 1), 1);
		ck_assert_int_eq(pstk_device_find("cpu", &info, NULL, 0), 0);
	}
	return NULL;
}

/* Threads that look at once don't take a driver's handlers for the program's. */
START_TEST(many_threads_look)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < TEST_COUNT(taken); i++)
		signal(taken[i], on_signal);
	for (unsigned i = 0; i < TEST_COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, looks, NULL), 0);
	for (unsigned i = 0; i < TEST_COUNT(threads); i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	for (unsigned i = 0; i < TEST_COUNT(taken); i++)
		ck_assert(signal(taken[i], SIG_DFL) == on_signal);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_signals");
	TCase *signals = test_case(suite, "signals");

	cl_machine();
	tcase_add_test(signals, handlers_of_the_program_stay);
	tcase_add_test(signals, defaults_stay);
	tcase_add_test(signals, a_division_by_zero_kills);
	tcase_add_test(signals, what_is_ignored_stays_ignored);
	tcase_add_test(signals, the_stack_for_handlers_stays);
	tcase_add_test(signals, many_threads_look);
	return test_main(suite);
}
