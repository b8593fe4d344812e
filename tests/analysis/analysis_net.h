/* SPDX-License-Identifier: MIT */
/* Small networks from tables, to be analysed: actors, what their control() turns on, FIFOs. */
#ifndef PENSTOCK_TESTS_ANALYSIS_NET_H
#define PENSTOCK_TESTS_ANALYSIS_NET_H

#include "penstock/penstock.h"

enum { NET_TABLES = 8, NET_ACTORS = 10, NET_LINKS = 24 };

/* A dynamic port is on for the values of which the bit is set. */
struct net_table {
	const char *port;
	uint64_t on;
};

struct net_actor {
	const char *name;                    /* NULL: no more actors */
	uint32_t values;                     /* control_values */
	struct net_table tables[NET_TABLES]; /* of dynamic ports */
	bool kahn;
	int (*control)(struct pstk_firing *, uint32_t); /* NULL: obeys the tables */
};

/* The fire() of all: ends at once. */
int analysis_net_fire(struct pstk_firing *);

/* A port is named in the links only; "ctl" at a reader is its control port. */
struct net_link {
	const char *src, *out, *dst, *in; /* NULL: no more links */
	uint32_t rate, delay;             /* rate 0: 1; with read_rate that of the writer */
	uint32_t read_rate, depth;        /* 0: the same as the writer's; no depth */
	uint32_t back;                    /* its reader takes one token a step and peeks at so many more */
};

/* arg of each actor is its struct net_actor, borrowed. */
struct pstk_network *analysis_net_build(const char *name, const struct net_actor *actors,
	unsigned actor_count, const struct net_link *links, unsigned link_count);

/* An actor of type "end" with one port. */
struct pstk_actor *net_build_end(struct pstk_network *, const char *name, const struct pstk_port *port);

/* How many there are in an array that ends with NULL. */
unsigned net_actor_count(const struct net_actor *actors);
unsigned net_link_count(const struct net_link *links);

#endif
