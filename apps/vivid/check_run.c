/* SPDX-License-Identifier: MIT */
#define main vivid_main
int main(int argc, char **argv);
#include "apps/vivid/vivid.c"
#undef main

#include "actors/common/check_files.h"
#include "apps/vivid/check_run.h"

const struct main_program vivid_program = { "vivid", vivid_main };

void vivid_must(const char *const *arguments)
{
	static char err[10000];
	int status;

	test_guard("the program", test_seed());
	status = vivid_run(err, sizeof err, arguments);
	for (int i = 0; status && arguments[i]; i++)
		fprintf(stderr, "%s ", arguments[i]);
	ck_assert_msg(status == 0, "status %d: %s", status, err);
}
