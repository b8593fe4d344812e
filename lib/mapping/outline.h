/* SPDX-License-Identifier: MIT */
/*
 * Outline: what follows from a flow: the order of the actors, the buffers, how deep each is, the cycle in which each
 * actor has its first windows, which buffers share memory, how much each place and link has to do.
 *
 * The steps are those of PACCO (section 4), in a form that is sound: doc/planning.md. Each is a file of its own:
 *
 * 	schedule    an order in which each actor comes after those that it reads from
 * 	buffers     one for each output, where its writer is; one more at each place that a transfer brings it to
 * 	cycles      latency and slack
 * 	depths      2 windows where transfers overlap with what is computed, 1 elsewhere, and the reader's slack; or
 * 	            what the FIFO was built with
 * 	merge       buffers of a place that are never in use at once become one
 * 	loads       seconds an iteration, of places and links; the largest one bounds the period
 */
#ifndef PENSTOCK_OUTLINE_H
#define PENSTOCK_OUTLINE_H

#include "lib/machine/route.h"
#include "lib/mapping/flow.h"

/* A latency that is not known: a cycle of FIFOs runs slower than one window in each cycle. */
#define PS_UNSETTLED UINT64_MAX

struct ps_buffer {
	unsigned place, output;
	unsigned from;      /* the buffer that a transfer fills it from; PS_NONE: the writer does */
	unsigned link;      /* .. over this link */
	bool emptied;       /* a transfer reads it */
	bool leaves;        /* an actor at another place, which shares its memory, reads it */
	uint32_t usual;     /* depth without what readers let wait, or were given */
	uint32_t depth;     /* with that */
	size_t bytes;       /* of a window */
	size_t delay_bytes; /* initial tokens that it holds besides */
	unsigned group; /* buffers with one number share memory; numbers are in the order of the buffers */
};

/* What a place, or a direction of a link, has to do. */
struct ps_load {
	unsigned place; /* PS_NONE: a link's */
	unsigned link;
	bool back; /* from the link's second end to its first one */
	double seconds;
};

/* A cycle of FIFOs that needs more cycles than it has windows of delay. */
struct ps_slow_cycle {
	unsigned *actors, count; /* 0: there is none */
	uint64_t cycles, windows;
};

struct ps_memory_of {
	uint64_t bytes, merged; /* of a place: apart, and with what shares memory */
};

struct ps_outline {
	const struct ps_flow *flow;
	bool overlap;
	struct ps_routes routes;

	unsigned *schedule;   /* of each actor: its position */
	unsigned *scheduled;  /* of each position: its actor; while schedule() runs, its stack */
	unsigned cycle_first; /* -ELOOP: the cycle without delay is scheduled[] from here .. */
	unsigned cycle_count; /* .. so many actors */
	unsigned no_route;    /* -ENOENT: the reader that no route leads to */

	struct ps_buffer *buffers;
	unsigned buffer_count, buffer_room;
	unsigned *feeds; /* of each reader: the buffer that it reads */

	uint64_t *costs;   /* of each reader: the cycles that its way takes */
	uint64_t *latency; /* of each actor, cycles; PS_UNSETTLED */
	uint64_t *slack;   /* of each reader: windows that wait for others */
	struct ps_slow_cycle slow;

	unsigned group_count;
	struct ps_memory_of *memory; /* of each place */

	struct ps_load *loads; /* places in their order, then links; only those that have something to do */
	unsigned load_count;
	double period;       /* the largest load, seconds an iteration */
	unsigned bottleneck; /* whose load that is; PS_NONE: there is none */
};

/*
 * Makes all of it. The flow stays the caller's, and is to be there as long. The end is to be called in any case.
 *   -ELOOP: a cycle without delay: cycle_first, cycle_count
 *   -ENOENT: no route leads to a reader: no_route
 *   -EOVERFLOW: more windows or bytes than 63 bits
 *   -ENOMEM
 */
int ps_outline_make(struct ps_outline *, const struct ps_flow *, bool overlap);
void ps_outline_fini(struct ps_outline *);

/* Its memory, for ps_outline_make(); then the steps, in this order. */
int ps_outline_init(struct ps_outline *, const struct ps_flow *, bool overlap);
int ps_outline_schedule(struct ps_outline *);
int ps_outline_buffers(struct ps_outline *);
int ps_outline_cycles(struct ps_outline *);
int ps_outline_depths(struct ps_outline *);
int ps_outline_merge(struct ps_outline *);
int ps_outline_loads(struct ps_outline *);

/* Is it filled, or emptied, by a transfer? */
static inline bool ps_buffer_transfers(const struct ps_buffer *b)
{
	return b->from != PS_NONE || b->emptied;
}

/* What it takes by itself. */
static inline uint64_t ps_buffer_bytes(const struct ps_buffer *b)
{
	return (uint64_t)b->bytes * b->depth + b->delay_bytes;
}

/* Does the transfer that fills it go from the link's second end to its first one? */
static inline bool ps_buffer_goes_back(const struct ps_outline *o, const struct ps_buffer *b)
{
	return o->flow->machine->links[b->link].ends[0] == b->place;
}

#endif
