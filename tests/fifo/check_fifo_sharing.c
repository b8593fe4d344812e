/* SPDX-License-Identifier: MIT */
/*
 * Readers that share one memory.
 */
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"
#include "tests/fifo/crowd.h"
#include "tests/fifo/one_rate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first reader has d delay tokens and the memory, the second has none; one byte a token. */
static void make_pair(struct ps_fifo *pair, uint32_t r, uint32_t d, const char *initial)
{
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(one_rate(&pair[i].layout, r, i ? 0 : d, 2, 1), 0);
		ck_assert_int_eq(ps_fifo_init(&pair[i]), 0);
	}
	ck_assert_int_eq(ps_fifo_share(&pair[1], &pair[0]), 0);
	ck_assert_int_eq(ps_fifo_allocate(&pair[0], initial, 0), 0);
}

static void put(struct ps_fifo *f, const char *tokens, uint32_t valid)
{
	unsigned char *window = ps_fifo_write_start(f);

	memset(window, 'x', f->layout.read_rate);
	memcpy(window, tokens, valid);
	ck_assert_int_eq(ps_fifo_write_end(f, valid), 0);
}

/* The next window is `tokens`, zeros behind the valid ones. */
static void get(struct ps_fifo *f, const char *tokens, uint32_t expected)
{
	uint32_t valid;
	const unsigned char *window;

	ck_assert_int_eq(ps_fifo_peek(&f->reader), PS_FIFO_READY);
	window = ps_fifo_read_start(f, &valid);
	ck_assert_uint_eq(valid, expected);
	ck_assert_mem_eq(window, tokens, valid);
	for (uint32_t i = valid; i < f->layout.read_rate; i++)
		ck_assert_int_eq(window[i], 0);
	ps_fifo_read_end(f);
}

static void end_pair(struct ps_fifo *pair)
{
	ps_fifo_fini(&pair[0]);
	ps_fifo_fini(&pair[1]);
}

/* Motion detection's: 13 slots. */
START_TEST(one_memory)
{
	struct ps_fifo pair[2];

	make_pair(pair, 4, 1, "-");
	ck_assert_uint_eq(pair[0].shape.slots, 13);
	ck_assert_ptr_null(pair[1].allocation);
	ck_assert_uint_eq(pair[1].allocated, 0);
	ck_assert_int_eq(ps_fifo_peek(&pair[1].reader), PS_FIFO_WAIT);
	put(&pair[0], "abcd", 4); /* -abcd.... .... */
	put(&pair[1], "efgh", 4); /* -abcdefgh.... */
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(ps_fifo_peek(&pair[i].writer), PS_FIFO_WAIT);
		ck_assert_uint_eq(pair[i].written, 8);
	}
	get(&pair[1], "abcd", 4);
	/* each by its own reads: the other reader has freed nothing */
	ck_assert_int_eq(ps_fifo_peek(&pair[1].writer), PS_FIFO_READY);
	ck_assert_int_eq(ps_fifo_peek(&pair[0].writer), PS_FIFO_WAIT);
	get(&pair[0], "-abc", 4);
	put(&pair[0], "ijkl", 4); /* labcdefghijkl, the last one copied to the front */
	ck_assert_uint_eq(pair[0].copied + pair[1].copied, 1);
	get(&pair[0], "defg", 4);
	get(&pair[1], "efgh", 4);
	put(&pair[0], "mnop", 4); /* lmnopefghijkl */
	get(&pair[1], "ijkl", 4);
	get(&pair[1], "mnop", 4);
	get(&pair[0], "hijk", 4);
	get(&pair[0], "lmno", 4);
	for (unsigned i = 0; i < 2; i++)
		ps_fifo_write_close(&pair[i]);
	get(&pair[0], "p", 1);
	ck_assert_int_eq(ps_fifo_peek(&pair[0].reader), PS_FIFO_ENDED);
	ck_assert_int_eq(ps_fifo_peek(&pair[1].reader), PS_FIFO_ENDED);
	end_pair(pair);
}
END_TEST

