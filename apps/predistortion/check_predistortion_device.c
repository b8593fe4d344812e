/* SPDX-License-Identifier: MIT */
/* On OpenCL devices every sample is that of the model, too: whatever the block, rate, depth, kind of memory,
 * sets, and wherever polynomial, filters and adder run. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/predistortion/check_inside.h"
#include "apps/predistortion/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const memories[] = { "svm", "map", "copy" };
enum { MEMORIES = TEST_COUNT(memories), SLOTS = 12, LENGTH = 40000 };

static struct coefficients ten; /* the built-in ones */
static float *input;            /* LENGTH samples */

static void set_up(void)
{
	ck_assert_int_eq(coefficients_load(&ten, NULL), 0);
	input = model_input(LENGTH, 8);
}

static void tear_down(void)
{
	coefficients_free(&ten);
	free(input);
}

/* Before the test's first call of OpenCL. The pthread device has two units, so that it can be parted, however
 * many cores there are; `basic` has one and runs in the thread that enqueues. */
static void use_driver(const char *driver)
{
	setenv("POCL_DEVICES", driver, 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	unsetenv("PENSTOCK_MEMORY");
}

/* NULL: what the library chooses. */
static void use_memory(const char *memory)
{
	if (memory)
		setenv("PENSTOCK_MEMORY", memory, 1);
	else
		unsetenv("PENSTOCK_MEMORY");
}

/* Each run builds its kernels, so of the i-th runs only those of each so many are made; fewer under
 * sanitizers, which make the drivers slow; all with PENSTOCK_TEST_LONG. */
static bool left_out(size_t i, size_t every)
{
	if (test_rounds(1000) > 1000)
		return false;
	return i % (TEST_SANITIZED ? 5 * every : every);
}

static const uint32_t some_sets[] = { 0x155, 0x2aa, 0x003, 0x3ff, 0x201, 0x0f0, 0x3ff, 0x018 };

/* Windows of 1000 samples, another set every two of them. */
static struct setup some_setup(const char *device)
{
	struct setup setup = { .coefficients = &ten,
		.active = "sets",
		.count = TEST_COUNT(some_sets),
		.block = "500",
		.rate = "2",
		.period = 2000,
		.device = device };

	memcpy(setup.sets, some_sets, sizeof(some_sets));
	inside_write_sets("sets", some_sets, TEST_COUNT(some_sets), 10);
	return setup;
}

/* The paper's sizes among them: one set, or those that some_sets says in periods of 65536 or what that is
 * rounded to. */
START_TEST(every_block_and_rate)
{
	static const char *const blocks[] = { "1024", "1500", "32768", "65536" };
	static const char *const rates[] = { "1", "2", "4" };
	float *in = model_input(300001, 9);

	use_driver("pthread");
	for (size_t i = 0; i < TEST_COUNT(blocks) * TEST_COUNT(rates); i++) {
		struct setup setup = some_setup("pocl");

		setup.block = blocks[i / TEST_COUNT(rates)];
		setup.rate = rates[i % TEST_COUNT(rates)];
		setup.period = 0;
		use_memory(i % 4 ? memories[i % 4 - 1] : NULL);
		if (!left_out(i, 1))
			inside_expect(&setup, in, i == 11 ? 300001 : 150001 - i);
	}
	free(in);
}
END_TEST

/* Around multiples of the window and of the period. */
START_TEST(every_length)
{
	static const size_t lengths[] = { 2, 1, 999, 2000, 2001, 3001 };

	use_driver("basic");
	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		struct setup setup = some_setup(i % 2 ? "cpu" : "cores,cpu,cores");

		use_memory(memories[i % MEMORIES]);
		if (!left_out(i, 1))
			inside_expect(&setup, input, lengths[i]);
	}
}
END_TEST

START_TEST(every_memory_and_depth)
{
	use_driver("pthread");
	for (size_t i = 0; i < MEMORIES * 4; i++) {
		struct setup setup = some_setup("pocl:cpu:0");

		use_memory(memories[i % MEMORIES]);
		setup.depth = inside_text(1 + i / MEMORIES);
		if (!left_out(i, 2))
			inside_expect(&setup, input, LENGTH);
	}
}
END_TEST

/* Three selectors: polynomial, filters and adder, each at one of two places. */
START_TEST(three_places)
{
	static const char *const pairs[][2] = { { "cores", "cpu" }, { "pocl:cpu:0/1of2", "pocl:cpu:0/2of2" },
		{ "0.0", "0.0/2of2" } };
	char list[128];

	use_driver("pthread");
	for (size_t i = 0; i < 8 * TEST_COUNT(pairs); i++) {
		const char *const *pair = pairs[i / 8];
		struct setup setup = some_setup(list);

		snprintf(list, sizeof(list), "%s,%s,%s", pair[i & 1], pair[i >> 1 & 1], pair[i >> 2 & 1]);
		use_memory(i % 4 ? memories[i % 4 - 1] : NULL);
		if (!left_out(i, 3))
			inside_expect(&setup, input, 12345);
	}
}
END_TEST

/* Each actor at a place of its own: one alone on a device, one alone on the cores, and at random. */
static void make_list(char *list, size_t size, size_t round, struct test_rng *rng)
{
	static const char *const places[] = { "cores", "pocl:cpu:0", "pocl:cpu:0/1of2", "pocl:cpu:0/2of2" };
	size_t length = 0;

	for (size_t slot = 0; slot < SLOTS; slot++) {
		size_t place = round < SLOTS       ? slot == SLOTS - 1 - round
		               : round < 2 * SLOTS ? 1u - (slot == 2 * SLOTS - 1 - round)
		                                   : test_between(rng, 0, TEST_COUNT(places) - 1);

		length += (size_t)snprintf(
			list + length, size - length, "%s%s", slot ? "," : "", places[place]);
		ck_assert_uint_lt(length, size);
	}
}

