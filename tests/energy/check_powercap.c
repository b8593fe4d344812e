/* SPDX-License-Identifier: MIT */
/* Powercap: which zones count, where they lie, and what is said of those that can't be read. */
#include "lib/base/memory.h"
#include "tests/energy/made_chip.h"

#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "powercap/"

/* Zones side by side, as a container may have them. */
static void make_client(void)
{
	made_zone(FOLDER "intel-rapl:0", "package-0", 5000000, 300000);
	made_zone(FOLDER "intel-rapl:0:0", "core", 3000000, 200000);
	made_zone(FOLDER "intel-rapl:0:1", "uncore", 1000000, 10000);
	made_zone(FOLDER "intel-rapl:0:2", "dram", 1000000, 70000);
	made_zone(FOLDER "intel-rapl:1", "psys", 9000000, 900000);
}

START_TEST(a_client_chip)
{
	struct ps_energy *e;
	unsigned before = made_descriptors();

	make_client();
	e = made_open("powercap");
	ck_assert_uint_eq(made_descriptors(), before + 3);
	ck_assert_uint_eq(made_works, 1);
	ck_assert_str_eq(ps_energy_name(e), "powercap");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED);
	made_reads(e, 0, 0, 0);
	ps_energy_system.work();
	made_reads(e, 0.2, 0.01, 0.09);
	ps_energy_system.work();
	ps_energy_system.work();
	ck_assert_uint_eq(made_descriptors(), before + 3);
	made_reads(e, 0.6, 0.03, 0.27);
	ps_energy_close(e);
	ck_assert_uint_eq(made_descriptors(), before);
}
END_TEST

/* The largest count, then 0: as if the counter had gone on. */
START_TEST(counters_wrap)
{
	struct ps_energy *e;

	made_zone(FOLDER "p", "package-0", MADE_RANGE - 400000, 300000);
	made_zone(FOLDER "p/c", "core", 5, 10);
	e = made_open("powercap");
	made_zone_set(FOLDER "p", 150000);
	made_zone_set(FOLDER "p/c", 50015);
	made_reads(e, 0.05, 0, 0.25 - 0.05);
	made_zone_set(FOLDER "p", 100000);
	made_reads(e, 0.05, 0, 0.25 - 0.05 + 100 - 0.05);
	ps_energy_close(e);
}
END_TEST

static void wrap_p(void)
{
	made_zone_set(FOLDER "p", 20);
}

/* The work of the opening may be where it wraps, too. */
START_TEST(a_counter_wraps_while_it_is_opened)
{
	struct ps_energy *e;

	made_zone(FOLDER "p", "package-0", MADE_RANGE - 10, 0);
	made_on_work = wrap_p;
	e = made_open("powercap");
	made_zone_set(FOLDER "p", 30);
	made_reads(e, 10e-6, 0, 0);
	ps_energy_close(e);
}
END_TEST

/* AMD, and servers of Intel: all of the package is said to be the cores'. */
START_TEST(the_package_alone)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl:0", "package-0", 0, 300000);
	made_zone(FOLDER "intel-rapl:1", "package-1", 50, 100000);
	made_zone(FOLDER "intel-rapl:0:0", "dram", 50, 100000);
	e = made_open("powercap");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
	ps_energy_system.work();
	made_reads(e, 0.4, 0, 0);
	ps_energy_close(e);
}
END_TEST

/* .. less its GPU. */
START_TEST(the_package_and_its_gpu)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl:0", "package-0", 0, 300000);
	made_zone(FOLDER "intel-rapl:0:0", "uncore", 50, 100000);
	e = made_open("powercap");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
	ps_energy_system.work();
	made_reads(e, 0.2, 0.1, 0);
	ps_energy_close(e);
}
END_TEST

