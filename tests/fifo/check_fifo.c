/* SPDX-License-Identifier: MIT */
#include "lib/fifo/bundle.h"
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"
#include "lib/fifo/fifo_quick.h"
#include "tests/common/common.h"
#include "tests/fifo/fifo_stress.h"
#include "tests/fifo/one_rate.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static void make(struct ps_fifo *f, uint32_t r, uint32_t d, uint32_t k)
{
	ck_assert_int_eq(one_rate(&f->layout, r, d, k, 1), 0);
	ck_assert_int_eq(ps_fifo_init(f), 0);
	ck_assert_int_eq(ps_fifo_allocate(f, NULL, 0), 0);
}

static void put(struct ps_fifo *f, const char *tokens, uint32_t valid)
{
	ck_assert_int_eq(ps_fifo_peek(&f->writer), PS_FIFO_READY);
	memcpy(ps_fifo_write_start(f), tokens, valid);
	ps_fifo_write_end(f, valid);
}

/* The next window is `tokens`, then zeros. */
static void get(struct ps_fifo *f, const char *tokens, uint32_t expected)
{
	uint32_t valid;
	const char *window;

	ck_assert_int_eq(ps_fifo_peek(&f->reader), PS_FIFO_READY);
	window = ps_fifo_read_start(f, &valid);
	ck_assert_uint_eq(valid, expected);
	ck_assert_mem_eq(window, tokens, valid);
	for (uint32_t i = valid; i < f->layout.read_rate; i++)
		ck_assert_int_eq(window[i], 0);
	ps_fifo_read_end(f);
}

START_TEST(a_double_buffer)
{
	struct ps_fifo f;

	make(&f, 2, 0, 2);
	ck_assert_int_eq(ps_fifo_peek(&f.reader), PS_FIFO_WAIT);
	put(&f, "ab", 2); /* ab.. */
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 2);
	put(&f, "cd", 2); /* abcd */
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 4);
	ck_assert_int_eq(ps_fifo_peek(&f.writer), PS_FIFO_WAIT);
	get(&f, "ab", 2); /* ..cd */
	put(&f, "ef", 2); /* efcd */
	get(&f, "cd", 2);
	get(&f, "ef", 2);
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 0);
	ck_assert_uint_eq(f.copied, 0);
	ps_fifo_fini(&f);
}
END_TEST

START_TEST(the_writer_closes)
{
	struct ps_fifo f;

	make(&f, 4, 1, 2); /* one zero token at first */
	put(&f, "abcd", 4);
	put(&f, "ef", 2); /* partly filled: closes */
	ck_assert(f.closed);
	get(&f, "\0abc", 4);
	get(&f, "def", 3);
	ck_assert_int_eq(ps_fifo_peek(&f.reader), PS_FIFO_ENDED);
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 0);
	ps_fifo_fini(&f);
}
END_TEST

/* A window that was started when the writer ends is not data. */
START_TEST(the_writer_closes_with_a_window)
{
	struct ps_fifo f;

	make(&f, 2, 0, 3);
	put(&f, "ab", 2);
	memcpy(ps_fifo_write_start(&f), "xx", 2);
	ps_fifo_write_close(&f);
	get(&f, "ab", 2);
	ck_assert_int_eq(ps_fifo_peek(&f.reader), PS_FIFO_ENDED);
	ps_fifo_fini(&f);
}
END_TEST

START_TEST(the_reader_closes)
{
	struct ps_fifo f;
	uint32_t valid;

	make(&f, 2, 0, 2);
	put(&f, "ab", 2);
	put(&f, "cd", 2);
	ps_fifo_read_start(&f, &valid);
	ps_fifo_read_close(&f); /* gives back ab */
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 4);
	ck_assert_int_eq(ps_fifo_peek(&f.writer), PS_FIFO_ENDED);
	for (unsigned i = 0; i < 10; i++) { /* dropped, whatever their number */
		memcpy(ps_fifo_write_start(&f), "ef", 2);
		ps_fifo_write_end(&f, 2);
	}
	ck_assert_uint_eq(f.written, 4);
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 4);
	ps_fifo_fini(&f);
}
END_TEST

