/* SPDX-License-Identifier: MIT */
/*
 * The actors of dynamic networks (dynamic_build.h) as one kernel for each number of ports: it checks every
 * token of its inputs, writes those of its outputs, control tokens too, and keeps what it finds wrong in its
 * state.
 */
#ifndef PENSTOCK_TESTS_DYNAMIC_DEVICE_H
#define PENSTOCK_TESTS_DYNAMIC_DEVICE_H

#include "tests/random/dynamic_build.h"

enum {
	DYN_DEVICE_PORTS = 8, /* at most, without the control port */
	DYN_DEVICE_ROW = 7,   /* of the kernel's table: a row a port, then the groups' control values */
	DYN_DEVICE_TABLE = DYN_DEVICE_PORTS * (DYN_DEVICE_ROW + DYN_SEQUENCE)
};

struct dyn_device_state {
	uint64_t firings, wrong, moved[DYN_DEVICE_PORTS];
};

/* The arg of an actor on a device. */
struct dyn_device_actor {
	struct dyn_arg arg;
	const struct dyn_net *net;
	unsigned number;
	unsigned windows, port[DYN_DEVICE_PORTS]; /* the ports with windows */
	uint64_t table[DYN_DEVICE_TABLE];
	unsigned table_size;
	struct dyn_device_state left; /* what finish() has seen */
};

/* Can it run on a device? It has few ports. */
bool dyn_device_can(const struct dyn_net *, unsigned actor);

/* Fills both; for dyn_build(). */
void dyn_device_describe(struct dyn_device_actor *, const struct dyn_net *, const struct dyn_sequences *,
	unsigned actor, struct pstk_actor_type *);

/* What the kernel of so many windows does, in C: pointers to the windows (NULL: off) and their valid tokens. */
void dyn_device_run(struct dyn_device_state *, uint64_t firing, const uint64_t *table, unsigned windows,
	void *const *at, const uint32_t *valid);

#endif
