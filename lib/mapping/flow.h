/* SPDX-License-Identifier: MIT */
/*
 * Flow: a network on a machine as numbers: actors with their places and times, outputs, and the readers of each. What
 * lib/mapping computes it computes of this, and knows no network.
 */
#ifndef PENSTOCK_FLOW_H
#define PENSTOCK_FLOW_H

#include "lib/machine/machine.h"

#define PS_NONE 0xffffffffu

struct ps_flow_actor {
	const char *name; /* borrowed */
	unsigned place;
	double seconds; /* that its firings of an iteration take */
};

/* An output; its readers are of [first, first + count). */
struct ps_flow_output {
	unsigned writer;
	size_t bytes;     /* of a window that the writer writes */
	uint64_t windows; /* that it writes in an iteration */
	bool merges; /* one window of static ports in each iteration: its memory may be that of others, too */
	unsigned first, count;
};

/* An input that reads an output. */
struct ps_flow_reader {
	unsigned output, actor;
	unsigned place;     /* where it is read: the actor's .. */
	bool on_host;       /* .. or, as control tokens are, its host */
	unsigned order;     /* of the FIFO among all of the network */
	size_t bytes;       /* of a window that the reader reads */
	uint64_t windows;   /* that it reads in an iteration */
	uint64_t delay;     /* whole iterations that the initial tokens last: q of the facts */
	size_t delay_bytes; /* of all initial tokens */
	uint32_t depth;     /* that its FIFO was built with; 0: the plan chooses */
};

struct ps_flow {
	const struct pstk_machine *machine;
	uint32_t core_depth; /* of a buffer within a host of several cores */
	struct ps_flow_actor *actors;
	unsigned actor_count;
	struct ps_flow_output *outputs; /* in the order of the actors */
	unsigned output_count;
	struct ps_flow_reader *readers; /* in the order of the outputs */
	unsigned reader_count;
	/* by actor, when it is complete (ps_flow_index()): the readers that are its inputs, in the order of the FIFOs,
	 * and its outputs; each array is by actor + 1, the numbers of actor i are [start[i], start[i + 1]) */
	unsigned *inputs, *input_start, *output_start;
};

/* An empty one. -ENOMEM; the end is to be called in any case. */
int ps_flow_init(
	struct ps_flow *, const struct pstk_machine *, unsigned actors, unsigned outputs, unsigned readers);
void ps_flow_fini(struct ps_flow *);

/* Add what there is room for: outputs in the order of the actors, each followed by its readers. */
void ps_flow_add_actor(struct ps_flow *, const char *name, unsigned place, double seconds);
void ps_flow_add_output(struct ps_flow *, unsigned writer, size_t bytes);
void ps_flow_add_reader(struct ps_flow *, unsigned actor, uint64_t delay);

/* Once all is there. */
void ps_flow_index(struct ps_flow *);

#endif
