/* SPDX-License-Identifier: MIT */
/* A run of a network: from its start to its summary. */
#ifndef COMMON_RUNNING_H
#define COMMON_RUNNING_H

#include "apps/common/rates.h"

#include <stdbool.h>

struct running {
	/* set before */
	struct pstk_network *network;
	/* its written tokens are what is counted; NULL: those into each actor without outputs, by its name */
	const struct pstk_fifo *last;
	const char *unit;  /* of them, in the plural: "frames" */
	uint64_t expected; /* so many are to come; 0: unknown */
	bool uses_device;
	struct running_trace {
		const char *path; /* "-": stdout; NULL: there is none */
		size_t bytes;     /* of memory; 0: as many as the library has by default */
		enum pstk_trace_keep keep;
	} trace;
	bool looks;          /* at what actors do: for a report */
	bool explain;        /* what limited it, behind the summary */
	bool top;            /* a table each second */
	bool pipelines;      /* what they have measured and chosen, behind the summary */
	bool latency;        /* from sources to sinks, behind the summary */
	bool quiet;          /* another process of this run prints: this one only looks */
	struct rates *rates; /* gets a line each 0.2 s; NULL: there is none */
	bool cycles;         /* of a network with a plan: planned and measured, behind the summary */
	/* how to see a network that is too large to be printed before each run; NULL: it is printed */
	const char *listed_by;
	const char *host; /* the one that this process is, of several; NULL: there is one */
	/* called once it has started; NULL: nothing is */
	void (*started)(void *data, struct pstk_network *);
	void *data;
	/* filled: how long until it has started, and from then on */
	uint64_t start_ns, run_ns;
	int err; /* what ended it */
};

/* Prints the network, or in a few lines what runs where, lets it handle signals, which signals_block()
 * blocked, runs it with a progress line on a terminal, and prints a summary. 0: it has ended as it should, or
 * by a signal; else what to exit with, said then. */
int running_run(struct running *);

/* After all else is written, which gave `status`: what to exit with. Says so when a signal ended it. */
int running_status(const struct running *, int status);

/* Does a FIFO lead into an actor without outputs? */
bool running_is_sink(const struct pstk_fifo *);

/* Tokens that have come so far. */
uint64_t running_count(const struct running *);

double running_per_second(const struct running *);

/* --print-network: the network and the analyser's word on stdout. What to exit with; said then. */
int running_print_network(struct pstk_network *);

/* --check: the analyser's word on stdout. What to exit with; said then. */
int running_check(struct pstk_network *);

#endif
