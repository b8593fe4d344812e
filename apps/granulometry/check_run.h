/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef GRANULOMETRY_CHECK_RUN_H
#define GRANULOMETRY_CHECK_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs main(); what it says on stderr, and its exit status. Allocation `sieve_fail_allocation` of it fails; 0: none. */
extern unsigned sieve_fail_allocation;
extern bool sieve_allocation_failed;
int sieve_run(char *err, size_t size, const char *const *arguments);
#define SIEVE_RUN(err, ...) sieve_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

/* It must succeed. */
void sieve_must(const char *const *arguments);
#define SIEVE(...) sieve_must((const char *const[]){ __VA_ARGS__, NULL })

#endif
