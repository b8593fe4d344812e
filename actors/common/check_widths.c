/* SPDX-License-Identifier: MIT */
#include "actors/common/check_widths.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <stdlib.h>

static widths_tested tested;

struct widths widths_draw(struct test_rng *rng)
{
	struct widths of = { .count = test_between(rng, 1, STREAM_PORTS) };

	for (unsigned i = 0; i < of.count; i++)
		of.widths[i] = test_between(rng, 1, 9);
	return of;
}

void widths_fill(struct test_rng *rng, unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)test_random(rng);
}

struct pstk_actor *widths_add(struct pstk_network *net, const void *data)
{
	const struct widths *of = data;

	return tested(net, "tested", of->widths, of->count);
}

#define REFUSES(widths, count, ...)                                          \
	do {                                                                 \
		struct pstk_network *net = pstk_network_create("refused");   \
		ck_assert_ptr_null(tested(net, "tested", widths, count));    \
		TEST_SAYS(pstk_network_error(net), "'tested'", __VA_ARGS__); \
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);          \
		pstk_network_destroy(net);                                   \
	} while (0)

START_TEST(refusals)
{
	static const uint32_t zero[] = { 1, 2, 0 }, large[] = { 1, UINT32_MAX };
	uint32_t *many = calloc(4096, sizeof *many);

	REFUSES(NULL, 3, "no widths: give at least one");
	REFUSES(zero, 0, "no widths");
	REFUSES(many, 4096, "4096 widths: there are up to 4095");
	REFUSES(zero, 3, "width 3 of 3 is 0: it is at least 1");
	REFUSES(large, 2, "4294967296 in all: at most 4294967295");
	ck_assert_ptr_null(tested(NULL, NULL, zero, 2));
	free(many);
}
END_TEST

START_TEST(other_sizes)
{
	stream_refuses_sizes(widths_add, &(const struct widths){ { 1, 2 }, 2 });
}
END_TEST

START_TEST(out_of_memory)
{
	const struct widths of = { { 2, 1 }, 2 };
	struct pstk_actor *actor = NULL;
	unsigned fails = 0;

	for (; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation(fails + 1);
		actor = widths_add(net, &of);
		test_fail_allocation(0);
		if (!actor)
			ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
		pstk_network_destroy(net);
	}
	ck_assert_uint_ge(fails, 4);
}
END_TEST

int widths_main(const char *name, widths_tested function, const TTest *random_widths, const TTest *on_devices)
{
	Suite *suite = suite_create(name);
	TCase *tcase = test_case(suite, name);

	tested = function;
	tcase_add_test(tcase, random_widths);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, other_sizes);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
