/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/memory_limit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file with a number; "max", or none: no limit. */
static uint64_t read_limit(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[64] = "", *end;
	unsigned long long bytes;

	if (!file)
		return UINT64_MAX;
	if (!fgets(line, sizeof line, file))
		*line = '\0';
	fclose(file);
	errno = 0;
	bytes = strtoull(line, &end, 10);
	return end == line || errno ? UINT64_MAX : bytes;
}

/* The least of a group and those above it. In a container the group's path may be one of the host's, of which there is
 * only the topmost folder. */
static uint64_t least_of(const char *root, const char *mount, const char *group, const char *name)
{
	char path[PATH_MAX];
	size_t length = strlen(group);
	uint64_t least = UINT64_MAX;

	for (;;) {
		uint64_t one;

		while (length && group[length - 1] == '/')
			length--;
		if (snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%.*s/%s", root, mount, (int)length, group,
			    name) < (int)sizeof path) {
			one = read_limit(path);
			least = one < least ? one : least;
		}
		if (!length)
			return least;
		while (length && group[length - 1] != '/')
			length--;
	}
}

static int has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return 1;
	return 0;
}

/* A line "number:controllers:path"; of cgroups 2 there are no controllers. */
static uint64_t limit_of(const char *root, char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return UINT64_MAX;
	*path++ = '\0';
	controllers++;
	path[strcspn(path, "\n")] = '\0';
	if (!*controllers)
		return least_of(root, "", path, "memory.max");
	return has_word(controllers, "memory") ? least_of(root, "/memory", path, "memory.limit_in_bytes")
	                                       : UINT64_MAX;
}

uint64_t memory_limit(const char *root)
{
	char path[PATH_MAX], line[PATH_MAX + 128];
	uint64_t least = UINT64_MAX;
	FILE *file;

	if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
		return least;
	file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file)) {
		uint64_t one = limit_of(root, line);

		least = one < least ? one : least;
	}
	if (file)
		fclose(file);
	return least;
}
