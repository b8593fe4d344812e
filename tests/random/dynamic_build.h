/* SPDX-License-Identifier: MIT */
/* Hands a dynamic network to the library. */
#ifndef PENSTOCK_TESTS_DYNAMIC_BUILD_H
#define PENSTOCK_TESTS_DYNAMIC_BUILD_H

#include "tests/random/dynamic_net.h"

#include <penstock/penstock.h>

/* The arg of every actor begins so: control() looks its table up in it. */
struct dyn_arg {
	const struct dyn_actor *actor;
};

struct dyn_built {
	struct pstk_network *network;
	struct pstk_actor *actors[DYN_ACTORS];
	struct pstk_fifo *fifos[DYN_FIFOS];
};

/* Fills what an actor does: fire, kernel, state_size, ..; its name, ports, control() and control_values
 * are there already. Returns its arg, which begins with struct dyn_arg, `actor` set. */
typedef void *(*dyn_describe)(void *data, unsigned actor, struct pstk_actor_type *type);

/* Through pstk_network_add() and pstk_connect(); ports are named p0, p1, .. Fails the test if the library
 * refuses a call. The net must live as long as the network. */
void dyn_build(struct dyn_built *, const struct dyn_net *, dyn_describe, void *data);

/* Data tokens are 8 bytes. Token t of a FIFO, from 0 on, the delay tokens first. */
uint64_t dyn_token(const struct dyn_net *, unsigned f, uint64_t t);

/* Token t that a (data) output writes, from 0 on. */
uint64_t dyn_written_token(const struct dyn_net *, unsigned actor, unsigned port, uint64_t t);

#endif
