/* SPDX-License-Identifier: MIT */
/*
 * The rules R1 (clocks) and R2 (cycles) for networks of the tests, written plainly and apart from the
 * library: what the library's analyser says is compared with them.
 */
#ifndef PENSTOCK_TESTS_RULES_H
#define PENSTOCK_TESTS_RULES_H

#include "tests/random/net.h"

enum rules_rule { RULES_PROVEN, RULES_CLOCKS, RULES_CYCLES };

struct rules_verdict {
	enum rules_rule rule;
	uint32_t vector[NET_GROUPS]; /* RULES_CYCLES: the values for which a cycle without delay is on */
	/* RULES_CLOCKS: FIFOs whose ends have different clocks (others might be blamed as well), and whether
	 * each of them joins parts of the network that nothing else joins: then one stream only waits for
	 * another */
	bool clash[NET_FIFOS], apart;
	/* refused for FIFOs alone that move no window, whatever the values are */
	bool idle;
	/* RULES_PROVEN, RULES_CYCLES: the clock of each actor, named by one of its actors .. */
	unsigned clock[NET_ACTORS];
	/* .. and, by that actor: when it ticks. group NET_GROUPS: always */
	struct {
		unsigned group;
		uint32_t on;
	} when[NET_ACTORS];
};

void rules_judge(const struct net *net, struct rules_verdict *verdict);

/* Is it a static actor whose clock depends on no control values? */
bool rules_is_free(const struct net *net, const struct rules_verdict *verdict, unsigned actor);

/* Of a proven network: how often an actor fires while the clocks that depend on nothing tick `ticks`
 * times. */
uint64_t rules_ticks(const struct net *net, const struct rules_verdict *verdict,
	const struct net_sequences *s, unsigned actor, uint64_t ticks);

#endif