/* The last window is partly filled, at every place: zeros for both, and what is unread stays. */
START_TEST(the_end_of_both)
{
	for (uint32_t windows = 0; windows < 8; windows++)
		for (uint32_t valid = 1; valid < 4; valid++)
			for (uint32_t d = 0; d <= 9; d++) {
				struct ps_fifo pair[2];
				char all[64], *tokens = all + d;
				uint32_t have = d;

				for (unsigned i = 0; i < sizeof all; i++)
					all[i] = (char)('0' + i);
				make_pair(pair, 4, d, all);
				for (uint32_t w = 0, j = 0; w <= windows; w++) {
					/* as late as can be: two windows are unread when the last is written */
					if (w >= 2) {
						get(&pair[0], all + 4 * j, 4);
						get(&pair[1], tokens + 4 * j++, 4);
					}
					put(&pair[w % 2], tokens + 4 * w, w < windows ? 4 : valid);
					have += w < windows ? 4 : valid;
				}
				ck_assert(pair[0].closed && pair[1].closed);
				for (uint32_t at = windows > 1 ? 4 * (windows - 1) : 0; at < have; at += 4)
					get(&pair[0], all + at, have - at < 4 ? have - at : 4);
				for (uint32_t at = windows > 1 ? 4 * (windows - 1) : 0; at < have - d;
					at += 4)
					get(&pair[1], tokens + at, have - d - at < 4 ? have - d - at : 4);
				ck_assert_int_eq(ps_fifo_peek(&pair[0].reader), PS_FIFO_ENDED);
				ck_assert_int_eq(ps_fifo_peek(&pair[1].reader), PS_FIFO_ENDED);
				end_pair(pair);
			}
}
END_TEST

/* Whichever reader ends, also the owner of the memory: the other one gets all. The windows stay where both count
 * them. */
START_TEST(one_reader_ends)
{
	for (unsigned who = 0; who < 2; who++) {
		struct ps_fifo pair[2];
		char tokens[] = "-....";

		make_pair(pair, 4, 1, "-");
		put(&pair[0], "abcd", 4);
		ps_fifo_read_close(&pair[who]);
		ck_assert(ps_fifo_wanted(&pair[0]) && ps_fifo_wanted(&pair[1]));
		ck_assert_int_eq(ps_fifo_peek(&pair[who].writer), PS_FIFO_ENDED);
		get(&pair[!who], who ? "-abc" : "abcd", 4);
		tokens[0] = 'd';
		for (char c = 'e'; c < 'y'; c += 4) {
			for (char i = 0; i < 4; i++)
				tokens[1 + i] = (char)(c + i);
			put(&pair[(c / 4) % 2], tokens + 1, 4);
			get(&pair[!who], who ? tokens : tokens + 1, 4);
			tokens[0] = tokens[4];
		}
		ck_assert_uint_eq(pair[who].written, 4);
		ck_assert_uint_eq(pair[!who].written, 24);
		ps_fifo_read_close(&pair[!who]);
		ck_assert(!ps_fifo_wanted(&pair[0]) && !ps_fifo_wanted(&pair[1]));
		for (unsigned i = 0; i < 7; i++)
			put(&pair[i % 2], "----", 4); /* dropped */
		ck_assert_uint_eq(pair[!who].written, 24);
		end_pair(pair);
	}
}
END_TEST

START_TEST(refused)
{
	struct ps_fifo f[2];

	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(one_rate(&f[i].layout, 4, 1 + i, 2, 1), 0);
		ck_assert_int_eq(ps_fifo_init(&f[i]), 0);
	}
	ck_assert_int_eq(ps_fifo_share(&f[1], &f[0]), -EINVAL);
	ck_assert_ptr_eq(f[1].owner, &f[1]);
	ck_assert_ptr_null(f[0].sharer);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_fifo_allocate(&f[0], NULL, 0), -ENOMEM);
	ps_memory_fail_at = -1;
	end_pair(f);
}
END_TEST

