/* SPDX-License-Identifier: MIT */
/* Times of frames: what is made of the stamps that formats have, and how long they are kept. */
#include "config.h"

#include "actors/common/check_files.h"
#include "actors/common/times.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static struct ps_times *create(bool jumps)
{
	struct ps_times *times = ps_times_create(&(const struct ps_times_spec){
		.unit_num = 1, .unit_den = 1000, .period = 40, .jumps = jumps });

	ck_assert_ptr_nonnull(times);
	ck_assert_uint_eq(ps_times_spec(times)->unit_den, 1000);
	return times;
}

static struct ps_time get(const struct ps_times_reader *reader, uint64_t n)
{
	struct ps_time time = { -1, -1 };

	ck_assert(ps_times_get(reader, n, &time));
	return time;
}

#define NONE PS_NO_STAMP

/* What comes of stamps and durations: where each frame starts, and how long the last one lasts. */
static const struct {
	int64_t stamps[8], durations[8];
	unsigned count;
	bool jumps;
	int64_t end; /* NONE: it isn't said */
	int64_t starts[8], last;
} ways[] = {
	/* as they are, from the first one on; the next start says how long a frame lasts */
	{ { 0, 40, 80 }, { 40, 40, 40 }, 3, false, NONE, { 0, 40, 80 }, 40 },
	{ { 700, 710, 900, 1001 }, { 99, 99, 99, 33 }, 4, false, NONE, { 0, 10, 200, 301 }, 33 },
	{ { -80, 0 }, { 1, 7 }, 2, false, NONE, { 0, 80 }, 7 },
	/* without a duration the last one lasts as long as the one before, the only one a period */
	{ { 5, 25 }, { 0, 0 }, 2, false, NONE, { 0, 20 }, 20 },
	{ { 5 }, { -1 }, 1, false, NONE, { 0 }, 40 },
	{ { 5 }, { INT64_MAX }, 1, false, NONE, { 0 }, 40 },
	/* the end of the stream */
	{ { 100, 140 }, { 40, 40 }, 2, false, 200, { 0, 40 }, 60 },
	{ { 100, 140 }, { 40, 40 }, 2, false, 150, { 0, 40 }, 10 },
	{ { 100, 140 }, { 40, 40 }, 2, false, 140, { 0, 40 }, 40 },
	{ { 100, 140 }, { 40, 40 }, 2, false, INT64_MAX, { 0, 40 }, 40 },
	/* missing ones, at the beginning too; ones that don't grow */
	{ { 0, NONE, 100 }, { 30, 20, 40 }, 3, false, NONE, { 0, 30, 100 }, 40 },
	{ { NONE, NONE, 500, 530 }, { 0, 50, 0, 0 }, 4, false, NONE, { 0, 40, 90, 120 }, 30 },
	{ { NONE, NONE }, { 40, 40 }, 2, false, 700, { 0, 40 }, 40 },
	{ { 0, 40, 40, 120 }, { 40, 40, 40, 40 }, 4, false, NONE, { 0, 40, 80, 120 }, 40 },
	{ { 0, 40, 20, 120 }, { 40, 40, 40, 40 }, 4, false, NONE, { 0, 40, 80, 120 }, 40 },
	{ { 0, INT64_MAX, INT64_MIN + 1, 120 }, { 40, 40, 40, 40 }, 4, false, NONE, { 0, 40, 80, 120 }, 40 },
	/* a long pause stays, where times can't begin anew */
	{ { 0, 40, 60000, 60040 }, { 40, 40, 40, 40 }, 4, false, NONE, { 0, 40, 60000, 60040 }, 40 },
	{ { 0, 40, 10080, 10120 }, { 40, 40, 40, 40 }, 4, true, NONE, { 0, 40, 10080, 10120 }, 40 },
	{ { 0, 40, 10081, 10121 }, { 40, 40, 40, 40 }, 4, true, NONE, { 0, 40, 80, 120 }, 40 },
	{ { 900, 1000, 100, 170 }, { 50, 50, 50, 50 }, 4, true, NONE, { 0, 100, 150, 220 }, 50 },
	{ { 900, 1000, 900, 1170 }, { 50, 50, 50, 50 }, 4, true, NONE, { 0, 100, 150, 270 }, 50 },
};

START_TEST(stamps)
{
	struct ps_times *times = create(ways[_i].jumps);
	struct ps_times_reader reader = { NULL };

	ck_assert_int_eq(ps_times_join(times, &reader), 0);
	for (unsigned n = 0; n < ways[_i].count; n++)
		ck_assert_int_eq(ps_times_put(times, ways[_i].stamps[n], ways[_i].durations[n]), 0);
	if (ways[_i].end != NONE)
		ps_times_end(times, ways[_i].end);
	for (unsigned n = 0; n < ways[_i].count; n++) {
		bool last = n + 1 == ways[_i].count;

		ck_assert_int_eq(get(&reader, n).start, ways[_i].starts[n]);
		ck_assert_int_eq(get(&reader, n).duration,
			last ? ways[_i].last : ways[_i].starts[n + 1] - ways[_i].starts[n]);
	}
	ps_times_leave(&reader);
	ps_times_drop(times);
}
END_TEST

