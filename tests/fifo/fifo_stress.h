/* SPDX-License-Identifier: MIT */
/* Two threads and one FIFO: every token checked. */
#ifndef PENSTOCK_TESTS_FIFO_STRESS_H
#define PENSTOCK_TESTS_FIFO_STRESS_H

#include "lib/fifo/layout.h"

struct stress {
	struct ps_layout asked; /* what ps_layout_init() wants; its initial tokens come first in the stream */
	uint64_t tokens;        /* that the writer writes; the last window may be partly filled */
	uint64_t seed;          /* of the delays inside the windows */
	unsigned delays;        /* one window in so many is held for a while; 0: none */
	unsigned hold;          /* windows that a side holds at once, at most */
	/* what came out */
	uint64_t received, wrong;
};

/* Runs it. received: valid new tokens, delay tokens among them; wrong: tokens that were not the expected ones, history
 * among them, also when looked at for a second time at the end of the window. */
void stress_run(struct stress *);

/* Without threads: for each order of small steps, whether a held read window stays what it was while the
 * writer does all that it is admitted to. Returns the tokens found wrong. */
uint64_t stress_held(const struct ps_layout *asked);

#endif
