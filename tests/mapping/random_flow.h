/* SPDX-License-Identifier: MIT */
/* Random flows on random machines: 1 to 3 hosts, devices, delays, broadcasts, cycles; some have no plan. */
#ifndef PENSTOCK_TESTS_RANDOM_FLOW_H
#define PENSTOCK_TESTS_RANDOM_FLOW_H

#include "lib/mapping/flow.h"
#include "tests/common/common.h"

/* At most so many. */
enum { FLOW_ACTORS = 9, FLOW_OUTPUTS = 12, FLOW_READERS = 24, FLOW_BUFFERS = 120, FLOW_PLACES = 12 };

/* The caller destroys it. */
struct pstk_machine *flow_random_machine(struct test_rng *);

/* Initialises a flow, which ends with ps_flow_fini(). */
void flow_random(struct ps_flow *, const struct pstk_machine *, struct test_rng *);

#endif
