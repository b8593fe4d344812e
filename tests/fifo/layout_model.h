/* SPDX-License-Identifier: MIT */
/* A model of a FIFO that knows only positions of the stream, to hold lib/fifo/layout.c against. */
#ifndef PENSTOCK_TESTS_LAYOUT_MODEL_H
#define PENSTOCK_TESTS_LAYOUT_MODEL_H

#include "lib/fifo/layout.h"

/* Goes through every state that a writer and readers of one memory can reach while they hold several windows at once,
 * over several rounds of the ring, and through ends of every length. asked: for each reader what ps_layout_init()
 * wants; the first one is the memory's owner. 0: the layout is right; 1: it is wrong and `text` says how. *states
 * counts what was looked at. */
int layout_model_check(
	const struct ps_layout *asked, unsigned readers, char *text, size_t size, uint64_t *states);

#endif
