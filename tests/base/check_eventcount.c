/* SPDX-License-Identifier: MIT */
/* Bells: no ring is lost, a late one is harmless, any number can be lent. */
#include "lib/base/eventcount.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MANY = 200, RINGS = 20000, MEETINGS = 1000000, FEW_ROUNDS = 2000 };
#define FOREVER_NS UINT64_C(3600000000000)
#define MEETINGS_NS UINT64_C(3000000000)

struct game {
	struct ps_eventcount *eventcount;
	_Atomic uint64_t asked, answered;
};

/* Rings after each change, and never again before it has been seen: a ring that is lost hangs the test. */
static void *ringer(void *arg)
{
	struct game *g = arg;

	for (uint64_t i = 1; i <= RINGS; i++) {
		atomic_store(&g->asked, i);
		ps_eventcount_notify(g->eventcount);
		test_await(&g->answered, i);
	}
	return NULL;
}

START_TEST(no_ring_is_lost)
{
	struct game g = { .eventcount = ps_eventcount_get() };
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, ringer, &g), 0);
	for (uint64_t i = 1; i <= RINGS; i++) {
		for (;;) {
			unsigned seen = ps_eventcount_count(g.eventcount);

			if (atomic_load(&g.asked) >= i)
				break;
			ps_eventcount_wait(g.eventcount, seen, FOREVER_NS);
		}
		atomic_store(&g.answered, i);
	}
	pthread_join(thread, NULL);
	ck_assert_uint_eq(ps_eventcount_count(g.eventcount), RINGS);
	ps_eventcount_put(g.eventcount);
}
END_TEST

/* Two threads, which meet between the steps of a round. */
struct meeting {
	struct ps_eventcount *eventcount;
	_Atomic uint64_t steps[2]; /* of each thread */
	char line[64];
	_Atomic uint64_t changed; /* the round of the latest change */
	atomic_bool over;         /* no round follows */
	bool awaited;             /* the changing thread's answer in this round */
};

/* Spins before it gives the processor away: the threads are to go on at the same moment. */
static void meet(struct meeting *m, unsigned me, uint64_t step)
{
	atomic_store(&m->steps[me], step);
	for (unsigned looks = 0; atomic_load(&m->steps[1 - me]) < step; looks++)
		if (looks > 1000)
			sched_yield();
}

static void *changer(void *arg)
{
	struct meeting *m = arg;

	for (uint64_t i = 1;; i++) {
		ps_eventcount_hint(
			m->eventcount); /* has its cache line, so that a look without order comes early */
		meet(m, 0, 2 * i - 1);
		if (atomic_load(&m->over))
			return NULL;
		atomic_store_explicit(&m->changed, i, memory_order_relaxed);
		m->awaited = ps_eventcount_awaited(m->eventcount);
		meet(m, 0, 2 * i);
	}
}

/* One thread changes something and asks whether any waits, the other says that it waits and looks: at least one sees
 * the other. On a machine with one core this can't fail. Where other processes have the cores a meeting takes
 * milliseconds: then there are fewer. */
START_TEST(one_sees_the_other)
{
	static struct meeting m;
	uint64_t end = ps_clock_ns() + MEETINGS_NS;
	pthread_t thread;

	m.eventcount = ps_eventcount_get();
	ck_assert_int_eq(pthread_create(&thread, NULL, changer, &m), 0);
	for (uint64_t i = 1;; i++) {
		bool seen;

		/* seldom, so that both threads come to most meetings at the same time */
		if (i > MEETINGS || (i % 64 == 0 && ps_clock_ns() > end))
			atomic_store(&m.over, true);
		meet(&m, 1, 2 * i - 1);
		if (atomic_load_explicit(&m.over, memory_order_relaxed))
			break;
		ps_eventcount_expect(m.eventcount);
		seen = atomic_load_explicit(&m.changed, memory_order_relaxed) == i;
		meet(&m, 1, 2 * i);
		ps_eventcount_leave(m.eventcount);
		ck_assert_msg(seen || m.awaited, "round %llu: neither saw the other", (unsigned long long)i);
	}
	pthread_join(thread, NULL);
	ps_eventcount_put(m.eventcount);
}
END_TEST

