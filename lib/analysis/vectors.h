/* SPDX-License-Identifier: MIT */
/*
 * Vectors: combinations of control values, one of each group that matters, walked as a tree.
 *
 *	                 nothing chosen
 *	        a = 0                      a = 1
 *	  b = 0      b = 1           b = 0      b = 1
 *
 * A node has chosen the values of the first groups; the other groups may still have any value. If there is no cycle at
 * a node, there is none at any node below it, and the walk need not go down.
 */
#ifndef PENSTOCK_VECTORS_H
#define PENSTOCK_VECTORS_H

#include "lib/analysis/state.h"

/* A group's values. */
struct ps_choice {
	unsigned group;
	unsigned sets;    /* the first set that distinguishes values; the others: ps_vectors.next */
	uint32_t *values; /* one of each kind; values that are in the same of these sets are of one kind */
	uint32_t count, at;
};

struct ps_vectors {
	const struct ps_analysis *an;
	unsigned count;   /* groups that matter */
	unsigned chosen;  /* how many of them have a value at this node */
	uint32_t *values; /* of each group: its value, if it has one */

	/* inside */
	struct ps_choice *choices; /* room for every group */
	unsigned *choice_of;       /* of each group; PS_NONE: it does not matter */
	unsigned *next;            /* of each set: the next one of its group */
	bool *matters;             /* of each set */
};

/* Begins with no group that matters. -ENOMEM. The caller calls the end in any case. */
int ps_vectors_init(struct ps_vectors *, const struct ps_analysis *);
void ps_vectors_fini(struct ps_vectors *);

/* Says that this set matters, and so its group. */
void ps_vectors_add(struct ps_vectors *, unsigned set);

/* Goes to the root, where nothing is chosen. When all sets are added. -ENOMEM. */
int ps_vectors_begin(struct ps_vectors *);

/* Goes down: one more group gets its first value. Not if all groups have one. */
void ps_vectors_descend(struct ps_vectors *);

/* Goes to the next node that is not below this one; false: there is none. */
bool ps_vectors_advance(struct ps_vectors *);

/* May a port with this set be on at this node? */
bool ps_vectors_may_be_on(const struct ps_vectors *, unsigned set);

/* Begins again, with no group that matters. */
void ps_vectors_clear(struct ps_vectors *);

#endif
