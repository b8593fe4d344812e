/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks of devices share: columns, some by hand and some by the library, that run in turn,
 * round after round, each beginning with another one. The limit is the hand-written one (of those that -k
 * has chosen) with the highest median; each of the others is compared with it in the same round. Before and
 * after each run the state of the cores is probed (probe.h), and the states are reported apart: a run
 * counts for near or far only if it was so before and after.
 *
 * A run is timed by itself, from its first firing to its last: what a start takes (kernels are built)
 * doesn't count.
 */
#ifndef PENSTOCK_BENCHMARKS_DEVICE_BENCH_H
#define PENSTOCK_BENCHMARKS_DEVICE_BENCH_H

#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"

#include <stdbool.h>
#include <stdint.h>

enum { DEVICE_BENCH_LIST = 8, DEVICE_BENCH_ROUNDS = 101, DEVICE_BENCH_COLUMNS = 64 };

/* Frames of a run of motion detection: a multiple of this, and of each one's ring of frames, twice around at least:
 * then the first frame has one before it. So many, because a pipeline of windows of 32 holds hundreds. */
enum { MOTION_DEVICE_LEAST = 1024 };

struct device_list {
	unsigned values[DEVICE_BENCH_LIST], count;
};

/* Numbers with commas (number.h). */
bool device_list_parse(struct device_list *, const char *text, unsigned least, unsigned most);

/* What a run has cost. */
struct device_cost {
	double rate;      /* items a second */
	double cpu_us;    /* of all cores for an item: tells on a busy machine, too */
	double sleeps;    /* times that a thread went to sleep, an item */
	double firing_us; /* what a firing of a device actor took its thread; 0: by hand */
};

/* A moment: filled by device_now(), and what came between two of them, for so many items. */
struct device_moment {
	double seconds, cpu_us, sleeps;
};
struct device_moment device_now(void);
struct device_cost device_cost_between(
	const struct device_moment *begin, const struct device_moment *end, double items);
struct rounds_cost device_rounds_cost(const struct device_moment *begin, const struct device_moment *end);

struct device_column {
	char name[80];
	struct device_cost (*run)(const void *arg); /* ends the program if its output is wrong */
	const void *arg;                            /* borrowed */
	bool by_hand;

	struct device_cost costs[DEVICE_BENCH_ROUNDS];
	enum probe_state states[DEVICE_BENCH_ROUNDS];
};

/* Columns as variants of a table (rounds.h). A variant's name is what follows the last two spaces in the column's, and
 * the point. */
struct device_table {
	const struct rounds_options *options;
	const char *title, *unit;
	double scale;
	uint64_t least;
	uint64_t cost_items;               /* that a column's cpu_us and sleeps are of */
	void (*set_items)(uint64_t items); /* what a column's run() will run */
	const char *point;                 /* what is put behind the columns' names: "r 4" */
	const char *again[4]; /* an option and its value, one or two times: it has these columns only */
};

/* Runs and prints those that -k has chosen, so many rounds; or does a driver's part. Columns compare what comes out
 * themselves. */
void device_bench(const struct device_table *, struct device_column *, unsigned count, unsigned rounds);

/* Only asks -k for the columns' names: rounds_require_choice() can then end the program before it has done anything. */
void device_bench_name(const struct device_table *, const struct device_column *, unsigned count);

/* Tells a driver that there is no device. */
void device_bench_absent(const struct device_table *, const char *why);

#endif
