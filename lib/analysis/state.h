/* SPDX-License-Identifier: MIT */
/*
 * State: what the parts of the analysis share. The question is: can a network deadlock, or grow? The analysis looks at rates, delays and what control() says for each
 * declared value; it runs nothing and allocates no FIFO. The rules and their proof: doc/internals/deadlock.md.
 *
 *	CONTROL  control() succeeds for every declared value, and the members of a group declare equally many;
 *	R1       both ends of every FIFO have the same clock (clocks.c);
 *	R2       whatever the values are, every cycle of FIFOs that are on under them holds delay tokens for
 *	         a first firing (cycle_rule.c).
 *
 * Words: a control group is the dynamic actors whose control ports one output feeds. Its values are those
 * that its members declare, 0 to control_values - 1: any greater token is an error at run time, which ends
 * the network and is no deadlock. A member that does not declare its values restricts
 * nothing, and nothing is known of its dynamic ports. A set is what a dynamic port's rates come down to:
 * the values for which it is on.
 */
#ifndef PENSTOCK_ANALYSIS_STATE_H
#define PENSTOCK_ANALYSIS_STATE_H

#include "lib/model/graph.h"

/* What a port's clock is, before the rules: one of these, or the index of a set. */
#define PS_TERM_ACTOR 0xfffffffeu   /* the actor's own: always on */
#define PS_TERM_UNKNOWN 0xffffffffu /* a kahn actor's, or a dynamic port of values that are not declared */

#define PS_NONE 0xffffffffu

/* Of one control group: the values for which ports of its members are on, not all of them. */
struct ps_set {
	unsigned group;
	bool empty;           /* never on */
	const uint64_t *bits; /* one a value of the group */
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
	unsigned *terms; /* one a port */
	uint64_t *bits;  /* of its dynamic ports, one after the other: `words` each */
	size_t words;
	uint64_t *decisions; /* of the values that were looked at (ps_control_decision()) */
	uint32_t decision_count;
	bool unknown; /* has dynamic ports, and no declared values */
};

/* The clock of a class of actors and outputs of kahn actors (clocks.c). */
struct ps_clock {
	unsigned parent;             /* union-find */
	unsigned set;                /* PS_TERM_ACTOR: a base clock; else on for this set */
	const struct pstk_fifo *why; /* the FIFO that says so */
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

	/* R1 is broken by this FIFO, whose ends' clocks differ, or which makes a clock depend on itself; NULL: it is not */
	const struct pstk_fifo *clash, *self_dependence;

	/* R1 is broken: why the end that has no set of its own is on when it is, from there on; NULL, 0: both ends
	 * have, or the actor itself is controlled */
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
