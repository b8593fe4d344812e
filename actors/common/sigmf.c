/* SPDX-License-Identifier: MIT */
#include "actors/common/sigmf.h"

#include "actors/common/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define META ".sigmf-meta"
#define DATA ".sigmf-data"

_Static_assert(sizeof(META) == sizeof(DATA), "one ending takes the other's place");

bool ps_sigmf_named(const char *path)
{
	return ps_ends_with(path, META) || ps_ends_with(path, DATA);
}

int ps_sigmf_check(const char *path)
{
	struct stat status;

	if (stat(path, &status) || S_ISREG(status.st_mode))
		return 0;
	return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
}

static char *with_ending(const char *path, const char *ending)
{
	char *name = strdup(path);

	if (name)
		memcpy(name + strlen(name) - strlen(ending), ending, strlen(ending));
	return name;
}

char *ps_sigmf_meta_path(const char *path)
{
	return with_ending(path, META);
}

char *ps_sigmf_data_path(const char *path)
{
	return with_ending(path, DATA);
}
