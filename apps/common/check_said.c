/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/check_said.h"

#include <check.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

char said_out[8192], said_err[8192];

static const int streams[2] = { STDOUT_FILENO, STDERR_FILENO };
static int keep[2], files[2];

void said_start(void)
{
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		files[i] = memfd_create("said", MFD_CLOEXEC);
		keep[i] = dup(streams[i]);
		ck_assert_int_ge(keep[i], 0);
		ck_assert_int_eq(dup2(files[i], streams[i]), streams[i]);
	}
}

void said_stop(void)
{
	char *texts[2] = { said_out, said_err };

	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		ssize_t size = pread(files[i], texts[i], sizeof(said_out) - 1, 0);

		ck_assert_int_eq(dup2(keep[i], streams[i]), streams[i]);
		close(keep[i]);
		close(files[i]);
		ck_assert_int_ge(size, 0);
		texts[i][size] = '\0';
	}
}
