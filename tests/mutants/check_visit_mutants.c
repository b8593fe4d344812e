/* SPDX-License-Identifier: MIT */
/*
 * The tests must see what does not go along with a firing at another host. This program is built once for each mutant
 * of visits.c or visit.c, and once without a fault. `mutant` says which. They are faults 1 and 2 of the model
 * move_hosts.pml, and the number of the firing.
 */
#include "lib/plan/parts.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/simple.h"
#include "tests/mutants/mutants.h"

#include <errno.h>
#include <string.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

enum { RANKS = 2, TOKENS = 200 };

static struct simple_chain chains[RANKS];
static atomic_uint visits;

/* Its state says how often it has fired. */
static int fire(struct pstk_firing *f)
{
	struct pstk_actor *a = pstk_firing_actor(f);
	uint64_t *count = pstk_actor_state(a), *out = pstk_fifo_write_start(f, 1);

	if (*count != pstk_firing_index(f))
		return pstk_actor_error(a, -EPROTO, "firing %u, and its state is of %u",
			(unsigned)pstk_firing_index(f), (unsigned)*count);
	++*count;
	atomic_fetch_add(&visits, a->network->host == 1);
	memcpy(out, pstk_fifo_read_start(f, 0), pstk_port_valid(f, 0) * sizeof *out);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static void build(struct crew *c)
{
	static const char *const to[] = { "c1", "c0", "c1" };

	*c = (struct crew){ .count = RANKS, .seed = test_seed(), .delay = 3 };
	for (unsigned i = 0; i < RANKS; i++) {
		struct pstk_actor *mover;

		simple_chain(&chains[i], 1, TOKENS, 4, 0, 3);
		c->ranks[i] = chains[i].net;
		mover = chains[i].actors[1];
		mover->type.fire = fire;
		mover->type.stateless = false;
		mover->type.portable_state = true;
		mover->state_size = sizeof(uint64_t);
		for (unsigned k = 0; k < 3; k++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[k], 0), 0);
	}
	crew_join(c);
	for (unsigned i = 0; i < RANKS; i++) {
		ck_assert_int_eq(pstk_actor_may_move(chains[i].actors[1], "c1"), 0);
		for (unsigned n = 0; n < TEST_COUNT(to); n++)
			ck_assert_int_eq(pstk_actor_migrate(chains[i].actors[1], to[n], 5 * n + 5), n);
	}
}

/* What the other host is not told, the actor says there: at its first firing, or when it comes back. */
START_TEST(there_and_back)
{
	static const char *const says[] = { [VISIT_NO_STATE] = "firing 5, and its state is of 0",
		[VISIT_OLD_STATE] = "firing 15, and its state is of 10",
		[VISIT_NUMBER] = "firing 0, and its state is of 5" };
	struct crew c;

	test_log_nothing();
	build(&c);
	crew_run(&c);
	if (mutant == NO_FAULT) {
		crew_check(&c, 0, "");
		ck_assert_uint_eq(chains[0].collect.tokens, TOKENS);
		ck_assert_uint_eq(chains[0].collect.wrong, 0);
		ck_assert_uint_eq(visits, 5 + TOKENS / 4 - 15);
	} else {
		ck_assert_int_eq(c.results[0], -EPROTO);
		TEST_SAYS(pstk_network_error(c.ranks[0]), "at c1: ", says[mutant]);
	}
	crew_free(&c);
	pstk_set_log(NULL, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("visit_mutants");

	tcase_add_test(test_case(suite, "mutants"), there_and_back);
	return test_main(suite);
}
