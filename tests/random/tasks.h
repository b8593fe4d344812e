/* SPDX-License-Identifier: MIT */
/*
 * Networks of tasks (actors/task) on a machine of a host and one to three devices of the fake driver: places, times
 * and modes for a graph of net.h. How often each task fires is what the oracle says of that graph.
 */
#ifndef PENSTOCK_TESTS_TASKS_H
#define PENSTOCK_TESTS_TASKS_H

#include "tests/random/net.h"

#include "penstock/actors.h"
#include "penstock/plan.h"

enum { TASKS_DEVICES = 3, TASKS_HOST = TASKS_DEVICES };

struct tasks_net {
	struct net net;
	unsigned devices, cores;
	double rate, latency; /* of transfers, bytes/s and s: the driver's and the machine's */
	bool half;
	bool no_overlap, no_merge; /* the plan */
	struct {
		unsigned place; /* a device, or TASKS_HOST */
		enum pstk_task_mode mode;
		uint64_t ns; /* of a firing */
	} actors[NET_ACTORS];
	uint32_t depths[NET_FIFOS]; /* 0: as planned */
};

/* What the runs of many networks came to. */
struct tasks_totals {
	uint64_t networks, actors, on_devices, firings, exact, hops, compared;
	uint64_t outputs, broadcasts; /* whose bytes were compared; of several readers */
	uint64_t on_host, merged;     /* memories on the cores, likewise; of several outputs */
};

/* From a seed; false: this seed makes none. Sources fire at most so often. */
bool tasks_make(struct tasks_net *, uint64_t seed, unsigned firings);

/* The driver's settings for it. */
void tasks_settings(const struct tasks_net *, char *text, size_t size);

/* For its period: only devices and links take time, milliseconds of it, and each source fires so often. */
void tasks_slow_down(struct tasks_net *, unsigned firings);

/* A short way and a long one, which meet: s -> x0 -> x1 -> j and s -> j, the xs on a device each
 * (tests/data/pacco-reconvergent.json). Without its slack the short way's FIFO has two windows. */
void tasks_reconvergent(struct tasks_net *, bool slack, unsigned firings);

/* Seconds that a run takes, from when it has started; *simulated: those of an iteration, as the plan has it, with the
 * depths that are given. NULL, or what is wrong. */
const char *tasks_time(const struct tasks_net *, double *seconds, double *simulated);

/* Plans, runs and compares it. NULL, or what is wrong, until the next call. */
const char *tasks_run(const struct tasks_net *, struct tasks_totals *);

#endif
