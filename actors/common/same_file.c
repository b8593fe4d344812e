/* SPDX-License-Identifier: MIT */
#include "actors/common/same_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ps_file_is_there(const char *name, int standard, struct stat *status)
{
	return !(strcmp(name, "-") ? stat(name, status) : fstat(standard, status));
}

/* The real folder of a name, NULL when there is none; *last: the name in it. The caller frees it. */
static char *folder_of(const char *name, const char **last)
{
	const char *slash = strrchr(name, '/');
	char *part = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
	char *folder = part ? realpath(part, NULL) : NULL;

	*last = slash ? slash + 1 : name;
	free(part);
	return folder;
}

/* Where a link that leads to nothing would lead, at the end of all links; any other name itself. The caller frees
 * it. */
static char *end_of_links(const char *name)
{
	enum { MOST_LINKS = 40 };
	char *at = strdup(name), target[PATH_MAX];

	for (int links = 0; at && links < MOST_LINKS; links++) {
		ssize_t length = readlink(at, target, sizeof target - 1);
		const char *slash = strrchr(at, '/');
		char *next = NULL;

		if (length < 0)
			break;
		target[length] = 0;
		if (asprintf(&next, "%.*s%s", *target == '/' || !slash ? 0 : (int)(slash + 1 - at), at,
			    target) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	return at;
}

/* Of a file that is yet to be: its place, at the end of all links. */
static char *key_of_place(const char *name)
{
	const char *last;
	char *end = end_of_links(name), *folder = end ? folder_of(end, &last) : NULL, *key = NULL;

	if (folder && asprintf(&key, "%s/%s", folder, last) < 0)
		key = NULL;
	free(folder);
	free(end);
	return key;
}

char *ps_file_key(const char *name, int standard)
{
	struct stat status;
	bool is_there = ps_file_is_there(name, standard, &status);
	char *key = NULL;
	int length = 0;

	if (is_there && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)))
		length = asprintf(&key, "%ju %ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	else if (!strcmp(name, "-"))
		length = asprintf(&key, "-%d", standard);
	else if (!is_there)
		key = key_of_place(name);
	return length < 0 ? NULL : key;
}

bool ps_same_file(const char *a, int standard_a, const char *b, int standard_b)
{
	char *key_a = ps_file_key(a, standard_a), *key_b = ps_file_key(b, standard_b);
	bool same = key_a && key_b && !strcmp(key_a, key_b);

	free(key_a);
	free(key_b);
	return same;
}
