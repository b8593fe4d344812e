/* SPDX-License-Identifier: MIT */
#include "lib/fifo/layout.h"
#include "lib/base/gcd.h"

#include <errno.h>

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* o */
static uint32_t origin(const struct ps_layout *l)
{
	return l->peek ? l->history : 0;
}

/* t */
static int64_t marking_of(const struct ps_layout *l)
{
	return (int64_t)l->delay - origin(l);
}

/* n mod m, from 0 on also for n below 0 */
static uint64_t modulo(int64_t n, uint64_t m)
{
	return n < 0 ? (m - (uint64_t)-n % m) % m : (uint64_t)n % m;
}

static int64_t floor_div(int64_t n, int64_t d)
{
	return n < 0 ? -((-n + d - 1) / d) : n / d;
}

/* Up to a multiple. Returns whether it is too large. */
static bool round_up(uint64_t *n, uint64_t unit)
{
	uint64_t rest = *n % unit;

	return rest && __builtin_add_overflow(*n, unit - rest, n);
}

/* The margin and the bytes, with so many slots of it for reads, and so many behind it for the ends. */
static int set_slots(struct ps_layout *l, uint64_t front, uint64_t ends)
{
	uint64_t unit = ps_gcd(l->write_rate, l->ring);
	uint64_t first = modulo(marking_of(l) + l->history, unit);
	uint64_t back = first + l->write_rate - unit;
	struct ps_layout set = *l;
	uint64_t all;

	set.front = front;
	if (__builtin_add_overflow(l->ring, most(front, back), &set.slots) ||
		__builtin_add_overflow(set.slots, ends, &all) ||
		__builtin_mul_overflow(all, l->token_size, &set.bytes) || set.bytes > (size_t)PTRDIFF_MAX)
		return -EOVERFLOW;
	*l = set;
	return 0;
}

int ps_layout_init(struct ps_layout *l)
{
	uint64_t a = l->write_rate, b = l->read_rate, windows, unit;
	int64_t marking = marking_of(l);

	if (!a || !b || !l->depth || !l->token_size)
		return -EINVAL;
	unit = ps_gcd(a, b);
	/* of 32-bit numbers: overflows 64 bits in no sum, and not in the product where it is not too large anyway */
	if (__builtin_mul_overflow(l->depth, a + b - unit, &windows) ||
		__builtin_add_overflow(
			windows, marking < 0 ? modulo(marking, unit) : (uint64_t)marking, &windows))
		return -EOVERFLOW;
	l->ring = most(windows, l->room);
	if (__builtin_add_overflow(l->ring, l->history, &l->ring) || round_up(&l->ring, b) ||
		l->ring > (uint64_t)INT64_MAX / 2)
		return -EOVERFLOW;
	l->room = l->ring - l->history;
	l->ahead = (uint64_t)((int64_t)l->room - marking) - a;
	l->capacity = l->room - modulo((int64_t)l->room - marking, unit) + origin(l);
	l->first = origin(l) + b;
	l->lead = floor_div((int64_t)l->first - 1 - l->delay, (int64_t)a);
	l->mixed = false;
	return set_slots(l, l->history, 0);
}

int ps_layout_widen(struct ps_layout *memory, const struct ps_layout *reader)
{
	struct ps_layout own = *reader, wider = *memory;
	int err;

	if (reader->write_rate != memory->write_rate || reader->token_size != memory->token_size ||
		(reader->delay && reader->delay != memory->delay))
		return -EINVAL;
	own.delay = memory->delay;
	err = ps_layout_init(&own);
	if (err)
		return err;
	wider.ring = most(own.ring, memory->ring);
	wider.mixed = memory->mixed || !ps_layout_is_simple(memory) || !ps_layout_is_simple(reader);
	/* beside what a reader without delay may hold there is place for zeros (fifo.c, seal()) */
	if (!reader->delay && memory->delay % memory->write_rate && ps_layout_is_simple(reader))
		wider.ring = most(wider.ring, reader->room + memory->write_rate);
	err = set_slots(&wider, memory->front, 0);
	if (!err)
		*memory = wider;
	return err;
}

