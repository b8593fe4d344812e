/* SPDX-License-Identifier: MIT */
/* What all programs have in common: what they exit with, and how they say what is wrong. */
#include "config.h"

#include "apps/common/app.h"

#include <stdarg.h>
#include <stdio.h>

int app_fail(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", app_name);
	vfprintf(stderr, format, arguments);
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
