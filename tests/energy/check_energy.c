/* SPDX-License-Identifier: MIT */
/* Energy: which meter a text selects, which one none selects, and what the machine really has. */
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/energy/system.h"
#include "tests/energy/made_chip.h"

static void make_powercap(uint64_t step)
{
	made_zone("powercap/intel-rapl:0", "package-0", 0, step);
}

static void make_perf(uint64_t step)
{
	made_write("perf/type", "9\n");
	made_write("perf/cpumask", "0\n");
	made_event("energy-pkg", 2, step);
}

START_TEST(there_is_no_such_kind)
{
	MADE_REFUSED("powercop", -EINVAL, "there is no meter 'powercop': expected one of none, powercap, ",
		"sim, callback; did you mean 'powercap'?");
	MADE_REFUSED("xyz:1", -EINVAL, "there is no meter 'xyz': expected one of none, ");
	MADE_REFUSED(":", -EINVAL, "there is no meter ''");
	MADE_REFUSED("powercap+perf", -EINVAL, "there is no meter 'powercap+perf'");
	MADE_REFUSED("perf+nvmlx", -EINVAL, "there is no meter 'perf+nvmlx'");
	MADE_REFUSED("+nvml", -EINVAL, "there is no meter ''");
	MADE_REFUSED("a\nb", -EINVAL, "there is no meter 'a\\x0ab'");
}
END_TEST

START_TEST(none)
{
	MADE_REFUSED("none", -ENODEV, "none: no meter is wanted");
	ck_assert_uint_eq(made_works, 0);
}
END_TEST

START_TEST(no_meter_is_none)
{
	struct pstk_joules total = { .cores = 5 };

	ck_assert_int_eq(ps_energy_read(NULL, NULL, &total), -ENODEV);
	ck_assert_double_eq(total.cores, 5);
	ck_assert_uint_eq(ps_energy_flags(NULL), 0);
	ck_assert_str_eq(ps_energy_name(NULL), "none");
	ps_energy_close(NULL);
}
END_TEST

START_TEST(a_board_goes_with_a_chip)
{
	make_powercap(5);
	MADE_REFUSED("none+nvml", -ENODEV, "none: ");
	MADE_REFUSED("nvml+nvml", -ENODEV, "nvml: there is no libnvidia-ml.so.1");
	MADE_REFUSED("sim:cores=1,core=1,device_idle=1,device=1,rest=1+nvml", -EINVAL,
		"+nvml goes with powercap and perf");
	MADE_REFUSED("powercap+nvml", -ENODEV, "powercap: opened; nvml: there is no libnvidia-ml.so.1");
}
END_TEST

/* The first one that counts, in this order. */
START_TEST(the_first_that_counts)
{
	struct ps_energy *e;

	make_perf(UINT64_C(1) << 32);
	e = made_open(NULL);
	ck_assert_str_eq(ps_energy_name(e), "perf");
	made_reads(e, 1, 0, 0);
	ps_energy_close(e);
	make_powercap(0); /* a virtual machine's */
	e = made_open("");
	ck_assert_str_eq(ps_energy_name(e), "perf");
	ps_energy_close(e);
	made_zone("powercap/intel-rapl:1", "package-1", 0, 1000000);
	e = made_open(NULL);
	ck_assert_str_eq(ps_energy_name(e), "powercap");
	ps_energy_system.work();
	made_reads(e, 1, 0, 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(none_counts)
{
	MADE_REFUSED(NULL, -ENODEV, "no meter: powercap: ", "/powercap: No such file or directory; perf: ",
		"/perf/type: No such file or directory; nvml: there is no libnvidia-ml.so.1");
	make_powercap(0);
	make_perf(0);
	MADE_REFUSED(
		"", -ENODEV, "no meter: powercap counts nothing: ", "; perf counts nothing: ", "; nvml: ");
	/* one that is locked is worth to be said: the user can do something */
	made_locked = "energy_uj";
	made_error = EACCES;
	MADE_REFUSED(NULL, -EACCES, "no meter: powercap: ", "chmod a+r", "CAP_PERFMON", "; nvml: ");
}
END_TEST

START_TEST(memory_may_be_out)
{
	char why[PS_ENERGY_WHY];
	struct ps_energy *e;

	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_energy_open(NULL, NULL, &e, why, sizeof why), -ENOMEM);
	TEST_SAYS(why, "no meter: out of memory");
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_energy_open("sim", NULL, &e, why, sizeof why), -ENOMEM);
	ck_assert_str_eq(why, "out of memory");
	ck_assert_int_eq(ps_memory_fail_at, -1);
}
END_TEST

