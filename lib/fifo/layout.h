/* SPDX-License-Identifier: MIT */
/*
 * Layout: where in a FIFO's memory each window lies, and when it may be touched. Pure arithmetic.
 *
 * Example: rate 4, delay 2 (tokens a b), depth 2. The memory has 3 blocks of 4 slots, and 2 slots more:
 *
 * 	slot      0  1  2  3 | 4  5  6  7 | 8  9 10 11 |12 13
 * 	token     a  b  1  2 | 3  4  5  6 | 7  8  9 10 |11 12
 * 	reads     read 0     | read 1     | read 2     |
 * 	writes         write 0     | write 1     | write 2
 *
 * Read 3 begins at slot 0 again: it is tokens 11 12 13 14. Write 3 puts 13 14 into slots 2 and 3, but 11 12 are in
 * slots 12 and 13. So when write 2 ends these two are copied to slots 0 and 1: the wrap copy, once in 3 writes.
 *
 * The rule. Let r be the rate, d the delay tokens, k the depth in windows, q = floor(d / r), rho = d mod r.
 *
 * 	            blocks of r slots   slots in all          copy
 * 	rho = 0     m = q + k           N = m r = d + k r     never
 * 	rho > 0     m = q + k + 1       N = m r + rho         when the write in the last block ends, once in m writes:
 * 	                                                      its last rho slots go to slots 0 .. rho - 1
 *
 * 	window      first slot                   it may start iff
 * 	read j      (j mod m) r                  d + V >= (j + 1) r; once the writer has closed: d + V > j r
 * 	write w     rho + ((w + q) mod m) r      w < R + k
 *
 * V: tokens written in order. R: reads completed in order. Each window is r slots long. Initial tokens are in slots
 * 0 .. d - 1.
 *
 * For k = 2 and d in {0, 1} this is Eq. 1 of the paper on dynamic-rate actors. "Is there room for r more tokens in the
 * memory" is NOT the rule: it lets a write run into a window that is still read.
 *
 * Readers that share one memory (a broadcast):
 *   - The layout is that of their common delay, or of delay 0, and of the largest of their depths.
 *   - A reader with that delay reads as above. A reader without delay reads the writer's own windows: its read j is
 *     where write j is.
 *   - Each reader is admitted by its own depth, which is never more than the memory's.
 *   - Behind the last write, number W - 1, a reader with a delay may be handed r - rho slots more (if rho > 0). They
 *     are those where write W would begin. No window that may be held by then overlaps them.
 *
 * doc/internals/fifo.md, "Layout" and "Broadcast", says why the rule is right; tests/fifo/check_layout.c checks it
 * against a model that knows only token numbers.
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

/*
 * Widens the layout of a memory so that another reader of the same writer can use it. On an error it stays as it was.
 *   -EINVAL: it can't: another rate, token size or non-zero delay
 *   -EOVERFLOW: too many bytes
 */
int ps_layout_share(struct ps_layout *memory, const struct ps_layout *reader);

/* The first slot of read window j of a reader with `delay` in a memory that it may share. */
uint64_t ps_layout_shared_read_slot(const struct ps_layout *memory, uint32_t delay, uint64_t j);

/* When W writes were all: how many slots, from where write W would begin, readers get as zeros. */
uint32_t ps_layout_beyond(const struct ps_layout *);

/* Does write w end with the wrap copy: slots [blocks * rate, slots) to [0, rho)? */
bool ps_layout_wraps(const struct ps_layout *, uint64_t w);

/* May write w start when `reads` reads are completed? */
bool ps_layout_may_write(const struct ps_layout *, uint64_t w, uint64_t reads);

/* The valid tokens of read window j when `written` tokens have been written: rate, or fewer, also 0, if there are no
 * more. */
uint32_t ps_layout_valid(const struct ps_layout *, uint64_t j, uint64_t written);

#endif
