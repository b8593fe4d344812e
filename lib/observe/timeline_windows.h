/* SPDX-License-Identifier: MIT */
/* Timeline windows: which tokens the firings of a trace have written and taken off. */
#ifndef PENSTOCK_TIMELINE_WINDOWS_H
#define PENSTOCK_TIMELINE_WINDOWS_H

#include "lib/model/network.h"
#include "lib/trace/joined.h"

/* What is known of an actor's firings before its windows are counted. */
struct ps_timeline_actor {
	uint64_t dropped;    /* the first firing whose windows were not published; UINT64_MAX: all were */
	uint64_t partial_at; /* the firing of which some output is partly filled; UINT64_MAX: none */
	const struct pstk_fifo **first; /* by port */
	uint32_t *partial;              /* by port: its tokens there; UINT32_MAX: a whole window */
};

/* What is known of a FIFO while its counter is written. */
struct ps_timeline_fill {
	int64_t tokens;
	uint64_t unwritten; /* tokens that are still to be written: none once its reader has ended */
};

struct ps_timeline {
	/* BUILD */
	char *path;
	size_t bytes;
	bool keep_first, from_environment;

	/* start(), then wait() */
	int fd;                 /* -1: not open */
	bool created;           /* by start(): an empty file is to go */
	uint64_t zero;          /* the clock at the start, which is the file's time 0 */
	struct ps_trace *own;   /* what this process's threads do */
	struct ps_trace *trace; /* own, or joined */
	struct ps_timeline_actor *actors;
	uint32_t *partials;             /* of all actors */
	struct ps_timeline_fill *fills; /* by FIFO */
	const struct pstk_fifo **first; /* by port, of all actors: its FIFOs, as they were built .. */
	const struct pstk_fifo **next;  /* by FIFO: .. the output's next one */
	struct ps_trace_part *parts;    /* of other processes */
	struct ps_trace *joined;        /* NULL: there are none; else `trace` is this */
	unsigned *queues; /* by actor, then two a FIFO, each by place: its process in the file; 0: none yet */
};

/* What a record says of a port. */
struct ps_timeline_window {
	const struct ps_trace_record *record;
	const struct pstk_actor *actor;
	unsigned port;
	uint64_t tokens; /* that it has written, or by which it has moved on */
};

/* Before the calls below: which firings were not published, and what was only partly filled. */
void ps_timeline_look_at_ends(const struct pstk_network *, const struct ps_timeline *);

/* Does the record, a firing's, kahn actor's or control token's, move a window of this port? *w: it. */
bool ps_timeline_window(const struct pstk_network *, const struct ps_timeline *,
	const struct ps_trace_record *, unsigned port, struct ps_timeline_window *w);

/* Does the trace have both ends of this FIFO? */
bool ps_timeline_has(const struct ps_timeline *, const struct pstk_fifo *);

/* Calls each for every window of the trace, in the trace's order. */
void ps_timeline_each_window(const struct pstk_network *, const struct ps_timeline *,
	void (*each)(const struct ps_timeline_window *, void *), void *data);

#endif
