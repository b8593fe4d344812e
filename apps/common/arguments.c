/* SPDX-License-Identifier: MIT */
/* Command lines: long options with numbers in them, and what to say of wrong ones. */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/signals.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int arguments_parse(const struct arguments *arguments, int argc, char **argv)
{
	const char *called = arguments->called ? arguments->called : app_name;
	const char *letters = arguments->letters ? arguments->letters : "";
	int status = -1, option;

	/* getopt's messages begin with it; it writes nothing there */
	if (argc > 0)
		argv[0] = (char *)(uintptr_t)called;
	while (status == -1 && (option = getopt_long(argc, argv, letters, arguments->table, NULL)) != -1) {
		/* getopt has said what is wrong with an unknown one */
		status = option == '?' ? EXIT_USAGE : arguments->take(arguments->data, option, optarg);
	}
	while (status == -1 && arguments->operand && optind < argc)
		status = arguments->operand(arguments->data, argv[optind++]);
	if (status == -1 && optind < argc)
		status = app_fail(EXIT_USAGE, "unexpected argument '%s'%s", argv[optind],
			arguments->input && !*arguments->input ? ": is --input meant?" : "");
	if (status == -1)
		status = arguments->settle(arguments->data);
	if (status == EXIT_USAGE)
		fprintf(stderr, "Try '%s --help'.\n", called);
	return status;
}

const char *arguments_number(const char *text, char end, uint64_t low, uint64_t high, uint64_t *value)
{
	char *after;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoull(text, &after, 10);
	return errno || *after != end || *value < low || *value > high ? NULL : after;
}

int arguments_wrong(const char *option, const char *text, const char *wanted)
{
	return app_fail(EXIT_USAGE, "--%s: '%s' is not %s", option, text, wanted);
}

int arguments_uint32(const char *option, const char *text, uint32_t low, uint32_t high, uint32_t *value)
{
	char wanted[64];
	uint64_t wide;

	if (arguments_number(text, '\0', low, high, &wide)) {
		*value = (uint32_t)wide;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "a number from %" PRIu32 " to %" PRIu32, low, high);
	return arguments_wrong(option, text, wanted);
}

int arguments_count(const char *option, const char *text, uint64_t *value)
{
	bool right = arguments_number(text, '\0', 1, UINT64_MAX, value);

	return right ? 0 : arguments_wrong(option, text, "a number from 1");
}

int arguments_size(const char *option, const char *text, uint32_t *width, uint32_t *height)
{
	uint64_t w, h;
	const char *x = arguments_number(text, 'x', 1, UINT32_MAX, &w);

	if (!x || !arguments_number(x + 1, '\0', 1, UINT32_MAX, &h))
		return arguments_wrong(option, text, "a size such as 320x240");
	*width = (uint32_t)w;
	*height = (uint32_t)h;
	return 0;
}

int arguments_cut(const char *text, char **copy, const char **parts, unsigned room, unsigned *count)
{
	unsigned n = 0;

	*count = 0;
	free(*copy);
	*copy = strdup(text);
	if (!*copy)
		return app_out_of_memory();
	for (char *at = *copy, *comma; at; at = comma) {
		comma = strchr(at, ',');
		if (comma)
			*comma++ = '\0';
		if (!*at || n == room)
			return 0;
		parts[n++] = at;
	}
	*count = n;
	return 0;
}

int arguments_stdout_failed(void)
{
	int err = errno;
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	/* no process reads it any more, as in "| head": silent, as other tools are */
	if (poll(&out, 1, 0) == 1 && out.revents & POLLERR)
		signals_end_of_pipe();
	return app_fail(EXIT_FAILED, "stdout: %s", strerror(err));
}

int arguments_print(const char *text)
{
	return fputs(text, stdout) >= 0 && !fflush(stdout) ? EXIT_DONE : arguments_stdout_failed();
}
