/* SPDX-License-Identifier: MIT */
#include "tests/fifo/fifo_stress.h"
#include "lib/fifo/fifo.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 8 };

struct side {
	struct stress *s;
	struct ps_fifo *f;
	uint64_t random;
};

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Holds a window for a random while: other threads run, or this one goes round. */
static void linger(struct side *side)
{
	uint64_t r = side->s->delays ? next_random(&side->random) : 1;

	if (!side->s->delays || r % side->s->delays)
		return;
	if (r & 0x10000)
		sched_yield();
	for (volatile unsigned i = 0; i < (r >> 20) % 2000; i++)
		;
}

/* Byte b of token number t. */
static unsigned char token_byte(uint64_t t, size_t b)
{
	return (unsigned char)((t * 2654435761u + b * 97 + 1) >> (8 * (b % 4)));
}

static void put(unsigned char *at, uint64_t t, size_t size)
{
	for (size_t b = 0; b < size; b++)
		at[b] = token_byte(t, b);
}

static bool good(const unsigned char *at, uint64_t t, size_t size)
{
	for (size_t b = 0; b < size; b++)
		if (at[b] != token_byte(t, b))
			return false;
	return true;
}

static void *write_all(void *arg)
{
	struct side *side = arg;
	struct stress *s = side->s;
	const struct ps_layout *l = &s->asked;
	uint64_t done = 0;

	while (done < s->tokens) {
		unsigned char *windows[HELD];
		uint32_t valid[HELD];
		unsigned held = 0, want = 1 + (unsigned)(next_random(&side->random) % s->hold);
		uint64_t from = done;

		while (ps_fifo_peek(&side->f->writer) == PS_FIFO_WAIT)
			ps_fifo_wait(&side->f->writer);
		while (held < want && from < s->tokens && ps_fifo_peek(&side->f->writer) == PS_FIFO_READY) {
			windows[held] = ps_fifo_write_start(side->f);
			valid[held] = l->write_rate;
			if (s->tokens - from < l->write_rate)
				valid[held] = (uint32_t)(s->tokens - from);
			from += valid[held++];
		}
		for (unsigned h = 0; h < held; h++) {
			linger(side);
			for (uint32_t i = 0; i < valid[h]; i++)
				put(windows[h] + i * l->token_size, l->delay + done + i, l->token_size);
			linger(side);
			ps_fifo_write_end(side->f, valid[h]);
			done += valid[h];
		}
	}
	ps_fifo_write_close(side->f);
	return NULL;
}

static bool is_zero(const unsigned char *at, size_t size)
{
	while (size && !at[size - 1])
		size--;
	return !size;
}

/* Counts the wrong tokens of a window that begins behind `from` new ones: of its history, valid ones, and what is
 * behind these and not zero. */
static uint64_t check_window(
	const struct stress *s, const unsigned char *window, uint32_t valid, uint64_t from)
{
	const struct ps_layout *l = &s->asked;
	int64_t first = (int64_t)(from + (l->peek ? l->history : 0)), all = (int64_t)(l->delay + s->tokens);
	uint64_t wrong = 0;

	for (int64_t i = -(int64_t)l->history; i < l->read_rate; i++, window += l->token_size) {
		int64_t x = first + i; /* in the stream */

		wrong += x >= 0 && x < all && i < valid ? !good(window, (uint64_t)x, l->token_size)
		                                        : !is_zero(window, l->token_size);
	}
	return wrong;
}

static void *read_all(void *arg)
{
	struct side *side = arg;
	struct stress *s = side->s;

	for (;;) {
		const unsigned char *windows[HELD];
		uint32_t valid[HELD];
		unsigned held = 0, want = 1 + (unsigned)(next_random(&side->random) % s->hold);

		while (ps_fifo_peek(&side->f->reader) == PS_FIFO_WAIT)
			ps_fifo_wait(&side->f->reader);
		if (ps_fifo_peek(&side->f->reader) == PS_FIFO_ENDED)
			break;
		while (held < want && ps_fifo_peek(&side->f->reader) == PS_FIFO_READY) {
			windows[held] = ps_fifo_read_start(side->f, &valid[held]);
			held++;
		}
		for (unsigned h = 0; h < held; h++) {
			s->wrong += check_window(s, windows[h], valid[h], s->received);
			linger(side);
			s->wrong += check_window(s, windows[h], valid[h], s->received);
			ps_fifo_read_end(side->f);
			s->received += valid[h];
		}
	}
	ps_fifo_read_close(side->f);
	return NULL;
}

static void make_fifo(struct ps_fifo *f, const struct ps_layout *asked)
{
	unsigned char *initial = malloc((size_t)asked->delay * asked->token_size + 1);

	for (uint32_t t = 0; t < asked->delay; t++)
		put(initial + t * asked->token_size, t, asked->token_size);
	f->layout = *asked;
	if (ps_layout_init(&f->layout) || ps_fifo_init(f) ||
		ps_fifo_allocate(f, asked->delay ? initial : NULL, 0))
		abort();
	free(initial);
}

void stress_run(struct stress *s)
{
	struct ps_fifo f;
	struct side writer = { s, &f, s->seed * 2 + 1 }, reader = { s, &f, s->seed * 2 + 77 };
	pthread_t thread;

	s->received = s->wrong = 0;
	make_fifo(&f, &s->asked);
	pthread_create(&thread, NULL, write_all, &writer);
	read_all(&reader);
	pthread_join(thread, NULL);
	ps_fifo_fini(&f);
}

/* Writes all that is admitted; returns the tokens written. */
static uint64_t write_admitted(struct ps_fifo *f, uint64_t written)
{
	const struct ps_layout *l = &f->layout;

	while (ps_fifo_peek(&f->writer) == PS_FIFO_READY) {
		unsigned char *window = ps_fifo_write_start(f);

		for (uint32_t i = 0; i < l->write_rate; i++)
			put(window + i * l->token_size, l->delay + written + i, l->token_size);
		ps_fifo_write_end(f, l->write_rate);
		written += l->write_rate;
	}
	return written;
}

uint64_t stress_held(const struct ps_layout *asked)
{
	struct stress s = { .asked = *asked, .tokens = INT32_MAX };
	uint64_t wrong = 0, written = 0, taken = 0;
	struct ps_fifo f;

	make_fifo(&f, asked);
	for (uint64_t round = 0; taken < 4 * f.layout.ring && round < 16 * f.layout.ring; round++) {
		uint32_t valid;
		const unsigned char *window;

		if (ps_fifo_peek(&f.reader) != PS_FIFO_READY) {
			written = write_admitted(&f, written);
			continue;
		}
		window = ps_fifo_read_start(&f, &valid);
		written = write_admitted(&f, written);
		wrong += check_window(&s, window, valid, taken);
		ps_fifo_read_end(&f);
		taken += valid;
	}
	wrong += taken < 4 * f.layout.ring; /* both sides stick */
	ps_fifo_fini(&f);
	return wrong;
}
