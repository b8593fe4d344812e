/* SPDX-License-Identifier: MIT */
/*
 * Runner: one of the two runtimes behind <dal.h>, libpenstock-dal or the baseline, and in which ways it shall
 * run an application. A program is an application, the same objects for both, with one of them.
 */
#ifndef PENSTOCK_BENCHMARKS_DAL_RUNNER_H
#define PENSTOCK_BENCHMARKS_DAL_RUNNER_H

#include "benchmarks/common/rounds.h"

#include <penstock/dal_network.h>

enum runner_app { RUNNER_MOTION, RUNNER_MOTION_DEVICE, RUNNER_PREDISTORTION, RUNNER_APPS };

struct runner_way {
	const char *name;   /* "DAL, paper's settings" */
	const char *change; /* what differs from that; NULL: nothing */
	uint32_t size;      /* frames of a window, or samples of a block */
	uint32_t capacity;  /* windows or blocks that a channel holds */
	bool mapped;        /* cores as in the mapping; on a device it is always given */
	unsigned how;       /* the runner's own */
};

extern const enum rounds_role runner_role;

/* The ways to run each application. */
struct runner_ways {
	const struct runner_way *ways;
	unsigned count;
};
#define RUNNER_WAYS(array)                             \
	{                                              \
		array, sizeof(array) / sizeof *(array) \
	}
extern const struct runner_ways runner_ways[RUNNER_APPS];

/* The files and processes of an application. */
struct runner_job {
	const char *network, *mapping; /* removed as soon as they have been read; mapping NULL: none */
	const struct pstk_dal_process *processes;
	unsigned count;
};

/* Builds it and runs it to its end; cost: of both, as others' networks count. The bytes of its channels.
 * Ends the program with status 1 after an error. */
size_t runner_run(const struct runner_way *, const struct runner_job *, struct rounds_cost *cost);

#endif
