/* SPDX-License-Identifier: MIT */
/* Nvml: a made-up library's board, alone and beside a chip; its energy, or its power added up. */
#include "lib/base/memory.h"
#include "tests/energy/made_chip.h"

#include <dlfcn.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, UNKNOWN = 999 };

static struct {
	unsigned opened, began;        /* how often, less how often closed */
	int init, find, energy, power; /* what the functions return */
	unsigned index;
	unsigned long long millijoules, step;
	unsigned milliwatts;
	const char *lacks; /* a function that the library does not have */
} board;
static int library;

static int made_init(void)
{
	board.began += board.init == SUCCESS;
	return board.init;
}

static int made_shutdown(void)
{
	board.began--;
	return SUCCESS;
}

static int made_find(unsigned index, void **device)
{
	ck_assert_uint_eq(board.began, 1);
	board.index = index;
	*device = &board;
	return board.find;
}

static int made_energy(void *device, unsigned long long *millijoules)
{
	ck_assert_ptr_eq(device, &board);
	if (board.energy == SUCCESS)
		*millijoules = board.millijoules;
	return board.energy;
}

static int made_power(void *device, unsigned *milliwatts)
{
	ck_assert_ptr_eq(device, &board);
	if (board.power == SUCCESS)
		*milliwatts = board.milliwatts;
	return board.power;
}

static const char *made_string(int status)
{
	return status == UNKNOWN ? "Unknown Error" : NULL;
}

static void *library_open(const char *name, int flags)
{
	ck_assert_str_eq(name, "libnvidia-ml.so.1");
	ck_assert_int_eq(flags, RTLD_NOW | RTLD_LOCAL);
	board.opened++;
	return &library;
}

static int library_close(void *handle)
{
	ck_assert_ptr_eq(handle, &library);
	board.opened--;
	return 0;
}

static void *library_symbol(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} symbols[] = {
		{ "nvmlInit_v2", (void (*)(void))made_init },
		{ "nvmlShutdown", (void (*)(void))made_shutdown },
		{ "nvmlDeviceGetHandleByIndex_v2", (void (*)(void))made_find },
		{ "nvmlDeviceGetTotalEnergyConsumption", (void (*)(void))made_energy },
		{ "nvmlDeviceGetPowerUsage", (void (*)(void))made_power },
		{ "nvmlErrorString", (void (*)(void))made_string },
	};
	void *found = NULL;

	ck_assert_ptr_eq(handle, &library);
	for (unsigned i = 0; i < TEST_COUNT(symbols); i++)
		if (!strcmp(symbols[i].name, name) && (!board.lacks || strcmp(board.lacks, name) != 0))
			memcpy(&found, &symbols[i].function, sizeof found);
	return found;
}

static void count(void)
{
	board.millijoules += board.step;
}

static void start(void)
{
	made_start();
	memset(&board, 0, sizeof board);
	board.millijoules = 123456789;
	board.step = 1500;
	made_on_work = count;
	ps_energy_system.library_open = library_open;
	ps_energy_system.library_symbol = library_symbol;
	ps_energy_system.library_close = library_close;
}

static void stop(void)
{
	ck_assert_uint_eq(board.opened, 0);
	ck_assert_uint_eq(board.began, 0);
	made_stop();
}

START_TEST(energy)
{
	struct ps_energy *e = made_open("nvml");

	ck_assert_uint_eq(board.index, 0);
	ck_assert_str_eq(ps_energy_name(e), "nvml");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_PARTIAL);
	made_reads(e, 0, 0, 0);
	ps_energy_system.work();
	made_reads(e, 0, 1.5, 0);
	board.millijoules += 123;
	made_reads(e, 0, 1.623, 0);
	ps_energy_close(e);
	e = made_open("nvml:3");
	ck_assert_uint_eq(board.index, 3);
	ps_energy_close(e);
}
END_TEST