/* Spans of a kahn reader in a shared memory: they end where the memory does. */
START_TEST(spans)
{
	struct ps_fifo pair[2];
	const void *from;

	make_pair(pair, 1, 2, "01"); /* four slots */
	put(&pair[0], "2", 1);
	put(&pair[0], "3", 1); /* 0123 */
	ck_assert_uint_eq(ps_fifo_read_span(&pair[0], 9, &from), 4);
	ck_assert_mem_eq(from, "0123", 4);
	ps_fifo_read_end_span(&pair[0], 3);
	ck_assert_uint_eq(ps_fifo_read_span(&pair[1], 9, &from), 2);
	ck_assert_mem_eq(from, "23", 2);
	ps_fifo_read_end_span(&pair[1], 1);
	put(&pair[1], "4", 1); /* 4123 */
	ck_assert_uint_eq(ps_fifo_read_span(&pair[1], 9, &from), 1);
	ck_assert_mem_eq(from, "3", 1);
	ps_fifo_read_end_span(&pair[1], 1);
	ck_assert_uint_eq(ps_fifo_read_span(&pair[1], 9, &from), 1);
	ck_assert_mem_eq(from, "4", 1);
	ck_assert_uint_eq(ps_fifo_read_span(&pair[0], 9, &from), 1);
	ck_assert_mem_eq(from, "3", 1);
	end_pair(pair);
}
END_TEST

/* And of a writer: up to the end of the memory, as the slowest of those that still read has room; written for all. */
START_TEST(spans_of_the_writer)
{
	struct ps_fifo pair[2];
	const void *from;
	void *to;

	ck_assert_int_eq(one_rate(&pair[0].layout, 1, 1, 5, 1), 0);
	ck_assert_int_eq(one_rate(&pair[1].layout, 1, 0, 3, 1), 0);
	ck_assert_int_eq(ps_fifo_init(&pair[0]), 0);
	ck_assert_int_eq(ps_fifo_init(&pair[1]), 0);
	ck_assert_int_eq(ps_fifo_share(&pair[1], &pair[0]), 0);
	ck_assert_int_eq(ps_fifo_allocate(&pair[0], "0", 0), 0); /* six slots: 0..... */
	ck_assert_uint_eq(ps_fifo_write_span(&pair[0], 9, &to), 3);
	ck_assert_uint_eq(ps_fifo_write_span(&pair[1], 2, &to), 2);
	memcpy(to, "ab", 2);
	ps_fifo_write_end_span(&pair[0], 2); /* 0ab... */
	ck_assert_uint_eq(ps_fifo_write_span(&pair[0], 9, &to), 1);
	memcpy(to, "c", 1);
	ps_fifo_write_end_span(&pair[1], 1); /* 0abc.. */
	ck_assert_uint_eq(ps_fifo_write_span(&pair[0], 9, &to), 0);
	ck_assert_uint_eq(pair[0].written, 3);
	ck_assert_uint_eq(pair[1].written, 3);
	get(&pair[1], "a", 1);
	get(&pair[1], "b", 1);
	get(&pair[1], "c", 1);
	ck_assert_uint_eq(ps_fifo_write_span(&pair[1], 9, &to), 2); /* the other one has room for two */
	ck_assert_uint_eq(ps_fifo_read_span(&pair[0], 9, &from), 4);
	ck_assert_mem_eq(from, "0abc", 4);
	ps_fifo_read_end_span(&pair[0], 4);
	ck_assert_uint_eq(ps_fifo_write_span(&pair[1], 9, &to), 2); /* the memory ends there */
	memcpy(to, "de", 2);
	ps_fifo_write_end_span(&pair[1], 2); /* ....de */
	ck_assert_uint_eq(ps_fifo_write_span(&pair[1], 9, &to), 1);
	memcpy(to, "f", 1);
	ps_fifo_write_end_span(&pair[1], 1); /* f...de */
	get(&pair[0], "d", 1);
	ps_fifo_read_close(&pair[1]); /* which had room for none */
	ck_assert_uint_eq(ps_fifo_write_span(&pair[1], 9, &to), 4);
	memcpy(to, "ghij", 4);
	ps_fifo_write_end_span(&pair[1], 4); /* fghije */
	ck_assert_uint_eq(pair[0].written, 10);
	ck_assert_uint_eq(pair[1].written, 6); /* dropped */
	get(&pair[0], "e", 1);
	put(&pair[1], "k", 1); /* fghijk: a window goes on behind them */
	for (const char *c = "fghijk"; *c; c++)
		get(&pair[0], c, 1);
	ps_fifo_read_close(&pair[0]);
	ck_assert_uint_eq(ps_fifo_write_span(&pair[0], 9, &to), 0);
	end_pair(pair);
}
END_TEST

/* -- readers of several rates -- */

enum { MOST = 4, LONGEST = 41, HELD = 3 };

