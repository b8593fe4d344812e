/* SPDX-License-Identifier: MIT */
/* A model of a FIFO that knows only token numbers, to hold lib/fifo/layout.c against. */
#ifndef PENSTOCK_TESTS_LAYOUT_MODEL_H
#define PENSTOCK_TESTS_LAYOUT_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* Goes through every state that writers and readers holding several windows at once can reach, over several
 * rounds of the buffer. 0: the layout is right; 1: it is wrong and `text` says how. *states counts what was
 * looked at. */
int layout_model_check(
	uint32_t rate, uint32_t delay, uint32_t depth, char *text, size_t size, uint64_t *states);

/* The same for the readers of one memory: one kind with `delay` and `depth`, the other without delay tokens. */
int layout_model_check_shared(uint32_t rate, uint32_t delay, uint32_t depth, uint32_t plain_depth, char *text,
	size_t size, uint64_t *states);

#endif