/* The mean of the power at both ends, times the time between. */
static void power_is_added_up(void)
{
	struct ps_energy *e;

	board.milliwatts = 20000;
	made_works = 0;
	e = made_open("nvml");
	ck_assert_uint_eq(made_works, 1);
	ck_assert_uint_eq(
		ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED | PSTK_ENERGY_PARTIAL);
	made_now_ns += 2000000000;
	board.milliwatts = 40000;
	made_reads(e, 0, 60, 0);
	made_now_ns += 500000000;
	made_reads(e, 0, 80, 0);
	made_reads(e, 0, 80, 0);
	ps_energy_close(e);
}

START_TEST(power_of_an_older_board)
{
	board.energy = NOT_SUPPORTED;
	power_is_added_up();
}
END_TEST

START_TEST(power_by_an_older_library)
{
	board.lacks = "nvmlDeviceGetTotalEnergyConsumption";
	power_is_added_up();
}
END_TEST

/* The board is the device, the chip's GPU is in the rest. */
START_TEST(beside_a_chip)
{
	char selector[256];
	struct ps_energy *e;

	made_zone("a+nvml/b/p", "package-0", 0, 1000000);
	made_zone("a+nvml/b/p/c", "core", 0, 600000);
	made_zone("a+nvml/b/p/g", "uncore", 0, 100000);
	snprintf(selector, sizeof selector, "powercap:%s+nvml:2", made_path("a+nvml/b"));
	e = made_open(selector);
	ck_assert_uint_eq(board.index, 2);
	ck_assert_str_eq(ps_energy_name(e), "powercap+nvml");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED);
	ps_energy_system.work();
	made_reads(e, 0.6, 1.5, 0.4);
	ps_energy_close(e);
	/* a folder may be below one that is called so */
	snprintf(selector, sizeof selector, "powercap:%s", made_path("a+nvml/b"));
	e = made_open(selector);
	ck_assert_str_eq(ps_energy_name(e), "powercap");
	ps_energy_system.work();
	made_reads(e, 0.6, 0.1, 0.3);
	ps_energy_close(e);
}
END_TEST

/* Both must count, and both be readable. */
START_TEST(beside_a_chip_either_fails)
{
	struct pstk_joules total = { 1, 2, 3 };
	struct ps_energy *e;

	MADE_REFUSED("powercap+nvml", -ENODEV, "powercap: ", "No such file");
	made_zone("powercap/p", "package-0", 0, 1000000);
	board.step = 0;
	MADE_REFUSED("powercap+nvml", -ENODEV, "nvml counts nothing");
	board.find = INVALID_ARGUMENT;
	MADE_REFUSED("powercap+nvml:7", -ENODEV, "powercap: opened; nvml: there is no board 7");
	board.find = SUCCESS;
	board.step = 1;
	e = made_open("powercap+nvml");
	ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED | PSTK_ENERGY_DERIVED);
	board.energy = UNKNOWN;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EIO);
	ck_assert_double_eq(total.cores, 1);
	ck_assert_double_eq(total.device, 2);
	ck_assert_double_eq(total.rest, 3);
	ps_energy_close(e);
}
END_TEST

/* Half a second of work is given to a counter that is slow. */
static void count_at_last(void)
{
	board.millijoules += made_works == 10;
}

START_TEST(a_slow_counter)
{
	struct ps_energy *e;

	made_on_work = count_at_last;
	e = made_open("nvml");
	ck_assert_uint_eq(made_works, 10);
	ps_energy_close(e);
	MADE_REFUSED("nvml", -ENODEV, "nvml counts nothing", "500 ms");
	ck_assert_uint_eq(made_works, 20);
}
END_TEST

