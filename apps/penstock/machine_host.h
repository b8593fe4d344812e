/* SPDX-License-Identifier: MIT */
/* Machine host: the cores, caches, NUMA nodes and memory that this process may use. */
#ifndef PENSTOCK_COMMAND_MACHINE_HOST_H
#define PENSTOCK_COMMAND_MACHINE_HOST_H

#include <stdint.h>

enum { MACHINE_CACHES = 32, MACHINE_NODES = 64 };

/* Caches of one size that as many cores share; only those of data. */
struct machine_cache {
	unsigned level, cores, count;
	uint64_t bytes; /* of one */
};

struct machine_node {
	unsigned cores;
	uint64_t bytes;
};

struct machine_host {
	unsigned cores;
	uint64_t memory; /* bytes; 0: not known */
	unsigned cache_count, node_count;
	struct machine_cache caches[MACHINE_CACHES]; /* only with hwloc */
	struct machine_node nodes[MACHINE_NODES];    /* .. */
};

void machine_host_look(struct machine_host *);

#endif
