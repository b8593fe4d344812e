/* SPDX-License-Identifier: MIT */
/*
 * Nodes: actors for networks of any shape, with tokens of four bytes. A node's ports are said in one line: "<in >out
 * ?in !out @ctl", a dynamic input being ?, a dynamic output !, a control port @.
 */
#ifndef PENSTOCK_TESTS_NODE_H
#define PENSTOCK_TESTS_NODE_H

#include <penstock/penstock.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NODE_ALL UINT64_MAX
enum { NODE_PORTS = 8 };

struct node {
	const char *name, *ports;
	uint64_t ends;         /* firings before it ends; 0: as many as it can */
	const uint32_t *gives; /* what a firing writes to every output: gives[k mod give_count]; NULL: 0 */
	unsigned give_count;
	uint32_t on[8];   /* by control value: a bit per port to turn on */
	uint32_t values;  /* control_values */
	const char *kahn; /* what it does over and over, as a kahn actor: the first letters of its ports */
	/* "hold": in fire(), which blocks, until *open is above its firings, then as ever; "end": then it ends and
	 * writes nothing */
	const char *fire;
	_Atomic uint64_t *open;
	const struct pstk_kernel *kernel; /* with `on_device` */
	const char *on_device;
	int (*init)(struct pstk_actor *);

	struct pstk_actor *actor; /* once added */
	_Atomic uint64_t firings;
	bool on_team; /* it does not say that it blocks, though it may be held: holds a thread of a team */
	unsigned finished;
};

/* Adds it; what is said in a node with a problem is the network's first problem. */
void node_add(struct pstk_network *, struct node *);

/* "a.out b.in": as the spec says, with token_size 4. Depth 0 is 2, whichever threads run the network. */
struct pstk_fifo *node_connect(struct node *src, const char *out, struct node *dst, const char *in,
	uint32_t rate, uint32_t delay, uint32_t depth);

#endif