START_TEST(waits_end)
{
	struct ps_eventcount *eventcount = ps_eventcount_get();
	unsigned seen = ps_eventcount_count(eventcount);

	ps_eventcount_wait(eventcount, seen, 0); /* by the time */
	ps_eventcount_wait(eventcount, seen, 1000000);
	ps_eventcount_notify(eventcount);
	ps_eventcount_wait(eventcount, seen, FOREVER_NS); /* it has been rung before */
	ck_assert_uint_eq(ps_eventcount_count(eventcount), seen + 1);
	ps_eventcount_notify_few(eventcount, 2);
	ps_eventcount_wait(eventcount, seen + 1, FOREVER_NS);
	ck_assert_uint_eq(ps_eventcount_count(eventcount), seen + 2);
	ps_eventcount_put(eventcount);
	ps_eventcount_put(NULL);
}
END_TEST

struct sleepers {
	struct ps_eventcount *eventcount;
	_Atomic uint64_t round, awake;
};

static void *sleeper(void *arg)
{
	struct sleepers *s = arg;

	for (uint64_t i = 1; i <= FEW_ROUNDS; i++) {
		for (;;) {
			unsigned seen = ps_eventcount_expect(s->eventcount);

			if (atomic_load(&s->round) < i)
				ps_eventcount_wait(s->eventcount, seen, FOREVER_NS);
			ps_eventcount_leave(s->eventcount);
			if (atomic_load(&s->round) >= i)
				break;
		}
		atomic_fetch_add(&s->awake, 1);
	}
	return NULL;
}

/* Where as many are woken as sleep, or more, none sleeps on. */
START_TEST(few_are_all)
{
	struct sleepers s = { .eventcount = ps_eventcount_get() };
	pthread_t threads[3];

	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, sleeper, &s), 0);
	for (uint64_t i = 1; i <= FEW_ROUNDS; i++) {
		atomic_store(&s.round, i);
		if (ps_eventcount_awaited(s.eventcount) > 0)
			ps_eventcount_notify_few(s.eventcount, i % 2 ? 3 : UINT_MAX);
		test_await(&s.awake, 3 * i);
	}
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ps_eventcount_put(s.eventcount);
}
END_TEST

START_TEST(many_are_lent)
{
	static struct ps_eventcount *eventcounts[MANY];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < MANY; i++) {
			eventcounts[i] = ps_eventcount_get();
			ck_assert_ptr_nonnull(eventcounts[i]);
			for (unsigned k = 0; k < i; k++)
				ck_assert_ptr_ne(eventcounts[k], eventcounts[i]);
		}
		for (unsigned i = 0; i < MANY; i++)
			ps_eventcount_put(eventcounts[i]);
	}
	/* nothing more was taken than the most that were lent at once */
	ps_memory_fail_at = 0;
	for (unsigned i = 0; i < MANY; i++) {
		eventcounts[i] = ps_eventcount_get();
		ck_assert_ptr_nonnull(eventcounts[i]);
	}
	ps_memory_fail_at = -1;
	for (unsigned i = 0; i < MANY; i++)
		ps_eventcount_put(eventcounts[i]);
}
END_TEST

/* A driver may ring after the eventcount has been put back, when it is another's: that one looks, and waits again. */
START_TEST(late_rings)
{
	struct ps_eventcount *eventcount = ps_eventcount_get(), *next;
	unsigned seen;

	ps_eventcount_put(eventcount);
	ps_eventcount_notify(eventcount);
	next = ps_eventcount_get();
	ck_assert_ptr_eq(next, eventcount);
	seen = ps_eventcount_count(next);
	ps_eventcount_notify(eventcount);
	ps_eventcount_wait(next, seen, FOREVER_NS);
	ck_assert_uint_eq(ps_eventcount_count(next), seen + 1);
	ps_eventcount_put(next);
}
END_TEST

START_TEST(no_memory)
{
	struct ps_eventcount *eventcount;

	ps_memory_fail_at = 0;
	ck_assert_ptr_null(ps_eventcount_get());
	ck_assert_int_eq(ps_memory_fail_at, -1);
	eventcount = ps_eventcount_get();
	ck_assert_ptr_nonnull(eventcount);
	ps_eventcount_put(eventcount);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("eventcount");
	TCase *eventcounts = test_case(suite, "eventcounts");

	tcase_add_test(eventcounts, no_memory); /* first: without forks the pool is empty only now */
	tcase_add_test(eventcounts, no_ring_is_lost);
	tcase_add_test(eventcounts, one_sees_the_other);
	tcase_add_test(eventcounts, waits_end);
	tcase_add_test(eventcounts, few_are_all);
	tcase_add_test(eventcounts, many_are_lent);
	tcase_add_test(eventcounts, late_rings);
	return test_main(suite);
}
