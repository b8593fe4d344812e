/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a move that loses something, on the fake driver. This program is built once for each mutant, and
 * once without a fault. `mutant` says which. They are the faults of these numbers of the models move.pml and guard.pml:
 *
 *	IN_FLIGHT 1, NO_ANSWER 11, LATE_BOUNDARY 15, ANSWERED_TWICE 16; none has NO_STATE, ZEROS
 *	EARLY 3, NEXT_FIRING 6, SAME_PLACE 7, OLD_STATE 10
 */
#include "tests/common/common.h"
#include "tests/move/move_net.h"
#include "tests/mutants/mutants.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <sched.h>
#include <string.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

#define TWO "devices=2,unified=0,svm=none"

static struct move_net m;

/* Until the sink has so many tokens; the guard ends a wait in vain. */
static void await_tokens(uint32_t count)
{
	while (atomic_load(&m.chain.count) < count)
		sched_yield();
}

/* The run ends well. Are its tokens wrong? */
static bool ends_wrong(const struct fake_cl *fake)
{
	bool wrong;

	ck_assert_msg(!pstk_network_wait(m.chain.net), "%s", pstk_network_error(m.chain.net));
	wrong = move_find_wrong(&m) >= 0;
	pstk_network_destroy(m.chain.net);
	fake->settle();
	return wrong;
}

START_TEST(a_state)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = 40 }, .keeps = true };
	move_build(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 17), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_int_eq(ends_wrong(fake), mutant == NO_STATE);
}
END_TEST

/* What was done is not cancelled by the end. */
START_TEST(an_answer)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = 40 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 17), 0);
	ck_assert_int_eq(pstk_network_run(m.chain.net), 0);
	ck_assert_int_eq(
		move_of(&m, 0).state, mutant == ANSWERED_TWICE ? PSTK_MOVE_CANCELLED : PSTK_MOVE_DONE);
	pstk_network_destroy(m.chain.net);
	fake->settle();
}
END_TEST

/* The actor ends before its move begins. The program has its answer before it waits for the network. */
START_TEST(an_end)
{
	bool wrong = mutant == NO_ANSWER;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = 20 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 1000), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_int_eq(
		pstk_network_wait_move(m.chain.net, 0, wrong ? 500000000 : 0), wrong ? -ETIMEDOUT : 0);
	ck_assert(!ends_wrong(fake));
}
END_TEST

/* An actor that has no window, and waits for one, moves. */
START_TEST(an_idle_actor)
{
	bool wrong = mutant == LATE_BOUNDARY;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = 30, .hold_at = 11 } };
	move_build(&m, NULL);
	pstk_network_set_threads(m.chain.net, 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	await_tokens(10);
	for (unsigned i = 0; i < (wrong ? 1 : 30); i++) {
		ck_assert_int_eq(
			pstk_actor_migrate(m.chain.tested, i % 2 ? NULL : move_places[0], 0), (int)i);
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, i, wrong ? 500000000 : 0),
			wrong ? -ETIMEDOUT : 0);
	}
	atomic_store(&m.chain.go, true);
	ck_assert(!ends_wrong(fake));
}
END_TEST

/* fire_cl() of a type with a state. */
static int copy(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pstk_cl_window in, out;

	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EIO;
	++*(uint32_t *)pstk_actor_state(self);
	return clEnqueueCopyBuffer(pstk_cl_queue(f), in.buffer, out.buffer, 0, 0, in.bytes, 0, NULL, NULL)
	               ? -EIO
	               : PSTK_AGAIN;
}

static int open_place(struct pstk_actor *self, unsigned place)
{
	(void)self;
	(void)place;
	return 0;
}

/* While no command begins to run a firing is in flight at the old place; so the actor is not at the new one. */
START_TEST(a_boundary)
{
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "copy",
		.ports = cl_chain_ports,
		.port_count = 2,
		.state_size = 4,
		.portable_state = true,
		.fire_cl = copy,
		.open_place = open_place };
	bool wrong = mutant == IN_FLIGHT;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");
	uint64_t copies;

	m = (struct move_net){ .chain = { .tokens = 20, .hold_at = 5 } };
	cl_chain_build(&m.chain, &type, NULL, move_places[0]);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, move_places[1]), 0);
	ck_assert_msg(!pstk_network_start(m.chain.net), "%s", pstk_network_error(m.chain.net));
	await_tokens(4);
	fake->hold(true);
	copies = fake->calls("clEnqueueCopyBuffer");
	atomic_store(&m.chain.go, true);
	while (fake->calls("clEnqueueCopyBuffer") == copies)
		sched_yield();
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[1], 0), 0);
	if (wrong) /* the guard ends a wait in vain */
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	fake->hold(false);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_int_eq(move_of(&m, 0).state, PSTK_MOVE_DONE);
	ck_assert_int_eq(move_of(&m, 0).in_flight > 0, wrong);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	pstk_network_destroy(m.chain.net);
	fake->settle();
}
END_TEST