/* A frame's time is there until all have released it, the last one's for good. */
START_TEST(released)
{
	struct ps_times *times = create(false);
	struct ps_times_reader a = { NULL }, b = { NULL };
	struct ps_time time;

	ck_assert_int_eq(ps_times_join(times, &a), 0);
	ck_assert_int_eq(ps_times_join(times, &b), 0);
	ck_assert(!ps_times_get(&a, 0, &time));
	for (int64_t n = 0; n < 10; n++)
		ck_assert_int_eq(ps_times_put(times, 10 * n, 10), 0);
	ck_assert(!ps_times_get(&a, 10, &time));
	ps_times_release(&a, 5);
	ck_assert_int_eq(get(&b, 0).start, 0);
	ps_times_release(&b, 3);
	ck_assert(!ps_times_get(&a, 2, &time));
	ck_assert_int_eq(get(&a, 3).start, 30);
	ps_times_release(&b, 1); /* it has gone on */
	ck_assert(!ps_times_get(&b, 2, &time));
	ps_times_release(&a, 100);
	ps_times_leave(&b);
	ck_assert(!ps_times_get(&a, 8, &time));
	ck_assert_int_eq(get(&a, 9).start, 90);
	ps_times_end(times, 130);
	ck_assert_int_eq(get(&a, 9).duration, 40);
	ck_assert_ptr_null(b.times);
	ps_times_leave(&b);
	/* the input goes first */
	ps_times_drop(times);
	ck_assert_int_eq(get(&a, 9).duration, 40);
	ps_times_leave(&a);
	ps_times_drop(NULL);
}
END_TEST

/* An output that joins when frames have been put would take their times for others'. */
START_TEST(too_late)
{
	struct ps_times *times = create(false);
	struct ps_times_reader reader = { NULL };

	ck_assert_int_eq(ps_times_put(times, 0, 40), 0);
	ck_assert_int_eq(ps_times_join(times, &reader), -EBUSY);
	ck_assert_ptr_null(reader.times);
	ps_times_leave(&reader);
	ps_times_drop(times);
}
END_TEST

/* As many are kept as are not released: nothing is lost when there are more. */
START_TEST(many)
{
	enum { N = 100000 };
	struct ps_times *times = create(false);
	struct ps_times_reader reader = { NULL };
	struct test_rng rng = { 3 };
	uint64_t next = 0;

	ck_assert_int_eq(ps_times_join(times, &reader), 0);
	for (uint64_t n = 0; n < N; n++) {
		ck_assert_int_eq(ps_times_put(times, (int64_t)(n * n), 1), 0);
		/* behind, by up to some thousands */
		if (n % 5000 == 4999 || test_between(&rng, 0, 999) == 0) {
			for (; next < n; next++)
				ck_assert_int_eq(get(&reader, next).start, (int64_t)(next * next));
			ps_times_release(&reader, next);
		}
	}
	ps_times_leave(&reader);
	ps_times_drop(times);
}
END_TEST

struct writer {
	struct ps_times_reader reader;
	pthread_t thread;
	uint64_t seed;
};

enum { SHARED = 200000 };

static void *follow(void *arg)
{
	struct writer *writer = arg;
	struct test_rng rng = { writer->seed };
	struct ps_time time;

	for (uint64_t n = 0; n < SHARED; n++) {
		while (!ps_times_get(&writer->reader, n, &time))
			sched_yield();
		ck_assert_int_eq(time.start, (int64_t)(3 * n));
		if (test_between(&rng, 0, 9) == 0)
			ps_times_release(&writer->reader, n);
	}
	return NULL;
}

/* A thread that reads, three that write. */
START_TEST(threads)
{
	struct ps_times *times = create(false);
	struct writer writers[3];

	for (unsigned i = 0; i < 3; i++) {
		writers[i] = (struct writer){ .seed = i };
		ck_assert_int_eq(ps_times_join(times, &writers[i].reader), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&writers[i].thread, NULL, follow, &writers[i]), 0);
	for (int64_t n = 0; n < SHARED; n++)
		ck_assert_int_eq(ps_times_put(times, 1000 + 3 * n, 3), 0);
	ps_times_drop(times);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(writers[i].thread, NULL);
		ps_times_leave(&writers[i].reader);
	}
}
END_TEST

START_TEST(out_of_memory)
{
	struct ps_times_spec spec = { .unit_num = 1, .unit_den = 1000, .period = 40 };
	struct ps_times_reader reader = { NULL };
	struct ps_times *times;
	int64_t n = 0;

	test_fail_allocation(1);
	ck_assert_ptr_null(ps_times_create(&spec));
	ck_assert(test_allocation_failed());
	times = create(false);
	test_fail_allocation(1);
	ck_assert_int_eq(ps_times_join(times, &reader), -ENOMEM);
	ck_assert(test_allocation_failed());
	ck_assert_ptr_null(reader.times);
	ck_assert_int_eq(ps_times_join(times, &reader), 0);
	test_fail_allocation(1);
	while (!ps_times_put(times, 40 * n, 40))
		n++;
	ck_assert(test_allocation_failed());
	ck_assert_int_gt(n, 0);
	/* what was kept is there, and the frame can be put again */
	ck_assert_int_eq(get(&reader, 0).start, 0);
	ck_assert_int_eq(ps_times_put(times, 40 * n, 40), 0);
	ck_assert_int_eq(get(&reader, (uint64_t)n).start, 40 * n);
	ck_assert_int_eq(get(&reader, 1).start, 40);
	ps_times_leave(&reader);
	ps_times_drop(times);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("times");
	TCase *c = files_case(suite, "times");

	tcase_add_loop_test(c, stamps, 0, (int)TEST_COUNT(ways));
	tcase_add_test(c, released);
	tcase_add_test(c, too_late);
	tcase_add_test(c, many);
	tcase_add_test(c, threads);
	tcase_add_test(c, out_of_memory);
	return test_main(suite);
}
