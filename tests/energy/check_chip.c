/* SPDX-License-Identifier: MIT */
/* Chip: its arithmetic, on counters that the test moves one by one. */
#include "lib/base/memory.h"
#include "lib/energy/chip.h"
#include "tests/energy/made_chip.h"

#include <fcntl.h>
#include <unistd.h>

static struct ps_energy_source source;

static int add(enum ps_chip_part part, const char *file, uint64_t range)
{
	struct ps_counter c = { .part = part,
		.fd = open(made_path(file), O_RDONLY | O_CLOEXEC),
		.is_text = true,
		.scale = 0.5,
		.range = range };

	ck_assert_int_ge(c.fd, 0);
	return ps_chip_add(source.self, c);
}

static void add_new(enum ps_chip_part part, const char *file)
{
	made_write(file, "0\n");
	ck_assert_int_eq(add(part, file, 0), 0);
}

static void reads(double cores, double device, double rest)
{
	struct pstk_joules total;

	ck_assert_int_eq(ps_chip_read(&source, NULL, &total), 0);
	ck_assert_double_eq(total.cores, cores);
	ck_assert_double_eq(total.device, device);
	ck_assert_double_eq(total.rest, rest);
}

static void start(void)
{
	made_start();
	source = (struct ps_energy_source){ .self = ps_memory_zalloc(1, sizeof(struct ps_chip)) };
}

static void stop(void)
{
	ps_chip_close(&source);
	made_stop();
}

/* The package's counter moves before and behind the others': no total falls. */
START_TEST(totals_never_fall)
{
	add_new(PS_CHIP_PACKAGE, "p");
	add_new(PS_CHIP_CORES, "c");
	made_write("p", "10\n");
	made_write("c", "6\n");
	reads(3, 0, 2);
	made_write("c", "9\n");
	reads(4.5, 0, 2);
	made_write("c", "14\n");
	reads(7, 0, 2);
	made_write("p", "20\n");
	reads(7, 0, 3);
}
END_TEST

START_TEST(totals_of_derived_cores_never_fall)
{
	add_new(PS_CHIP_PACKAGE, "p");
	add_new(PS_CHIP_DEVICE, "g");
	made_write("p", "10\n");
	made_write("g", "2\n");
	reads(4, 1, 0);
	made_write("g", "6\n");
	reads(4, 3, 0);
	made_write("p", "20\n");
	reads(7, 3, 0);
}
END_TEST

/* The cores of one package are not those of two. */
START_TEST(cores_of_each_package)
{
	add_new(PS_CHIP_PACKAGE, "p");
	add_new(PS_CHIP_PACKAGE, "q");
	add_new(PS_CHIP_CORES, "c");
	made_write("p", "10\n");
	made_write("q", "100\n");
	made_write("c", "6\n");
	reads(55, 0, 0);
	ck_assert(ps_chip_settle(&source));
	ck_assert_uint_eq(source.flags, PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
}
END_TEST

START_TEST(what_stood_still)
{
	add_new(PS_CHIP_PACKAGE, "p");
	add_new(PS_CHIP_CORES, "c");
	made_write("c", "2\n");
	reads(1, 0, 0);
	ck_assert(!ps_chip_settle(&source)); /* the package */
	made_write("p", "4\n");
	reads(1, 0, 1);
	ck_assert(ps_chip_settle(&source));
	ck_assert_uint_eq(source.flags, PSTK_ENERGY_MEASURED);
	reads(1, 0, 1);
}
END_TEST

/* Cores that stood still are left out, also when they move later. */
START_TEST(cores_that_stood_still)
{
	add_new(PS_CHIP_PACKAGE, "p");
	add_new(PS_CHIP_CORES, "c");
	made_write("p", "4\n");
	reads(0, 0, 2);
	ck_assert(ps_chip_settle(&source));
	ck_assert_uint_eq(source.flags, PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
	reads(2, 0, 0);
	made_write("c", "2\n");
	made_write("p", "6\n");
	reads(3, 0, 0);
}
END_TEST

/* Counts that a double does not hold are still told apart. */
START_TEST(large_counts)
{
	made_write("p", "18446744073709551610\n");
	ck_assert_int_eq(add(PS_CHIP_PACKAGE, "p", UINT64_MAX), 0);
	made_write("p", "18446744073709551612\n");
	reads(1, 0, 0);
	made_write("p", "1\n");
	reads(3, 0, 0);
}
END_TEST

START_TEST(readings_fail)
{
	struct pstk_joules total;

	add_new(PS_CHIP_PACKAGE, "p");
	made_write("c", "7\n");
	ck_assert_int_eq(add(PS_CHIP_CORES, "c", 10), 0);
	made_write("p", "5\n");
	reads(0, 0, 2.5);
	made_write("p", "4\n"); /* it falls, and has no range */
	ck_assert_int_eq(ps_chip_read(&source, NULL, &total), -EBADMSG);
	made_write("p", "5\n");
	made_write("c", "11\n");
	ck_assert_int_eq(ps_chip_read(&source, NULL, &total), -EBADMSG);
	made_write("c", "10\n");
	reads(1.5, 0, 2.5);
	made_write("c", "0\n");
	reads(1.5, 0, 2.5);
	made_write("c", "");
	ck_assert_int_eq(ps_chip_read(&source, NULL, &total), -EBADMSG);
	made_write("c", "1");
	reads(2, 0, 2.5);
}
END_TEST

START_TEST(adding_fails)
{
	const struct ps_chip *chip = source.self;
	unsigned before = made_descriptors();

	made_write("p", "11\n");
	ck_assert_int_eq(add(PS_CHIP_PACKAGE, "p", 10), -EBADMSG);
	made_write("folder/file", "");
	ck_assert_int_eq(add(PS_CHIP_PACKAGE, "folder", 10), -EISDIR);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(add(PS_CHIP_PACKAGE, "p", 20), -ENOMEM);
	ck_assert_int_eq(ps_memory_fail_at, -1);
	ck_assert_uint_eq(made_descriptors(), before);
	ck_assert_uint_eq(chip->count, 0);
	ck_assert_uint_eq(chip->of[PS_CHIP_PACKAGE], 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("chip");
	TCase *c = test_case(s, "chip");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, totals_never_fall);
	tcase_add_test(c, totals_of_derived_cores_never_fall);
	tcase_add_test(c, cores_of_each_package);
	tcase_add_test(c, what_stood_still);
	tcase_add_test(c, cores_that_stood_still);
	tcase_add_test(c, large_counts);
	tcase_add_test(c, readings_fail);
	tcase_add_test(c, adding_fails);
	return test_main(s);
}
