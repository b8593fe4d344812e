/* SPDX-License-Identifier: MIT */
/*
 * Scratch: memory for a window that there isn't. Processes written for DAL use what DAL_read_begin() gives without a
 * look: after a wrong call they shall come to the end of their fire, so that the application can end with what was
 * wrong. For any runtime.
 */
#ifndef PENSTOCK_DAL_SCRATCH_H
#define PENSTOCK_DAL_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one fire; all zero: none yet. */
struct ps_dal_scratch {
	struct ps_dal_memory *memory;
	unsigned calls;
};

/* So many tokens: an input's are zeros. NULL: there is no memory, or a loop asks again and again. */
void *ps_dal_scratch(struct ps_dal_scratch *, bool input, size_t token_size, uint64_t tokens);

/* The fire is over. */
void ps_dal_scratch_free(struct ps_dal_scratch *);

#endif
