/* SPDX-License-Identifier: MIT */
#include "actors/common/same_file.h"

#include <limits.h>
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

static bool same_folder(const char *a, const char *b)
{
	const char *last_a, *last_b;
	char *folder_a = folder_of(a, &last_a), *folder_b = folder_of(b, &last_b);
	bool same = folder_a && folder_b && !strcmp(folder_a, folder_b) && !strcmp(last_a, last_b);

	free(folder_a);
	free(folder_b);
	return same;
}

/* Of two files that are yet to be. */
static bool same_place(const char *a, const char *b)
{
	char *end_a = end_of_links(a), *end_b = end_of_links(b);
	bool same = end_a && end_b && same_folder(end_a, end_b);

	free(end_a);
	free(end_b);
	return same;
}

bool ps_same_file(const char *a, int standard_a, const char *b, int standard_b)
{
	struct stat first, second;
	bool one_stream = standard_a == standard_b && !strcmp(a, "-") && !strcmp(b, "-");
	bool there_a = ps_file_is_there(a, standard_a, &first),
	     there_b = ps_file_is_there(b, standard_b, &second);

	if (one_stream)
		return true;
	if (there_a && there_b)
		return (S_ISREG(first.st_mode) || S_ISFIFO(first.st_mode)) && first.st_dev == second.st_dev &&
		       first.st_ino == second.st_ino;
	return !there_a && !there_b && same_place(a, b);
}
