/* SPDX-License-Identifier: MIT */
/* Motion detection by the library. */
#ifndef PENSTOCK_BENCHMARKS_MOTION_NETWORK_H
#define PENSTOCK_BENCHMARKS_MOTION_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct motion_way {
	unsigned team; /* threads; 0: one for each actor */
	uint32_t rate, depth;
	bool fixed; /* each actor's thread on one core */
};

/* For tables of rounds.h; arg: a way. items: a multiple of its rate. */
uint64_t motion_run_network(const void *arg, uint64_t items);

#endif
