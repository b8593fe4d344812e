/* SPDX-License-Identifier: MIT */
#include "actors/sigmf.h"

#include "actors/message.h"

#include <stdlib.h>
#include <string.h>

#define META ".sigmf-meta"
#define DATA ".sigmf-data"

_Static_assert(sizeof(META) == sizeof(DATA), "one ending takes the other's place");

bool ps_sigmf_named(const char *path)
{
	return ps_ends_with(path, META) || ps_ends_with(path, DATA);
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
