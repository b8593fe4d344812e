/* SPDX-License-Identifier: MIT */
#define main granulometry_main
int main(int argc, char **argv);
#include "apps/granulometry/granulometry.c"
#undef main

#include "apps/granulometry/check_run.h"
#include "actors/common/check_files.h"

#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned sieve_fail_allocation;
bool sieve_allocation_failed;

int sieve_run(char *err, size_t size, const char *const *arguments)
{
	char *argv[32] = { (char *)"granulometry" };
	int argc = 1, file = memfd_create("stderr", MFD_CLOEXEC), keep = dup(STDERR_FILENO), status;
	ssize_t got;

	for (; arguments[argc - 1]; argc++) {
		ck_assert_int_lt(argc, 30);
		argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
	}
	ck_assert_int_eq(dup2(file, STDERR_FILENO), STDERR_FILENO);
	optind = 0; /* getopt starts again */
	test_fail_allocation(sieve_fail_allocation);
	status = granulometry_main(argc, argv);
	sieve_allocation_failed = test_allocation_failed();
	test_fail_allocation(0);
	ck_assert_int_eq(dup2(keep, STDERR_FILENO), STDERR_FILENO);
	got = pread(file, err, size - 1, 0);
	ck_assert_int_ge(got, 0);
	err[got] = '\0';
	close(keep);
	close(file);
	return status;
}

void sieve_must(const char *const *arguments)
{
	static char err[10000];
	int status;

	test_guard("the program", test_seed());
	status = sieve_run(err, sizeof err, arguments);
	for (int i = 0; status && arguments[i]; i++)
		fprintf(stderr, "%s ", arguments[i]);
	ck_assert_msg(status == 0, "status %d: %s", status, err);
}
