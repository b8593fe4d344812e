/* SPDX-License-Identifier: MIT */
/* What all staged programs say and leave behind when something is wrong: a test program of one of them describes a run
 * of it, and adds these tests to its own. */
#ifndef COMMON_CHECK_STAGED_PROGRAM_H
#define COMMON_CHECK_STAGED_PROGRAM_H

#include "apps/common/check_main.h"
#include "apps/common/check_program.h"

/* A file that staged_set_up() makes, and what reads it on the cores. */
#define STAGED_IN "--input", "in.y4m", "--device", "cores"

/* A run that succeeds in the test's folder. */
struct staged_run {
	const char *program;          /* its name */
	const char *const *arguments; /* up to NULL; the last one is of the option --input or --device */
	const char *output;           /* a file that it can write */
	unsigned files;               /* as many are in the folder */
};

/* Makes in.y4m: three frames of 24x24 pixels, which are alike and have a pattern. */
void staged_set_up(void);

/* Adds them. *run stays valid. program_find() comes before. */
void staged_add(TCase *, const struct staged_run *run);

/* main_each_allocation_fails() of a run, also with --stats where this build has it. The output is whole before the
 * figures are written. Arguments up to NULL; they don't name the output. */
void staged_each_allocation_fails(
	const struct main_program *, const char *const *arguments, const char *output);

#endif
