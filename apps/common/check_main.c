/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/check_main.h"
#include "actors/common/check_files.h"
#include "tests/common/common.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Puts a file in memory in a stream's place; *keep is the stream. */
static int redirect(int stream, int *keep)
{
	int file = memfd_create("stream", MFD_CLOEXEC);

	ck_assert_int_ge(file, 0);
	*keep = dup(stream);
	ck_assert_int_eq(dup2(file, stream), stream);
	return file;
}

static void restore(int stream, int keep, int file, char *text, size_t size)
{
	off_t end = lseek(file, 0, SEEK_END), from = end < (off_t)size ? 0 : end - (off_t)size + 1;
	ssize_t n = text ? pread(file, text, size - 1, from) : 0;

	ck_assert_int_eq(dup2(keep, stream), stream);
	close(keep);
	close(file);
	ck_assert_int_ge(n, 0);
	if (text)
		text[n] = '\0';
}

unsigned main_fail_allocation;
bool main_allocation_failed;

int main_run(
	const struct main_program *program, const char *const *arguments, char *out, char *err, size_t size)
{
	char *argv[64] = { (char *)(uintptr_t)program->name };
	int argc = 1, keep[2], files[2], status;

	for (; arguments[argc - 1]; argc++) {
		ck_assert_int_lt(argc, 62);
		argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
	}
	fflush(stdout);
	files[0] = redirect(STDOUT_FILENO, &keep[0]);
	files[1] = redirect(STDERR_FILENO, &keep[1]);
	optind = 0; /* getopt starts again */
	/* the test's own allocations don't count */
	test_fail_allocation(main_fail_allocation);
	status = program->main(argc, argv);
	main_allocation_failed = test_allocation_failed();
	test_fail_allocation(0);
	fflush(stdout);
	restore(STDERR_FILENO, keep[1], files[1], err, size);
	restore(STDOUT_FILENO, keep[0], files[0], out, size);
	return status;
}

/* A network's table says "memory" too. */
bool main_says_memory(const char *err)
{
	return strstr(err, "ut of memory") || strstr(err, "no memory") || strstr(err, "allocate memory");
}

/* As many as there are. */
static unsigned remove_all(const char *const *files)
{
	unsigned count = 0;

	for (; files[count]; count++)
		remove(files[count]);
	return count;
}

void main_each_allocation_fails(const struct main_program *program, const char *const *arguments,
	const struct main_outputs *outputs, unsigned least)
{
	const unsigned before = files_count();
	unsigned n = 0, failed = 0;
	char err[2000];

	do {
		int status;

		test_guard(program->name, ++n);
		main_fail_allocation = n;
		status = main_run(program, arguments, NULL, err, sizeof err);
		main_fail_allocation = 0;
		if (!status) { /* some it can do without: a buffer of stdio's, say */
			unsigned there = files_count();

			ck_assert_uint_eq(there, before + remove_all(outputs->files));
			continue;
		}
		failed++;
		if (outputs->first_may_stay)
			remove(outputs->files[0]);
		ck_assert_msg(status == 1 || status == 2, "allocation %u: status %d: %s", n, status, err);
		ck_assert_msg(files_count() == before, "allocation %u: a file is left: %s", n, err);
		ck_assert_msg(main_says_memory(err), "allocation %u: %s", n, err);
	} while (main_allocation_failed);
	printf("%s: %u allocations failed\n", program->name, failed);
	ck_assert_uint_gt(failed, least);
}