struct kind {
	uint32_t rate, history, delay, depth, tail;
	bool peek;
};

struct mixed_case {
	const char *what;
	uint32_t write_rate;
	bool zeros; /* the initial tokens */
	struct kind readers[MOST];
	size_t slots;      /* ring and margin, by hand; 0: not looked at */
	size_t ends[MOST]; /* of each reader, by hand */
};

/* The first one has the memory. */
static const struct mixed_case mixed[] = {
	{ "two rates", 4, false, { { .rate = 4, .depth = 2 }, { .rate = 3, .depth = 2 } }, 12, { 0, 3 } },
	{ "history, one rate: the writer's zeros do", 4, false,
		{ { .rate = 4, .depth = 2 }, { .rate = 4, .history = 3, .depth = 1 } }, 12, { 0, 0 } },
	{ "a divisor of the write rate", 4, false,
		{ { .rate = 4, .depth = 2 }, { .rate = 2, .history = 5, .depth = 2 } }, 20, { 0, 0 } },
	{ "tails, shorter and much longer than a window", 4, false,
		{ { .rate = 4, .depth = 2, .tail = 3 }, { .rate = 4, .history = 2, .depth = 2, .tail = 40 },
			{ .rate = 3, .history = 1, .depth = 3, .tail = 4 } },
		0, { 8, 12, 7 } },
	{ "peeks, also of more than the stream has", 3, false,
		{ { .rate = 2, .history = 7, .peek = true, .depth = 2 },
			{ .rate = 1, .history = 9, .peek = true, .depth = 2 },
			{ .rate = 5, .history = 6, .peek = true, .depth = 1, .tail = 11 } },
		0, { 9, 0, 21 } },
	{ "histories, also of more than the stream has", 2, false,
		{ { .rate = 1, .history = 50, .depth = 1 }, { .rate = 7, .history = 11, .depth = 2 } }, 0,
		{ 0, 18 } },
	{ "initial tokens that fill no window, one rate and another one", 4, false,
		{ { .rate = 4, .delay = 3, .depth = 2 }, { .rate = 5, .delay = 3, .depth = 2 },
			{ .rate = 4, .depth = 3 } },
		0, { 4, 5, 0 } },
	{ "initial tokens, and a peek at them", 3, false,
		{ { .rate = 2, .delay = 4, .depth = 2, .history = 3 },
			{ .rate = 2, .delay = 4, .depth = 2, .history = 4, .peek = true },
			{ .rate = 5, .depth = 2, .history = 6, .peek = true, .tail = 7 },
			{ .rate = 3, .delay = 4, .depth = 2 } },
		0, { 5, 6, 21, 3 } },
	{ "zeros in front of zeros", 3, true,
		{ { .rate = 2, .delay = 5, .depth = 1 }, { .rate = 4, .history = 7, .depth = 3 },
			{ .rate = 3, .history = 2, .depth = 2 } },
		0, { 2, 11, 0 } },
	{ "a ring that is full at the end: no place for the writer's zeros", 4, false,
		{ { .rate = 4, .delay = 1, .depth = 1 }, { .rate = 5, .delay = 1, .depth = 3 } }, 28,
		{ 4, 5 } },
	{ "the owner is the smallest", 6, false,
		{ { .rate = 1, .depth = 1 }, { .rate = 10, .depth = 2 }, { .rate = 6, .depth = 1 } }, 0,
		{ 0, 10, 0 } },
};

struct mixed_run {
	const struct mixed_case *c;
	struct ps_fifo fifos[MOST];
	unsigned readers;
	uint64_t tokens, written; /* in all, so far */
	unsigned hold;
	struct {
		const unsigned char *window;
		uint32_t valid;
	} held[MOST][HELD];
	unsigned holds[MOST];
	uint64_t done[MOST], most[MOST]; /* windows ended, and after which the reader ends */
};

static unsigned char token(const struct mixed_case *c, int64_t position, uint32_t delay)
{
	return position < delay && c->zeros ? 0 : (unsigned char)(1 + position);
}

/* What position x of a reader's stream is. */
static unsigned char expected_at(const struct mixed_run *r, unsigned i, int64_t x)
{
	const struct ps_layout *l = &r->fifos[i].layout;
	uint32_t all = r->fifos[0].layout.delay;

	if (x < 0 || x >= (int64_t)(l->delay + r->tokens))
		return 0;
	return token(r->c, x + all - l->delay, all);
}

