/* SPDX-License-Identifier: MIT */
/* Clocks of ranks that differ: rank 0 learns by how much, between exchanges; what fails says so. */
#include "lib/remote/alignment.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/remote/exchange.h"
#include "tests/common/common.h"
#include "tests/remote/inside.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { RANKS = 4 };
#define SECOND UINT64_C(1000000000)

struct side {
	struct pstk_transport *transport;
	struct ps_alignment_how how;
	uint64_t ahead; /* its clock's, of the machine's */
	int64_t found[RANKS];
	uint64_t within[RANKS];
	char text[256];
	int err;
	bool exchanges; /* before and after */
	_Atomic bool *ends;
	pthread_t thread;
};

static uint64_t shifted(void *user)
{
	return ps_clock_ns() + ((struct side *)user)->ahead;
}

static bool other_ends(void *user)
{
	return atomic_load(((struct side *)user)->ends);
}

static void exchange(const struct side *s)
{
	struct ps_exchanged x;
	char text[256];

	ck_assert_int_eq(ps_exchange(s->transport, "abc", 3, 0, &x, text, sizeof text), 0);
	ps_exchanged_free(&x);
}

static void *align(void *arg)
{
	struct side *s = arg;

	if (s->exchanges)
		exchange(s);
	s->err = ps_alignment_measure(s->transport, &s->how, s->found, s->within, s->text, sizeof s->text);
	if (s->err)
		atomic_store(s->ends, true);
	if (s->exchanges)
		exchange(s);
	return NULL;
}

static void align_sides(struct inside *inside, struct side *sides, uint32_t count)
{
	_Atomic bool ends = false;

	for (uint32_t i = 0; i < count; i++) {
		struct side *s = &sides[i];

		s->transport = inside_rank(inside, i);
		s->ends = &ends;
		s->how.now = shifted;
		s->how.stop = other_ends;
		s->how.user = s;
		ck_assert_int_eq(pthread_create(&s->thread, NULL, align, s), 0);
	}
	for (uint32_t i = 0; i < count; i++)
		pthread_join(sides[i].thread, NULL);
}

START_TEST(clocks_that_differ)
{
	for (uint32_t ranks = 1; ranks <= RANKS; ranks++) {
		struct inside *inside = inside_new(ranks, ranks, 1);
		struct side sides[RANKS] = { { .exchanges = true, .ahead = 5 * SECOND },
			{ .exchanges = true }, { .exchanges = true, .ahead = 3600 * SECOND },
			{ .exchanges = true, .ahead = 5 * SECOND } };

		test_guard("clocks_that_differ", ranks);
		align_sides(inside, sides, ranks);
		for (uint32_t i = 0; i < ranks; i++) {
			int64_t off = sides[0].found[i] - (int64_t)(sides[i].ahead - sides[0].ahead);

			ck_assert_int_eq(sides[i].err, 0);
			ck_assert_msg(
				off <= (int64_t)sides[0].within[i] && -off <= (int64_t)sides[0].within[i],
				"rank %" PRIu32 " of %" PRIu32 ": off by %" PRId64 " ns, not within %" PRIu64,
				i, ranks, off, sides[0].within[i]);
		}
		ck_assert_ptr_null(inside_violation(inside));
		inside_free(inside);
	}
}
END_TEST

static const char *const words[INSIDE_FAULTS] = { [INSIDE_OPEN] = "inside: planted fault",
	[INSIDE_RECEIVE] = "rank 1 (h1): nothing can be received from there: planted fault",
	[INSIDE_SEND] = "rank 1 (h1): nothing can be sent there: planted fault",
	[INSIDE_TEST] = "inside: planted fault",
	[INSIDE_SILENT] = "rank 1 (h1): nothing has come from there for 0.1" };

START_TEST(each_fault)
{
	for (enum inside_fault fault = INSIDE_OPEN; fault < INSIDE_FAULTS; fault++)
		for (uint32_t n = 0; n < 9 && words[fault]; n += 4) {
			struct inside *inside = inside_new(2, n, 0);
			struct side sides[2] = { { .how.patience_ns =
							   fault == INSIDE_SILENT ? SECOND / 10 : 0 } };

			test_guard("each_fault", fault * 100 + n);
			inside_fail(inside, 0, fault, n);
			align_sides(inside, sides, 2);
			if (inside_failed(inside, 0, fault)) {
				ck_assert_int_lt(sides[0].err, 0);
				TEST_SAYS(sides[0].text, words[fault]);
			}
			inside_free(inside);
		}
}
END_TEST

START_TEST(without_memory)
{
	bool failed = true;

	for (long n = 0; failed; n++) {
		struct inside *inside = inside_new(2, 1, 0);
		struct side sides[2] = { 0 };

		ps_memory_fail_at = n;
		align_sides(inside, sides, 2);
		failed = ps_memory_fail_at < 0;
		ps_memory_fail_at = -1;
		ck_assert_int_eq(failed, sides[0].err == -ENOMEM || sides[1].err == -ENOMEM);
		inside_free(inside);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("alignment");
	TCase *c = test_case(s, "alignment");

	tcase_add_test(c, clocks_that_differ);
	tcase_add_test(c, each_fault);
	tcase_add_test(c, without_memory);
	return test_main(s);
}
