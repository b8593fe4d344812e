/* SPDX-License-Identifier: MIT */
/*
 * Layout: where in a FIFO's memory each window lies, and when it may be touched. Pure arithmetic.
 *
 * Words. All is said in positions of the stream. Positions 0 .. d - 1 are the initial tokens.
 *
 * 	a, b    write rate, read rate: tokens by which a write and a read move on; g = gcd(a, b)
 * 	h       history: tokens in front of the new ones in a read window, which is h + b long
 * 	o       origin: 0. With `peek` h: the stream's first h tokens are the first window's history
 * 	k       depth
 * 	t       d - o, the marking; only peek makes it negative
 * 	W, R    writes and reads completed in order; V: valid tokens written
 *
 * 	window      is positions                          it may start iff
 * 	write w     d + w a      .. d + (w + 1) a - 1     t + (w + 1) a - R b <= S
 * 	read j      o + j b - h  .. o + (j + 1) b - 1     d + V >= o + (j + 1) b; of a closed FIFO: t + V + tail > j b
 *
 * 	room (tokens)     S = max(t, t mod g) + k (a + b - g), then up until C is a multiple of b
 * 	ring (slots)      C = S + h
 * 	margin (slots)    max(front, back): as far as windows that begin in the ring reach beyond it
 * 	  of reads        front = h: they begin at multiples of b
 * 	  of writes       back = max(0, a - g' + (t + h) mod g'), g' = gcd(a, C)
 *
 * Position x has coordinate (x + h - o) mod C. Slot C + i of the margin doubles slot i of the ring: a token whose
 * coordinate is below the margin's size has two places. A window is one piece from the coordinate of its first position
 * on. Before write w at coordinate y is published, what it has in one place only is copied to the other:
 *
 * 	if y + a > C:     slots C .. y + a - 1 to 0 ..
 * 	if y < front:     slots y .. min(y + a, front) - 1 to C + y ..
 *
 * Example: a = b = 4, h = 0, d = 2 (tokens A B), k = 2. S = C = 12, and a margin of 2 slots:
 *
 * 	slot      0  1  2  3 | 4  5  6  7 | 8  9 10 11 |12 13
 * 	token     A  B  1  2 | 3  4  5  6 | 7  8  9 10 |11 12
 * 	reads     read 0     | read 1     | read 2     |
 * 	writes         write 0     | write 1     | write 2
 *
 * Read 3 begins at slot 0 again: it is tokens 11 12 13 14. Write 3 puts 13 14 into slots 2 and 3, but 11 12 are in
 * slots 12 and 13. So when write 2 ends these two are copied to slots 0 and 1, once in 3 writes.
 *
 * For k = 2, a = b, h = 0 and d in {0, 1} this is Eq. 1 of the paper on dynamic-rate actors. "Is there room for a more
 * tokens in the memory" is NOT the rule: it lets a write run into a window that is still read. S is neither C nor the
 * number of slots.
 *
 * Readers that share one memory (a broadcast):
 *   - The memory has the delay of all of them that have one; a reader may also have none, and then reads the writer's
 *     own tokens only. The ring is the largest of theirs, so it need not be a multiple of each read rate.
 *   - Coordinates are those of the memory's owner, one of the readers.
 *   - Each reader is admitted by its own room, which is never more than the memory's.
 *   - No reader may write there, so none can put zeros behind the last token. What of that the writer can't do lies
 *     behind the margin: the end of a reader, a copy of the last tokens and zeros behind them. Its windows that reach
 *     beyond the last token lie there, and overlap as in the ring.
 *
 * doc/internals/fifo.md, "Layout" and "Broadcast", says why the rule is right; tests/fifo/check_layout.c checks it
 * against a model that knows only positions.
 */
#ifndef PENSTOCK_LAYOUT_H
#define PENSTOCK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ps_layout {
	/*
	 * What is asked for.
	 */

	uint32_t write_rate, read_rate; /* a, b */
	uint32_t delay, depth;          /* d, k */
	uint32_t history;               /* h */
	bool peek;                      /* o = h */
	bool mixed; /* comes of ps_layout_widen(): a reader has another rate than the writer, or history, or a tail */
	uint32_t tail;     /* zeros behind the stream that count as written once it is closed */
	uint64_t room;     /* tokens: S is to be at least so many; then it is S */
	size_t token_size; /* bytes */

	/*
	 * What comes of it (ps_layout_init()).
	 */

	uint64_t ahead;    /* S - t - a: write w may start iff w a <= ahead + R b */
	uint64_t first;    /* o + b: read j may start iff d + V >= first + j b */
	int64_t lead;      /* a = b: the last token of read j is of write j + lead */
	uint64_t capacity; /* the most tokens that are ever in it */
	uint64_t ring;     /* C */
	uint64_t front;    /* of the margin's slots, so many are for reads */
	uint64_t slots;    /* ring and margin */
	size_t bytes;      /* of these slots, and of the ends of readers that share it */
};