static void check_mixed_window(const struct mixed_run *r, unsigned i, unsigned held)
{
	const struct ps_layout *l = &r->fifos[i].layout;
	uint64_t j = r->done[i] + held;
	int64_t new = (l->peek ? l->history : 0) + (int64_t)(j * l->read_rate), first = new - l->history;
	int64_t left = (int64_t)(l->delay + r->tokens + l->tail) - new;

	ck_assert_int_eq(r->held[i][held].valid, left < l->read_rate ? left : l->read_rate);
	for (int64_t x = first; x < new + l->read_rate; x++)
		ck_assert_msg(r->held[i][held].window[x - first] == expected_at(r, i, x),
			"%s, %" PRIu64 " tokens, %u held: window %" PRIu64 " of reader %u, position %" PRId64,
			r->c->what, r->tokens, r->hold, j, i, x);
}

static void start_read(struct mixed_run *r, unsigned i)
{
	unsigned n = r->holds[i]++;

	r->held[i][n].window = ps_fifo_read_start(&r->fifos[i], &r->held[i][n].valid);
	check_mixed_window(r, i, n);
}

static void end_read(struct mixed_run *r, unsigned i)
{
	for (unsigned n = 0; n < r->holds[i]; n++)
		check_mixed_window(r, i, n);
	ps_fifo_read_end(&r->fifos[i]);
	memmove(&r->held[i][0], &r->held[i][1], sizeof r->held[i] - sizeof r->held[i][0]);
	r->holds[i]--;
	if (++r->done[i] == r->most[i]) {
		r->holds[i] = 0;
		ps_fifo_read_close(&r->fifos[i]);
	}
}

/* Starts a window or ends one. false: the reader waits, or has ended. */
static bool read_on(struct mixed_run *r, unsigned i)
{
	if (r->done[i] >= r->most[i])
		return false;
	if (r->holds[i] < r->hold && ps_fifo_peek(&r->fifos[i].reader) == PS_FIFO_READY)
		start_read(r, i);
	else if (r->holds[i])
		end_read(r, i);
	else
		return false;
	return true;
}

static bool has_room(const struct mixed_run *r)
{
	for (unsigned i = 0; i < r->readers; i++)
		if (ps_fifo_peek(&r->fifos[i].writer) == PS_FIFO_WAIT)
			return false;
	return true;
}

static void write_mixed(struct mixed_run *r)
{
	struct ps_fifo *any = &r->fifos[r->written % r->readers];
	uint32_t rate = any->layout.write_rate, delay = r->fifos[0].layout.delay;
	uint64_t left = r->tokens - r->written;
	unsigned char *window = ps_fifo_write_start(any);

	memset(window, 0xee, rate);
	for (uint64_t i = 0; i < rate && i < left; i++)
		window[i] = token(r->c, (int64_t)(delay + r->written + i), delay);
	r->written += left < rate ? left : rate;
	ck_assert_int_eq(ps_fifo_write_end(any, left < rate ? (uint32_t)left : rate), 0);
}

static void make_mixed(struct mixed_run *r)
{
	unsigned char initial[16];

	for (unsigned i = 0; i < MOST && r->c->readers[i].rate; i++, r->readers++) {
		const struct kind *k = &r->c->readers[i];
		struct ps_fifo *f = &r->fifos[i];

		f->layout = (struct ps_layout){ .write_rate = r->c->write_rate,
			.read_rate = k->rate,
			.history = k->history,
			.peek = k->peek,
			.delay = k->delay,
			.depth = k->depth,
			.tail = k->tail,
			.token_size = 1 };
		ck_assert_int_eq(ps_layout_init(&f->layout), 0);
		ck_assert_int_eq(ps_fifo_init(f), 0);
		if (i)
			ck_assert_int_eq(ps_fifo_share(f, &r->fifos[0]), 0);
		if (r->most[i] == 0)
			r->most[i] = UINT64_MAX;
	}
	for (unsigned i = 0; i < sizeof initial; i++)
		initial[i] = token(r->c, i, r->fifos[0].layout.delay);
	ck_assert_int_eq(ps_fifo_allocate(&r->fifos[0], initial, 0), 0);
	memset(r->fifos[0].memory + r->fifos[0].shape.slots, 0xdd,
		r->fifos[0].shape.bytes - r->fifos[0].shape.slots);
}

