/* SPDX-License-Identifier: MIT */
/*
 * The rules R1 (clocks) and R2 (cycles) for networks of the tests, written plainly and apart from the
 * library: what the library's analyser says is compared with them.
 */
#ifndef PENSTOCK_TESTS_DYNAMIC_RULES_H
#define PENSTOCK_TESTS_DYNAMIC_RULES_H

#include "tests/random/dynamic_net.h"

enum dyn_rule { DYN_PROVEN, DYN_CLOCKS, DYN_CYCLES };

struct dyn_verdict {
	enum dyn_rule rule;
	uint32_t vector[DYN_GROUPS]; /* DYN_CYCLES: the values for which a cycle without delay is on */
	/* DYN_CLOCKS: FIFOs whose ends have different clocks (others might be blamed as well), and whether
	 * each of them joins parts of the network that nothing else joins: then one stream only waits for
	 * another */
	bool clash[DYN_FIFOS], apart;
	/* refused for FIFOs alone that move no window, whatever the values are */
	bool idle;
	/* DYN_PROVEN, DYN_CYCLES: the clock of each actor, named by one of its actors .. */
	unsigned clock[DYN_ACTORS];
	/* .. and, by that actor: when it ticks. group DYN_GROUPS: always */
	struct {
		unsigned group;
		uint32_t on;
	} when[DYN_ACTORS];
};

void dyn_judge(const struct dyn_net *net, struct dyn_verdict *verdict);

/* Is it a static actor whose clock depends on no control values? */
bool dyn_is_free(const struct dyn_net *net, const struct dyn_verdict *verdict, unsigned actor);

/* Of a proven network: how often an actor fires while the clocks that depend on nothing tick `ticks`
 * times. */
uint64_t dyn_ticks(const struct dyn_net *net, const struct dyn_verdict *verdict,
	const struct dyn_sequences *s, unsigned actor, uint64_t ticks);

#endif
