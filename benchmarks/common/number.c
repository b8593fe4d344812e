/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno && *value >= least && *value <= most;
}

bool number_unsigned(const char *text, unsigned least, unsigned most, unsigned *value)
{
	uint64_t whole;

	if (!number_whole(text, least, most, &whole))
		return false;
	*value = (unsigned)whole;
	return true;
}

bool number_real(const char *text, double least, double most, double *value)
{
	char *end;

	/* strtod() would take hexadecimal ones, too */
	if (!isdigit((unsigned char)text[*text == '.']) || strspn(text, "0123456789.e+-") != strlen(text))
		return false;
	*value = strtod(text, &end);
	return !*end && *value >= least && *value <= most;
}

/* The part of the text before the first `until`, if it fits; behind: what follows that. */
static bool split(const char *text, char until, char *part, size_t room, const char **behind)
{
	const char *at = strchr(text, until);
	size_t length = at ? (size_t)(at - text) : strlen(text);

	*behind = at ? at + 1 : NULL;
	return snprintf(part, room, "%.*s", (int)length, text) < (int)room;
}

bool number_size(const char *text, uint32_t most, uint32_t *width, uint32_t *height)
{
	const char *behind;
	char part[24];

	return split(text, 'x', part, sizeof part, &behind) && behind &&
	       number_unsigned(part, 1, most, width) && number_unsigned(behind, 1, most, height);
}

bool number_list(
	const char *text, unsigned least, unsigned most, unsigned *values, unsigned room, unsigned *count)
{
	char part[24];

	for (*count = 0; text; ++*count)
		if (*count == room || !split(text, ',', part, sizeof part, &text) ||
			!number_unsigned(part, least, most, &values[*count]))
			return false;
	return true;
}
