/* SPDX-License-Identifier: MIT */
/* What all programs have in common: what they exit with, and how they say what is wrong. */
#include "config.h"

#include "apps/common/app.h"
#include "lib/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t said = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

uint64_t app_said(void)
{
	return said;
}

static void note(const char *text)
{
	for (; *text; text++)
		said = (said ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
}

__attribute__((format(printf, 2, 0))) static void say(FILE *out, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0) {
		fputs("out of memory", out);
		return;
	}
	if (out == stderr)
		note(text);
	for (const char *c = text; *c; c++) {
		unsigned control = *c == '\n' || *c == '\t' ? 0 : ps_text_control(c);

		c += control > 1; /* its last byte is its number */
		if (control)
			fprintf(out, "\\x%02x", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	free(text);
}

void app_say(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(out, format, arguments);
	va_end(arguments);
}

int app_fail(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", app_name);
	say(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return status;
}

int app_out_of_memory(void)
{
	return app_fail(EXIT_FAILED, "out of memory");
}

bool app_say_problems(const struct pstk_network *network)
{
	const char *problem;

	for (unsigned i = 0; (problem = pstk_network_problem(network, i)); i++)
		app_fail(EXIT_FAILED, "%s", problem);
	return pstk_network_problem(network, 0);
}
