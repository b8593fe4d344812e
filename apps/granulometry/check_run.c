/* SPDX-License-Identifier: MIT */
#define main granulometry_main
int main(int argc, char **argv);
#include "apps/granulometry/granulometry.c"
#undef main

#include "apps/granulometry/check_run.h"
#include "actors/common/check_files.h"

const struct main_program sieve_program = { "granulometry", granulometry_main };

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
