/* SPDX-License-Identifier: MIT */
/* Round robin: what interleave and deinterleave share, actors with a port for each width. */
#ifndef PENSTOCK_ACTORS_ROUND_ROBIN_H
#define PENSTOCK_ACTORS_ROUND_ROBIN_H

#include "penstock/actors.h"

/* One port for all, and ports with a width each. */
enum { PS_ROUND_ALL, PS_ROUND_FIRST };

/* The actor's arg. */
struct ps_round {
	uint32_t count; /* of ports with a width */
	uint32_t row;   /* the sum of the widths: tokens of a step at the port for all */
	uint32_t widths[];
};

/* An actor to be added. */
struct ps_round_type {
	const char *name;       /* and the kernel's */
	const char *all, *each; /* names of ports: "out", and what a number follows: "in" */
	bool inputs;            /* the ports with a width are inputs */
	bool whole_steps;
	int (*fire)(struct pstk_firing *);
	const char *kernel; /* text behind copy.cl; PORTS and LIST stand before it */
};

/* BUILD. NULL, and the network has the problem. */
struct pstk_actor *ps_round_add(struct pstk_network *, const char *name, const struct ps_round_type *,
	const uint32_t *widths, unsigned count);

/* Copies `bytes` from each row to each row; the rows are so many bytes apart. */
void ps_round_copy(void *to, size_t to_row, const void *from, size_t from_row, size_t bytes, uint32_t rows);

#endif
