/* SPDX-License-Identifier: MIT */
/* Moves to devices of other hosts, on the fake driver: ranks are threads of this process, which share its devices. */
#include "lib/model/place.h"
#include "lib/plan/parts.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/file.h"
#include "tests/move/move_net.h"
#include "tests/observe/trace_reader.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 2 };

static struct move_net nets[RANKS];
static const char *const to[] = { "c1/g0", "c0/g1", "c1", "c0", "c1/g0", "c1", "c0/g1" };
static const unsigned crossed[] = { 4, 2, 2, 0, 4, 2, 2 }; /* by a window there: letters, and transfers */
enum { EVERY = 3 };

/* The whole chain is at host 0. */
static void make(struct crew *c, bool keeps)
{
	*c = (struct crew){ .count = RANKS, .seed = test_seed(), .delay = 3 };
	for (unsigned i = 0; i < RANKS; i++) {
		nets[i] = (struct move_net){ .chain = { .tokens = 200, .rate = 4 }, .keeps = keeps };
		move_make(&nets[i], NULL);
		c->ranks[i] = nets[i].chain.net;
		for (unsigned a = 0; a < c->ranks[i]->actor_count; a++)
			ck_assert_int_eq(ps_parts_place(c->ranks[i]->actors[a], 0), 0);
	}
	crew_join(c);
	for (unsigned i = 0; i < RANKS; i++) {
		ck_assert_int_eq(ps_place_name(c->ranks[i], "c0/g1", 0, true, move_places[1]), 0);
		ck_assert_int_eq(ps_place_name(c->ranks[i], "c1/g0", 1, true, move_places[0]), 0);
	}
}

static void build(struct crew *c, bool keeps)
{
	make(c, keeps);
	for (unsigned i = 0; i < RANKS; i++) {
		for (unsigned n = 0; n < 4; n++)
			ck_assert_int_eq(pstk_actor_may_move(nets[i].chain.tested, to[n]), 0);
	}
}

static void script(void)
{
	for (unsigned i = 0; i < RANKS; i++)
		for (unsigned n = 0; n < TEST_COUNT(to); n++)
			ck_assert_int_eq(pstk_actor_migrate(nets[i].chain.tested, to[n], EVERY * (n + 1)), n);
}

static void check_moves(void)
{
	for (unsigned i = 0; i < RANKS; i++)
		for (unsigned n = 0; n < TEST_COUNT(to); n++) {
			struct pstk_move move = move_of(&nets[i], n);

			ck_assert_msg(move.state == PSTK_MOVE_DONE, "%s", move.text);
			ck_assert_uint_eq(move.firing, EVERY * (n + 1));
			ck_assert_uint_eq(move.buffers_after, crossed[n]);
		}
}

/* _i: with a state. */
START_TEST(there_and_back)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, "devices=2,unified=0,svm=none", "");
	struct crew c;

	build(&c, _i);
	script();
	crew_run(&c);
	crew_check(&c, 0, "");
	move_check_tokens(&nets[0]);
	check_moves();
	ck_assert_uint_gt(atomic_load(&nets[1].on_cores), 0);
	crew_free(&c);
	move_settle(fake);
}
END_TEST

static bool says(const char *path, const char *words)
{
	static char text[1 << 20];
	FILE *in = fopen(path, "r");

	ck_assert_ptr_nonnull(in);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	return strstr(text, words);
}