/* Makes the rest of what is asked for. 0; -EINVAL: a rate, the depth or the token size is 0; -EOVERFLOW: more bytes
 * than half of the address space. */
int ps_layout_init(struct ps_layout *);

/*
 * A memory that several readers of one writer share. It begins as the layout of its owner. Then it is widened for each
 * other reader, then extended for each one, also the owner: margin and ends. The order of the readers is of no matter.
 *
 * A reader without delay whose history is zeros may share a memory with delay only if the initial tokens are zeros.
 *
 * On an error the memory stays as it was.
 *   -EINVAL: the reader can't share it: another write rate, token size or non-zero delay
 *   -EOVERFLOW: too many bytes
 */
int ps_layout_widen(struct ps_layout *memory, const struct ps_layout *reader);
int ps_layout_extend(struct ps_layout *memory, const struct ps_layout *reader);

/* The slots of the reader's end, in a memory that was widened for all readers. 0: its windows never reach beyond the
 * writer's last one, where the writer puts zeros; or beyond it there are those of fifo.c, seal(). */
uint64_t ps_layout_end_slots(const struct ps_layout *memory, const struct ps_layout *reader);

/* Of a reader that has an end, when `written` tokens were all: the slot of it at which window j begins, which reaches
 * beyond the last token. *copied: so many slots of it are the last tokens, with the first of these windows; the others
 * are zeros. */
uint64_t ps_layout_end_slot(const struct ps_layout *reader, uint64_t j, uint64_t written, uint64_t *copied);

/* The slot of a position, which may be below 0: in the ring. Slot ring + i doubles slot i of the ring. */
uint64_t ps_layout_slot(const struct ps_layout *memory, int64_t position);

/* The slot at which write window w begins, and read window j of a reader: the memory's owner or another one. */
uint64_t ps_layout_write_slot(const struct ps_layout *memory, uint64_t w);
uint64_t ps_layout_read_slot(const struct ps_layout *memory, const struct ps_layout *reader, uint64_t j);

/* What of `count` slots from `from` on, written in one piece, has another place, and is to be copied there: at most two
 * pieces. Returns how many. For a write window: before it is published. */
struct ps_layout_copy {
	uint64_t from, to, count; /* slots */
};
unsigned ps_layout_copies(
	const struct ps_layout *memory, uint64_t from, uint64_t count, struct ps_layout_copy copies[2]);

/* Write w may start when so many tokens (R b) are taken off; read j when so many (V) are written. Below 1: at once. */
static inline int64_t ps_layout_write_needs(const struct ps_layout *l, uint64_t w)
{
	return (int64_t)(w * l->write_rate - l->ahead);
}

static inline int64_t ps_layout_read_needs(const struct ps_layout *l, uint64_t j)
{
	return (int64_t)(l->first + j * l->read_rate - l->delay);
}

/* The valid new tokens of read window j when `written` tokens have been written: read_rate, or fewer, also 0, if there
 * are no more. */
uint32_t ps_layout_valid(const struct ps_layout *, uint64_t j, uint64_t written);

/* When `written` tokens have been written: the first token of read window j, counted from its oldest one, that has not
 * been; its size: none. At the stream's end it holds zeros from there on. ps_layout_zeros(): the first that read j is
 * to put there itself, in a ring in which the reads before have put theirs. */
uint64_t ps_layout_missing(const struct ps_layout *, uint64_t j, uint64_t written);
uint64_t ps_layout_zeros(const struct ps_layout *, uint64_t j, uint64_t written);

/* Has it one rate, and windows that never overlap? */
static inline bool ps_layout_is_simple(const struct ps_layout *l)
{
	return l->write_rate == l->read_rate && !l->history && !l->tail;
}

/* The write that made the last token of read j; below 0: that is an initial token. */
static inline int64_t ps_layout_written_by(const struct ps_layout *l, uint64_t j)
{
	int64_t behind = (int64_t)(l->first + j * l->read_rate) - 1 - l->delay;

	if (l->write_rate == l->read_rate) /* often asked, and divisions are slow */
		return (int64_t)j + l->lead;
	return behind < 0 ? -1 : behind / l->write_rate;
}

/* Of one rate without history: whole windows of initial tokens, and what is left of them; the ring's windows. */
static inline uint64_t ps_layout_whole(const struct ps_layout *l)
{
	return l->delay / l->read_rate;
}

static inline uint32_t ps_layout_rest(const struct ps_layout *l)
{
	return l->delay % l->read_rate;
}

static inline uint64_t ps_layout_windows(const struct ps_layout *l)
{
	return l->ring / l->read_rate;
}

#endif
