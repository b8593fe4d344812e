/* SPDX-License-Identifier: MIT */
#include "tests/fifo/crowd.h"
#include "lib/fifo/fifo.h"
#include "tests/common/common.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 4 };

struct side {
	struct crowd *c;
	struct ps_fifo *fifos; /* the writer's: all; a reader's: its own */
	struct crowd_reader *reader;
	struct test_rng rng;
};

/* Holds a window for a random while: other threads run, or this one goes round. */
static void linger(struct side *side)
{
	uint64_t r = test_random(&side->rng);

	if (!side->c->delays || r % side->c->delays)
		return;
	if (r & 0x10000)
		sched_yield();
	for (volatile unsigned i = 0; i < (r >> 20) % 2000; i++)
		;
}

/* Byte b of token number t, never 0: what is zero is no token. */
static unsigned char token_byte(uint64_t t, size_t b)
{
	return (unsigned char)(test_mix(t * 131 + b) % 255 + 1);
}

static void put(unsigned char *at, uint64_t t, size_t size)
{
	for (size_t b = 0; b < size; b++)
		at[b] = token_byte(t, b);
}

/* Position x of the stream that a reader sees: an initial token, one that the writer writes, or none: zeros. */
static unsigned char expected(const struct crowd *c, uint32_t delay, int64_t x, size_t b)
{
	int64_t t = x + c->delay - delay;

	if (x < 0 || x >= (int64_t)(delay + c->tokens) || (c->zeros && t < c->delay))
		return 0;
	return token_byte((uint64_t)t, b);
}

/* Counts bytes that are not as expected, with the history and what lies behind the valid tokens. */
static uint64_t check_window(const struct side *side, const unsigned char *window, uint64_t number)
{
	const struct ps_layout *l = &side->fifos->layout;
	int64_t first = (int64_t)(number * l->read_rate) - (l->peek ? 0 : l->history);
	uint64_t wrong = 0, count = l->history + (uint64_t)l->read_rate;

	for (uint64_t i = 0; i < count; i++)
		for (size_t b = 0; b < l->token_size; b++)
			wrong += *window++ != expected(side->c, l->delay, first + (int64_t)i, b);
	return wrong;
}

/* The tokens that a reader sees when it reads to the end, those of its tail also. */
static uint64_t tokens_of(const struct crowd *c, const struct ps_layout *l)
{
	uint64_t all = l->delay + c->tokens + l->tail, peeked = l->peek ? l->history : 0;

	return all > peeked ? all - peeked : 0;
}

/* Waits until every live reader has room. false: none is left. */
static bool wait_room(struct side *side)
{
	unsigned i = 0, ended = 0;

	while (i < side->c->count) {
		enum ps_fifo_state state = ps_fifo_peek(&side->fifos[i].writer);

		if (state == PS_FIFO_WAIT) {
			ps_fifo_wait(&side->fifos[i].writer);
			continue;
		}
		ended += state == PS_FIFO_ENDED;
		i++;
	}
	return ended < i;
}

static bool has_room(struct side *side)
{
	for (unsigned i = 0; i < side->c->count; i++)
		if (ps_fifo_peek(&side->fifos[i].writer) == PS_FIFO_WAIT)
			return false;
	return true;
}

/* Any of them will do. */
static struct ps_fifo *any(struct side *side)
{
	return &side->fifos[test_between(&side->rng, 0, side->c->count - 1)];
}

static void close_all(struct side *side)
{
	unsigned first = test_between(&side->rng, 0, side->c->count - 1);

	for (unsigned i = 0; i < side->c->count; i++)
		ps_fifo_write_close(&side->fifos[(first + i) % side->c->count]);
}

/* Starts up to `hold` windows, fills them in turn and ends them. */
static void write_some(struct side *side)
{
	struct crowd *c = side->c;
	unsigned char *windows[HELD];
	uint32_t valid[HELD];
	unsigned held = 0, want = test_between(&side->rng, 1, c->hold);
	uint64_t from = c->written;

	do {
		if (c->warm)
			ps_fifo_by = (unsigned char)test_between(&side->rng, 1, 3);
		windows[held] = ps_fifo_write_start(any(side));
		valid[held] = c->tokens - from < c->rate ? (uint32_t)(c->tokens - from) : c->rate;
		from += valid[held++];
	} while (held < want && from < c->tokens && has_room(side));
	for (unsigned h = 0; h < held; h++) {
		/* all of it: what is behind the valid tokens must not be seen */
		memset(windows[h], 0xaa, c->rate * c->token_size);
		linger(side);
		for (uint32_t i = 0; i < valid[h]; i++)
			put(windows[h] + i * c->token_size, c->delay + c->written + i, c->token_size);
		linger(side);
		ps_fifo_write_end(any(side), valid[h]);
		c->written += valid[h];
	}
}

/* Several windows at once, as many as there is room for. */
static void write_span(struct side *side)
{
	struct crowd *c = side->c;
	struct ps_fifo *f = any(side);
	uint64_t left = c->tokens - c->written, most = test_between(&side->rng, 1, 6);
	void *first;
	uint64_t span = ps_fifo_write_span(f, most < left ? most : left, &first);

	if (!span) /* the last reader has ended meanwhile */
		return;
	memset(first, 0xaa, span * c->token_size);
	linger(side);
	for (uint64_t i = 0; i < span; i++)
		put((unsigned char *)first + i * c->token_size, c->delay + c->written + i, c->token_size);
	linger(side);
	ps_fifo_write_end_span(any(side), span);
	c->written += span;
}

