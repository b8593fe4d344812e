/* SPDX-License-Identifier: MIT */
/* What rounds are made of: the hash of outputs, the state of the cores, how many items a run has. */
#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/common/rounds_protocol.h"
#include "tests/common/common.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 12 };

START_TEST(hash_sees_each_byte_and_its_place)
{
	enum { BYTES = 320 };
	uint8_t *bytes = rounds_alloc(BYTES);
	uint64_t hash;

	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7);
	hash = rounds_hash(bytes, BYTES);
	ck_assert(hash == rounds_hash(bytes, BYTES));
	for (unsigned i = 0; i < BYTES; i++) {
		bytes[i] ^= 1;
		ck_assert(hash != rounds_hash(bytes, BYTES));
		bytes[i] ^= 1;
	}
	for (unsigned i = 0; i + 64 < BYTES; i += 64) {
		uint8_t line[64];

		memcpy(line, bytes + i, sizeof line);
		memmove(bytes + i, bytes + i + 64, sizeof line);
		memcpy(bytes + i + 64, line, sizeof line);
		ck_assert(hash != rounds_hash(bytes, BYTES));
		memcpy(bytes + i + 64, bytes + i, sizeof line);
		memcpy(bytes + i, line, sizeof line);
	}
	ck_assert(rounds_hash_at(hash, 0) != rounds_hash_at(hash, 1));
	free(bytes);
}
END_TEST

START_TEST(one_core_has_no_state)
{
	struct probe probe;
	cpu_set_t set;

	ck_assert_int_ge(probe_core(0), 0);
	ck_assert_int_eq(probe_core(CPU_SETSIZE), -1);
	CPU_ZERO(&set);
	CPU_SET(probe_core(0), &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof set, &set), 0);
	ck_assert_int_eq(probe_core(1), -1);
	probe = probe_cores();
	ck_assert_int_eq(probe.state, PROBE_NEITHER);
	ck_assert(probe.ns < 1);
}
END_TEST

START_TEST(few_parts_run_longer)
{
	const struct rounds_table t = { .least = LEAST };

	ck_assert_uint_eq(rounds_enough(&t, 1), 4);
	ck_assert_uint_eq(rounds_enough(&t, 3 * LEAST), 12 * LEAST);
	ck_assert_uint_eq(rounds_enough(&t, 4 * LEAST), 16 * LEAST);
	ck_assert_uint_eq(rounds_enough(&t, 15 * LEAST), 16 * LEAST);
	ck_assert_uint_eq(rounds_enough(&t, 16 * LEAST + 1), 16 * LEAST + 1);
}
END_TEST

START_TEST(a_twentieth_is_too_much)
{
	ck_assert(!rounds_too_busy(0, 0.1, 2));
	ck_assert(!rounds_too_busy(-1, 0.1, 2));
	ck_assert(!rounds_too_busy(0.019, 0.1, 2)); /* a twentieth of 0.2 s, and a tick */
	ck_assert(rounds_too_busy(0.021, 0.1, 2));
	ck_assert(!rounds_too_busy(1.9, 10, 4));
	ck_assert(rounds_too_busy(2.1, 10, 4));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parts");
	TCase *tcase = test_case(suite, "parts");

	tcase_add_test(tcase, hash_sees_each_byte_and_its_place);
	tcase_add_test(tcase, one_core_has_no_state);
	tcase_add_test(tcase, few_parts_run_longer);
	tcase_add_test(tcase, a_twentieth_is_too_much);
	return test_main(suite);
}
