/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Windows begin at a line of the cache where their size allows it. */
static int make_memory(struct baseline_channel *c)
{
	size_t bytes = baseline_channel_slots(c) * c->token_size;

	bytes = (bytes + BASELINE_LINE - 1) / BASELINE_LINE * BASELINE_LINE;
	c->data = aligned_alloc(BASELINE_LINE, bytes);
	if (!c->data)
		return -ENOMEM;
	memset(c->data, 0, bytes); /* initial tokens are zeros, and no page is new in the first round */
	return 0;
}

static int make_locks(struct baseline_channel *c)
{
	if (pthread_mutex_init(&c->lock, NULL))
		return -ENOMEM;
	if (pthread_cond_init(&c->has_data, NULL))
		goto no_data;
	if (pthread_cond_init(&c->has_room, NULL))
		goto no_room;
	return 0;
no_room:
	pthread_cond_destroy(&c->has_data);
no_data:
	pthread_mutex_destroy(&c->lock);
	return -ENOMEM;
}

int baseline_channel_init(struct baseline_channel *c, uint32_t rate, uint64_t delay, uint64_t depth,
	size_t token_size, bool elsewhere)
{
	uint64_t slots;
	size_t bytes;
	int err;

	c->rate = rate;
	c->delay = delay;
	c->depth = depth;
	c->token_size = token_size;
	c->ahead = delay / rate;
	c->behind = delay % rate;
	c->blocks = c->ahead + depth + (c->behind != 0);
	if (__builtin_mul_overflow(c->blocks, rate, &slots) ||
		__builtin_add_overflow(slots, c->behind, &slots) ||
		__builtin_mul_overflow(slots, token_size, &bytes) || bytes > PTRDIFF_MAX / 2)
		return -EOVERFLOW;
	c->put_slot = c->ahead * rate % (c->blocks * rate);
	err = elsewhere ? 0 : make_memory(c);
	if (err)
		return err;
	err = make_locks(c);
	if (err) {
		free(c->data);
		c->data = NULL;
	}
	return err;
}

void baseline_channel_fini(struct baseline_channel *c)
{
	pthread_cond_destroy(&c->has_room);
	pthread_cond_destroy(&c->has_data);
	pthread_mutex_destroy(&c->lock);
	if (!c->shared_with)
		free(c->data);
}

uint64_t baseline_channel_slots(const struct baseline_channel *c)
{
	return c->blocks * c->rate + c->behind;
}

uint64_t baseline_reachable(const struct baseline_channel *c)
{
	return c->delay + (c->depth - 1) * c->rate + 1;
}

/* -- counters -- */

uint64_t baseline_readable(const struct baseline_channel *c)
{
	uint64_t there = c->delay + atomic_load(&c->written);

	/* the last window is begun as a whole even where tokens lack */
	return there > c->got ? there - c->got : 0;
}

uint64_t baseline_writable(const struct baseline_channel *c)
{
	return (atomic_load(&c->read) / c->rate + c->depth) * c->rate - c->put;
}

bool baseline_has_ended(const struct baseline_channel *c)
{
	/* closed first: nothing is written after it */
	return atomic_load(&c->closed) && !baseline_readable(c);
}

const char *baseline_read_at(const struct baseline_channel *c, uint64_t *span)
{
	*span = c->blocks * c->rate - c->got_slot;
	return c->data ? c->data + c->got_slot * c->token_size : NULL;
}

char *baseline_write_at(const struct baseline_channel *c, uint64_t *span)
{
	*span = c->blocks * c->rate - c->put_slot;
	return c->data ? c->data + (c->behind + c->put_slot) * c->token_size : NULL;
}

static void move_on(const struct baseline_channel *c, uint64_t *slot, uint64_t tokens)
{
	*slot += tokens;
	if (*slot >= c->blocks * c->rate)
		*slot -= c->blocks * c->rate;
}

void baseline_begin_read(struct baseline_channel *c, uint64_t tokens)
{
	c->got += tokens;
	move_on(c, &c->got_slot, tokens);
}

void baseline_begin_write(struct baseline_channel *c, uint64_t tokens)
{
	c->put += tokens;
	move_on(c, &c->put_slot, tokens);
}

void baseline_mirror(struct baseline_channel *c, const char *from, uint64_t tokens)
{
	const char *end = from + tokens * c->token_size,
		   *last = c->data + c->blocks * c->rate * c->token_size;

	if (!c->behind || end <= last)
		return;
	from = from > last ? from : last;
	memcpy(c->data + (from - last), from, (size_t)(end - from));
}

/* -- waking -- */

