/* SPDX-License-Identifier: MIT */
/* Readers that end before the stream does. */
#include "tests/remote/rig.h"

#include <sched.h>

/* Ranks may be slow. */
static uint64_t stands_still(void *rank)
{
	(void)rank;
	return 0;
}

/* A long stream: its writer is told that nothing is wanted, over one hop or two. */
START_TEST(the_writer_is_told)
{
	for (uint32_t stops = 2; stops <= 3; stops++)
		for (uint64_t after = 0; after < 5; after++) {
			struct rig rig = { .ranks = 3, .delay = 2, .seed = after };

			rig_stream(&rig, 0, 1);
			rig.stream[0].stops = stops;
			rig.stream[0].route[2] = 2;
			rig.stream[0].tokens = UINT64_MAX / 4;
			rig.stream[0].reader[0].ends_after = after;
			rig_build(&rig);
			rig_begin(&rig);
			rig_run(&rig);
			rig_check(&rig);
			ck_assert(rig.stream[0].discarded);
			ck_assert_uint_eq(rig.stream[0].reader[0].tokens, 2 * after);
			/* no more than there are places */
			ck_assert_uint_le(rig.stream[0].written, 2 * after + 2 * 2 * (2 * stops - 2));
			rig_free(&rig);
		}
}
END_TEST

/* Also one that has written nothing yet. */
START_TEST(an_idle_writer_is_told)
{
	struct rig rig = { .ranks = 2, .now = stands_still };
	struct rig_stream *s = &rig.stream[0];

	rig_stream(&rig, 0, 1);
	rig_build(&rig);
	rig_begin(&rig);
	while (inside_looks(rig.inside, 1) < 10) /* receives are posted by now */
		sched_yield();
	ps_fifo_read_close(&s->reader[0].fifo);
	while (ps_fifo_peek(&s->way[0].writer) == PS_FIFO_WAIT || !atomic_load(&s->way[0].discards))
		sched_yield();
	s->reader[0].ends_after = 0;
	rig_run(&rig);
	rig_check(&rig);
	ck_assert_uint_eq(s->written, 0);
	rig_free(&rig);
}
END_TEST

/* The others read on. */
START_TEST(one_reader_of_three_ends)
{
	for (uint32_t ends = 0; ends < 3; ends++)
		for (unsigned shares = 0; shares < 4; shares++) {
			struct rig rig = { .ranks = 2, .delay = 1, .seed = ends };

			rig_stream(&rig, 0, 1);
			rig.stream[0].readers = 3;
			rig.stream[0].reader[1].shares = shares & 1;
			rig.stream[0].reader[2].shares = shares & 2;
			rig.stream[0].reader[ends].ends_after = 2;
			rig_build(&rig);
			rig_begin(&rig);
			rig_run(&rig);
			rig_check(&rig);
			ck_assert_uint_eq(rig.stream[0].written, 20);
			rig_free(&rig);
		}
}
END_TEST

/* Streams of any length, readers that end at any time. */
START_TEST(ends_at_any_time)
{
	uint64_t seed = test_seed();

	for (uint64_t end = seed + test_rounds(300); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct rig rig = { .ranks = 3, .seed = seed, .delay = test_between(&rng, 0, 5), .linger = 3 };

		test_guard("ends_at_any_time", seed);
		for (uint32_t i = test_between(&rng, 1, 3); i; i--) {
			struct rig_stream *s = &rig.stream[rig.count];

			rig_stream(&rig, i % 3, (i + 1) % 3);
			s->stops = test_chance(&rng, 30) ? 3 : 2;
			s->route[2] = (i + 2) % 3;
			s->rate = test_between(&rng, 1, 4);
			s->windows = test_between(&rng, 1, 4);
			s->tokens = test_between(&rng, 0, 100);
			s->readers = test_between(&rng, 1, 3);
			for (uint32_t n = 0; n < s->readers; n++) {
				s->reader[n].rate = test_between(&rng, 1, 4);
				s->reader[n].shares = test_chance(&rng, 50);
				if (test_chance(&rng, 70))
					s->reader[n].ends_after = test_between(&rng, 0, 20);
			}
		}
		rig_build(&rig);
		rig_begin(&rig);
		rig_run(&rig);
		rig_check(&rig);
		rig_free(&rig);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("remote_ends");
	TCase *c = test_case(s, "remote_ends");

	tcase_add_test(c, the_writer_is_told);
	tcase_add_test(c, an_idle_writer_is_told);
	tcase_add_test(c, one_reader_of_three_ends);
	tcase_add_test(c, ends_at_any_time);
	return test_main(s);
}
