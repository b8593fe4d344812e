/* SPDX-License-Identifier: MIT */
/* Perf: which events are opened, on which cores, and what is said of those that can't be. */
#include "lib/base/memory.h"
#include "tests/energy/made_chip.h"

#define JOULE (UINT64_C(1) << 32) /* counts */

static void make_source(const char *cores)
{
	made_write("perf/type", "9\n");
	made_write("perf/cpumask", cores);
	made_event("energy-pkg", 2, 10 * JOULE);
}

START_TEST(a_client_chip)
{
	struct ps_energy *e;
	unsigned before = made_descriptors();

	make_source("0\n");
	made_event("energy-cores", 1, 6 * JOULE);
	made_event("energy-gpu", 4, JOULE / 2);
	made_write("perf/events/energy-psys", "event=0x05\n");
	made_write("perf/events/energy-ram", "event=0x03\n");
	e = made_open("perf");
	ck_assert_uint_eq(made_descriptors(), before + 3);
	ck_assert_str_eq(ps_energy_name(e), "perf");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED);
	ck_assert_uint_eq(made_opened_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(made_opened[i].pid, -1);
		ck_assert_int_eq(made_opened[i].cpu, 0);
		ck_assert_uint_eq(made_opened[i].type, 9);
	}
	ck_assert_uint_eq(made_opened[0].config, 2);
	ck_assert_uint_eq(made_opened[1].config, 1);
	ck_assert_uint_eq(made_opened[2].config, 4);
	made_reads(e, 6, 0.5, 3.5);
	made_reads(e, 12, 1, 7);
	ck_assert_uint_eq(made_descriptors(), before + 3);
	ps_energy_close(e);
	ck_assert_uint_eq(made_descriptors(), before);
}
END_TEST

/* One core of each package. */
START_TEST(several_packages)
{
	static const struct {
		const char *mask;
		unsigned count;
		int cores[4];
	} cases[] = {
		{ "0,18\n", 2, { 0, 18 } },
		{ "3-5\n", 3, { 3, 4, 5 } },
		{ "0-1,65535", 3, { 0, 1, 65535 } },
		{ "7-7,0", 2, { 7, 0 } },
	};
	struct ps_energy *e;

	make_source("");
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		made_write("perf/cpumask", cases[i].mask);
		made_opened_count = 0;
		e = made_open("perf");
		ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
		ck_assert_uint_eq(made_opened_count, cases[i].count);
		for (unsigned k = 0; k < cases[i].count; k++)
			ck_assert_int_eq(made_opened[k].cpu, cases[i].cores[k]);
		made_reads(e, 10 * cases[i].count, 0, 0);
		ps_energy_close(e);
	}
}
END_TEST

START_TEST(the_cores_are_no_list)
{
	static const char *const masks[] = { "", "\n", "all\n", "0,\n", ",0\n", "0-\n", "0 1\n", "0,x\n",
		"65536\n", "0-4000000000\n", "123456789012345678901234567890\n", "-1\n" };

	make_source("");
	for (unsigned i = 0; i < TEST_COUNT(masks); i++) {
		made_write("perf/cpumask", masks[i]);
		MADE_REFUSED("perf", -ENODEV, "/cpumask is no list of cores: '");
		made_opened_count = 0;
	}
	made_remove("perf/cpumask");
	MADE_REFUSED("perf", -ENODEV, "/cpumask: No such file");
}
END_TEST

START_TEST(there_is_none)
{
	MADE_REFUSED("perf", -ENODEV, "perf: ", "/perf/type: No such file or directory");
	MADE_REFUSED("perf:/nowhere", -ENODEV, "perf: /nowhere/type: No such file");
	MADE_REFUSED("perf:", -EINVAL, "no folder behind the ':'");
	/* a virtual machine with the platform's alone */
	made_write("perf/type", "9\n");
	made_write("perf/cpumask", "0\n");
	made_write("perf/events/energy-psys", "event=0x05\n");
	MADE_REFUSED("perf", -ENODEV, "/perf has no event energy-pkg");
	made_write("perf/type", "nine\n");
	MADE_REFUSED("perf", -ENODEV, "/type is no number: 'nine'");
	made_write("perf/type", "4294967296\n");
	MADE_REFUSED("perf", -ENODEV, "/type is no number: '4294967296'");
}
END_TEST

