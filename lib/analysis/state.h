/* SPDX-License-Identifier: MIT */
/*
 * State: what the parts of the analysis share. The question is: can a network deadlock, or grow?
 *
 * The analysis looks at rates, delays and what control() says for each declared value. It fires nothing and allocates
 * no FIFO. The rules and their proof: doc/internals/deadlock.md.
 *
 *	CONTROL  control() succeeds for every declared value, and the members of a group declare equally many values
 *	R1       both ends of every FIFO have the same clock (clocks.c)
 *	R2       whatever the values are, every cycle of FIFOs that are on under them holds delay tokens for a first
 *	         firing (cycle_rule.c)
 *
 * Words
 *   control group  the dynamic actors whose control ports one output feeds, its members
 *   values         of a group: those that its members declare, 0 to control_values - 1. A greater token is an error at
 *                  run time, which ends the network; it is no deadlock. A member that declares none restricts nothing,
 *                  and nothing is known of its dynamic ports
 *   set            the values for which a dynamic port is on. Example: a port that control() turns on for the values 1
 *                  and 3 of 4 has the set {1, 3}
 */
#ifndef PENSTOCK_ANALYSIS_STATE_H
#define PENSTOCK_ANALYSIS_STATE_H

#include "lib/model/graph.h"

/* What a port's clock is, before the rules: one of these, or the index of a set. */
#define PS_TERM_ACTOR 0xfffffffeu   /* the actor's own: always on */
#define PS_TERM_UNKNOWN 0xffffffffu /* of a kahn actor, or of a dynamic port whose values are not declared */

#define PS_NONE 0xffffffffu

/* A set of one control group: the values for which some ports of its members are on; never all values. */
struct ps_set {
	unsigned group;
	bool empty;           /* never on */
	const uint64_t *bits; /* one for each value of the group */
};

struct ps_group {
	const struct pstk_fifo *output; /* the first FIFO of the output that feeds it */
	uint32_t values;                /* 0: no member declares them */
	unsigned members;               /* the first one, in dynamics[] */
};

/* A dynamic actor. */
struct ps_dynamic {
	struct pstk_actor *actor;
	unsigned group;
	unsigned next;   /* member of the group; PS_NONE: no more */
	unsigned *terms; /* one for each port */
	uint64_t *bits;  /* of its dynamic ports, one after the other: `words` each */
	size_t words;
	uint64_t *decided; /* of the values that were looked at: a mask of ports each (decision.h) */
	uint32_t decided_count;
	bool unknown; /* has dynamic ports, and no declared values */
};

/* The clock of a class of actors and outputs of kahn actors (clocks.c). */
struct ps_clock {
	unsigned parent;             /* union-find */
	unsigned set;                /* PS_TERM_ACTOR: a base clock; else on for this set */
	const struct pstk_fifo *why; /* the FIFO that gives it this clock */
	const struct pstk_fifo
		*unknown; /* what ties it to a port of values that are not declared; NULL: nothing */
	unsigned mark;    /* the walk that has been here; 0: none has */
};

struct ps_analysis {
	struct pstk_network *net;
	struct pstk_verdict *verdict;

	struct ps_dynamic *dynamics;
	unsigned dynamic_count;
	unsigned *dynamic_of; /* of each actor; NULL: there are none */
	struct ps_group *groups;
	unsigned group_count;
	struct ps_set *sets;
	unsigned set_count;
	unsigned unknown_count, kahn_count; /* actors */

	/* of each actor, then of each kahn actor's output by its first FIFO; NULL: all are base clocks */
	struct ps_clock *clocks;

	/* R1 is broken by this FIFO, whose ends' clocks differ, or which makes a clock depend on itself; NULL: it is
	 * not */
	const struct pstk_fifo *clash, *self_dependence;

	/* R1 is broken: the FIFOs over which the end without a set of its own gets its clock, beginning there. NULL, 0:
	 * both ends have sets, or the actor itself is controlled */
	const struct pstk_fifo **way;
	unsigned way_length;
	bool way_of_writer;

	struct ps_graph graph;
	const struct pstk_fifo **cycle; /* R2 is broken by these FIFOs; else NULL */
	unsigned cycle_length;
	unsigned loops; /* strongly connected parts with a cycle */
	uint64_t cases; /* cases of control values that have no cycle */
};

/* A set, not one of PS_TERM_..? */
static inline bool ps_term_is_set(unsigned term)
{
	return term < PS_TERM_ACTOR;
}

static inline bool ps_set_has(const struct ps_set *set, uint32_t value)
{
	return set->bits[value / 64] >> (value % 64) & 1;
}

#endif
