/* SPDX-License-Identifier: MIT */
/*
 * Rate graph: a network as numbers: how many tokens each FIFO's ends move, and how many it begins with and has room
 * for. For balance.c and rooms.c, which know no network.
 */
#ifndef PENSTOCK_RATE_GRAPH_H
#define PENSTOCK_RATE_GRAPH_H

#include "lib/base/gcd.h"

#include <stdbool.h>
#include <stdint.h>

#define PS_NO_EDGE 0xffffffffu

/* A FIFO. */
struct ps_rate_edge {
	unsigned src, dst;              /* actors */
	uint32_t write_rate, read_rate; /* a, b */
	int64_t marking;                /* t (lib/fifo/layout.h) */
	uint64_t room;                  /* S; ps_rooms_find() makes it larger */
	bool fixed;                     /* .. but not this one: the user gave its depth */
	bool keeps_write, keeps_read;   /* this rate can't be changed by itself */
	/* steps of a firing of an end whose port declares what a step moves: its rate is a multiple; 0: it does not */
	uint32_t write_steps, read_steps;
};

struct ps_rate_graph {
	unsigned actor_count, edge_count;
	struct ps_rate_edge *edges;
};

#endif
