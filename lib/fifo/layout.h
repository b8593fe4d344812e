/* SPDX-License-Identifier: MIT */
/*
 * Layout: where in a FIFO's memory each window lies, and when it may be touched. Pure arithmetic.
 *
 * A FIFO of rate r, d delay tokens and depth k windows has, with q = floor(d / r) and rho = d mod r,
 *
 *	rho = 0: m = q + k blocks of r slots,     N = m r = d + k r slots, never a copy;
 *	rho > 0: m = q + k + 1 blocks of r slots, N = m r + rho slots; the last rho slots of the last
 *	         block's write are copied to slots 0..rho-1 when that write ends, once every m writes.
 *
 * Read window j is at slot (j mod m) r, write window w at slot rho + ((w + q) mod m) r; each is r slots long.
 * Initial tokens are in slots 0..d-1. Write w may start iff w < R + k (R: reads completed in order), read j
 * iff d + V >= (j + 1) r (V: tokens written in order), and, once the writer has closed, iff d + V > j r.
 *
 * For k = 2 and d in {0, 1} this is Eq. 1 of the paper on dynamic-rate actors. "Is there room for r more
 * tokens in the memory" is NOT the rule: it lets a write run into a window that is still read.
 * Readers of one memory (a broadcast): the layout is that of their common delay, or of delay 0, and of the largest of
 * their depths. A reader that has the delay reads as above; one without reads the writer's own windows, read j where
 * write j is. Each is admitted by its own depth, which is never more than the memory's. Behind the last write, number
 * W - 1, a reader with a delay may be handed r - rho slots more (if rho > 0): those where write W would begin, which no
 * window that may be held by then overlaps.
 *
 * doc/internals/fifo.md, "Layout" and "Broadcast", says why the rule is right; tests/fifo/check_layout.c checks it against
 * a model that knows only token numbers.
 */
#ifndef PENSTOCK_LAYOUT_H
#define PENSTOCK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ps_layout {
	uint32_t rate, delay, depth;
	uint32_t q, rho;   /* delay = q * rate + rho */
	uint64_t blocks;   /* m */
	uint64_t slots;    /* N */
	size_t token_size; /* bytes */
	size_t bytes;      /* slots * token_size */
};

/* 0; -EINVAL: rate, depth or token_size is 0; -EOVERFLOW: more bytes than half of the address space. */
int ps_layout_init(struct ps_layout *, uint32_t rate, uint32_t delay, uint32_t depth, size_t token_size);

/* The first slot of read window j and of write window w. */
uint64_t ps_layout_read_slot(const struct ps_layout *, uint64_t j);
uint64_t ps_layout_write_slot(const struct ps_layout *, uint64_t w);

/* Widens the layout of a memory so that another reader of the same writer can use it. -EINVAL: it can't: another rate, token
 * size or non-zero delay; -EOVERFLOW: too many bytes. The layout stays as it was then. */
int ps_layout_share(struct ps_layout *memory, const struct ps_layout *reader);

/* The first slot of read window j of a reader with `delay` in a memory that it may share. */
uint64_t ps_layout_shared_read_slot(const struct ps_layout *memory, uint32_t delay, uint64_t j);

/* How many slots from where write W would begin are read as zeros when W writes were all. */
uint32_t ps_layout_beyond(const struct ps_layout *);

/* Does write w end with the wrap copy: slots [blocks * rate, slots) to [0, rho)? */
bool ps_layout_wraps(const struct ps_layout *, uint64_t w);

bool ps_layout_may_write(const struct ps_layout *, uint64_t w, uint64_t reads);

/* Valid tokens of read window j when `written` tokens have been written: rate, or fewer (0 too) when there
 * are not more. */
uint32_t ps_layout_valid(const struct ps_layout *, uint64_t j, uint64_t written);

#endif
