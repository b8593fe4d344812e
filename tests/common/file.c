/* SPDX-License-Identifier: MIT */
#include "tests/common/file.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 16 };

static char folder[64];
static char paths[FILES][128];

const char *test_file(const char *name, const char *text)
{
	unsigned i = 0;
	FILE *f;

	if (!folder[0]) {
		snprintf(folder, sizeof folder, "%s/penstock-test-XXXXXX",
			access("/tmp", W_OK) ? "." : "/tmp");
		ck_assert_ptr_nonnull(mkdtemp(folder));
	}
	while (i < FILES && paths[i][0] && strcmp(paths[i] + strlen(folder) + 1, name) != 0)
		i++;
	ck_assert_uint_lt(i, FILES);
	snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
	f = fopen(paths[i], "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	return paths[i];
}

void test_files_remove(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		if (paths[i][0])
			remove(paths[i]);
		paths[i][0] = '\0';
	}
	if (folder[0])
		ck_assert_int_eq(rmdir(folder), 0);
	folder[0] = '\0';
}