START_TEST(windows_are_given_back)
{
	struct ps_fifo f;
	uint32_t valid;

	make(&f, 2, 0, 2);
	put(&f, "ab", 2);
	ps_fifo_read_start(&f, &valid);
	ps_fifo_read_cancel(&f);
	memcpy(ps_fifo_write_start(&f), "xx", 2);
	ps_fifo_write_cancel(&f);
	put(&f, "cd", 2);
	get(&f, "ab", 2);
	get(&f, "cd", 2);
	ps_fifo_fini(&f);
}
END_TEST

START_TEST(spans_lie_side_by_side)
{
	struct ps_fifo f;
	const void *from;
	void *to;

	make(&f, 1, 1, 4); /* five slots, a zero in the first */
	ck_assert_uint_eq(ps_fifo_write_span(&f, 10, &to), 4);
	memcpy(to, "abcd", 4);
	ps_fifo_write_end_span(&f, 4); /* 0abcd */
	ck_assert_uint_eq(ps_fifo_write_span(&f, 10, &to), 0);
	ck_assert_uint_eq(ps_fifo_read_span(&f, 3, &from), 3);
	ck_assert_mem_eq(from, "\0ab", 3);
	ps_fifo_read_end_span(&f, 3); /* ...cd */
	ck_assert_uint_eq(ps_fifo_write_span(&f, 10, &to), 3);
	memcpy(to, "efg", 3);
	ps_fifo_write_end_span(&f, 3); /* efgcd */
	ck_assert_uint_eq(ps_fifo_read_span(&f, 10, &from), 2);
	ck_assert_mem_eq(from, "cd", 2);
	ps_fifo_read_end_span(&f, 2);
	ck_assert_uint_eq(ps_fifo_read_span(&f, 10, &from), 3);
	ck_assert_mem_eq(from, "efg", 3);
	ps_fifo_read_end_span(&f, 3);
	ck_assert_uint_eq(ps_fifo_read_span(&f, 10, &from), 0);
	ck_assert_uint_eq(f.read, 8);
	ps_fifo_fini(&f);
}
END_TEST

/* A place beside the FIFO's memory, to which an end may move: it has copies of windows, which it counts. */
struct beside {
	struct ps_fifo *fifo;
	char window[4];
	unsigned written, read;
};

static enum ps_fifo_state beside_peek(void *place, uint64_t n)
{
	(void)place;
	(void)n;
	return PS_FIFO_READY;
}

static void *beside_write_start(void *place, uint64_t w)
{
	struct beside *b = place;

	(void)w;
	return b->window;
}

static int beside_write_end(void *place, uint64_t w, uint32_t valid)
{
	struct beside *b = place;

	memcpy(b->fifo->memory + ps_layout_write_slot(&b->fifo->layout, w), b->window, valid);
	b->written++;
	return 0;
}

static const void *beside_read_start(void *place, uint64_t j, uint32_t valid)
{
	struct beside *b = place;

	return memcpy(b->window, b->fifo->memory + ps_layout_read_slot(&b->fifo->layout, &b->fifo->layout, j),
		valid);
}

static int beside_read_end(void *place, uint64_t j)
{
	struct beside *b = place;

	(void)j;
	b->read++;
	return 0;
}

static const struct ps_fifo_ops beside_ops = {
	.write_peek = beside_peek,
	.read_peek = beside_peek,
	.write_start = beside_write_start,
	.read_start = beside_read_start,
	.write_end = beside_write_end,
	.read_end = beside_read_end,
};

/* Between any two firings an end may move, to a place or back: no token is lost, and only it goes another way. Odd
 * firings make the quick calls. */
