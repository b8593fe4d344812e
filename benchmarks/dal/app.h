/* SPDX-License-Identifier: MIT */
/* What the two applications share: the ways to run them as variants of a table, their memory. */
#ifndef PENSTOCK_BENCHMARKS_DAL_APP_H
#define PENSTOCK_BENCHMARKS_DAL_APP_H

#include "benchmarks/dal/files.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/dal/runner.h"

/* Behind the last option. */
#define APP_ABOUT                                                                                            \
	"\n"                                                                                                 \
	"The application as DAL processes. baseline_*: by our own runtime that does what is known of "       \
	"DAL's, "                                                                                            \
	"\"paper's\n"                                                                                        \
	"settings\" with one thing changed where more is said, or \"best effort\"; penstock_*: the same by " \
	"the\n"                                                                                              \
	"library. r or block: frames of a window, or samples; capacity: so many of them a channel holds.\n"

/* The argument of a variant that a runner runs. */
struct app_way {
	struct predistortion_way
		plain; /* for what predistortion's tables expect: its block is the way's size */
	const struct runner_way *way;
	struct rounds_cost cost; /* the last run's */
	size_t bytes;            /* of its channels */
};

/* For rounds_run(). */
typedef uint64_t (*app_run)(const void *arg, uint64_t items);

/* Adds the runner's ways, which `run` runs, each with its struct app_way; word: what its size is ("r"). */
void app_add(struct rounds_table *, enum runner_app, app_run run, const char *word);

/* The variants that `run` runs can't run here. */
void app_absent(struct rounds_table *, app_run run, const char *why);

/* Runs the table; or, memory: runs each of the variants that `run` runs once, and prints the bytes of its
 * channels. */
void app_table(const struct rounds_options *, struct rounds_table *, app_run run, bool memory);

/* Runs it with these files, which are removed; mapping NULL: without one. */
void app_run_files(struct app_way *, const struct pstk_dal_process *, unsigned count,
	const char network[FILES_PATH], const char *mapping);

/* A copy of a mapping to the cores, which has variables CORE_0 to CORE_3. */
void app_map_cores(char path[FILES_PATH], const char *name);

#endif
