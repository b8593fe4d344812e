/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_MOST = 4, DIGITS_MOST = 99 };

/* Reads the digits of a conversion; returns what is behind them. */
static const char *read_digits(const char *at, int *digits)
{
	*digits = 0;
	for (; *at >= '0' && *at <= '9' && *digits <= DIGITS_MOST; at++)
		*digits = 10 * *digits + *at - '0';
	return at;
}

bool pattern_name(char to[PATH_MAX], const char *pattern, uint64_t number)
{
	size_t size = 0;
	bool found = false;

	for (; *pattern && size < PATH_MAX - 1; pattern++) {
		int digits;

		if (*pattern == '%')
			pattern = read_digits(pattern + 1, &digits);
		else
			digits = -1;
		if (digits < 0 || *pattern == '%') {
			to[size++] = *pattern;
		} else if (*pattern == 'd' && !found && digits <= DIGITS_MOST) {
			size += (size_t)snprintf(to + size, PATH_MAX - size, "%0*" PRIu64, digits, number);
			found = true;
		} else {
			return false;
		}
	}
	if (*pattern || size >= PATH_MAX)
		return false;
	to[size] = '\0';
	return found;
}

bool pattern_picture(char to[PATH_MAX], const char *input, uint64_t number)
{
	if (!access(input, F_OK))
		return false;
	for (uint64_t first = 0; first <= FIRST_MOST && pattern_name(to, input, first); first++)
		if (!access(to, F_OK))
			return pattern_name(to, input, first + number);
	return false;
}
