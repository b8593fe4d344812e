/* SPDX-License-Identifier: MIT */
/* Ring: windows in one memory that the host reaches, as lib/fifo/layout.h says. */
#ifndef PENSTOCK_CL_RING_H
#define PENSTOCK_CL_RING_H

#include "lib/fifo/fifo.h"

/* Where write w goes. */
unsigned char *ps_cl_ring_write(const struct ps_fifo *, unsigned char *memory, uint64_t w);

/* Write w is there: to where some of its tokens have a second place. */
void ps_cl_ring_written(struct ps_fifo *, unsigned char *memory, uint64_t w);

/* Where read j is, with zeros behind its valid tokens. */
unsigned char *ps_cl_ring_read(struct ps_fifo *, unsigned char *memory, uint64_t j);

/* Are there to be zeros behind the valid tokens of read j? */
bool ps_cl_ring_lacks(const struct ps_fifo *, uint64_t j);

/* The write that fills read j, and the read of which write w's memory must be free; -1: none. Once the reader has ended
 * there are no more reads to come: its last one then. */
int64_t ps_cl_ring_filled_by(const struct ps_fifo *, uint64_t j);
int64_t ps_cl_ring_freed_by(const struct ps_fifo *, uint64_t w);

#endif