/*
 * The mover reads windows of two tokens, behind one that was there at the start, and looks one back. So its last window
 * lacks a token:
 *
 *	read 2:  3 4 5    read 3:  5 6 -    where they lie, in a ring of four:  0 1 2    2 3 0
 *
 * The zero lies where token 3 is, for which the last write did not have to wait. While no command begins to run read 2
 * is under way. So the zero must not be there yet.
 */
START_TEST(zeros)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");
	bool wrong = false;
	uint64_t launches;

	m = (struct move_net){
		.chain = { .tokens = 6, .rate = 2, .delay = 1, .depths = { 1, 8 }, .hold_at = 6 }
	};
	move_build(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_set_history(m.chain.tested, 0, 1), 0);
	pstk_network_set_threads(m.chain.net, 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	await_tokens(4);
	fake->hold(true);
	launches = fake->calls("clEnqueueNDRangeKernel");
	atomic_store(&m.chain.go, true);
	while (fake->calls("clEnqueueNDRangeKernel") < launches + (mutant == ZEROS ? 2 : 1))
		sched_yield(); /* the guard ends a wait in vain */
	fake->hold(false);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	ck_assert_uint_eq(m.chain.count, 8);
	for (uint32_t i = 1; i < 8; i++)
		wrong |= m.chain.got[i] != 3 * (i < 2 ? 0 : i - 2) + 1;
	ck_assert_int_eq(wrong, mutant == ZEROS);
	pstk_network_destroy(m.chain.net);
	fake->settle();
}
END_TEST

/*
 * Guarded actors.
 */

static const struct fake_cl *build_guarded(bool keeps, uint32_t tokens, uint32_t hold_at)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	test_log_nothing();
	m = (struct move_net){ .chain = { .tokens = tokens, .hold_at = hold_at }, .keeps = keeps };
	move_build(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_guard(m.chain.tested, true), 0);
	return fake;
}

/* A command fails once. */
START_TEST(a_place)
{
	const struct fake_cl *fake = build_guarded(false, 24, 1);

	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 5, CL_OUT_OF_RESOURCES), 0);
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net) < 0, mutant == NEXT_FIRING);
	ck_assert_uint_eq(pstk_network_move_count(m.chain.net), 1);
	ck_assert_str_eq(move_of(&m, 0).from, move_places[0]);
	if (mutant == NO_FAULT)
		move_check_tokens(&m);
	ck_assert_int_eq(!strcmp(pstk_actor_at(m.chain.tested), move_places[0]), mutant == SAME_PLACE);
	pstk_network_destroy(m.chain.net);
	fake->settle();
	pstk_set_log(NULL, NULL);
}
END_TEST

START_TEST(there_and_back)
{
	const struct fake_cl *fake = build_guarded(true, 24, 0);

	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[1], 7), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 13), 1);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_int_eq(ends_wrong(fake), mutant == OLD_STATE);
}
END_TEST

/* The upload and the kernel of the only firing run, its download does not. With others it would be a race. */
START_TEST(a_download)
{
	const struct fake_cl *fake = build_guarded(false, 1, 1);

	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	fake->hold(true);
	fake->step(2);
	atomic_store(&m.chain.go, true);
	if (mutant == EARLY)
		await_tokens(1);
	fake->hold(false);
	ck_assert_int_eq(ends_wrong(fake), mutant == EARLY);
}
END_TEST

#define ADD(test, one, other)                                                   \
	do {                                                                    \
		if (mutant == NO_FAULT || mutant == (one) || mutant == (other)) \
			tcase_add_test(c, test);                                \
	} while (0)

int main(void)
{
	Suite *suite = suite_create("move_mutants");
	TCase *c = test_case(suite, "mutants");

	ADD(a_state, NO_STATE, NO_STATE);
	ADD(an_answer, ANSWERED_TWICE, ANSWERED_TWICE);
	ADD(an_end, NO_ANSWER, NO_ANSWER);
	ADD(an_idle_actor, LATE_BOUNDARY, LATE_BOUNDARY);
	ADD(a_boundary, IN_FLIGHT, IN_FLIGHT);
	ADD(zeros, ZEROS, ZEROS);
	ADD(a_place, NEXT_FIRING, SAME_PLACE);
	ADD(there_and_back, OLD_STATE, OLD_STATE);
	ADD(a_download, EARLY, EARLY);
	return test_main(suite);
}