/* The text may say where the source is. */
START_TEST(another_folder)
{
	char selector[256];
	struct ps_energy *e;

	make_source("0\n");
	snprintf(selector, sizeof selector, "perf:%s", ps_energy_system.perf);
	ps_energy_system.perf = "/nowhere";
	e = made_open(selector);
	made_reads(e, 10, 0, 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(it_takes_a_privilege)
{
	static const int errors[] = { EACCES, EPERM };

	make_source("0\n");
	for (unsigned i = 0; i < TEST_COUNT(errors); i++) {
		made_error = errors[i];
		MADE_REFUSED("perf", -EACCES, "energy-pkg: ", strerror(errors[i]), "CAP_PERFMON",
			"/proc/sys/kernel/perf_event_paranoid");
	}
	made_error = EOPNOTSUPP;
	MADE_REFUSED("perf", -ENODEV, "energy-pkg can't be counted: ", strerror(EOPNOTSUPP));
	/* one of several packages is enough */
	made_write("perf/cpumask", "0,1,2-4\n");
	for (made_refused_cpu = 0; made_refused_cpu < 5; made_refused_cpu++) {
		made_opened_count = 0;
		MADE_REFUSED("perf", -ENODEV, "energy-pkg can't be counted: ");
	}
	made_error = EACCES;
	made_locked = "events/energy-pkg";
	MADE_REFUSED("perf", -EACCES, "energy-pkg: ", "CAP_PERFMON");
}
END_TEST

START_TEST(events_that_are_not_understood)
{
	static const struct {
		const char *file, *text, *said;
	} cases[] = {
		{ "perf/events/energy-pkg", "config=0x02\n",
			"energy-pkg is not event=NUMBER: 'config=0x02'" },
		{ "perf/events/energy-pkg", "event=0x02,umask=1\n", "energy-pkg is not event=NUMBER" },
		{ "perf/events/energy-pkg.unit", "Watts\n", "energy-pkg.unit is not Joules: Watts" },
		{ "perf/events/energy-pkg.scale", "much\n", "energy-pkg.scale is no number of joules" },
		{ "perf/events/energy-pkg.scale", "0\n", "energy-pkg.scale is no number of joules" },
		{ "perf/events/energy-pkg.scale", "-1e-10\n", "energy-pkg.scale is no number of joules" },
		{ "perf/events/energy-pkg.scale", "nan\n", "energy-pkg.scale is no number of joules" },
		{ "perf/events/energy-pkg.scale", "2\n", "energy-pkg.scale is no number of joules" },
	};

	make_source("0\n");
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		made_write("perf/events/energy-pkg", "event=0x02\n");
		made_write("perf/events/energy-pkg.unit", "Joules\n");
		made_write(cases[i].file, cases[i].text);
		MADE_REFUSED("perf", -ENODEV, cases[i].said);
	}
	made_remove("perf/events/energy-pkg.scale");
	MADE_REFUSED("perf", -ENODEV, "energy-pkg.scale is no number", "No such file");
	made_remove("perf/events/energy-pkg.unit");
	MADE_REFUSED("perf", -ENODEV, "energy-pkg.unit is not Joules: No such file");
}
END_TEST

START_TEST(a_line_is_too_long)
{
	char text[600];

	make_source("0\n");
	memset(text, '1', sizeof text);
	text[sizeof text - 1] = 0;
	made_write("perf/events/energy-pkg", text);
	MADE_REFUSED("perf", -ENODEV, "energy-pkg can't be counted: ", strerror(EMSGSIZE));
	made_write("perf/type", text);
	MADE_REFUSED("perf", -ENODEV, "/type: ", strerror(EMSGSIZE));
}
END_TEST

START_TEST(it_stands_still)
{
	made_write("perf/type", "9\n");
	made_write("perf/cpumask", "0\n");
	made_event("energy-pkg", 2, 0);
	MADE_REFUSED("perf", -ENODEV, "perf counts nothing", "50 ms");
	ck_assert_uint_eq(made_works, 1);
}
END_TEST

START_TEST(readings_fail)
{
	static const struct {
		unsigned reads, bytes;
		int err;
		const char *said;
	} cases[] = {
		{ 0, 8, -ENODEV, "energy-pkg can't be counted: " },
		{ 1, 4, -ENODEV, "energy-pkg can't be counted: " },
		{ 1, 8, -EACCES, "perf can't be read: " },
		{ 2, 8, -EACCES, "perf can't be read: " },
		{ 3, 8, -EACCES, "perf can't be read: " },
	};
	struct pstk_joules total;
	struct ps_energy *e;

	make_source("0\n");
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		made_event_reads = cases[i].reads;
		made_event_bytes = cases[i].bytes;
		MADE_REFUSED("perf", cases[i].err, cases[i].said);
	}
	made_event_bytes = 8;
	made_event_reads = 4;
	e = made_open("perf");
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EBADMSG);
	ps_energy_close(e);
}
END_TEST

START_TEST(memory_may_be_out)
{
	char why[PS_ENERGY_WHY];
	struct ps_energy *e = NULL;
	unsigned before = made_descriptors();
	long n = 0;

	make_source("0\n");
	for (int err = -ENOMEM; err; n++) {
		ps_memory_fail_at = n;
		err = ps_energy_open("perf", NULL, &e, why, sizeof why);
		ps_memory_fail_at = -1;
		ck_assert_int_eq(err, e ? 0 : -ENOMEM);
		ck_assert(e || strstr(why, "out of memory"));
		ck_assert_uint_eq(made_descriptors(), before + (e ? 1 : 0));
	}
	ck_assert_int_eq(n, 5);
	ps_energy_close(e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("perf");
	TCase *c = test_case(s, "perf");

	tcase_add_checked_fixture(c, made_start, made_stop);
	tcase_add_test(c, a_client_chip);
	tcase_add_test(c, several_packages);
	tcase_add_test(c, the_cores_are_no_list);
	tcase_add_test(c, there_is_none);
	tcase_add_test(c, another_folder);
	tcase_add_test(c, it_takes_a_privilege);
	tcase_add_test(c, events_that_are_not_understood);
	tcase_add_test(c, a_line_is_too_long);
	tcase_add_test(c, it_stands_still);
	tcase_add_test(c, readings_fail);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
