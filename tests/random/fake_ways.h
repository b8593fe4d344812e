/* SPDX-License-Identifier: MIT */
/*
 * The ways in which the fake driver's devices share memory with the host and with each other, for suites of random networks;
 * and what must be so when a network of them has ended.
 */
#ifndef PENSTOCK_TESTS_FAKE_WAYS_H
#define PENSTOCK_TESTS_FAKE_WAYS_H

#include "tests/fake_cl/fake_cl.h"

struct fake_way {
	const char *settings, *memory, *launch; /* of the driver; PENSTOCK_MEMORY, PENSTOCK_LAUNCH */
	const char *const *devices;
	unsigned device_count;
	bool local; /* the kernels have local memory, so they can't be wrapped */
};

enum { FAKE_WAYS = 12 };
extern const struct fake_way fake_ways[FAKE_WAYS];

/* Nothing runs, no object is left, no rule was broken. */
void fake_ways_check_left(const struct fake_cl *fake, const char *what, uint64_t seed);

#endif
