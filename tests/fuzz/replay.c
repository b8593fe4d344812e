/* SPDX-License-Identifier: MIT */
/* main() of a target without libFuzzer: feeds it with each file of the folders that are named. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void replay(const char *path)
{
	static unsigned char data[1 << 20];
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(data, 1, sizeof data, file) : 0;
	unsigned char *exact = malloc(size + !size); /* a sanitizer sees its end */

	if (!file || !exact) {
		fprintf(stderr, "%s: it can't be read\n", path);
		exit(1);
	}
	fclose(file);
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static unsigned replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;
	char path[4096];

	for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		replay(path);
		count++;
	}
	if (dir)
		closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	unsigned count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%u files\n", count);
	return !count;
}