/* late: a reader reads only when the writer has no room because of it. Else when it can. */
static void run_mixed(struct mixed_run *r, bool late)
{
	bool more = true;

	make_mixed(r);
	for (unsigned i = 0; i < r->readers; i++)
		r->fifos[i].closes_late = late;
	while (r->written < r->tokens && ps_fifo_wanted(&r->fifos[0]))
		if (late && has_room(r)) {
			write_mixed(r);
		} else {
			for (unsigned i = 0; i < r->readers; i++)
				while ((!late || ps_fifo_peek(&r->fifos[i].writer) == PS_FIFO_WAIT) &&
					read_on(r, i))
					;
			if (has_room(r) && r->written < r->tokens)
				write_mixed(r);
		}
	/* a window that is never ended; behind a partly filled one only as firings side by side have it */
	if (has_room(r) && (late || r->tokens % r->c->write_rate == 0))
		memset(ps_fifo_write_start(&r->fifos[0]), 0xbb, r->c->write_rate);
	for (unsigned i = 0; i < r->readers; i++)
		ps_fifo_write_close(&r->fifos[i]);
	while (more) {
		more = false;
		for (unsigned i = 0; i < r->readers; i++)
			more |= read_on(r, i);
	}
}

/* All windows were there, and no other; what was copied. */
static void check_mixed(struct mixed_run *r)
{
	uint64_t ends = 0;

	for (unsigned i = 0; i < r->readers; i++) {
		const struct ps_layout *l = &r->fifos[i].layout;
		int64_t all = (int64_t)(l->delay + r->tokens + l->tail) - (l->peek ? l->history : 0);
		uint64_t windows = all <= 0 ? 0 : ((uint64_t)all + l->read_rate - 1) / l->read_rate;

		if (r->most[i] == UINT64_MAX)
			ck_assert_uint_eq(r->done[i], windows);
		ck_assert_uint_le(r->fifos[i].copied,
			(i ? 0 : 2 * (r->written + l->write_rate)) + l->history + l->read_rate);
		ck_assert_uint_eq(ps_layout_end_slots(&r->fifos[0].shape, l), r->c->ends[i]);
		ends += r->c->ends[i];
		ck_assert(!r->fifos[i].end == !r->c->ends[i]);
	}
	ck_assert_uint_eq(r->fifos[0].shape.bytes, r->fifos[0].shape.slots + ends);
	if (r->c->slots)
		ck_assert_uint_eq(r->fifos[0].shape.slots, r->c->slots);
	for (unsigned i = 0; i < r->readers; i++)
		ps_fifo_fini(&r->fifos[i]);
}

/* Each window of each reader, of streams of each length, against a plain array. */
START_TEST(readers_of_several_rates)
{
	for (uint64_t tokens = 0; tokens < LONGEST; tokens++)
		for (unsigned hold = 1; hold <= HELD; hold++)
			for (unsigned late = 0; late < 2; late++) {
				struct mixed_run r = { .c = &mixed[_i], .tokens = tokens, .hold = hold };

				run_mixed(&r, late);
				check_mixed(&r);
			}
}
END_TEST

/* Readers end after so many windows, also the memory's owner: the others see all. */
START_TEST(some_readers_end)
{
	for (uint64_t tokens = 0; tokens < LONGEST; tokens += 3)
		for (unsigned who = 0; who < MOST && mixed[_i].readers[who].rate; who++)
			for (unsigned windows = 1; windows < 12; windows++) {
				struct mixed_run r = { .c = &mixed[_i], .tokens = tokens, .hold = 2 };

				r.most[who] = windows;
				run_mixed(&r, windows % 2);
				check_mixed(&r);
			}
}
END_TEST

/* Other rates, histories, peeks and tails; a history in front of initial tokens only where these are zeros, too. */
static void add_rates(struct crowd *c, struct test_rng *rng)
{
	c->zeros = test_chance(rng, 30);
	for (unsigned i = 0; i < c->count; i++) {
		struct crowd_reader *r = &c->readers[i];

		r->rate = test_between(rng, 1, 9);
		r->tail = test_chance(rng, 70) ? 0 : test_between(rng, 1, 20);
		r->peek = test_chance(rng, 30);
		if (r->peek || r->delayed || !c->delay || c->zeros)
			r->history = test_chance(rng, 40) ? 0 : test_between(rng, 1, 12);
	}
}

