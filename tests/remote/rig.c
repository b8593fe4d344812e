/* SPDX-License-Identifier: MIT */
#include "tests/remote/rig.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char token_byte(const struct rig_stream *s, uint64_t x, size_t b)
{
	return (unsigned char)((x * 2654435761u + s->number * 40503u + b * 97 + 1) >> (8 * (b % 4)));
}

static void put(const struct rig_stream *s, unsigned char *at, uint64_t x)
{
	for (size_t b = 0; b < s->token_size; b++)
		at[b] = token_byte(s, x, b);
}

/* Initial token i; tokens of the writer are numbered from 1000 on. */
static bool good(const struct rig_stream *s, const unsigned char *at, uint64_t x)
{
	for (size_t b = 0; b < s->token_size; b++)
		if (at[b] != token_byte(s, x, b))
			return false;
	return true;
}

static bool is_zero(const unsigned char *at, size_t size)
{
	while (size && !at[size - 1])
		size--;
	return !size;
}

static void linger(const struct rig *rig, struct test_rng *rng)
{
	if (rig->linger && !test_between(rng, 0, rig->linger - 1))
		for (uint32_t i = test_between(rng, 1, 4); i; i--)
			sched_yield();
}

static void *write_all(void *arg)
{
	struct rig_stream *s = arg;
	struct ps_fifo *f = &s->way[0];
	struct test_rng rng = s->rng;

	while (s->written < s->tokens && !s->discarded) {
		uint64_t left = s->tokens - s->written;
		uint32_t valid = left < s->rate ? (uint32_t)left : s->rate;
		unsigned char *window;

		while (ps_fifo_peek(&f->writer) == PS_FIFO_WAIT)
			ps_fifo_wait_patiently(&f->writer);
		s->discarded = ps_fifo_peek(&f->writer) == PS_FIFO_ENDED;
		if (s->discarded)
			break;
		window = ps_fifo_write_start(f);
		for (uint32_t i = 0; i < valid; i++)
			put(s, window + i * s->token_size, 1000 + s->written + i);
		linger(s->of, &rng);
		ps_fifo_write_end(f, valid);
		s->written += valid;
	}
	ps_fifo_write_close(f);
	return NULL;
}

/* Counts the wrong tokens of a window of which `from` new ones came before: also what is not zero where zeros are due.
 */
static uint64_t check_window(
	const struct rig_reader *r, const unsigned char *window, uint32_t valid, uint64_t from)
{
	const struct rig_stream *s = r->of;
	int64_t first = (int64_t)(from + (r->peek ? r->history : 0));
	uint64_t wrong = 0;

	for (int64_t i = -(int64_t)r->history; i < r->rate; i++, window += s->token_size) {
		int64_t x = first + i;
		bool due = x >= 0 && x < (int64_t)(r->delay + s->tokens) && i < valid;
		uint64_t token = (uint64_t)(x < r->delay ? x : x - r->delay + 1000);

		wrong += due ? !good(s, window, token) : !is_zero(window, s->token_size);
	}
	return wrong;
}

static void *read_all(void *arg)
{
	struct rig_reader *r = arg;
	struct ps_fifo *f = &r->fifo;
	struct test_rng rng = { r->of->rng.state + r->rate };

	for (uint64_t j = 0; j < r->ends_after; j++) {
		const unsigned char *window;
		uint32_t valid;

		while (ps_fifo_peek(&f->reader) == PS_FIFO_WAIT)
			ps_fifo_wait_patiently(&f->reader);
		if (ps_fifo_peek(&f->reader) == PS_FIFO_ENDED)
			break;
		window = ps_fifo_read_start(f, &valid);
		r->wrong += check_window(r, window, valid, r->tokens);
		linger(r->of->of, &rng);
		r->wrong += check_window(r, window, valid, r->tokens);
		r->tokens += valid;
		ps_fifo_read_end(f);
	}
	ps_fifo_read_close(f);
	return NULL;
}

void rig_stream(struct rig *rig, uint32_t from, uint32_t to)
{
	struct rig_stream *s = &rig->stream[rig->count++];

	*s = (struct rig_stream){ .route = { from, to },
		.stops = 2,
		.rate = 2,
		.windows = 2,
		.number = rig->count,
		.token_size = 4,
		.tokens = 20,
		.readers = 1 };
	for (uint32_t i = 0; i < RIG_READERS; i++)
		s->reader[i] = (struct rig_reader){ .rate = 2, .depth = 2, .ends_after = UINT64_MAX };
}

static void fault(void *user, uint32_t rank, const char *text)
{
	struct rig_rank *k = user;

	pthread_mutex_lock(&k->lock);
	if (!k->faults++) {
		k->blamed = rank;
		snprintf(k->text, sizeof k->text, "%s", text);
	}
	pthread_mutex_unlock(&k->lock);
}

uint32_t rig_faults(struct rig *rig, uint32_t rank)
{
	struct rig_rank *k = &rig->rank[rank];
	uint32_t faults;

	pthread_mutex_lock(&k->lock);
	faults = k->faults;
	pthread_mutex_unlock(&k->lock);
	return faults;
}

