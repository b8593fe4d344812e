/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 2 };

static char folder[] = "/tmp/penstock-fuzz-XXXXXX", paths[FILES][80];

static void remove_files(void)
{
	for (unsigned i = 0; i < FILES; i++)
		if (*paths[i])
			unlink(paths[i]);
	rmdir(folder);
}

static char *path_of(const char *name)
{
	unsigned i = 0;

	if (!*paths[0] && (!mkdtemp(folder) || atexit(remove_files)))
		abort();
	while (i + 1 < FILES && *paths[i] && strcmp(paths[i] + sizeof folder, name) != 0)
		i++;
	snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
	return paths[i];
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
	const char *path = path_of(name);
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
	return path;
}
