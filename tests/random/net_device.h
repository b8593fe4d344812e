/* SPDX-License-Identifier: MIT */
/*
 * The random networks' actor as OpenCL C: net_function() in one work-item, with checks of its own. What it finds wrong goes
 * into its state, so that some host actor behind it, or the end, sees it.
 */
#ifndef PENSTOCK_TESTS_NET_DEVICE_H
#define PENSTOCK_TESTS_NET_DEVICE_H

#include "tests/random/net_spec.h"

#include <penstock/penstock.h>

enum { NET_DEVICE_PORTS = 4 };

/* What the kernel keeps: net_function()'s state, and how many firings it has seen. */
struct net_device_state {
	uint64_t state, firings;
};

/* Can this actor run on a device? It has few ports, some input, and does not end by its own choice. */
bool net_device_can(const struct net_actor *actor);

/* The kernel for an actor with these ports; valid until the next call in this thread. */
const struct pstk_kernel *net_device_kernel(const struct net_actor *actor);

/* init() of an actor on a device; its arguments and work size. */
int net_device_init(struct pstk_actor *self, const struct net_actor *actor);

/* Maps random actors to these devices. */
void net_device_choose(struct net_spec *net, uint64_t seed, const char *const *devices, unsigned count);

#endif
