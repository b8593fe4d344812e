/* SPDX-License-Identifier: MIT */
#include "lib/trace/trace.h"
#include "lib/base/clock.h"
#include "tests/common/common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct ps_trace_record fire(uint64_t begin, uint32_t actor, uint64_t number)
{
	struct ps_trace_record r = {
		.begin = begin, .kind = PS_TRACE_FIRE, .actor = actor % PS_TRACE_ACTORS_MOST, .number = number
	};

	return r;
}

static int by_number(const struct ps_trace_record *a, const struct ps_trace_record *b)
{
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Puts records 0 .. count - 1, which begin at 1, 2, .., and collects. */
static struct ps_trace *put_many(size_t bytes, bool keep_first, uint64_t count)
{
	struct ps_trace *t = ps_trace_create(bytes, 1, keep_first);

	ck_assert_ptr_nonnull(t);
	for (uint64_t n = 0; n < count; n++) {
		struct ps_trace_record r = fire(n + 1, 0, n);

		ps_trace_put(t, &r);
	}
	ps_trace_collect(t);
	ps_trace_sort(t, by_number);
	return t;
}

/* The numbers that are kept: from .. from + count - 1, each once. */
static void check_kept(const struct ps_trace *t, uint64_t from)
{
	for (uint32_t n = 0; n < t->order_count; n++)
		ck_assert_uint_eq(ps_trace_at(t, n)->number, from + n);
}

START_TEST(what_fits_is_all_there)
{
	struct ps_trace *t = put_many((size_t)1 << 20, _i, 5000);

	ck_assert_uint_eq(t->order_count, 5000);
	check_kept(t, 0);
	ck_assert_uint_eq(ps_trace_lost(t), 0);
	ck_assert_uint_eq(ps_trace_fired(t), 5000);
	ck_assert_uint_eq(ps_trace_from(t), 0);
	ck_assert_uint_eq(ps_trace_until(t), UINT64_MAX);
	ps_trace_free(t);
}
END_TEST

/* Each count around full chunks and around the whole memory. */
START_TEST(the_first_are_kept)
{
	size_t bytes = ps_trace_least(1) + 10000;
	struct ps_trace *probe = ps_trace_create(bytes, 1, true);
	uint64_t room = (uint64_t)probe->chunk_count * probe->chunk_records;

	for (uint64_t count = room - 70; count < room + 200; count++) {
		struct ps_trace *t = put_many(bytes, true, count);

		ck_assert_uint_eq(t->order_count, count < room ? count : room);
		check_kept(t, 0);
		ck_assert_uint_eq(ps_trace_lost(t), count < room ? 0 : count - room);
		ck_assert_uint_eq(ps_trace_until(t), count <= room ? UINT64_MAX : room + 1);
		ps_trace_free(t);
	}
	ps_trace_free(probe);
}
END_TEST

START_TEST(the_last_are_kept)
{
	size_t bytes = ps_trace_least(1) + 10000;
	struct ps_trace *probe = ps_trace_create(bytes, 1, false);
	uint64_t room = (uint64_t)probe->chunk_count * probe->chunk_records;

	for (uint64_t count = room - 70; count < room + 200; count++) {
		struct ps_trace *t = put_many(bytes, false, count);

		ck_assert_uint_le(t->order_count, room);
		ck_assert_uint_ge(t->order_count + probe->chunk_records, count < room ? count : room);
		check_kept(t, count - t->order_count);
		ck_assert_uint_eq(ps_trace_lost(t), count - t->order_count);
		/* what began before was lost, all of it */
		ck_assert_uint_eq(ps_trace_from(t), count > room ? count - t->order_count + 1 : 0);
		ps_trace_free(t);
	}
	ps_trace_free(probe);
}
END_TEST

START_TEST(how_long_it_took)
{
	static const uint64_t exact[] = { 0, 1, 999, UINT32_MAX, PS_TRACE_TOOK_MOST };
	static const uint64_t coarse[] = { PS_TRACE_TOOK_MOST + 1, UINT64_C(3600000000000),
		UINT64_C(35000000000000) };
	struct ps_trace_record r = fire(7, 0, 0);

	for (size_t i = 0; i < TEST_COUNT(exact); i++) {
		ps_trace_took(&r, exact[i]);
		ck_assert_uint_eq(ps_trace_ended(&r), 7 + exact[i]);
	}
	for (size_t i = 0; i < TEST_COUNT(coarse); i++) {
		ps_trace_took(&r, coarse[i]);
		/* a firing: up, so that its waits, down, lie within it */
		ck_assert_uint_ge(ps_trace_ended(&r), 7 + coarse[i]);
		ck_assert_uint_lt(ps_trace_ended(&r), 7 + coarse[i] + 1024);
		r.kind = PS_TRACE_WAIT;
		ps_trace_took(&r, coarse[i]);
		ck_assert_uint_le(ps_trace_ended(&r), 7 + coarse[i]);
		ck_assert_uint_gt(ps_trace_ended(&r) + 1024, 7 + coarse[i]);
		r.kind = PS_TRACE_FIRE;
	}
	ps_trace_took(&r, UINT64_MAX);
	ck_assert_uint_eq(ps_trace_ended(&r), 7 + (PS_TRACE_TOOK_MOST << 10));
}
END_TEST

START_TEST(memory)
{
	for (unsigned threads = 1; threads < 300; threads = threads * 3 + 1)
		for (unsigned more = 0; more < 3; more++) {
			size_t bytes = ps_trace_least(threads) << 2 * more;
			struct ps_trace *t = ps_trace_create(bytes, threads, false);
			size_t records, taken;

			ck_assert_ptr_nonnull(t);
			ck_assert_uint_eq(t->track_count, threads + PS_TRACE_OTHERS);
			ck_assert_uint_ge(t->chunk_count, 2 * t->track_count);
			records = (size_t)t->chunk_count * t->chunk_records;
			taken = sizeof *t + t->chunk_count * sizeof *t->chunks +
			        t->track_count * sizeof *t->tracks +
			        (records + t->track_count) * (sizeof *t->records + sizeof *t->order);
			ck_assert_uint_le(taken, bytes);
			/* but for what is less than a chunk */
			ck_assert_uint_gt(taken + t->chunk_records * 36 + 64, bytes);
			ps_trace_free(t);
		}
}
END_TEST

/*
 * Threads.
 */

enum { THREADS = 5 };

struct putter {
	struct ps_trace *trace;
	pthread_t thread;
	uint32_t number;
	uint64_t count;
};

static void *put(void *arg)
{
	struct putter *p = arg;

	ps_trace_enter(p->trace, PS_TRACE_MEMBER, p->number);
	for (uint64_t n = 0; n < p->count; n++) {
		struct ps_trace_record r = fire(ps_clock_ns(), p->number, n);

		ps_trace_took(&r, ps_clock_ns() - r.begin);
		ps_trace_put(p->trace, &r);
	}
	return NULL;
}

static int by_actor(const struct ps_trace_record *a, const struct ps_trace_record *b)
{
	return a->actor != b->actor ? (a->actor < b->actor ? -1 : 1) : by_number(a, b);
}

/* Of each thread: what began between from and until, without a gap, in the order of time. */
static void check_threads(const struct ps_trace *t, const struct putter *putters, bool keep_first)
{
	uint32_t n = 0;

	for (unsigned p = 0; p < THREADS; p++) {
		uint64_t first = n < t->order_count ? ps_trace_at(t, n)->number : 0, next = first, begin = 0;
		unsigned track = t->track_count;

		for (; n < t->order_count && ps_trace_at(t, n)->actor == p; n++) {
			const struct ps_trace_record *r = ps_trace_at(t, n);

			ck_assert_uint_eq(r->number, next++);
			ck_assert_uint_ge(r->begin, begin);
			ck_assert(r->begin >= ps_trace_from(t) && r->begin < ps_trace_until(t));
			begin = r->begin;
			ck_assert(track == t->track_count || track == ps_trace_track_of(t, n));
			track = ps_trace_track_of(t, n);
			ck_assert_uint_eq(t->tracks[track].number, p);
		}
		if (next > first)
			ck_assert_uint_eq(keep_first ? first : next, keep_first ? 0 : putters[p].count);
	}
	ck_assert_uint_eq(n, t->order_count);
}

START_TEST(threads)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(40); round; round--) {
		bool keep_first = test_chance(&rng, 50);
		size_t bytes = ps_trace_least(THREADS) << test_between(&rng, 0, 6);
		struct ps_trace *t = ps_trace_create(bytes, THREADS, keep_first);
		struct putter putters[THREADS];
		uint64_t all = 0;

		test_guard("PENSTOCK_TEST_SEED of the first round", rng.state);
		for (unsigned p = 0; p < THREADS; p++) {
			putters[p] = (struct putter){
				.trace = t, .number = p, .count = test_between(&rng, 0, 20000)
			};
			all += putters[p].count;
			ck_assert(!pthread_create(&putters[p].thread, NULL, put, &putters[p]));
		}
		for (unsigned p = 0; p < THREADS; p++)
			pthread_join(putters[p].thread, NULL);
		ps_trace_collect(t);
		ck_assert_uint_eq(ps_trace_fired(t), all);
		ck_assert_uint_eq(ps_trace_lost(t) + t->order_count, all);
		ps_trace_sort(t, by_actor);
		check_threads(t, putters, keep_first);
		ps_trace_free(t);
	}
}
END_TEST

