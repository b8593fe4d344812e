/* SPDX-License-Identifier: MIT */
/*
 * The tests must see errors in what firings go by: lists of ports and bundles. This program is built once for each
 * mutant of bundles.c, decision.c, windows.c or quick.c, and once without a fault. `mutant` says which.
 */
#include "lib/firing/decision.h"
#include "lib/plan/bundles.h"
#include "tests/common/common.h"
#include "tests/mutants/mutants.h"
#include "tests/plan/bundle_net.h"

#include <sched.h>
#include <string.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

static struct bundle_net n;

/* Until the reader has looked at the last window, or has had the time for it. */
void mutant_before_tokens(void)
{
	for (unsigned i = 0; i < 20000 && atomic_load(&n.reads_last) == 0; i++)
		sched_yield();
}

/* Is nothing wrong: no error, no token, no port that is on or off? */
static bool is_right(void)
{
	bool right = bundle_net_run(&n) == 0 && !atomic_load(&n.wrong);

	bundle_net_destroy(&n);
	return right;
}

/* Dynamic, more ports than a word of the mask has; for each value there are others on. One port, the last of a word, is
 * in no bundle. */
START_TEST(dynamic)
{
	memset(&n, 0, sizeof n);
	n.count = BUNDLE_MOST;
	n.values = 8;
	n.firings = 400;
	/* with these faults both sides may touch a window at once, which the ThreadSanitizer would end the test for */
	n.threads = mutant == BUNDLE_NOT_TOGETHER || mutant == QUICK_EARLY_WINDOW ? 1 : (unsigned)_i;
	for (unsigned i = 0; i < n.count; i++)
		n.fifos[i] = (struct bundle_fifo){ .rate = 2,
			.depth = i == PS_MASK_BITS - 2 ? 3 : 2,
			/* behind the control port */ .token_size = 4,
			.on = 1u << i % 8 | 1u << (i + 3) % 8 };
	ck_assert_int_eq(is_right(), mutant == NO_FAULT || mutant == BUNDLE_EARLY_COUNT);
}
END_TEST

/* Last windows that are filled differently, while the reader waits for them. */
START_TEST(last_windows)
{
	memset(&n, 0, sizeof n);
	n.count = 3;
	n.firings = 5;
	for (unsigned i = 0; i < n.count; i++)
		n.fifos[i] = (struct bundle_fifo){ .rate = 4, .depth = 2, .token_size = 8, .last = 3 - i };
	ck_assert_int_eq(is_right(), mutant != BUNDLE_EARLY_COUNT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundle mutants");
	TCase *test = test_case(suite, "lists");

	tcase_add_loop_test(test, dynamic, 0, 3);
	tcase_add_test(test, last_windows);
	return test_main(suite);
}