/* Message n has kind n and n modulo 100 bytes of the value n. */
static void message(void *user, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size)
{
	struct rig_rank *k = user;
	const unsigned char *b = bytes;

	pthread_mutex_lock(&k->lock);
	k->messages++;
	k->wrong_messages += kind != k->next_message[rank]++ || size != kind % 100;
	for (uint32_t i = 0; i < size; i++)
		k->wrong_messages += b[i] != (unsigned char)kind;
	pthread_mutex_unlock(&k->lock);
}

int rig_tell(struct rig *rig, uint32_t from, uint32_t to, uint64_t n)
{
	unsigned char bytes[100];

	memset(bytes, (int)(n & 255), sizeof bytes);
	return ps_remote_tell(rig->rank[from].remote, to, (uint32_t)n, bytes, (uint32_t)(n % 100));
}

static void changed(void *user, struct ps_fifo *f)
{
	struct rig_rank *k = user;

	(void)f;
	pthread_mutex_lock(&k->lock);
	k->changes++;
	pthread_mutex_unlock(&k->lock);
}

static void get_eventcount(const struct rig *rig, struct ps_fifo_end *end)
{
	if (!rig->eventcounts)
		return;
	end->eventcount = ps_eventcount_get();
	ck_assert_ptr_nonnull(end->eventcount);
}

static void put_eventcounts(struct ps_fifo *f)
{
	ps_eventcount_put(f->writer.eventcount);
	ps_eventcount_put(f->reader.eventcount);
}

static void make_way(struct rig_stream *s, struct ps_fifo *f)
{
	f->layout = (struct ps_layout){
		.write_rate = s->rate, .read_rate = s->rate, .depth = s->windows, .token_size = s->token_size
	};
	ck_assert_int_eq(ps_layout_init(&f->layout), 0);
	ck_assert_int_eq(ps_fifo_init(f), 0);
	ck_assert_int_eq(ps_fifo_allocate(f, NULL, 0), 0);
	get_eventcount(s->of, &f->reader);
}

/* The readers' FIFOs. Returns those that own their memory. */
static uint32_t make_readers(struct rig_stream *s, struct ps_fifo **owners)
{
	unsigned char initial[64 * 16];
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->readers; i++) {
		struct rig_reader *r = &s->reader[i];

		r->of = s;
		r->fifo.layout = (struct ps_layout){ .write_rate = s->rate,
			.read_rate = r->rate,
			.delay = r->delay,
			.depth = r->depth,
			.history = r->history,
			.peek = r->peek,
			.tail = r->tail,
			.token_size = s->token_size };
		ck_assert_int_eq(ps_layout_init(&r->fifo.layout), 0);
		ck_assert_int_eq(ps_fifo_init(&r->fifo), 0);
		get_eventcount(s->of, &r->fifo.writer);
		if (i && r->shares)
			ck_assert_int_eq(ps_fifo_share(&r->fifo, owners[count - 1]), 0);
		else
			owners[count++] = &r->fifo;
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t x = 0; x < owners[i]->layout.delay; x++)
			put(s, initial + x * s->token_size, x);
		ck_assert_int_eq(ps_fifo_allocate(owners[i], initial, 0), 0);
	}
	return count;
}

static void build_stream(struct rig *rig, struct rig_stream *s)
{
	struct ps_fifo *owners[RIG_READERS];
	uint32_t count, last = s->stops - 1;

	s->of = rig;
	count = make_readers(s, owners);
	s->rng.state = test_mix(rig->seed + s->number);
	for (uint32_t i = 0; i < last; i++) {
		make_way(s, &s->way[i]);
		ck_assert_int_eq(ps_remote_add_sender(rig->rank[s->route[i]].remote, s->route[i + 1],
					 s->number, s->windows, &s->way[i]),
			0);
		if (i) {
			struct ps_fifo *f = &s->way[i];

			ck_assert_int_eq(ps_remote_add_receiver(rig->rank[s->route[i]].remote,
						 s->route[i - 1], s->number, s->windows, &f, 1),
				0);
		}
	}
	ck_assert_int_eq(ps_remote_add_receiver(rig->rank[s->route[last]].remote, s->route[last - 1],
				 s->number, s->windows, owners, count),
		0);
}

void rig_build(struct rig *rig)
{
	ps_fifo_patience_ns = 1000000000000; /* a thread that is left asleep is a hang */
	rig->inside = inside_new(rig->ranks, test_mix(rig->seed), rig->delay);
	for (uint32_t i = 0; i < rig->ranks; i++) {
		struct rig_rank *k = &rig->rank[i];

		k->of = rig;
		k->rank = i;
		pthread_mutex_init(&k->lock, NULL);
		k->remote = ps_remote_new(inside_rank(rig->inside, i), &(struct ps_remote_calls){ .user = k,
									       .fault = fault,
									       .message = message,
									       .changed = changed,
									       .now = rig->now });
		ck_assert_ptr_nonnull(k->remote);
	}
	for (uint32_t i = 0; i < rig->count; i++)
		build_stream(rig, &rig->stream[i]);
}