uint64_t ps_layout_slot(const struct ps_layout *l, int64_t position)
{
	return modulo(position + l->history - origin(l), l->ring);
}

uint64_t ps_layout_write_slot(const struct ps_layout *l, uint64_t w)
{
	return ps_layout_slot(l, (int64_t)(l->delay + w * l->write_rate));
}

uint64_t ps_layout_read_slot(const struct ps_layout *memory, const struct ps_layout *reader, uint64_t j)
{
	int64_t first = (int64_t)memory->delay - reader->delay + origin(reader) - reader->history;

	return ps_layout_slot(memory, first + (int64_t)(j * reader->read_rate));
}

int ps_layout_extend(struct ps_layout *memory, const struct ps_layout *reader)
{
	uint64_t unit = ps_gcd(reader->read_rate, memory->ring);
	uint64_t front = reader->history + (uint64_t)reader->read_rate - unit +
	                 ps_layout_read_slot(memory, reader, 0) % unit;
	uint64_t ends = memory->bytes / memory->token_size - memory->slots;

	return set_slots(memory, most(front, memory->front), ends + ps_layout_end_slots(memory, reader));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * How many windows reach beyond the last token? The first of them has b - 1 new tokens at most; with the tail that is
 * b - 1 + tail tokens, in windows of b. They lie b slots apart. But where all tokens are passed, all of it is zeros:
 * from there on they are one window, behind a first one that has tokens.
 */
uint64_t ps_layout_end_slots(const struct ps_layout *memory, const struct ps_layout *reader)
{
	uint64_t b = reader->read_rate, window = reader->history + b,
		 windows = (reader->tail + 2 * b - 2) / b;
	bool inside = !reader->tail && reader->write_rate % b == 0 && modulo(marking_of(reader), b) == 0;

	return !memory->mixed || inside ? 0 : least(reader->history + windows * b, 2 * window);
}

uint64_t ps_layout_end_slot(const struct ps_layout *l, uint64_t j, uint64_t written, uint64_t *copied)
{
	int64_t have = marking_of(l) + (int64_t)written; /* below 0: not even what a peek begins with */
	uint64_t first = have < 0 ? 0 : (uint64_t)have / l->read_rate;

	*copied = (uint64_t)(have + l->history) - first * l->read_rate;
	return least((j - first) * l->read_rate, (uint64_t)l->history + l->read_rate);
}

unsigned ps_layout_copies(
	const struct ps_layout *l, uint64_t from, uint64_t count, struct ps_layout_copy copies[2])
{
	uint64_t end = from + count, beyond = most(from, l->ring);
	unsigned n = 0;

	if (end > beyond)
		copies[n++] = (struct ps_layout_copy){ beyond, beyond - l->ring, end - beyond };
	if (from < l->front)
		copies[n++] = (struct ps_layout_copy){ from, l->ring + from, least(end, l->front) - from };
	return n;
}

uint32_t ps_layout_valid(const struct ps_layout *l, uint64_t j, uint64_t written)
{
	uint64_t have = l->delay + written, before = origin(l) + j * l->read_rate;

	if (have <= before)
		return 0;
	return have - before < l->read_rate ? (uint32_t)(have - before) : l->read_rate;
}

uint64_t ps_layout_missing(const struct ps_layout *l, uint64_t j, uint64_t written)
{
	int64_t there = (int64_t)(l->delay + written + l->history - origin(l) - j * l->read_rate);
	uint64_t all = l->history + (uint64_t)l->read_rate;

	return there < 0 ? 0 : least((uint64_t)there, all);
}

uint64_t ps_layout_zeros(const struct ps_layout *l, uint64_t j, uint64_t written)
{
	uint64_t missing = ps_layout_missing(l, j, written);

	return j && missing < l->history ? l->history : missing;
}
