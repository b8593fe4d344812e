/* SPDX-License-Identifier: MIT */
#include "actors/common/check_frames.h"
#include "actors/common/check_moving.h"
#include "actors/threshold/threshold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Every pair of bytes. */
START_TEST(all_pairs)
{
	static const int thresholds[] = { 0, 1, 20, 127, 128, 254, 255 };
	static uint8_t now[65536], before[65536], dst[65536];

	for (unsigned i = 0; i < sizeof now; i++) {
		now[i] = (uint8_t)(i / 256);
		before[i] = (uint8_t)i;
	}
	for (size_t t = 0; t < TEST_COUNT(thresholds); t++) {
		ps_threshold_bytes(dst, now, before, (uint8_t)thresholds[t], sizeof dst);
		for (unsigned i = 0; i < sizeof dst; i++)
			if (dst[i] != (abs(now[i] - before[i]) > thresholds[t] ? 255 : 0))
				ck_abort_msg("%u, %u, threshold %d", now[i], before[i], thresholds[t]);
	}
}
END_TEST

struct shape {
	size_t token_size, now, before; /* bytes, tokens, tokens */
	uint32_t rate, delay;
	const char *device;
};

/* delay: zeroed tokens in front of what is compared with. */
static void check_shape(const struct shape *s, struct pstk_threshold_arg *arg, int threshold)
{
	struct test_rng rng = { test_seed() };
	uint8_t *now = frame_tokens(&rng, s->token_size, s->now),
		*before = frame_tokens(&rng, s->token_size, s->before);
	size_t there = s->before + s->delay, count = s->now < there ? s->now : there;
	struct frame_run run;

	frame_run_init(&run, pstk_threshold_type(), arg, s->token_size, s->rate);
	run.in[0].tokens = now;
	run.in[0].count = s->now;
	run.in[1].tokens = before;
	run.in[1].count = s->before;
	run.in[1].delay = s->delay;
	run.device = s->device;
	run.out.tokens = malloc(s->token_size * s->now + 1);
	run.out.room = s->now;
	ck_assert_msg(frame_run(&run) == 0, "%s", run.error);
	ck_assert_uint_eq(run.out.count, count);
	for (size_t i = 0; i < count * s->token_size; i++) {
		int old = i < s->delay * s->token_size ? 0 : before[i - s->delay * s->token_size];

		if (run.out.tokens[i] != (abs(now[i] - old) > threshold ? 255 : 0))
			ck_abort_msg("token size %zu, rate %u, delay %u, byte %zu", s->token_size, s->rate,
				s->delay, i);
	}
	free(now);
	free(before);
	free(run.out.tokens);
}

START_TEST(sizes_and_rates)
{
	static const size_t sizes[] = { 1, 2, 3, 15, 16, 17, 33, 321 * 5, 320 * 240 };
	static const uint32_t rates[] = { 1, 2, 3, 4, 8, 16 };
	struct pstk_threshold_arg arg = { 20 };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++)
		for (size_t r = 0; r < TEST_COUNT(rates); r++) {
			test_guard("a shape", test_seed());
			check_shape(&(struct shape){ sizes[i], 19, 19, rates[r], 0, NULL }, &arg, 20);
			check_shape(&(struct shape){ sizes[i], 19, 19, rates[r], 1, NULL }, &arg, 20);
			check_shape(&(struct shape){ sizes[i], 16, 11, rates[r], 0, NULL }, &arg, 20);
			check_shape(&(struct shape){ sizes[i], 5, 16, rates[r], 3, NULL }, &arg, 20);
			check_shape(&(struct shape){ sizes[i], 0, 2, rates[r], 0, NULL }, &arg, 20);
		}
}
END_TEST

START_TEST(moves)
{
	static const size_t sizes[] = { 1, 33, 96 * 72 };
	struct pstk_threshold_arg arg = { 20 };
	struct test_rng rng = { test_seed() };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		const char *device = moving_device(moving_memories[_i], &rng);

		if (!device)
			return;
		test_guard("moves", test_seed());
		for (uint32_t rate = 1; rate <= 3; rate++) {
			check_shape(&(struct shape){ sizes[i], 19, 19, rate, 0, device }, &arg, 20);
			check_shape(&(struct shape){ sizes[i], 19, 16, rate, rate + 1, device }, &arg, 20);
		}
	}
}
END_TEST

START_TEST(parameter)
{
	struct shape shape = { 1000, 7, 7, 2, 1, NULL };
	struct pstk_threshold_arg arg = { 0 };

	check_shape(&shape, NULL, 20); /* the default */
	check_shape(&shape, &arg, 0);
	arg.threshold = 254;
	check_shape(&shape, &arg, 254);
	arg.threshold = 255;
	check_shape(&shape, &arg, 255);
}
END_TEST

START_TEST(refusals)
{
	struct pstk_threshold_arg arg = { 256 };
	struct frame_run run;

	frame_run_init(&run, pstk_threshold_type(), &arg, 4, 1);
	ck_assert_int_eq(frame_run(&run), -ERANGE);
	TEST_SAYS(run.error, "'tested'", "threshold", "0..255");

	frame_run_init(&run, pstk_threshold_type(), NULL, 4, 1);
	run.in[1].token_size = 5;
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "'now'", "4 bytes", "'before' of 5", "one token size");

	frame_run_init(&run, pstk_threshold_type(), NULL, 4, 1);
	run.in[1].rate = 2;
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "port 'before' moves 1 token a step", "'now'", "gives it 1",
		"gives it 2: give it 1");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("threshold");
	TCase *tcase = test_case(suite, "threshold");

	tcase_add_test(tcase, all_pairs);
	tcase_add_test(tcase, sizes_and_rates);
	tcase_add_test(tcase, parameter);
	tcase_add_test(tcase, refusals);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, moves, 0, MOVING_MEMORIES);
	return test_main(suite);
}