static void *write_all(void *arg)
{
	struct side *side = arg;
	struct crowd *c = side->c;

	while (c->written < c->tokens && wait_room(side))
		if (c->spans && test_chance(&side->rng, 70))
			write_span(side);
		else
			write_some(side);
	/* after a partly filled window the writer may not write */
	if (c->closed_at_once && c->written % c->rate == 0 && wait_room(side))
		memset(ps_fifo_write_start(any(side)), 0xbb, c->rate * c->token_size);
	close_all(side);
	return NULL;
}

/* Takes up to `hold` windows, looks at each twice. false: the stream has ended. */
static bool read_some(struct side *side)
{
	struct crowd *c = side->c;
	struct crowd_reader *r = side->reader;
	const unsigned char *windows[HELD];
	uint32_t valid[HELD], rate = side->fifos->layout.read_rate;
	unsigned held = 0, want = test_between(&side->rng, 1, c->hold);

	while (ps_fifo_peek(&side->fifos->reader) == PS_FIFO_WAIT)
		ps_fifo_wait(&side->fifos->reader);
	while (held < want && ps_fifo_peek(&side->fifos->reader) == PS_FIFO_READY) {
		windows[held] = ps_fifo_read_start(side->fifos, &valid[held]);
		held++;
	}
	for (unsigned h = 0; h < held; h++, r->windows++) {
		uint64_t left = tokens_of(c, &side->fifos->layout) - r->received;

		r->wrong += check_window(side, windows[h], r->windows);
		linger(side);
		r->wrong += check_window(side, windows[h], r->windows);
		if (c->warm)
			ps_fifo_by = (unsigned char)test_between(&side->rng, 0, 3);
		ps_fifo_read_end(side->fifos);
		r->wrong += valid[h] != (left < rate ? left : rate);
		r->received += valid[h];
	}
	return held > 0;
}

static bool read_span(struct side *side)
{
	struct crowd *c = side->c;
	struct crowd_reader *r = side->reader;
	const void *first;
	uint64_t span;

	while (ps_fifo_peek(&side->fifos->reader) == PS_FIFO_WAIT)
		ps_fifo_wait(&side->fifos->reader);
	span = ps_fifo_read_span(side->fifos, test_between(&side->rng, 1, 6), &first);
	for (unsigned looks = 0; looks < 2; looks++) {
		for (uint64_t i = 0; i < span; i++)
			r->wrong += check_window(
				side, (const unsigned char *)first + i * c->token_size, r->windows + i);
		linger(side);
	}
	if (span)
		ps_fifo_read_end_span(side->fifos, span);
	r->received += span;
	r->windows += span;
	return span > 0;
}

static void *read_all(void *arg)
{
	struct side *side = arg;
	uint64_t last = side->reader->last;
	bool more = true;

	for (uint64_t i = 0; i < last && more; i++)
		more = side->c->spans && test_chance(&side->rng, 70) ? read_span(side) : read_some(side);
	linger(side);
	ps_fifo_read_close(side->fifos);
	return NULL;
}

static void make_fifos(const struct crowd *c, struct ps_fifo *fifos)
{
	unsigned char *initial = malloc((size_t)c->delay * c->token_size + 1);

	memset(initial, 0, (size_t)c->delay * c->token_size + 1);
	for (uint32_t t = 0; t < c->delay && !c->zeros; t++)
		put(initial + t * c->token_size, t, c->token_size);
	for (unsigned i = 0; i < c->count; i++) {
		const struct crowd_reader *r = &c->readers[i];

		fifos[i].layout = (struct ps_layout){ .write_rate = c->rate,
			.read_rate = r->rate ? r->rate : c->rate,
			.history = r->history,
			.peek = r->peek,
			.tail = r->tail,
			.delay = r->delayed ? c->delay : 0,
			.depth = r->depth,
			.token_size = c->token_size };
		if (ps_layout_init(&fifos[i].layout) || ps_fifo_init(&fifos[i]) ||
			(i > 0 && ps_fifo_share(&fifos[i], &fifos[0])))
			abort();
	}
	if (ps_fifo_allocate(&fifos[0], initial, 0) || (c->warm && ps_fifo_keep_warm(&fifos[0])))
		abort();
	free(initial);
}

void crowd_run(struct crowd *c)
{
	struct ps_fifo fifos[CROWD];
	struct side writer = { c, fifos, NULL, { c->seed } }, readers[CROWD];
	pthread_t threads[CROWD];

	c->written = c->copied = 0;
	make_fifos(c, fifos);
	for (unsigned i = 0; i < c->count; i++) {
		c->readers[i].received = c->readers[i].wrong = c->readers[i].windows = 0;
		readers[i] = (struct side){ c, &fifos[i], &c->readers[i], { c->seed + i + 1 } };
		pthread_create(&threads[i], NULL, read_all, &readers[i]);
	}
	write_all(&writer);
	for (unsigned i = 0; i < c->count; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < c->count; i++) {
		c->copied += fifos[i].copied;
		ps_fifo_fini(&fifos[i]);
	}
}