/* Of the other host's device rank 0 has only the machine's word. */
START_TEST(a_trace)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, "devices=2,unified=0,svm=none", "");
	const char *path = test_file("a.trace", "");
	struct crew c;

	build(&c, true);
	for (unsigned i = 0; i < RANKS; i++)
		ck_assert_int_eq(
			pstk_network_set_trace(c.ranks[i], path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	script();
	crew_run(&c);
	crew_check(&c, 0, "");
	ck_assert(!trace_reader_is_there() || trace_is_json(path));
	ck_assert(says(path, "\"name\":\"c1: pstk:gpu:0\""));
	ck_assert(says(path, "\"name\":\"c0: pstk:gpu:1 ("));
	crew_free(&c);
	move_settle(fake);
	test_files_remove();
}
END_TEST

/* The plan has put it on a device of its own host: each rank can have it moved away, and back. */
START_TEST(back_to_the_first)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, "devices=2,unified=0,svm=none", "");
	struct crew c;

	make(&c, true);
	ck_assert_int_eq(pstk_actor_map(nets[0].chain.tested, move_places[1]), 0);
	ps_place_plan(nets[1].chain.tested, "c0/g1");
	for (unsigned i = 0; i < RANKS; i++) {
		struct pstk_actor *a = nets[i].chain.tested;

		ck_assert_int_eq(pstk_actor_may_move(a, "c1"), 0);
		ck_assert_int_eq(pstk_actor_migrate(a, "c1", 3), 0);
		ck_assert_int_eq(pstk_actor_migrate(a, "c0/g1", 9), 1);
	}
	crew_run(&c);
	crew_check(&c, 0, "");
	move_check_tokens(&nets[0]);
	for (unsigned i = 0; i < RANKS; i++) {
		ck_assert_int_eq(move_of(&nets[i], 1).state, PSTK_MOVE_DONE);
		ck_assert_str_eq(move_of(&nets[i], 1).to, move_places[1]);
	}
	crew_free(&c);
	move_settle(fake);
}
END_TEST

/* The rank has started, and asks for a move to this place. Returns when a firing there has come to the sink. */
static void go_to(unsigned rank, const char *place)
{
	struct pstk_network *net = nets[rank].chain.net;
	uint32_t before;
	int number;

	while ((number = pstk_actor_migrate(nets[rank].chain.tested, place, 0)) == -EBUSY)
		sched_yield();
	ck_assert_msg(number >= 0, "%d: %s", number, pstk_network_error(net));
	ck_assert_int_eq(pstk_network_wait_move(net, (unsigned)number, 0), 0);
	ck_assert_int_eq(move_of(&nets[rank], (unsigned)number).state, PSTK_MOVE_DONE);
	before = atomic_load(&nets[0].chain.count);
	/* the firings before it are at the sink behind two of its windows */
	while (atomic_load(&nets[0].chain.count) < before + 4 * nets[0].chain.rate)
		sched_yield();
}

/* A thousand moves to the other host and back, while windows flow. _i: the rank that asks. */
START_TEST(takes_nothing)
{
	static const char *const places[] = { "c1", "c0", "c1/g0", "c0/g1" };
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, "devices=2,unified=0,svm=none", "");
	struct move_taken before;
	struct crew c;

	build(&c, true);
	for (unsigned i = 0; i < RANKS; i++)
		nets[i].chain.tokens = CL_CHAIN_ALL;
	crew_begin(&c);
	while (atomic_load(&nets[0].chain.count) < 40)
		sched_yield();
	for (unsigned i = 0; i < 1000 + TEST_COUNT(places); i++) {
		go_to((unsigned)_i, places[i % TEST_COUNT(places)]);
		if (i < TEST_COUNT(places))
			before = move_look(fake, nets[0].chain.net);
		else
			move_takes_nothing(fake, nets[0].chain.net, &before);
	}
	pstk_network_stop(nets[0].chain.net);
	crew_end(&c);
	crew_check(&c, 0, "");
	nets[0].chain.tokens = nets[0].chain.next;
	move_check_tokens(&nets[0]);
	crew_free(&c);
	move_settle(fake);
}
END_TEST

/* A command fails at the other host's device: the network does, on both ranks. */
START_TEST(the_device_fails)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, "devices=2,unified=0,svm=none", "");
	struct crew c;

	test_log_nothing();
	build(&c, true);
	script();
	ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 4, CL_OUT_OF_RESOURCES), 0);
	crew_run(&c);
	for (unsigned i = 0; i < RANKS; i++) {
		ck_assert_int_lt(c.results[i], 0);
		ck_assert_ptr_nonnull(strstr(pstk_network_error(c.ranks[i]), "'tested'"));
	}
	crew_free(&c);
	pstk_set_log(NULL, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move_hosts_fake");
	TCase *tc = test_case(suite, "moves");

	tcase_add_loop_test(tc, there_and_back, 0, 2);
	tcase_add_test(tc, a_trace);
	tcase_add_test(tc, back_to_the_first);
	tcase_add_loop_test(tc, takes_nothing, 0, RANKS);
	tcase_add_test(tc, the_device_fails);
	return test_main(suite);
}
