/* SPDX-License-Identifier: MIT */
/* What a network is run on: the cores alone, or with devices of a real or of the fake driver, in each way of
 * sharing memory. */
#ifndef PENSTOCK_TESTS_CARRIER_H
#define PENSTOCK_TESTS_CARRIER_H

#include "tests/random/run.h"

struct carrier {
	unsigned ways;
	/* For the whole process. The devices to choose from; false: there are none. */
	bool (*open)(unsigned way, const char *const **devices, unsigned *count);
	/* Before and after each network. ended: as the oracle says, with so many launches. NULL: nothing to do. */
	void (*begin)(unsigned way, const struct net *);
	const char *(*end)(unsigned way, bool ended, uint64_t launches);
	const char *(*name)(unsigned way);
};

extern const struct carrier carrier_cores; /* suite.c */
extern const struct carrier carrier_cl;    /* carrier_cl.c */
extern const struct carrier carrier_fake;  /* carrier_fake.c */
extern const struct carrier carrier_graph; /* carrier_graph.c */
extern const struct carrier carrier_parts; /* carrier_parts.c */
extern const struct carrier carrier_trace; /* carrier_trace.c */

#endif