START_TEST(a_place_for_each)
{
	struct test_rng rng = { test_seed() };
	char list[512];

	use_driver("pthread");
	for (size_t i = 0; i < 2 * SLOTS + test_rounds(8); i++) {
		struct setup setup = some_setup(list);

		make_list(list, sizeof(list), i, &rng);
		use_memory(i % 4 ? memories[i % 4 - 1] : NULL);
		if (!left_out(i, 3))
			inside_expect(&setup, input, 9001);
	}
}
END_TEST

#ifdef HAVE_JANSSON
/* 1 .. 16 branches of their own orders and numbers of taps. */
START_TEST(other_coefficients)
{
	struct test_rng rng = { test_seed() };

	use_driver("basic");
	for (unsigned count = 1; count <= PSTK_MAX_BRANCHES; count++) {
		struct setup setup = some_setup("cpu");
		struct coefficients set;
		uint32_t sets[8];

		if (left_out(count - 1, 5))
			continue;
		model_coefficients(&set, count, count % 4 ? 12 : 150, test_random(&rng));
		model_write(&set, "set.json");
		setup.coefficients = &set;
		setup.coefficients_file = "set.json";
		for (size_t i = 0; i < TEST_COUNT(sets); i++)
			setup.sets[i] = test_between(&rng, 1, (1u << count) - 1);
		inside_write_sets("sets", setup.sets, TEST_COUNT(sets), count);
		use_memory(memories[count % MEMORIES]);
		inside_expect(&setup, input, 20000);
		for (unsigned b = 0; b < count; b++)
			free(set.branches[b].taps);
	}
}
END_TEST
#endif

/* --depth auto: what the control FIFOs hold is made of what the FIFOs before and behind filters do. */
static const struct {
	const char *devices[3];
	uint32_t into_poly, into_filter, into_adder;
} automatic[] = { { { NULL, NULL, NULL }, 32, 32, 32 },
	{ { "pocl:cpu:0", "pocl:cpu:0", "pocl:cpu:0" }, 4, 2, 2 }, { { NULL, "pocl:cpu:0", NULL }, 32, 4, 4 },
	{ { NULL, NULL, "pocl:cpu:0" }, 32, 32, 4 } };

START_TEST(automatic_depths)
{
	struct options options = { .block = 4,
		.rate = 1,
		.period = 65536,
		.team = { .given = true, .automatic = true },
		.device_count = 3,
		.print_network = true };
	uint32_t into_filter = automatic[_i].into_filter, into_adder = automatic[_i].into_adder;
	struct predistortion p;

	use_driver("basic");
	memcpy(options.devices, automatic[_i].devices, sizeof(automatic[_i].devices));
	ck_assert_int_eq(predistortion_open(&p, &options), 0);
	ck_assert_int_eq(predistortion_open_output(&p, &options), 0);
	ck_assert_uint_eq(pstk_network_fifo_count(p.network), 46);
	for (unsigned i = 0; i < 46; i++) {
		struct pstk_fifo_info info;
		const char *src, *dst;

		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(p.network, i), &info), 0);
		src = pstk_actor_name(info.src);
		dst = pstk_actor_name(info.dst);
		if (!strcmp(src, "conf"))
			ck_assert_uint_eq(info.depth, into_filter + into_adder + 2);
		else if (!strcmp(src, "source"))
			ck_assert_uint_eq(info.depth, automatic[_i].into_poly);
		else if (!strcmp(src, "poly"))
			ck_assert_uint_eq(info.depth, into_filter);
		else if (!strcmp(dst, "adder"))
			ck_assert_uint_eq(info.depth, into_adder);
	}
	predistortion_close(&p);
}
END_TEST

/* Between actors on one device nothing comes back to the host; between host and device only what must. */
START_TEST(data_stay_there)
{
	struct options options = { .block = 32768,
		.rate = 1,
		.period = 65536,
		.devices = { "pocl:cpu:0" },
		.device_count = 1,
		.print_network = true };
	struct predistortion p;
	unsigned there = 0, count;

	use_driver("pthread");
	ck_assert_int_eq(predistortion_open(&p, &options), 0);
	ck_assert_int_eq(predistortion_open_output(&p, &options), 0);
	count = pstk_network_fifo_count(p.network);
	ck_assert_uint_eq(count, 46);
	for (unsigned i = 0; i < count; i++) {
		struct pstk_device_info src, dst;
		struct pstk_fifo_info info;
		bool control;

		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(p.network, i), &info), 0);
		control = !strcmp(pstk_actor_name(info.src), "conf");
		if (pstk_actor_device(info.src, &src) || pstk_actor_device(info.dst, &dst)) {
			ck_assert_int_eq(!strcmp(info.memory, "host"), control);
			continue;
		}
		ck_assert_str_eq(info.memory, "device");
		there++;
	}
	/* two a branch before its filter, two behind */
	ck_assert_uint_eq(there, 40);
	predistortion_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("predistortion_device");
	TCase *devices = files_case(suite, "devices");

	/* each run has a guard of its own */
	tcase_add_checked_fixture(devices, set_up, tear_down);
	tcase_add_test(devices, every_block_and_rate);
	tcase_add_test(devices, every_length);
	tcase_add_test(devices, every_memory_and_depth);
	tcase_add_test(devices, three_places);
	tcase_add_test(devices, a_place_for_each);
	tcase_add_test(devices, data_stay_there);
	tcase_add_loop_test(devices, automatic_depths, 0, TEST_COUNT(automatic));
#ifdef HAVE_JANSSON
	tcase_add_test(devices, other_coefficients);
#endif
	return test_main(suite);
}