START_TEST(ends_move)
{
	enum { WINDOWS = 60 };
	uint32_t valid;
	struct ps_fifo f;
	struct beside writer = { .fifo = &f }, reader = { .fifo = &f };
	unsigned written = 0, read = 0;

	make(&f, 4, 4, 3); /* a window of zeros at first */
	f.writer_polled = f.reader_polled = true;
	for (unsigned i = 0; i < WINDOWS; i++) {
		char tokens[4] = { (char)i, (char)(i + 1), (char)(i + 2), (char)(i + 3) }, before[4] = { 0 };

		for (unsigned t = 0; i && t < 4; t++)
			before[t] = (char)(i - 1 + t);
		ps_fifo_end_put(&f.writer, i / 5 % 2 ? &beside_ops : NULL, &writer);
		ps_fifo_end_put(&f.reader, i / 3 % 2 ? &beside_ops : NULL, &reader);
		written += i / 5 % 2;
		read += i / 3 % 2;
		if (i % 2) {
			memcpy(ps_fifo_quick_write_start(&f), tokens, 4);
			ck_assert_int_eq(ps_fifo_quick_write_end(&f, 4), 0);
			ck_assert_mem_eq(ps_fifo_quick_read_start(&f, &valid), before, 4);
			ck_assert_int_eq(ps_fifo_quick_read_end(&f), 0);
		} else {
			put(&f, tokens, 4);
			get(&f, before, 4);
		}
	}
	ck_assert_uint_eq(writer.written, written);
	ck_assert_uint_eq(reader.read, read);
	ck_assert_uint_eq(ps_bundle_fill(&f, &f), 4);
	ps_fifo_fini(&f);
}
END_TEST

static void *wait_reader(void *arg)
{
	struct ps_fifo *f = arg;

	ps_fifo_wait(&f->reader);
	return NULL;
}

static void *wait_writer(void *arg)
{
	struct ps_fifo *f = arg;

	ps_fifo_wait(&f->writer);
	return NULL;
}

/* Until the end's owner sleeps (or is about to, with the lock held). */
static void await_waiting(struct ps_fifo *f, const struct ps_fifo_end *end)
{
	bool waiting = false;

	while (!waiting) {
		sched_yield();
		pthread_mutex_lock(&f->lock);
		waiting = end->waiting;
		pthread_mutex_unlock(&f->lock);
	}
}

static void close_writer(struct ps_fifo *f)
{
	ps_fifo_write_close(f);
}

static void close_reader(struct ps_fifo *f)
{
	ps_fifo_read_close(f);
}

static void nudge_reader(struct ps_fifo *f)
{
	ps_fifo_nudge(&f->reader);
}

static void nudge_writer(struct ps_fifo *f)
{
	ps_fifo_nudge(&f->writer);
}

/* Each event ends the wait of the other side, whether it comes before the wait or in it. */
START_TEST(every_wait_ends)
{
	static const struct {
		void (*event)(struct ps_fifo *);
		bool reader;
	} cases[] = { { close_writer, true }, { close_reader, false }, { nudge_reader, true },
		{ nudge_writer, false } };

	for (unsigned c = 0; c < TEST_COUNT(cases); c++)
		for (unsigned before = 0; before < 2; before++) {
			struct ps_fifo f;
			pthread_t thread;

			make(&f, 1, 0, 1);
			if (!cases[c].reader)
				put(&f, "a", 1); /* full */
			if (before)
				cases[c].event(&f);
			pthread_create(&thread, NULL, cases[c].reader ? wait_reader : wait_writer, &f);
			if (!before) {
				await_waiting(&f, cases[c].reader ? &f.reader : &f.writer);
				cases[c].event(&f);
			}
			pthread_join(thread, NULL);
			ps_fifo_fini(&f);
		}
}
END_TEST

START_TEST(no_memory)
{
	struct ps_fifo f;

	ck_assert_int_eq(one_rate(&f.layout, 1, 0, 2, SIZE_MAX / 8), 0);
	ck_assert_int_eq(ps_fifo_init(&f), 0);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_fifo_allocate(&f, NULL, 0), -ENOMEM);
	ps_memory_fail_at = -1;
	ps_fifo_fini(&f);
}
END_TEST

