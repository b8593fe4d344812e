/* SPDX-License-Identifier: MIT */
/* One writer and several readers of one memory, a thread each: every token checked. */
#ifndef PENSTOCK_TESTS_CROWD_H
#define PENSTOCK_TESTS_CROWD_H

#include <stdbool.h>
#include <stdint.h>

enum { CROWD = 4 };

#define CROWD_NEVER UINT64_MAX

struct crowd_reader {
	bool delayed; /* has the delay tokens */
	uint32_t depth;
	uint32_t rate, history, tail; /* rate 0: the writer's */
	bool peek;
	uint64_t last; /* windows after which it ends; CROWD_NEVER: with the stream */
	/* what came out: valid tokens, and those that were not the expected ones, also when looked at for a second time
	 * at the end of the window */
	uint64_t received, wrong;
	uint64_t windows;
};

struct crowd {
	uint32_t rate, delay, token_size; /* rate: the writer's */
	bool zeros;                       /* the delay tokens */
	uint64_t tokens;                  /* that the writer writes; the last window may be partly filled */
	uint64_t seed;   /* of the delays inside the windows, and of which reader's FIFO the writer names */
	unsigned delays; /* one window in so many is held for a while; 0: none */
	unsigned hold;   /* windows that a side holds at once, at most */
	bool spans;      /* rate 1 of all: sides move several windows at once now and then */
	bool warm; /* ps_fifo_keep_warm(), and writer and readers are other members of a team now and then */
	unsigned count;
	struct crowd_reader readers[CROWD]; /* the first has the memory, and the delay tokens if any has */
	/* what came out */
	uint64_t written;    /* tokens: fewer than `tokens` only when all readers have ended */
	bool closed_at_once; /* the writer ended with windows it had started and never ended */
	uint64_t copied;     /* bytes */
};

void crowd_run(struct crowd *);

#endif
