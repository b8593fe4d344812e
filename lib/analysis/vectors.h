/* SPDX-License-Identifier: MIT */
/*
 * Vectors: combinations of control values, one a group, of the groups that matter somewhere; walked as a
 * tree. A node has chosen the values of the first groups, and the others may still have any. What can't be
 * there under a node is not there under any combination below it, so the walk need not go down.
 */
#ifndef PENSTOCK_VECTORS_H
#define PENSTOCK_VECTORS_H

#include "lib/analysis/state.h"

/* A group's values. */
struct ps_choice {
	unsigned group;
	unsigned sets;    /* the first set that tells them apart; the others: ps_vectors.next */
	uint32_t *values; /* one of each kind: values that are in the same of the sets are one */
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

/* No group matters. -ENOMEM; the end is to be called in any case. */
int ps_vectors_init(struct ps_vectors *, const struct ps_analysis *);
void ps_vectors_fini(struct ps_vectors *);

/* This set matters, and so does its group. */
void ps_vectors_add(struct ps_vectors *, unsigned set);

/* When all sets are added: the root, where nothing is chosen. -ENOMEM. */
int ps_vectors_begin(struct ps_vectors *);

/* One more group gets its first value. Not if all have one. */
void ps_vectors_descend(struct ps_vectors *);

/* To the next node that is not below this one; false: there is none. */
bool ps_vectors_advance(struct ps_vectors *);

/* May what is on for this set be on at this node? */
bool ps_vectors_may_be_on(const struct ps_vectors *, unsigned set);

/* No group matters again. */
void ps_vectors_clear(struct ps_vectors *);

#endif