/* Nothing that a reader holds changes, for all small geometries. */
START_TEST(held_windows_stay)
{
	for (uint32_t r = 1; r <= 8; r++)
		for (uint32_t d = 0; d <= 3 * r + 2; d++)
			for (uint32_t k = 1; k <= 4; k++) {
				struct ps_layout asked;

				ck_assert_int_eq(one_rate(&asked, r, d, k, 4), 0);
				ck_assert_msg(!stress_held(&asked), "r %u d %u k %u", r, d, k);
			}
}
END_TEST

START_TEST(held_windows_stay_at_two_rates)
{
	for (uint32_t a = 1; a <= 6; a++)
		for (uint32_t b = 1; b <= 6; b++)
			for (uint32_t i = 0; i <= 10; i++)
				for (uint32_t d = 0; d <= 12; d += 1 + i % 3)
					for (uint32_t k = 1; k <= 3; k++) {
						struct ps_layout asked = { .write_rate = a,
							.read_rate = b,
							.history = (i + 1) / 2,
							.peek = i % 2,
							.delay = d,
							.depth = k,
							.token_size = 4 };

						ck_assert_msg(!stress_held(&asked),
							"a %u b %u h %u%s d %u k %u", a, b, asked.history,
							asked.peek ? " peek" : "", d, k);
					}
}
END_TEST

/* One rate, two small ones that may be anything, or large ones that have much in common. */
static struct ps_layout random_layout(struct test_rng *rng)
{
	struct ps_layout l = { .write_rate = test_between(rng, 1, test_chance(rng, 50) ? 8 : 512),
		.depth = test_between(rng, 1, 4),
		.token_size = test_between(rng, 1, test_chance(rng, 80) ? 8 : 100) };

	l.read_rate = l.write_rate;
	if (test_chance(rng, 60)) {
		uint32_t unit = test_chance(rng, 50) ? 1 : test_between(rng, 1, 64);

		l.write_rate = unit * test_between(rng, 1, 9);
		l.read_rate = unit * test_between(rng, 1, 9);
	}
	if (test_chance(rng, 40))
		l.history = test_between(rng, 0, 2 * l.read_rate + 5);
	l.peek = l.history && test_chance(rng, 50);
	l.delay = test_between(rng, 0, 3 * l.read_rate + 2);
	return l;
}

/* 10^7 tokens in the quick set, in windows of all kinds. */
START_TEST(every_token_arrives)
{
	struct test_rng rng = { test_seed() };
	uint64_t target = test_rounds(10000000), tokens = 0;

	while (tokens < target) {
		uint64_t seed = rng.state, all;
		struct stress s = { .asked = random_layout(&rng), .seed = seed | 1 };
		const struct ps_layout *l = &s.asked;

		s.tokens = test_between(&rng, 0, 3000 * l->write_rate / (uint32_t)(l->token_size / 8 + 1));
		s.hold = test_between(&rng, 1, l->depth);
		s.delays = test_between(&rng, 0, 20);
		test_guard("fifo stress", seed);
		stress_run(&s);
		all = l->delay + s.tokens;
		all -= !l->peek ? 0 : all < l->history ? all : l->history;
		ck_assert_msg(!s.wrong && s.received == all,
			"seed %llu: a %u b %u h %u%s d %u k %u, %llu tokens, %u held: %llu wrong, %llu of "
			"%llu received",
			(unsigned long long)seed, l->write_rate, l->read_rate, l->history,
			l->peek ? " peek" : "", l->delay, l->depth, (unsigned long long)s.tokens, s.hold,
			(unsigned long long)s.wrong, (unsigned long long)s.received, (unsigned long long)all);
		tokens += s.received + s.tokens;
	}
	printf("fifo: %llu tokens, each checked twice\n", (unsigned long long)tokens);
}
END_TEST

