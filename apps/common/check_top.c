/* SPDX-License-Identifier: MIT */
/* The table of --top: what happened since the last one. */
#include "apps/common/top.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw(struct top *top, char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "w");

	ck_assert_ptr_nonnull(file);
	top_print(top, file);
	fclose(file);
}

/* Looks come by the clock: waits until there were some more. */
static void await_looks(const struct pstk_network *net)
{
	struct pstk_actor_load load, later;

	ck_assert_int_eq(pstk_actor_get_load(pstk_network_actor(net, 0), &load), 0);
	do {
		ck_assert_int_eq(pstk_actor_get_load(pstk_network_actor(net, 0), &later), 0);
	} while (later.looks < load.looks + 3);
}

/* A sink that holds all others up, and then ends: the FIFOs are full, nothing fires. */
START_TEST(what_happened)
{
	static char text[8192];
	struct simple_chain chain;
	struct top *top;

	simple_chain_held(&chain, 1, SIMPLE_ALL, 4, 0, 2);
	atomic_store(&chain.collect.allowed, 5);
	top = top_create(chain.net, NULL);
	draw(top, text, sizeof text); /* not begun: no rows */
	TEST_SAYS(text, "network 'chain'; limit so far: \n", "  actor", "firings/s", "busy", "waits for",
		"  FIFO");
	ck_assert_ptr_null(strstr(text, "count"));
	ck_assert_int_eq(pstk_network_set_sampling(chain.net, 100000), 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	test_await(&chain.collect.firings, 5);
	await_looks(chain.net);
	draw(top, text, sizeof text);
	await_looks(chain.net);
	draw(top, text, sizeof text);
	TEST_SAYS(text, "  count ", " 0.0      0 % [                    ]  room at out 100 %", "  relay0 ",
		"room at out 100 %", "  collect ", "  FIFO");
	TEST_SAYS(text, "count.out -> relay0.in", "100 % [####################]  full 100 %, empty 0 %\n");
	pstk_network_abort(chain.net);
	ck_assert_int_ne(pstk_network_wait(chain.net), 0);
	top_free(top);
	top_free(NULL);
	pstk_network_destroy(chain.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top");
	TCase *table = test_case(suite, "table");

	unsetenv("PENSTOCK_TEAM");
	tcase_add_test(table, what_happened);
	return test_main(suite);
}
