/* SPDX-License-Identifier: MIT */
/* Two threads and one FIFO: every token checked. */
#ifndef PENSTOCK_TESTS_FIFO_STRESS_H
#define PENSTOCK_TESTS_FIFO_STRESS_H

#include <stdint.h>

struct stress {
	uint32_t rate, delay, depth, token_size;
	uint64_t tokens; /* that the writer writes; the last window may be partly filled */
	uint64_t seed;   /* of the delays inside the windows */
	unsigned delays; /* one window in so many is held for a while; 0: none */
	unsigned hold;   /* windows that a side holds at once, at most */
	/* what came out */
	uint64_t received, wrong;
};

/* Runs it. received: valid tokens, delay tokens among them; wrong: those that were not the expected ones,
 * also when looked at for a second time at the end of the window. */
void stress_run(struct stress *);

/* Without threads: for each order of small steps, whether a held read window stays what it was while the
 * writer does all that it is admitted to. Returns the tokens found wrong. */
uint64_t stress_held(uint32_t rate, uint32_t delay, uint32_t depth);

#endif
