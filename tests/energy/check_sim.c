/* SPDX-License-Identifier: MIT */
/* Sim: joules against values by hand, and what is refused. */
#include "lib/base/memory.h"
#include "tests/energy/made_chip.h"

#include <math.h>

#define SIM "sim:cores=2,core=1.5,device_idle=0.5,device=8,rest=3"

static void reads(struct ps_energy *e, struct ps_busy busy, double cores, double device, double rest)
{
	struct pstk_joules total;

	ck_assert_int_eq(ps_energy_read(e, &busy, &total), 0);
	ck_assert_double_eq_tol(total.cores, cores, 1e-12);
	ck_assert_double_eq_tol(total.device, device, 1e-12);
	ck_assert_double_eq_tol(total.rest, rest, 1e-12);
}

START_TEST(watts_times_seconds)
{
	struct ps_energy *e = made_open(SIM);

	ck_assert_uint_eq(made_works, 0);
	ck_assert_str_eq(ps_energy_name(e), "sim");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_SIMULATED);
	reads(e, (struct ps_busy){ 0 }, 0, 0, 0);
	/* idle for 10 s: 2 W, 0.5 W, 3 W */
	reads(e, (struct ps_busy){ .elapsed = 10 }, 20, 5, 30);
	/* 12 s of cores, 4 s of the device: 20 + 18, 6 x 0.5 + 4 x 8 */
	reads(e, (struct ps_busy){ 10, 12, 4 }, 38, 35, 30);
	/* two devices for longer than 10 s: none is idle */
	reads(e, (struct ps_busy){ 10, 0, 15 }, 20, 120, 30);
	ps_energy_close(e);
	e = made_open("sim:rest=0,device=0,device_idle=1e-3,core=0,cores=0x10");
	reads(e, (struct ps_busy){ 1, 1, 0 }, 16, 0.001, 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(busy_times_are_needed)
{
	static const struct ps_busy wrong[] = { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 },
		{ (double)NAN, 0, 0 }, { 0, (double)NAN, 0 }, { 0, 0, (double)INFINITY } };
	struct ps_energy *e = made_open(SIM);
	struct pstk_joules total = { .cores = 4 };

	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_int_eq(ps_energy_read(e, &wrong[i], &total), -EINVAL);
	ck_assert_double_eq(total.cores, 4);
	ps_energy_close(e);
}
END_TEST

START_TEST(what_is_refused)
{
	static const struct {
		const char *text, *said, *more;
	} cases[] = {
		{ "sim", "'cores' is missing: expected cores=W,core=W,device_idle=W,device=W,rest=W",
			"sim: " },
		{ "sim:", "'cores' is missing", "sim: " },
		{ "sim:cores=1,core=1,device_idle=1,device=1", "'rest' is missing", "rest=W" },
		{ "sim:cores=1,core=1,device_idle=1,device=1,rset=1",
			"there is no 'rset'; did you mean 'rest'?", "expected cores=W," },
		{ "sim:watts=1", "there is no 'watts': expected cores=W", "" },
		{ "sim:c=1", "there is no 'c'", "" },
		{ "sim:devce=1", "there is no 'devce'; did you mean 'device'?", "" },
		{ "sim:=1", "there is no ''", "" },
		{ "sim:,", "there is no ''", "" },
		{ "sim:core=1,core=1", "'core' is there twice", "" },
		{ "sim:core", "'core' is '': expected watts, a number from 0 on", "" },
		{ "sim:core=", "'core' is '': expected watts", "" },
		{ "sim:core=-1", "'core' is '-1': expected watts", "" },
		{ "sim:device=nan", "'device' is 'nan': expected watts", "" },
		{ "sim:device=inf", "'device' is 'inf': expected watts", "" },
		{ "sim:rest=1W", "'rest' is '1W': expected watts", "" },
		{ "sim:rest= 1", "'rest' is ' 1': expected watts", "" },
		{ "sim:device_idle=1=1", "'device_idle' is '1=1': expected watts", "" },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++)
		MADE_REFUSED(cases[i].text, -EINVAL, cases[i].said, cases[i].more);
	MADE_REFUSED(SIM "+nvml", -EINVAL, "+nvml goes with powercap and perf");
}
END_TEST

START_TEST(a_long_text)
{
	char text[300] = "sim:";

	memset(text + 4, 'a', 200);
	MADE_REFUSED(text, -EINVAL, "'aaaaaaaaaaaaaaaaaaaa..' is too long: expected cores=W");
}
END_TEST

START_TEST(memory_may_be_out)
{
	for (long n = 0; n < 3; n++) {
		struct ps_energy *e;
		char why[PS_ENERGY_WHY];

		ps_memory_fail_at = n;
		ck_assert_int_eq(ps_energy_open(SIM, NULL, &e, why, sizeof why), -ENOMEM);
		ck_assert_int_eq(ps_memory_fail_at, -1);
		TEST_SAYS(why, "out of memory");
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim");
	TCase *c = test_case(s, "sim");

	tcase_add_checked_fixture(c, made_start, made_stop);
	tcase_add_test(c, watts_times_seconds);
	tcase_add_test(c, busy_times_are_needed);
	tcase_add_test(c, what_is_refused);
	tcase_add_test(c, a_long_text);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