static void start(pthread_t *thread, void *(*what)(void *), void *arg)
{
	ck_assert_int_eq(pthread_create(thread, NULL, what, arg), 0);
}

/* All ranks at once. */
static void each_rank(struct rig *rig, void *(*what)(void *))
{
	for (uint32_t i = 0; i < rig->ranks; i++)
		start(&rig->rank[i].thread, what, &rig->rank[i]);
	for (uint32_t i = 0; i < rig->ranks; i++)
		pthread_join(rig->rank[i].thread, NULL);
}

static void *begin_rank(void *arg)
{
	struct rig_rank *k = arg;

	if (k->of->before)
		k->of->before(k);
	ck_assert_int_eq(ps_remote_begin(k->remote), 0);
	ps_remote_go(k->remote);
	return NULL;
}

void rig_begin(struct rig *rig)
{
	each_rank(rig, begin_rank);
}

static void *end_rank(void *arg)
{
	struct rig_rank *k = arg;

	ps_remote_end(k->remote);
	if (k->of->after)
		k->of->after(k);
	return NULL;
}

void rig_run(struct rig *rig)
{
	for (uint32_t i = 0; i < rig->count; i++) {
		struct rig_stream *s = &rig->stream[i];

		start(&s->thread, write_all, s);
		for (uint32_t n = 0; n < s->readers; n++)
			start(&s->reader[n].thread, read_all, &s->reader[n]);
	}
	for (uint32_t i = 0; i < rig->count; i++) {
		pthread_join(rig->stream[i].thread, NULL);
		for (uint32_t n = 0; n < rig->stream[i].readers; n++)
			pthread_join(rig->stream[i].reader[n].thread, NULL);
	}
	each_rank(rig, end_rank);
	ck_assert_msg(!inside_violation(rig->inside), "seed %" PRIu64 ": %s", rig->seed,
		inside_violation(rig->inside));
}

void rig_free(struct rig *rig)
{
	for (uint32_t i = 0; i < rig->ranks; i++) {
		ps_remote_free(rig->rank[i].remote);
		pthread_mutex_destroy(&rig->rank[i].lock);
	}
	for (uint32_t i = 0; i < rig->count; i++) {
		struct rig_stream *s = &rig->stream[i];

		for (uint32_t n = 0; n < s->stops - 1; n++) {
			put_eventcounts(&s->way[n]);
			ps_fifo_fini(&s->way[n]);
		}
		for (uint32_t n = 0; n < s->readers; n++) {
			put_eventcounts(&s->reader[n].fifo);
			ps_fifo_fini(&s->reader[n].fifo);
		}
	}
	inside_free(rig->inside);
}

/* What changed() is to be told of at a rank: of each end there, each window and the end's closing. false: some reader
 * ends early, so that is not known. */
static bool count_changes(const struct rig *rig, uint32_t rank, uint64_t *changes)
{
	*changes = 0;
	for (uint32_t i = 0; i < rig->count; i++) {
		const struct rig_stream *s = &rig->stream[i];
		uint64_t each = (s->tokens + s->rate - 1) / s->rate + 1;

		for (uint32_t n = 0; n < s->readers; n++)
			if (s->reader[n].ends_after != UINT64_MAX)
				return false;
		for (uint32_t n = 0; n < s->stops; n++) {
			bool sends = n < s->stops - 1;
			uint32_t receives = !n ? 0 : sends ? 1 : s->readers;

			*changes += s->route[n] == rank ? each * (sends + receives) : 0;
		}
	}
	return true;
}

void rig_check(struct rig *rig)
{
	uint64_t changes;

	for (uint32_t i = 0; i < rig->count; i++) {
		const struct rig_stream *s = &rig->stream[i];

		for (uint32_t n = 0; n < s->readers; n++) {
			const struct rig_reader *r = &s->reader[n];
			uint64_t all = s->tokens + r->delay - (r->peek ? r->history : 0) + r->tail;

			ck_assert_msg(!r->wrong,
				"seed %" PRIu64 ": stream %u, reader %u: %" PRIu64 " wrong tokens", rig->seed,
				i, n, r->wrong);
			if (r->ends_after == UINT64_MAX)
				ck_assert_msg(r->tokens == all,
					"seed %" PRIu64 ": stream %u, reader %u: %" PRIu64
					" tokens of %" PRIu64,
					rig->seed, i, n, r->tokens, all);
		}
	}
	for (uint32_t i = 0; i < rig->ranks; i++)
		ck_assert_msg(!rig->rank[i].faults && !rig->rank[i].wrong_messages,
			"seed %" PRIu64 ": rank %u: %s", rig->seed, i, rig->rank[i].text);
	for (uint32_t i = 0; i < rig->ranks && count_changes(rig, i, &changes); i++)
		ck_assert_msg(rig->rank[i].changes == changes,
			"seed %" PRIu64 ": rank %u: %" PRIu64 " changes, not %" PRIu64, rig->seed, i,
			rig->rank[i].changes, changes);
}
