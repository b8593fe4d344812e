/* SPDX-License-Identifier: MIT */
/* Runs a program inside of a test: a process for each run, and OpenCL's drivers in each, would take long. */
#ifndef COMMON_CHECK_MAIN_H
#define COMMON_CHECK_MAIN_H

#include <stdbool.h>
#include <stddef.h>

/* A program whose source the test includes, with another name for its main(). */
struct main_program {
	const char *name;
	int (*main)(int argc, char **argv);
};

/* Runs it. Arguments up to NULL. What it writes to stdout and stderr is kept up to its last size - 1 bytes (NULL: not
 * at all). Returns the exit status. */
int main_run(const struct main_program *, const char *const *arguments, char *out, char *err, size_t size);

/* The n-th allocation of the next runs fails, 0: none; has it, in the last one? */
extern unsigned main_fail_allocation;
extern bool main_allocation_failed;

/* Does it say that memory was missing? */
bool main_says_memory(const char *err);

/* What runs with each allocation failing once, in the test's folder. */
struct main_outputs {
	const char *const *files; /* that it writes, up to NULL: all of them, or none */
	bool first_may_stay;      /* it is whole before the others are begun */
};

/* The first allocation fails, the second .., until none is left: each of these runs says so and leaves no file, or does
 * without it. More than `least` of them say so. */
void main_each_allocation_fails(const struct main_program *, const char *const *arguments,
	const struct main_outputs *, unsigned least);

#endif