/* As Linux has them: the class's links lead to zones that lie in each other, which have links that lead up again. */
START_TEST(zones_in_each_other_count_once)
{
	struct ps_energy *e;
	char selector[256];

	made_zone("devices/intel-rapl/intel-rapl:0", "package-0", 5000000, 300000);
	made_zone("devices/intel-rapl/intel-rapl:0/intel-rapl:0:0", "core", 3000000, 200000);
	made_zone("devices/intel-rapl/intel-rapl:1", "package-1", 5000000, 50000);
	made_zone("devices/intel-rapl/intel-rapl:1/intel-rapl:1:0", "core", 3000000, 20000);
	made_link("devices/intel-rapl/intel-rapl:0/intel-rapl:0:0/subsystem", "../../../../powercap");
	made_link("devices/intel-rapl/intel-rapl:0/intel-rapl:0:0/device", "..");
	made_link(FOLDER "intel-rapl", "../devices/intel-rapl");
	made_link(FOLDER "intel-rapl:0", "../devices/intel-rapl/intel-rapl:0");
	made_link(FOLDER "intel-rapl:0:0", "../devices/intel-rapl/intel-rapl:0/intel-rapl:0:0");
	made_link(FOLDER "intel-rapl:1", "../devices/intel-rapl/intel-rapl:1");
	made_link(FOLDER "again", "../devices/intel-rapl/intel-rapl:1/intel-rapl:1:0");
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.22, 0, 0.13);
	ps_energy_close(e);
	/* any folder that has zones below it */
	snprintf(selector, sizeof selector, "powercap:%s", made_path("devices"));
	e = made_open(selector);
	ps_energy_system.work();
	made_reads(e, 0.22, 0, 0.13);
	ps_energy_close(e);
}
END_TEST

/* The links alone, without the control type that has all of them: the parts' packages are the folders above them. */
START_TEST(parts_of_two_packages_are_two)
{
	struct ps_energy *e;

	made_zone("devices/a", "package-0", 0, 300000);
	made_zone("devices/a/x", "core", 0, 200000);
	made_zone("devices/b", "package-1", 0, 300000);
	made_zone("devices/b/x", "core", 0, 100000);
	made_link(FOLDER "0", "../devices/a");
	made_link(FOLDER "0:0", "../devices/a/x");
	made_link(FOLDER "1", "../devices/b");
	made_link(FOLDER "1:0", "../devices/b/x");
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.3, 0, 0.3);
	ps_energy_close(e);
}
END_TEST

/* The same counter by another way, whichever is found first. */
START_TEST(a_second_way_to_a_package_counts_once)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl-mmio:0", "package-0", 0, 7000000);
	made_zone(FOLDER "intel-rapl-mmio:0:0", "core", 0, 7000000);
	make_client();
	made_zone(FOLDER "a-third", "package-0", 0, 300000);
	made_locked = "mmio:0/energy_uj";
	made_error = EACCES;
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.2, 0.01, 0.09);
	ps_energy_close(e);
}
END_TEST

/* .. also where zones lie in each other, and no class has all of them side by side. */
START_TEST(a_second_way_to_cores_counts_once)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl-mmio:0", "package-0", 0, 7000000);
	made_zone(FOLDER "intel-rapl-mmio:0/intel-rapl-mmio:0:0", "core", 0, 7000000);
	made_zone(FOLDER "intel-rapl:0", "package-0", 0, 300000);
	made_zone(FOLDER "intel-rapl:0/intel-rapl:0:0", "core", 0, 200000);
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.2, 0, 0.1);
	ps_energy_close(e);
}
END_TEST

/* A zone under two names, of which one alone says where it belongs; and one that a zone has a link to. */
START_TEST(links_count_once)
{
	struct ps_energy *e;

	make_client();
	made_link(FOLDER "again", "intel-rapl:0:0");
	made_zone("elsewhere/zone", "package-7", 0, 7000000);
	made_link(FOLDER "intel-rapl:0/elsewhere", "../../elsewhere");
	made_link(FOLDER "intel-rapl:0/zone", "../../elsewhere/zone");
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.2, 0.01, 0.09);
	ps_energy_close(e);
}
END_TEST

START_TEST(the_second_way_alone_counts)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl-mmio:0", "package-0", 0, 300000);
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.3, 0, 0);
	ps_energy_close(e);
}
END_TEST