/* What is said is cut where there is little room. */
START_TEST(little_room)
{
	char why[8];
	struct ps_energy *e;

	ck_assert_int_eq(ps_energy_open("none", NULL, &e, why, sizeof why), -ENODEV);
	ck_assert_str_eq(why, "none:..");
}
END_TEST

START_TEST(flags_in_words)
{
	char text[PS_ENERGY_FLAGS_TEXT];

	ck_assert_str_eq(ps_energy_flags_text(0, text), "");
	ck_assert_str_eq(ps_energy_flags_text(PSTK_ENERGY_SIMULATED, text), "simulated");
	ck_assert_str_eq(ps_energy_flags_text(PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED | PSTK_ENERGY_SPLIT |
						      PSTK_ENERGY_SIMULATED | PSTK_ENERGY_PARTIAL,
				 text),
		"measured, derived, split, simulated, partial");
}
END_TEST

/* What this machine has: a meter, or a reason. */
START_TEST(the_real_machine)
{
	char why[PS_ENERGY_WHY], text[PS_ENERGY_FLAGS_TEXT];
	struct ps_energy *e;
	unsigned before = made_descriptors();
	int err = ps_energy_open(NULL, NULL, &e, why, sizeof why);

	if (err) {
		ck_assert_msg(err == -ENODEV || err == -EACCES, "%d: %s", err, why);
		ck_assert_ptr_null(e);
		TEST_SAYS(why, "no meter: powercap", "; perf", "; nvml");
		printf("%s\n", why);
	} else {
		struct pstk_joules one, two;

		ck_assert_int_eq(ps_energy_read(e, NULL, &one), 0);
		ps_energy_system.work();
		ck_assert_int_eq(ps_energy_read(e, NULL, &two), 0);
		ck_assert(one.cores >= 0 && two.cores >= one.cores);
		ck_assert(one.device >= 0 && two.device >= one.device);
		ck_assert(one.rest >= 0 && two.rest >= one.rest);
		printf("%s (%s): %g J\n", ps_energy_name(e), ps_energy_flags_text(ps_energy_flags(e), text),
			two.cores + two.device + two.rest - one.cores - one.device - one.rest);
	}
	ps_energy_close(e);
	ck_assert_uint_eq(made_descriptors(), before);
}
END_TEST

START_TEST(the_real_work)
{
	uint64_t before = ps_clock_cpu_ns(), clock = ps_energy_system.clock_ns();

	ps_energy_system.work();
	ck_assert_uint_ge(ps_clock_cpu_ns() - before, 50000000);
	ck_assert_uint_ge(ps_energy_system.clock_ns(), clock);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("energy");
	TCase *c = test_case(s, "made"), *real = test_case(s, "real");

	tcase_add_checked_fixture(c, made_start, made_stop);
	tcase_add_test(c, there_is_no_such_kind);
	tcase_add_test(c, none);
	tcase_add_test(c, no_meter_is_none);
	tcase_add_test(c, a_board_goes_with_a_chip);
	tcase_add_test(c, the_first_that_counts);
	tcase_add_test(c, none_counts);
	tcase_add_test(c, memory_may_be_out);
	tcase_add_test(c, little_room);
	tcase_add_test(c, flags_in_words);
	tcase_add_test(real, the_real_machine);
	tcase_add_test(real, the_real_work);
	return test_main(s);
}
