/* SPDX-License-Identifier: MIT */
/*
 * What the suites of task share: a network of tasks with a join behind two ways, a broadcast, a loop, delays.
 *
 *	source.out1 -> spoil -> middle.in1   2 tokens of 13 bytes, `delay` initial ones
 *	source.out2 -> middle.in2            1 token of 8 bytes, half as many initial ones
 *	middle.out1 -> sink.in1, sink.in2    3 tokens of 24 bytes
 *	sink.out1 -> sink.in3                1 token of 9 bytes, 1 initial one
 */
#ifndef PENSTOCK_ACTORS_CHECK_TASKS_H
#define PENSTOCK_ACTORS_CHECK_TASKS_H

#include "penstock/actors.h"
#include "tests/common/common.h"

enum { TASKS_FIRINGS = 40, TASKS_SIZE = 13 };

struct tasks {
	enum pstk_task_mode mode;
	double time;
	uint64_t count; /* of the source; 0: TASKS_FIRINGS */
	uint32_t delay;
	const void *initial;      /* tokens of middle.in1 */
	const char *device;       /* of middle, or moving_device(); NULL: cores */
	bool all;                 /* .. and of sink */
	unsigned threads;         /* as pstk_network_set_threads() */
	uint64_t token, value;    /* spoil writes this number into that token; value 0: it changes nothing */
	size_t size;              /* of the loop's tokens; 0: 9 */
	char error[512];          /* what the network said */
	uint64_t firings[3];      /* of source, middle, sink */
	uint64_t fire_ns, run_ns; /* of middle; of the whole run */
};

/* What the network returned, and the rest of *t. */
int tasks_run(struct tasks *t);

#endif
