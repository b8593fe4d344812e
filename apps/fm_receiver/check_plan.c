/* SPDX-License-Identifier: MIT */
/* From rates to filters: what common receivers give, what must hold for any rates, and what is refused. */
#include "config.h"

#include "apps/common/check_said.h"
#include "apps/fm_receiver/plan.h"
#include "tests/common/common.h"

#include <string.h>

static struct plan plan(uint32_t rate, uint32_t audio, uint32_t deviation)
{
	struct plan p = { .rate = rate, .audio = audio, .deviation = deviation };

	ck_assert_int_eq(plan_make(&p), 0);
	return p;
}

static void expect(uint32_t rate, uint32_t audio, uint32_t decimation, uint32_t up, uint32_t down)
{
	struct plan p = plan(rate, audio, 75000);

	ck_assert_uint_eq(p.decimation, decimation);
	ck_assert_uint_eq(p.up, up);
	ck_assert_uint_eq(p.down, down);
}

START_TEST(common_rates)
{
	expect(240000, 48000, 1, 1, 5);
	expect(250000, 48000, 1, 24, 125);
	expect(1024000, 48000, 4, 3, 16);
	expect(2400000, 48000, 10, 1, 5);
	expect(2048000, 44100, 9, 3969, 20480);
}
END_TEST

/* 75 + 53 kHz on each side: the discriminator works at 320 kHz or more where the input has that. */
START_TEST(stereo_rates)
{
	static const struct {
		uint32_t rate, decimation;
	} cases[] = { { 128000, 1 }, { 240000, 1 }, { 640000, 2 }, { 1024000, 3 }, { 2400000, 7 } };

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct plan p = { .rate = cases[i].rate,
			.audio = 48000,
			.deviation = cases[i].rate > 200000 ? 75000 : 50000,
			.stereo = true };

		ck_assert_int_eq(plan_make(&p), 0);
		ck_assert_uint_eq(p.decimation, cases[i].decimation);
	}
}
END_TEST

/* Whatever is accepted: windows are whole, filters are possible, and a length is the exact quotient rounded up. */
START_TEST(any_rates)
{
	unsigned accepted = 0;

	for (uint64_t seed = test_seed(), end = seed + test_rounds(2000); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct plan p = { .rate = (uint32_t)test_between(&rng, 1, 3000) * 1000,
			.audio = (uint32_t)test_between(&rng, 8, 96) * 500,
			.deviation = (uint32_t)test_between(&rng, 1, 100) * 1000,
			.stereo = test_chance(&rng, 50) };
		uint64_t n = test_between(&rng, 0, 10000000);

		said_start();
		int status = plan_make(&p);
		said_stop();
		if (status)
			continue;
		accepted++;
		ck_assert_uint_eq((uint64_t)p.audio * p.decimation * p.down, (uint64_t)p.rate * p.up);
		ck_assert_uint_eq(p.block % (p.decimation * p.down), 0);
		ck_assert_uint_gt(p.block, 0);
		ck_assert(p.channel.cutoff > 0 && p.channel.cutoff <= 0.5);
		ck_assert(p.sound.cutoff > 0 && p.sound.cutoff <= 0.5);
		/* all of the multiplex is in the band behind the channel's filter */
		if (p.stereo)
			ck_assert(p.middle > 2 * 53000 && p.pilot.cutoff <= 0.5 && p.pilot.taps % 2);
		ck_assert(p.channel.taps > 0 && p.channel.taps < 1000 * p.decimation);
		ck_assert_uint_eq(plan_length(&p, n), (n * p.audio + p.rate - 1) / p.rate);
	}
	ck_assert_uint_gt(accepted, test_rounds(2000) / 3);
}
END_TEST

static void refuses(uint32_t rate, uint32_t audio, uint32_t deviation, const char *text)
{
	struct plan p = { .rate = rate, .audio = audio, .deviation = deviation };

	said_start();
	int status = plan_make(&p);
	said_stop();
	ck_assert_int_eq(status, 2);
	TEST_SAYS(said_err, text);
}

START_TEST(refused)
{
	refuses(150000, 48000, 75000,
		"fm_receiver: --rate 150000 is too low for --deviation 75000: more than 150000 is needed\n");
	refuses(250007, 48000, 75000,
		"fm_receiver: --audio 48000 of --rate 250007: a ratio of 48000 / 250007 is too fine; one "
		"with "
		"a larger common factor is needed\n");
	refuses(2400001, 48000, 75000, "a ratio of 48000 / 2400001 is too fine");
	/* a decimation that no filter has, and windows of gigabytes */
	refuses(100000000, 1000, 100, "one of 66666 samples would be kept");
	refuses(77278000, 1000, 100, "a lower --rate or a larger --deviation is needed");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *tcase = test_case(suite, "plan");

	tcase_add_test(tcase, common_rates);
	tcase_add_test(tcase, stereo_rates);
	tcase_add_test(tcase, any_rates);
	tcase_add_test(tcase, refused);
	return test_main(suite);
}
