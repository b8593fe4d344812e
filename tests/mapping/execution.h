/* SPDX-License-Identifier: MIT */
/*
 * Execution of an outline with the identity of each window: which window of which buffer a slot of memory holds. Knows
 * of an outline what it says, and nothing of how it was computed.
 *
 * Buffers of one group share memory: window n of each is in slot n mod K, K the largest depth of the group. What fills
 * a slot spoils it from its beginning on; what reads a slot looks at it when it begins and when it ends.
 */
#ifndef PENSTOCK_TESTS_EXECUTION_H
#define PENSTOCK_TESTS_EXECUTION_H

#include "lib/mapping/outline.h"
#include "tests/common/common.h"

enum execution {
	EXECUTION_GOOD,
	EXECUTION_CORRUPT, /* a window was read that was another one, or none */
	EXECUTION_STUCK    /* it can't go on */
};

/*
 * In cycles, as PACCO's runtime: in each one every actor fires once, in the order of the schedule, and every hop moves
 * one window. With overlap a hop takes any part of a cycle; without it networks come first, then copies, then actors.
 * Only groups of several buffers are looked at. The outline's latencies are all known.
 */
enum execution execution_in_cycles(const struct ps_outline *, const unsigned *group, struct test_rng *);

/*
 * Self-timed: each actor and hop begins as soon as it can, in any order, and takes any time. Members of a group wait
 * for each other: write n for window n of the member before it, of the first member for window n - K of the last one.
 */
enum execution execution_self_timed(const struct ps_outline *, const unsigned *group, struct test_rng *);

/* Seconds an iteration, of the later half of so many, as lib/mapping/selftimed.h defines it but for the bound. */
double execution_period(const struct ps_outline *, const unsigned *group, uint32_t iterations);

#endif