/* Moves a counter, and wakes the other end if it waits for that. A waiter says so before it looks at the
 * counter for the last time. So in whatever order the two threads come, one of them sees the other. */
static void count(struct baseline_channel *c, _Atomic uint64_t *counter, uint64_t tokens, atomic_bool *waits,
	const uint64_t *wants, pthread_cond_t *condition)
{
	bool wake;

	if (!c->waiting.locked) {
		atomic_fetch_add(counter, tokens);
		if (!atomic_load(waits))
			return;
	}
	pthread_mutex_lock(&c->lock);
	if (c->waiting.locked)
		atomic_fetch_add(counter, tokens);
	wake = atomic_load(waits) && atomic_load(counter) >= *wants;
	if (wake)
		atomic_store(waits, false);
	pthread_mutex_unlock(&c->lock);
	if (wake)
		pthread_cond_signal(condition);
}

void baseline_end_read(struct baseline_channel *c, uint64_t tokens)
{
	count(c, &c->read, tokens, &c->writer_waits, &c->writer_wants, &c->has_room);
}

void baseline_end_write(struct baseline_channel *c, uint64_t tokens)
{
	count(c, &c->written, tokens, &c->reader_waits, &c->reader_wants, &c->has_data);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_over(const _Atomic uint64_t *counter, uint64_t needs, struct baseline_patience p)
{
	return atomic_load(counter) >= needs || atomic_load(p.changes) != p.seen;
}

/* Until the counter is there, or the wait is given up. */
static void await(struct baseline_channel *c, const _Atomic uint64_t *counter, uint64_t needs, uint64_t wants,
	struct baseline_patience p, bool writer)
{
	atomic_bool *waits = writer ? &c->writer_waits : &c->reader_waits;

	if (!c->waiting.locked && is_over(counter, needs, p))
		return;
	if (c->waiting.spin_ns) {
		uint64_t end = now_ns() + c->waiting.spin_ns;

		do
			for (unsigned i = 0; i < 16; i++) {
				if (is_over(counter, needs, p))
					return;
				relax();
			}
		while (now_ns() < end);
	}
	pthread_mutex_lock(&c->lock);
	*(writer ? &c->writer_needs : &c->reader_needs) = needs;
	*(writer ? &c->writer_wants : &c->reader_wants) = c->waiting.deferred ? wants : needs;
	for (;;) {
		atomic_store(waits, true);
		if (is_over(counter, needs, p))
			break;
		pthread_cond_wait(writer ? &c->has_room : &c->has_data, &c->lock);
	}
	atomic_store(waits, false);
	pthread_mutex_unlock(&c->lock);
}

/* Tokens of half of the channel: so many can be there, and have room, however the other end moves them. */
static uint64_t half(const struct baseline_channel *c, uint64_t tokens)
{
	uint64_t most = c->depth / 2 * c->rate;

	return tokens > most ? tokens : most;
}

static uint64_t written_for(const struct baseline_channel *c, uint64_t tokens)
{
	uint64_t needs = c->got + tokens;

	return needs > c->delay ? needs - c->delay : 0;
}

/* So many windows must have been read. */
static uint64_t read_for(const struct baseline_channel *c, uint64_t tokens)
{
	uint64_t windows = (c->put + tokens + c->rate - 1) / c->rate;

	return windows > c->depth ? (windows - c->depth) * c->rate : 0;
}

void baseline_wait_readable(struct baseline_channel *c, uint64_t tokens, struct baseline_patience p)
{
	await(c, &c->written, written_for(c, tokens), written_for(c, half(c, tokens)), p, false);
}

void baseline_wait_writable(struct baseline_channel *c, uint64_t tokens, struct baseline_patience p)
{
	await(c, &c->read, read_for(c, tokens), read_for(c, half(c, tokens)), p, true);
}

void baseline_channel_pay(struct baseline_channel *c, bool writer)
{
	atomic_bool *waits = writer ? &c->reader_waits : &c->writer_waits;
	bool wake;

	if (!atomic_load(waits))
		return;
	pthread_mutex_lock(&c->lock);
	wake = atomic_load(waits) && (writer ? atomic_load(&c->written) >= c->reader_needs
					     : atomic_load(&c->read) >= c->writer_needs);
	if (wake)
		atomic_store(waits, false);
	pthread_mutex_unlock(&c->lock);
	if (wake)
		pthread_cond_signal(writer ? &c->has_data : &c->has_room);
}

void baseline_channel_nudge(struct baseline_channel *c, bool writer)
{
	pthread_mutex_lock(&c->lock);
	pthread_cond_signal(writer ? &c->has_room : &c->has_data);
	pthread_mutex_unlock(&c->lock);
}