static pthread_barrier_t all_there;

/* Each puts twice, and is there until all have put: a later one might be taken for one that has ended. */
static void *put_one(void *trace)
{
	struct ps_trace_record r = fire(ps_clock_ns(), 0, 0);

	ps_trace_put(trace, &r);
	ps_trace_put(trace, &r);
	pthread_barrier_wait(&all_there);
	return NULL;
}

/* Threads that did not enter have tracks, so many; the firings of others are counted as lost. */
START_TEST(threads_without_a_track)
{
	struct ps_trace *t = ps_trace_create(ps_trace_least(1), 1, true);
	pthread_t others[PS_TRACE_OTHERS + 8];

	ck_assert(!pthread_barrier_init(&all_there, NULL, TEST_COUNT(others)));
	for (unsigned i = 0; i < TEST_COUNT(others); i++)
		ck_assert(!pthread_create(&others[i], NULL, put_one, t));
	for (unsigned i = 0; i < TEST_COUNT(others); i++)
		pthread_join(others[i], NULL);
	pthread_barrier_destroy(&all_there);
	ps_trace_collect(t);
	ck_assert_uint_eq(t->order_count, 2 * (PS_TRACE_OTHERS + 1));
	ck_assert_uint_eq(ps_trace_fired(t), 2 * (PS_TRACE_OTHERS + 8));
	ck_assert_uint_eq(ps_trace_lost(t), 2 * 7);
	ck_assert_uint_eq(ps_trace_until(t), UINT64_MAX);
	ps_trace_free(t);
}
END_TEST

/* One thread, two traces in turn: a track in each. */
START_TEST(several_traces)
{
	struct ps_trace *traces[2];

	for (unsigned i = 0; i < 2; i++)
		traces[i] = ps_trace_create(ps_trace_least(1), 1, false);
	for (unsigned n = 0; n < 100; n++) {
		struct ps_trace_record r = fire(n + 1, 0, n);

		ps_trace_put(traces[n % 2], &r);
	}
	for (unsigned i = 0; i < 2; i++) {
		ps_trace_collect(traces[i]);
		ck_assert_uint_eq(traces[i]->order_count, 50);
		ck_assert_uint_eq(atomic_load(&traces[i]->entered), 1);
		ps_trace_free(traces[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tcase = test_case(suite, "records");

	tcase_add_loop_test(tcase, what_fits_is_all_there, 0, 2);
	tcase_add_test(tcase, the_first_are_kept);
	tcase_add_test(tcase, the_last_are_kept);
	tcase_add_test(tcase, how_long_it_took);
	tcase_add_test(tcase, memory);
	tcase = test_case(suite, "threads");
	tcase_add_test(tcase, threads);
	tcase_add_test(tcase, threads_without_a_track);
	tcase_add_test(tcase, several_traces);
	return test_main(suite);
}