/* A package that is part of the platform is still counted, the platform is not. */
START_TEST(the_platform_has_the_package)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl:0", "psys", 0, 900000);
	made_zone(FOLDER "intel-rapl:0/intel-rapl:0:0", "package-0-die-0", 0, 300000);
	made_zone(FOLDER "intel-rapl:0/intel-rapl:0:1", "package-0-die-1", 0, 300000);
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.6, 0, 0);
	ps_energy_close(e);
}
END_TEST

/* Parts whose package is not to be found are not taken for one. */
START_TEST(parts_without_a_package_s_name)
{
	struct ps_energy *e;

	made_zone(FOLDER "package", "package-0", 0, 300000);
	made_zone(FOLDER "one", "core", 0, 100000);
	made_zone(FOLDER "two:0", "core", 0, 20000);
	e = made_open("powercap");
	ps_energy_system.work();
	made_reads(e, 0.12, 0, 0.18);
	ps_energy_close(e);
}
END_TEST

/* On some servers the cores' counter is there, and always 0. */
START_TEST(cores_that_stand_still)
{
	struct ps_energy *e;

	made_zone(FOLDER "intel-rapl:0", "package-0", 0, 300000);
	made_zone(FOLDER "intel-rapl:0:0", "core", 0, 0);
	e = made_open("powercap");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
	ps_energy_system.work();
	made_reads(e, 0.3, 0, 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(what_stands_still_is_no_meter)
{
	made_zone(FOLDER "intel-rapl:0", "package-0", 0, 0);
	MADE_REFUSED("powercap", -ENODEV, "powercap counts nothing", "50 ms");
	ck_assert_uint_eq(made_works, 1);
	/* nor are cores without their package */
	made_zone(FOLDER "intel-rapl:0:0", "core", 0, 100000);
	MADE_REFUSED("powercap", -ENODEV, "powercap counts nothing");
}
END_TEST

START_TEST(there_is_none)
{
	MADE_REFUSED("powercap", -ENODEV, "powercap: ", "powercap: No such file or directory");
	MADE_REFUSED("powercap:/nowhere", -ENODEV, "powercap: /nowhere: No such file or directory");
	MADE_REFUSED("powercap:", -EINVAL, "no folder behind the ':'");
	made_zone(FOLDER "intel-rapl:1", "psys", 0, 900000);
	made_write(FOLDER "package-0", "a file");
	made_write(FOLDER ".hidden/name", "package-0\n");
	MADE_REFUSED("powercap", -ENODEV, "has no zone package-0");
}
END_TEST

START_TEST(root_alone_may_read)
{
	static const int errors[] = { EACCES, EPERM };

	make_client();
	made_locked = "intel-rapl:0:0/energy_uj";
	for (unsigned i = 0; i < TEST_COUNT(errors); i++) {
		made_error = errors[i];
		MADE_REFUSED("powercap", -EACCES, "intel-rapl:0:0/energy_uj: ", strerror(errors[i]),
			"chmod a+r", "chown", "CAP_DAC_READ_SEARCH", "5.10");
	}
	made_error = EIO;
	MADE_REFUSED("powercap", -EACCES, "intel-rapl:0:0/energy_uj can't be read: ", strerror(EIO));
}
END_TEST

/* The kernel's own word for it. */
START_TEST(another_user_may_not_read)
{
	uid_t user = geteuid();

	make_client();
	ck_assert_int_eq(chmod(made_path(FOLDER "intel-rapl:0/energy_uj"), 0), 0);
	ck_assert(user || !seteuid(65534));
	MADE_REFUSED("powercap", -EACCES, "intel-rapl:0/energy_uj: Permission denied");
	ck_assert(user || !seteuid(0));
}
END_TEST

START_TEST(what_is_no_file)
{
	make_client();
	made_remove(FOLDER "intel-rapl:0:1/energy_uj");
	MADE_REFUSED("powercap", -EACCES, "energy_uj can't be read: No such file");
	made_write(FOLDER "intel-rapl:0:1/energy_uj/file", "");
	MADE_REFUSED("powercap", -EACCES, "energy_uj can't be read: Is a directory");
}
END_TEST

START_TEST(garbage)
{
	static const char *const texts[] = { "", "\n", "many\n", "12 34\n", "-5\n", "100000001\n",
		"99999999999999999999999999\n" };
	struct pstk_joules total;
	struct ps_energy *e;

	make_client();
	for (unsigned i = 0; i < TEST_COUNT(texts); i++) {
		made_write(FOLDER "intel-rapl:0:1/energy_uj", texts[i]);
		MADE_REFUSED("powercap", -EACCES, "energy_uj is no number");
	}
	made_zone_set(FOLDER "intel-rapl:0:1", 5);
	e = made_open("powercap");
	made_write(FOLDER "intel-rapl:0/energy_uj", "garbage\n");
	total.cores = 17;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EBADMSG);
	ck_assert_double_eq(total.cores, 17);
	ps_energy_system.work();
	ps_energy_system.work();
	made_reads(e, 0.4, 0.02, 0.18);
	ps_energy_close(e);
}
END_TEST

START_TEST(a_range_is_needed)
{
	static const char *const texts[] = { "0\n", "some\n", "" };

	make_client();
	for (unsigned i = 0; i < TEST_COUNT(texts); i++) {
		made_write(FOLDER "intel-rapl:0/max_energy_range_uj", texts[i]);
		MADE_REFUSED("powercap", -ENODEV, "max_energy_range_uj is no number above 0", "wraps");
	}
	made_remove(FOLDER "intel-rapl:0/max_energy_range_uj");
	MADE_REFUSED("powercap", -ENODEV, "max_energy_range_uj No such file or directory: ", "wraps");
}
END_TEST

/* What steers a terminal is shown. */
START_TEST(folders_are_shown)
{
	MADE_REFUSED("powercap:/no\033[1m", -ENODEV, "/no\\x1b[1m: ");
}
END_TEST

START_TEST(memory_may_be_out)
{
	char why[PS_ENERGY_WHY];
	struct ps_energy *e = NULL;
	unsigned before = made_descriptors();
	long n = 0;

	make_client();
	for (int err = -ENOMEM; err; n++) {
		ps_memory_fail_at = n;
		err = ps_energy_open("powercap", NULL, &e, why, sizeof why);
		ps_memory_fail_at = -1;
		ck_assert_int_eq(err, e ? 0 : -ENOMEM);
		ck_assert(e || strstr(why, "out of memory"));
		ck_assert_uint_eq(made_descriptors(), before + (e ? 3 : 0));
	}
	ck_assert_int_gt(n, 10);
	/* a reading allocates nothing */
	ps_memory_fail_at = 0;
	made_reads(e, 0, 0, 0);
	ck_assert_int_eq(ps_memory_fail_at, 0);
	ps_memory_fail_at = -1;
	ps_energy_close(e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("powercap");
	TCase *c = test_case(s, "powercap");

	tcase_add_checked_fixture(c, made_start, made_stop);
	tcase_add_test(c, a_client_chip);
	tcase_add_test(c, counters_wrap);
	tcase_add_test(c, a_counter_wraps_while_it_is_opened);
	tcase_add_test(c, the_package_alone);
	tcase_add_test(c, the_package_and_its_gpu);
	tcase_add_test(c, zones_in_each_other_count_once);
	tcase_add_test(c, parts_of_two_packages_are_two);
	tcase_add_test(c, a_second_way_to_a_package_counts_once);
	tcase_add_test(c, a_second_way_to_cores_counts_once);
	tcase_add_test(c, links_count_once);
	tcase_add_test(c, the_second_way_alone_counts);
	tcase_add_test(c, the_platform_has_the_package);
	tcase_add_test(c, parts_without_a_package_s_name);
	tcase_add_test(c, cores_that_stand_still);
	tcase_add_test(c, what_stands_still_is_no_meter);
	tcase_add_test(c, there_is_none);
	tcase_add_test(c, root_alone_may_read);
	tcase_add_test(c, another_user_may_not_read);
	tcase_add_test(c, what_is_no_file);
	tcase_add_test(c, garbage);
	tcase_add_test(c, a_range_is_needed);
	tcase_add_test(c, folders_are_shown);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
