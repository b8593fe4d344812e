/* SPDX-License-Identifier: MIT */
#define main resample_main
int main(int argc, char **argv);
#include "apps/resample/resample.c"
#undef main

#include "apps/resample/check_run.h"
#include "actors/common/check_files.h"

#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned wav_fail_allocation;
bool wav_allocation_failed;

int wav_run(char *err, size_t size, const char *const *arguments)
{
	char *argv[32] = { (char *)"resample" };
	int argc = 1, file = memfd_create("stderr", MFD_CLOEXEC), keep = dup(STDERR_FILENO), status;
	ssize_t got;

	for (; arguments[argc - 1]; argc++) {
		ck_assert_int_lt(argc, 30);
		argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
	}
	ck_assert_int_eq(dup2(file, STDERR_FILENO), STDERR_FILENO);
	optind = 0; /* getopt starts again */
	test_fail_allocation(wav_fail_allocation);
	status = resample_main(argc, argv);
	wav_allocation_failed = test_allocation_failed();
	test_fail_allocation(0);
	ck_assert_int_eq(dup2(keep, STDERR_FILENO), STDERR_FILENO);
	got = pread(file, err, size - 1, 0);
	ck_assert_int_ge(got, 0);
	err[got] = '\0';
	close(keep);
	close(file);
	return status;
}