/* An owner that looks at many ends is told of each change, also of the quick calls', and of both ends' closing. */
START_TEST(an_end_that_always_listens)
{
	struct ps_eventcount *e = ps_eventcount_get();
	struct ps_fifo f;
	uint32_t valid;

	make(&f, 1, 0, 2);
	ps_fifo_listen(&f.reader, e);
	for (unsigned i = 0; i < 2; i++) {
		unsigned count = ps_eventcount_count(e);

		*(char *)ps_fifo_quick_write_start(&f) = 'a';
		ps_fifo_quick_write_end(&f, 1);
		ck_assert_uint_eq(ps_eventcount_count(e), count + 1);
	}
	ps_fifo_read_start(&f, &valid); /* its own changes tell it nothing */
	ps_fifo_read_end(&f);
	ck_assert_uint_eq(ps_eventcount_count(e), 2);
	ps_fifo_write_close(&f);
	ck_assert_uint_eq(ps_eventcount_count(e), 3);
	ps_fifo_fini(&f);

	make(&f, 1, 0, 2);
	ps_fifo_listen(&f.writer, e);
	put(&f, "a", 1);
	ck_assert_uint_eq(ps_eventcount_count(e), 3);
	ps_fifo_quick_read_start(&f, &valid);
	ps_fifo_quick_read_end(&f);
	ck_assert_uint_eq(ps_eventcount_count(e), 4);
	ps_fifo_read_close(&f);
	ck_assert_uint_eq(ps_eventcount_count(e), 5);
	ps_fifo_fini(&f);
	ps_eventcount_put(e);
}
END_TEST

/* An end at a place has an eventcount, which whatever waits for the place sleeps on. A listener comes beside it. */
START_TEST(an_end_at_a_place_that_always_listens)
{
	struct ps_eventcount *own = ps_eventcount_get(), *listener = ps_eventcount_get();
	struct ps_fifo f;
	unsigned count, owns;

	for (unsigned writes = 0; writes < 2; writes++) {
		struct ps_fifo_end *end;

		make(&f, 1, 0, 2);
		end = writes ? &f.writer : &f.reader;
		end->eventcount = own;
		ps_fifo_listen(end, listener);
		ck_assert_ptr_eq(end->eventcount, own);
		count = ps_eventcount_count(listener);
		put(&f, "a", 1);
		ps_fifo_read_start(&f, &(uint32_t){ 0 });
		ps_fifo_read_end(&f);
		ck_assert_uint_eq(ps_eventcount_count(listener), count + 1); /* of the other side's change */
		owns = ps_eventcount_count(own);
		ps_fifo_nudge(end);
		ck_assert_uint_eq(ps_eventcount_count(listener), count + 2);
		ck_assert_uint_eq(ps_eventcount_count(own), owns + 1);
		(writes ? ps_fifo_read_close : ps_fifo_write_close)(&f);
		ck_assert_uint_eq(ps_eventcount_count(listener), count + 3);
		ck_assert_uint_eq(ps_eventcount_count(own), owns + 2);
		ps_fifo_fini(&f);
	}
	ps_eventcount_put(own);
	ps_eventcount_put(listener);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fifo");
	TCase *c = test_case(suite, "fifo");

	tcase_add_test(c, a_double_buffer);
	tcase_add_test(c, the_writer_closes);
	tcase_add_test(c, the_writer_closes_with_a_window);
	tcase_add_test(c, the_reader_closes);
	tcase_add_test(c, windows_are_given_back);
	tcase_add_test(c, spans_lie_side_by_side);
	tcase_add_test(c, ends_move);
	tcase_add_test(c, an_end_that_always_listens);
	tcase_add_test(c, an_end_at_a_place_that_always_listens);
	tcase_add_test(c, every_wait_ends);
	tcase_add_test(c, no_memory);
	tcase_add_test(c, held_windows_stay);
	tcase_add_test(c, held_windows_stay_at_two_rates);
	tcase_add_test(c, every_token_arrives);
	return test_main(suite);
}