START_TEST(it_is_not_there)
{
	static const char *const needed[] = { "nvmlInit_v2", "nvmlShutdown",
		"nvmlDeviceGetHandleByIndex_v2" };

	for (unsigned i = 0; i < TEST_COUNT(needed); i++) {
		board.lacks = needed[i];
		MADE_REFUSED("nvml", -ENODEV, "nvml: libnvidia-ml.so.1 is no NVML");
	}
	board.lacks = NULL;
	board.find = INVALID_ARGUMENT;
	MADE_REFUSED("nvml:4", -ENODEV, "nvml: there is no board 4");
	board.find = UNKNOWN;
	MADE_REFUSED("nvml:4", -ENODEV, "nvml: board 4: Unknown Error");
	board.init = UNKNOWN;
	MADE_REFUSED("nvml", -ENODEV, "libnvidia-ml.so.1: Unknown Error");
	board.init = 12;
	MADE_REFUSED("nvml", -ENODEV, "libnvidia-ml.so.1: error 12");
	board.lacks = "nvmlErrorString";
	MADE_REFUSED("nvml", -ENODEV, "libnvidia-ml.so.1: error 12");
	board.init = NO_PERMISSION;
	MADE_REFUSED("nvml", -EACCES, "libnvidia-ml.so.1: error 4");
}
END_TEST

START_TEST(it_tells_nothing)
{
	board.energy = UNKNOWN;
	MADE_REFUSED("nvml:1", -ENODEV, "board 1 tells neither energy nor power: Unknown Error");
	board.energy = NOT_SUPPORTED;
	board.power = NO_PERMISSION;
	MADE_REFUSED("nvml", -EACCES, "board 0 tells neither energy nor power: error 4");
	board.lacks = "nvmlDeviceGetPowerUsage";
	MADE_REFUSED("nvml", -ENODEV, "board 0 tells neither energy nor power: error 3");
	board.lacks = NULL;
	board.power = SUCCESS;
	board.milliwatts = 0;
	MADE_REFUSED("nvml", -ENODEV, "nvml counts nothing");
}
END_TEST

START_TEST(readings_fail)
{
	struct pstk_joules total;
	struct ps_energy *e = made_open("nvml");

	board.energy = UNKNOWN;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EIO);
	board.energy = SUCCESS;
	board.millijoules = 5;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EIO);
	ps_energy_close(e);
	board.energy = NOT_SUPPORTED;
	board.milliwatts = 5;
	e = made_open("nvml");
	board.power = UNKNOWN;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EIO);
	ps_energy_close(e);
}
END_TEST

START_TEST(the_number_is_wrong)
{
	static const char *const texts[] = { "nvml:", "nvml:one", "nvml:-1", "nvml:0 ", "nvml:4294967296" };

	for (unsigned i = 0; i < TEST_COUNT(texts); i++)
		MADE_REFUSED(texts[i], -EINVAL, "' is no number of a board: expected nvml:INDEX");
}
END_TEST

START_TEST(memory_may_be_out)
{
	for (long n = 0; n < 3; n++) {
		struct ps_energy *e;
		char why[PS_ENERGY_WHY];

		ps_memory_fail_at = n;
		ck_assert_int_eq(ps_energy_open("nvml", NULL, &e, why, sizeof why), -ENOMEM);
		ck_assert_int_eq(ps_memory_fail_at, -1);
		TEST_SAYS(why, "out of memory");
	}
}
END_TEST

/* The real loader, asked for what is not there and for what is no NVML. */
START_TEST(the_real_loader)
{
	made_stop();
	ps_energy_system.nvml = "libpenstock-no-such.so.1";
	MADE_REFUSED("nvml", -ENODEV, "nvml: there is no libpenstock-no-such.so.1");
	ps_energy_system.nvml = "libc.so.6";
	MADE_REFUSED("nvml", -ENODEV, "nvml: libc.so.6 is no NVML");
	start();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nvml");
	TCase *c = test_case(s, "nvml");

	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, energy);
	tcase_add_test(c, power_of_an_older_board);
	tcase_add_test(c, power_by_an_older_library);
	tcase_add_test(c, beside_a_chip);
	tcase_add_test(c, beside_a_chip_either_fails);
	tcase_add_test(c, a_slow_counter);
	tcase_add_test(c, it_is_not_there);
	tcase_add_test(c, it_tells_nothing);
	tcase_add_test(c, readings_fail);
	tcase_add_test(c, the_number_is_wrong);
	tcase_add_test(c, memory_may_be_out);
	tcase_add_test(c, the_real_loader);
	return test_main(s);
}
