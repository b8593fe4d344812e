/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef GRANULOMETRY_CHECK_RUN_H
#define GRANULOMETRY_CHECK_RUN_H

#include "apps/common/check_main.h"

extern const struct main_program sieve_program;

/* What it says on stderr, and its exit status. */
static inline int sieve_run(char *err, size_t size, const char *const *arguments)
{
	return main_run(&sieve_program, arguments, NULL, err, size);
}
#define SIEVE_RUN(err, ...) sieve_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

/* It must succeed. */
void sieve_must(const char *const *arguments);
#define SIEVE(...) sieve_must((const char *const[]){ __VA_ARGS__, NULL })

#endif
