/* SPDX-License-Identifier: MIT */
/* Error: why a call, or a message, has failed. */
#include "mpi/mpi.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PSTK_PRINTF(2, 0)
static void say(struct ps_mpi *m, const char *format, va_list ap)
{
	vsnprintf(m->error, sizeof m->error, format, ap);
}

int ps_mpi_refuse(struct ps_mpi *m, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(m, format, ap);
	va_end(ap);
	return err;
}

void ps_mpi_words(int code, char words[static MPI_MAX_ERROR_STRING + 1])
{
	char *stack;
	int length = 0, begun = 0;

	/* before MPI has begun, Open MPI ends a program that asks for words */
	MPI_Initialized(&begun);
	if (!begun || MPI_Error_string(code, words, &length))
		snprintf(words, MPI_MAX_ERROR_STRING, "MPI's error %d", code);
	/* MPICH tells its call stack behind it */
	words[strcspn(words, "\n")] = 0;
	stack = strstr(words, ", error stack:");
	if (stack)
		*stack = 0;
}

int ps_mpi_errno(int code)
{
	int kind = MPI_ERR_OTHER;

	MPI_Error_class(code, &kind);
	return kind == MPI_ERR_TRUNCATE ? -EMSGSIZE : kind == MPI_ERR_NO_MEM ? -ENOMEM : -EIO;
}

int ps_mpi_failed(struct ps_mpi *m, int code, const char *format, ...)
{
	char words[MPI_MAX_ERROR_STRING + 1];
	size_t length;
	va_list ap;

	va_start(ap, format);
	say(m, format, ap);
	va_end(ap);
	length = strlen(m->error);
	ps_mpi_words(code, words);
	snprintf(m->error + length, sizeof m->error - length, ": %s", words);
	return ps_mpi_errno(code);
}
