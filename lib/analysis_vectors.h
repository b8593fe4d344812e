/* SPDX-License-Identifier: MIT */
/* Vectors: combinations of control values, one a group, of the groups that matter somewhere. */
#ifndef PENSTOCK_ANALYSIS_VECTORS_H
#define PENSTOCK_ANALYSIS_VECTORS_H

#include "lib/analysis.h"

/* A group's values. */
struct ps_choice {
	unsigned group;
	unsigned sets;    /* the first set that tells them apart; the others: ps_vectors.next */
	uint32_t *values; /* one of each kind */
	uint32_t count, at;
};

struct ps_vectors {
	const struct ps_analysis *an;
	uint32_t *chosen; /* of each group: its value in the combination at hand; else 0 */

	/* inside */
	struct ps_choice *choices; /* room for every group */
	unsigned count;
	unsigned *choice_of; /* of each group; PS_NONE: it does not matter */
	unsigned *next;      /* of each set: the next one of its group */
	bool *matters;       /* of each set */
};

/* No group matters. -ENOMEM; the end is to be called in any case. */
int ps_vectors_init(struct ps_vectors *, const struct ps_analysis *);
void ps_vectors_fini(struct ps_vectors *);

/* This set matters, and so does its group. */
void ps_vectors_add(struct ps_vectors *, unsigned set);

/* When all sets are added: the first combination. Values that are in the same of the sets are one. -ENOMEM. */
int ps_vectors_begin(struct ps_vectors *);

/* How many there are; more than `most`: some number above it. */
uint64_t ps_vectors_total(const struct ps_vectors *, uint64_t most);

/* The next one; false: that was the last. */
bool ps_vectors_next(struct ps_vectors *);

/* No group matters again. */
void ps_vectors_clear(struct ps_vectors *);

#endif
