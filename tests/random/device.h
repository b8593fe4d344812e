/* SPDX-License-Identifier: MIT */
/*
 * The actors of random networks as kernels: one for each order of up to four inputs and outputs, and one for each
 * larger number of windows. A kernel checks every token of its inputs, its valid counts, rates and the alignment.
 * It writes its outputs, control tokens too, and keeps in its state what it finds wrong.
 */
#ifndef PENSTOCK_TESTS_DEVICE_H
#define PENSTOCK_TESTS_DEVICE_H

#include "tests/random/oracle.h"

#include <penstock/penstock.h>

enum {
	DEVICE_ORDERED = 4, /* up to so many windows a kernel for each order of inputs and outputs */
	DEVICE_ROW = 8,     /* of the kernel's table: a row a window, then the groups' control values */
	DEVICE_TABLE = NET_WINDOWS * (DEVICE_ROW + NET_SEQUENCE)
};

/* What init() fills and the kernel goes on with. A kernel of more than DEVICE_ORDERED windows gets the table as an
 * argument, too, and uses that one. */
struct device_state {
	uint64_t firings, wrong;
	uint64_t plain; /* it keeps nothing: as many windows were moved as there were firings */
	uint64_t moved[NET_WINDOWS];
	uint64_t table[DEVICE_TABLE]; /* as much of it as there is */
};

struct device_actor {
	unsigned windows, port[NET_WINDOWS]; /* the ports with windows */
	uint64_t table[DEVICE_TABLE];
	unsigned table_size;
	size_t state_size;
	char name[16]; /* of the kernel */
	struct pstk_kernel kernel;
};

void device_prepare(struct device_actor *, const struct net *, const struct oracle *, unsigned actor);

/* init() of such an actor: its arguments and work size. */
int device_init(struct pstk_actor *self, const struct device_actor *, bool plain);

/* "net_" and the order, a letter a window, 'i' or 'o': of bits set in `outputs`; beyond DEVICE_ORDERED their
 * number. */
void device_kernel_name(char *name, size_t size, unsigned windows, unsigned outputs);

/* What the kernel of so many windows does, in C: pointers to the windows (NULL: off), their rates and valid
 * tokens. */
void device_run(struct device_state *, uint64_t firing, const uint64_t *table, unsigned windows,
	void *const *at, const uint32_t *rate, const uint32_t *valid);

#endif
