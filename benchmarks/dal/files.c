/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/files.h"

#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MOST = 65536, WORD = 96 };

static void read_file(char text[FILE_MOST], const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		rounds_fail("%s: %s", path, strerror(errno));
	n = fread(text, 1, FILE_MOST, file);
	if (n == FILE_MOST || ferror(file))
		rounds_fail("%s: it can't be read, or has more than %d bytes", path, FILE_MOST - 1);
	text[n] = '\0';
	fclose(file);
}

/* Puts another value into <variable name=".." value="..">. */
static void set(char text[FILE_MOST], const char *path, const struct files_value *v)
{
	char head[WORD], number[16], *at, *end;
	size_t left, digits = (size_t)snprintf(number, sizeof number, "%" PRIu32, v->value);

	snprintf(head, sizeof head, "<variable name=\"%s\" value=\"", v->name);
	at = strstr(text, head);
	end = at ? strchr(at + strlen(head), '"') : NULL;
	if (!end)
		rounds_fail("%s: there is no variable '%s' in it", path, v->name);
	at += strlen(head);
	left = strlen(end) + 1;
	if ((size_t)(at - text) + digits + left > FILE_MOST)
		rounds_fail("%s: more than %d bytes", path, FILE_MOST - 1);
	memmove(at + digits, end, left);
	memcpy(at, number, digits);
}

void files_copy(char path[FILES_PATH], const char *name, const struct files_value *values, size_t count)
{
	static char text[FILE_MOST];
	const char *folder = getenv("TMPDIR");
	char from[FILES_PATH * 4];
	FILE *file;
	int fd;

	snprintf(from, sizeof from, "%s/%s", DAL_FILES, name);
	read_file(text, from);
	for (const struct files_value *v = values; v < values + count; v++)
		set(text, from, v);
	if (snprintf(path, FILES_PATH, "%s/penstock-dal-XXXXXX", folder && *folder ? folder : "/tmp") >=
		FILES_PATH)
		rounds_fail("TMPDIR is longer than %d bytes", FILES_PATH - 1);
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		rounds_fail("%s: %s", path, strerror(errno));
	fputs(text, file);
	if (fclose(file)) {
		unlink(path);
		rounds_fail("%s: %s", path, strerror(errno));
	}
}

void files_remove(const char *path)
{
	if (path)
		unlink(path);
}

void files_cores(uint32_t *cores, size_t count)
{
	uint32_t allowed[CPU_SETSIZE] = { 0 };
	size_t n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		rounds_fail("sched_getaffinity: %s", strerror(errno));
	for (uint32_t core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &set))
			allowed[n++] = core;
	if (n > count)
		n = count;
	for (size_t i = 0; i < count; i++)
		cores[i] = allowed[i * n / count];
}