static void random_crowd(struct crowd *c, struct test_rng *rng)
{
	*c = (struct crowd){ .rate = test_between(rng, 1, 8),
		.token_size = test_between(rng, 1, 9),
		.seed = rng->state,
		.delays = test_between(rng, 0, 6),
		.count = test_between(rng, 2, CROWD),
		.closed_at_once = test_chance(rng, 30),
		.hold = test_between(rng, 1, 4) };
	c->spans = test_chance(rng, 25);
	if (c->spans)
		c->rate = 1;
	c->delay = test_chance(rng, 20) ? 0 : test_between(rng, 1, 3 * c->rate + 2);
	c->tokens = test_between(rng, 0, 60 * c->rate);
	for (unsigned i = 0; i < c->count; i++)
		c->readers[i] =
			(struct crowd_reader){ .delayed = c->delay && (i == 0 || test_chance(rng, 50)),
				.depth = test_between(rng, 1, 4),
				.last = test_chance(rng, 70) ? CROWD_NEVER : test_between(rng, 0, 40) };
	if (!c->spans && test_chance(rng, 60))
		add_rates(c, rng);
}

static uint64_t all_of(const struct crowd *c, const struct crowd_reader *r)
{
	uint64_t all = c->written + (r->delayed ? c->delay : 0) + r->tail, peeked = r->peek ? r->history : 0;

	return all > peeked ? all - peeked : 0;
}

/* What wraps, or has two places, is copied; for a reader with an end, the last tokens once more. */
static uint64_t most_copied(const struct crowd *c)
{
	uint64_t slots = 0, writes = c->written / c->rate + 1;

	if (!c->readers[0].rate) /* fewer than rate tokens in a write */
		return writes * (c->delay % c->rate) * c->token_size;
	for (unsigned i = 0; i < c->count; i++)
		slots += c->readers[i].history + c->readers[i].rate;
	return (2 * writes * c->rate + slots) * c->token_size;
}

/* Whichever readers end, and when: a reader that stays to the end has seen all. No reader has seen anything else. */
START_TEST(every_token_arrives_everywhere)
{
	struct test_rng rng = { test_seed() };
	uint64_t received = 0, ended = 0, rounds = test_rounds(4000);

	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t seed = rng.state;
		struct crowd c;

		random_crowd(&c, &rng);
		test_guard("readers of one memory", seed);
		crowd_run(&c);
		for (unsigned i = 0; i < c.count; i++) {
			const struct crowd_reader *r = &c.readers[i];
			uint64_t all = all_of(&c, r);

			ck_assert_msg(!r->wrong,
				"seed %" PRIu64 ": reader %u of %u: %" PRIu64 " wrong, r %u d %u", seed, i,
				c.count, r->wrong, c.rate, c.delay);
			ck_assert_msg(r->last < CROWD_NEVER || (r->received == all && c.written == c.tokens),
				"seed %" PRIu64 ": reader %u of %u: %" PRIu64 " of %" PRIu64, seed, i,
				c.count, r->received, all);
			received += r->received;
			ended += r->last < CROWD_NEVER;
		}
		ck_assert_uint_le(c.copied, most_copied(&c));
	}
	printf("shared FIFOs: %" PRIu64 " tokens, each checked twice, %" PRIu64 " readers ended early\n",
		received, ended);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fifo sharing");
	TCase *c = test_case(suite, "sharing"), *crowds = test_case(suite, "crowds");

	tcase_add_test(c, one_memory);
	tcase_add_test(c, the_end_of_both);
	tcase_add_test(c, one_reader_ends);
	tcase_add_test(c, refused);
	tcase_add_test(c, spans);
	tcase_add_test(c, spans_of_the_writer);
	tcase_add_loop_test(c, readers_of_several_rates, 0, (int)TEST_COUNT(mixed));
	tcase_add_loop_test(c, some_readers_end, 0, (int)TEST_COUNT(mixed));
	tcase_add_test(crowds, every_token_arrives_everywhere);
	return test_main(suite);
}
