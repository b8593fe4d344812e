/* SPDX-License-Identifier: MIT */
/*
 * Moves between hosts: the ranks are threads of this process. What is said and refused, and each kind of end while an
 * actor is at another host. That streams stay as they are: tests/random/check_random_move_hosts.
 */
#include "lib/model/place.h"
#include "lib/plan/parts.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/*
 * count -> mover -> collect. The mover copies, and keeps in its state how often it has fired. All but it are at host 0.
 */

static struct simple_chain chains[CREW_RANKS];
static atomic_uint inits, finishes, fired[CREW_RANKS];
static atomic_bool held, in_fire;
static int fails_at;      /* a host, whose fire() fails; -1: none */
static int init_fails_at; /* a host, whose init() fails; -1: none */

static unsigned host_of(const struct pstk_actor *a)
{
	return a->network->host;
}

/* It fails when it may be asked to fire already: the other host has written, and time has gone by. */
static int init(struct pstk_actor *a)
{
	if ((int)host_of(a) != init_fails_at) {
		atomic_fetch_add(&inits, 1);
		return 0;
	}
	test_await(&chains[0].count.given, 5);
	poll(NULL, 0, 50);
	return pstk_actor_error(a, -EILSEQ, "no init");
}

static int finish(struct pstk_actor *a)
{
	(void)a;
	atomic_fetch_add(&finishes, 1);
	return 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *a = pstk_firing_actor(f);
	uint64_t *count = pstk_actor_state(a), *out = pstk_fifo_write_start(f, 1);
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	atomic_store(&in_fire, true);
	while (atomic_load(&held) && !pstk_network_failed(a->network))
		sched_yield();
	if ((int)host_of(a) == fails_at)
		return pstk_actor_error(a, -EILSEQ, "no more");
	if (*count != pstk_firing_index(f))
		return pstk_actor_error(a, -EPROTO, "its state is of firing %u", (unsigned)*count);
	if (pstk_actor_port_rate(a, 1) != 4 || pstk_actor_port_token_size(a, 1) != sizeof *out ||
		pstk_actor_port_rate(a, 0) != 4)
		return pstk_actor_error(a, -EPROTO, "its ports have other rates");
	++*count;
	memcpy(out, in, pstk_port_valid(f, 0) * sizeof *out);
	atomic_fetch_add(&fired[host_of(a)], 1);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_actor *mover(const struct crew *c, unsigned rank)
{
	return c->ranks[rank]->actors[1];
}

/* home: the mover's host. It may move to all others. */
static void build(struct crew *c, unsigned ranks, unsigned home, uint64_t tokens)
{
	*c = (struct crew){ .count = ranks, .seed = test_seed(), .delay = 3 };
	atomic_store(&inits, 0);
	atomic_store(&finishes, 0);
	atomic_store(&held, false);
	atomic_store(&in_fire, false);
	fails_at = init_fails_at = -1;
	for (unsigned i = 0; i < ranks; i++) {
		struct pstk_actor *a;

		atomic_store(&fired[i], 0);
		simple_chain(&chains[i], 1, tokens, 4, 1, 3);
		c->ranks[i] = chains[i].net;
		a = mover(c, i);
		a->type.fire = fire;
		a->type.init = init;
		a->type.finish = finish;
		a->type.stateless = false;
		a->type.portable_state = true;
		a->state_size = sizeof(uint64_t);
		for (unsigned k = 0; k < 3; k++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[k], k == 1 ? home : 0), 0);
	}
	crew_join(c);
}

static void may_move(const struct crew *c)
{
	char name[16];

	for (unsigned i = 0; i < c->count; i++)
		for (unsigned host = 0; host < c->count; host++) {
			snprintf(name, sizeof name, "c%u", host);
			ck_assert_int_eq(pstk_actor_may_move(mover(c, i), name), 0);
		}
}

static void check_chain(const struct crew *c, uint64_t tokens)
{
	crew_check(c, 0, "");
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(chains[0].collect.tokens, tokens + chains[0].collect.delay);
	ck_assert_uint_eq(atomic_load(&inits), c->count);
	ck_assert_uint_eq(atomic_load(&finishes), c->count);
}

static struct pstk_move move_of(const struct crew *c, unsigned rank, unsigned number)
{
	struct pstk_move move = PSTK_MOVE();

	ck_assert_int_eq(pstk_network_move(c->ranks[rank], number, &move), 0);
	return move;
}

/* _i: the mover's own host. All ranks ask; all are told the same. */
START_TEST(scripts)
{
	static const char *const to[] = { "c1", "c2", "c0", "c2", "c2", "c1" };
	struct crew c;
	size_t letters;

	build(&c, 3, (unsigned)_i, 401);
	may_move(&c);
	for (unsigned i = 0; i < c.count; i++)
		for (unsigned n = 0; n < TEST_COUNT(to); n++)
			ck_assert_int_eq(pstk_actor_migrate(mover(&c, i), to[n], 10 * n + 5), n);
	/* the state comes behind two letters for each of the others, with their heads */
	letters = pstk_network_move_bytes(c.ranks[(_i + 1) % 3]);
	ck_assert_uint_gt(letters, 2 * 4 * 8 + 3 * 8);
	ck_assert_uint_eq(pstk_network_move_bytes(c.ranks[_i]), 2 * (letters - 8));
	crew_run(&c);
	check_chain(&c, 401);
	for (unsigned i = 0; i < c.count; i++)
		for (unsigned n = 0; n < TEST_COUNT(to); n++) {
			struct pstk_move move = move_of(&c, i, n);

			ck_assert_msg(move.state == PSTK_MOVE_DONE, "%s", move.text);
			ck_assert_uint_eq(move.firing, 10 * n + 5);
			if (n)
				ck_assert_str_eq(
					move.from, (int)(to[n - 1][1] - '0') == _i ? "cores" : to[n - 1]);
			ck_assert_str_eq(move.to, (int)(to[n][1] - '0') == _i ? "cores" : to[n]);
			ck_assert_uint_eq(move.buffers_after,
				!strcmp(move.to, "cores") || !strcmp(move.to, move.from) ? 0 : 2);
		}
	for (unsigned i = 0; i < c.count; i++)
		ck_assert_uint_gt(atomic_load(&fired[i]), 0);
	ck_assert_uint_eq(fired[0] + fired[1] + fired[2], 101);
	crew_free(&c);
}
END_TEST

static void await_running(struct crew *c)
{
	while (chains[0].collect.tokens < 40)
		sched_yield();
	for (unsigned i = 0; i < c->count; i++)
		while (pstk_actor_migrate(mover(c, i), "c0", 0) < 0)
			sched_yield();
}

/* _i: of the rank that asks. It waits for the answer; the mover is there. */
START_TEST(asked_anywhere)
{
	static const char *const names[] = { "c0", "c1", "c2" };
	char said[PS_TEXT_SIZE];
	struct crew c;
	uint64_t before;

	test_log_nothing();
	build(&c, 3, 1, SIMPLE_ALL);
	may_move(&c);
	crew_begin(&c);
	await_running(&c);
	for (unsigned n = 0; n < 30; n++) {
		int number = pstk_actor_migrate(mover(&c, (unsigned)_i), names[n % 3], 0);

		ck_assert_int_ge(number, 0);
		ck_assert_int_eq(pstk_network_wait_move(c.ranks[_i], (unsigned)number, 10000000000u), 0);
		ck_assert_int_eq(move_of(&c, (unsigned)_i, (unsigned)number).state, PSTK_MOVE_DONE);
		ck_assert_str_eq(pstk_actor_at(mover(&c, 1)), n % 3 == 1 ? "cores" : names[n % 3]);
		before = atomic_load(&fired[n % 3]);
		while (atomic_load(&fired[n % 3]) < before + 3)
			sched_yield();
	}
	ck_assert_ptr_null(pstk_actor_at(mover(&c, 0)));
	ck_assert_int_eq(pstk_actor_migrate(mover(&c, (unsigned)_i), "c3", 0), -ENOENT);
	ck_assert_int_eq(pstk_actor_migrate(c.ranks[2]->actors[0], NULL, 0), -ENOENT);
	pstk_network_move_refusal(c.ranks[2], said, sizeof said);
	TEST_SAYS(said,
		"it runs on another host, and has no place but there: only that host's process moves it");
	pstk_network_stop(c.ranks[_i]);
	crew_end(&c);
	check_chain(&c, chains[0].count.given);
	ck_assert_int_eq(pstk_actor_migrate(mover(&c, (unsigned)_i), "c0", 0), -ECANCELED);
	pstk_set_log(NULL, NULL);
	crew_free(&c);
}
END_TEST

/* A move that does not come to its firing is cancelled, for whoever has asked. */
START_TEST(cancelled)
{
	struct crew c;
	int numbers[3];

	build(&c, 3, 1, 4000);
	may_move(&c);
	atomic_store(&held, true);
	crew_begin(&c);
	while (!atomic_load(&in_fire))
		sched_yield();
	for (unsigned i = 0; i < 3; i++) {
		while ((numbers[i] = pstk_actor_migrate(mover(&c, i), "c2", 1000000)) < 0)
			sched_yield();
	}
	atomic_store(&held, false);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(pstk_network_wait_move(c.ranks[i], (unsigned)numbers[i], 0), 0);
		ck_assert_int_eq(move_of(&c, i, (unsigned)numbers[i]).state, PSTK_MOVE_CANCELLED);
	}
	crew_end(&c);
	check_chain(&c, 4000);
	crew_free(&c);
}
END_TEST

/* Ranks ask for scripts in another order, but for those of one firing. */
START_TEST(scripts_in_any_order)
{
	static const struct {
		const char *from, *to;
		uint64_t firing;
	} all[] = { { "cores", "c1", 5 }, { "c1", "c0", 9 }, { "cores", "c1", 9 }, { "c1", "c0", 30 } };
	static const unsigned orders[2][TEST_COUNT(all)] = { { 0, 1, 2, 3 }, { 3, 1, 2, 0 } };
	struct crew c;

	build(&c, 2, 0, 401);
	may_move(&c);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned n = 0; n < TEST_COUNT(all); n++)
			ck_assert_int_eq(pstk_actor_migrate(mover(&c, i), all[orders[i][n]].to,
						 all[orders[i][n]].firing),
				n);
	crew_run(&c);
	check_chain(&c, 401);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned n = 0; n < TEST_COUNT(all); n++) {
			struct pstk_move move = move_of(&c, i, n);

			ck_assert_int_eq(move.state, PSTK_MOVE_DONE);
			ck_assert_uint_eq(move.firing, all[orders[i][n]].firing);
			ck_assert_str_eq(move.from, all[orders[i][n]].from);
		}
	crew_free(&c);
}
END_TEST

/* Its own host may have two moves open, and has: what others ask is answered at once, and all goes on. */
START_TEST(too_many_there)
{
	struct crew c;
	int numbers[20];

	test_log_nothing();
	build(&c, 2, 0, 4000);
	may_move(&c);
	ck_assert_int_eq(pstk_network_set_moves(c.ranks[0], 2), 0);
	atomic_store(&held, true);
	crew_begin(&c);
	while (!atomic_load(&in_fire))
		sched_yield();
	for (unsigned i = 0; i < 2; i++)
		while (pstk_actor_migrate(mover(&c, 0), "c1", 900) < 0)
			sched_yield();
	for (unsigned i = 0; i < TEST_COUNT(numbers); i++)
		while ((numbers[i] = pstk_actor_migrate(mover(&c, 1), "c1", 0)) < 0)
			sched_yield();
	for (unsigned i = 0; i < TEST_COUNT(numbers); i++) {
		struct pstk_move move;

		ck_assert_int_eq(pstk_network_wait_move(c.ranks[1], (unsigned)numbers[i], 0), 0);
		move = move_of(&c, 1, (unsigned)numbers[i]);
		ck_assert_int_eq(move.state, PSTK_MOVE_CANCELLED);
		ck_assert_int_eq(move.err, -EBUSY);
		TEST_SAYS(move.text, "2 moves are open at its own host", "pstk_network_set_moves()");
	}
	atomic_store(&held, false);
	crew_end(&c);
	check_chain(&c, 4000);
	pstk_set_log(NULL, NULL);
	crew_free(&c);
}
END_TEST

static void move_to(struct crew *c, const char *place, uint64_t firing)
{
	for (unsigned i = 0; i < c->count; i++)
		ck_assert_int_eq(pstk_actor_migrate(mover(c, i), place, firing), 0);
}

/* fire() fails at the other host: the error is that of the actor, told by its own host. */
START_TEST(an_error)
{
	struct crew c;

	build(&c, 3, 1, SIMPLE_ALL);
	may_move(&c);
	move_to(&c, "c2", 7);
	fails_at = 2;
	crew_run(&c);
	crew_check(&c, -EILSEQ, "c1: 'relay0' (relay), fire() in firing 7: at c2: no more");
	ck_assert_uint_eq(atomic_load(&finishes), 3);
	crew_free(&c);
}
END_TEST

/* At the host that the mover is at from its first firing on: what was asked there is answered. */
START_TEST(an_init_that_fails)
{
	struct crew c;

	build(&c, 2, 0, SIMPLE_ALL);
	may_move(&c);
	move_to(&c, "c1", 1);
	init_fails_at = 1;
	crew_run(&c);
	crew_check(&c, -EILSEQ, "c1: 'relay0' (relay), init(): no init");
	ck_assert_uint_eq(atomic_load(&finishes), 1);
	crew_free(&c);
}
END_TEST

/* _i: the rank that aborts, while the mover is in fire() at host 2. */
START_TEST(an_abort)
{
	struct crew c;

	build(&c, 3, 1, SIMPLE_ALL);
	may_move(&c);
	move_to(&c, "c2", 1);
	for (unsigned i = 0; i < c.count; i++)
		ck_assert_int_eq(pstk_actor_migrate(mover(&c, i), "c1", 1000000000), 1);
	crew_begin(&c);
	while (atomic_load(&fired[2]) < 5)
		sched_yield();
	atomic_store(&held, true);
	atomic_store(&in_fire, false);
	while (!atomic_load(&in_fire))
		sched_yield();
	pstk_network_abort(c.ranks[_i]);
	crew_end(&c);
	crew_check(&c, -ECANCELED, "the network was aborted");
	for (unsigned i = 0; i < c.count; i++)
		ck_assert_str_eq(move_of(&c, i, 1).text, "the network was aborted");
	ck_assert_uint_eq(atomic_load(&finishes), 3);
	crew_free(&c);
}
END_TEST

/* The reader ends early, while the mover is at another host. */
START_TEST(a_reader_that_ends)
{
	struct crew c;

	build(&c, 2, 0, SIMPLE_ALL);
	may_move(&c);
	move_to(&c, "c1", 3);
	chains[0].collect.wanted = 50;
	crew_run(&c);
	crew_check(&c, 0, "");
	ck_assert_uint_eq(chains[0].collect.firings, 50);
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	crew_free(&c);
}
END_TEST

/* While the mover is at host 1 a call of the transport fails once, at either rank: there a message of windows, of
 * control, or a letter. Both end, whatever it was. */
START_TEST(the_transport_fails)
{
	enum inside_fault fault = (enum inside_fault)(INSIDE_RECEIVE + _i / 2);
	struct crew c;

	test_log_nothing();
	build(&c, 2, 0, SIMPLE_ALL);
	may_move(&c);
	move_to(&c, "c1", 2);
	crew_begin(&c);
	while (atomic_load(&fired[1]) < 10)
		sched_yield();
	inside_fail(c.inside, (unsigned)_i % 2, fault, (uint32_t)_i);
	crew_end(&c);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(c.results[i], -EIO);
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(atomic_load(&finishes), 2);
	pstk_set_log(NULL, NULL);
	crew_free(&c);
}
END_TEST

/*
 * What is refused, while it is built.
 */

static int other_fire(struct pstk_firing *f)
{
	return fire(f);
}

static void unblock(struct pstk_actor *a)
{
	(void)a;
}

static void spoil_state(struct pstk_actor *a)
{
	a->type.portable_state = false;
}

static void spoil_unblock(struct pstk_actor *a)
{
	a->type.unblock = unblock;
}

static void spoil_kahn(struct pstk_actor *a)
{
	a->type.kahn = true;
	a->type.fire = other_fire;
}

static void spoil_fire(struct pstk_actor *a)
{
	a->type.fire = NULL;
}

static const struct {
	void (*spoil)(struct pstk_actor *);
	const char *place, *said;
} refused[] = {
	{ spoil_state, "c1",
		"'relay0' (relay): it may move to another host, but keeps a state that the other one may not "
		"read "
		"alike: set portable_state, if it does" },
	{ spoil_unblock, "c1",
		"'relay0' (relay): it may move to another host, but has an unblock(), which only the thread "
		"that "
		"waits for it could call there" },
	{ spoil_kahn, "c1",
		"'relay0' (relay): a kahn actor has no boundary between firings: it can't move, leave out "
		"pstk_actor_may_move()" },
	{ spoil_fire, "c1", "'relay0' (relay): its type has no fire(): it can't move to the cores" },
	{ NULL, "c1/g0",
		"'relay0' (relay): its type has no kernel and no fire_cl(): it can't move to 'c1/g0'" },
	{ NULL, "c1/g1",
		"'relay0' (relay): it can't move to 'c1/g1': that place has no device, give it a selector in "
		"the "
		"machine" },
};

START_TEST(refusals)
{
	struct crew c;
	int err;

	test_log_nothing();
	build(&c, 2, 0, 10);
	for (unsigned i = 0; i < 2; i++) {
		if (refused[_i].spoil)
			refused[_i].spoil(mover(&c, i));
		ck_assert_int_eq(ps_place_name(c.ranks[i], "c1/g0", 1, true, "pstk:gpu:0"), 0);
		ck_assert_int_eq(ps_place_name(c.ranks[i], "c1/g1", 1, true, NULL), 0);
		pstk_actor_may_move(mover(&c, i), refused[_i].place);
	}
	err = crew_run(&c);
	ck_assert_int_lt(err, 0);
	ck_assert_msg(strstr(pstk_network_error(c.ranks[0]), refused[_i].said), "%s",
		pstk_network_error(c.ranks[0]));
	pstk_set_log(NULL, NULL);
	crew_free(&c);
}
END_TEST

/* Both ranks are to have the same places. */
START_TEST(places_that_differ)
{
	struct crew c;

	test_log_nothing();
	build(&c, 2, 0, 10);
	ck_assert_int_eq(pstk_actor_may_move(mover(&c, 1), "c1"), 0);
	ck_assert_int_eq(crew_run(&c), -EINVAL);
	ck_assert_ptr_nonnull(strstr(pstk_network_error(c.ranks[0]), "may move to c1"));
	pstk_set_log(NULL, NULL);
	crew_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move_hosts");
	TCase *tc = test_case(suite, "moves");

	tcase_add_loop_test(tc, scripts, 0, 3);
	tcase_add_loop_test(tc, asked_anywhere, 0, 3);
	tcase_add_test(tc, cancelled);
	tcase_add_test(tc, scripts_in_any_order);
	tcase_add_test(tc, too_many_there);
	tc = test_case(suite, "ends");
	tcase_add_test(tc, an_error);
	tcase_add_test(tc, an_init_that_fails);
	tcase_add_loop_test(tc, an_abort, 0, 3);
	tcase_add_test(tc, a_reader_that_ends);
	tcase_add_loop_test(tc, the_transport_fails, 0, 2 * (INSIDE_CANCEL - INSIDE_RECEIVE));
	tc = test_case(suite, "refusals");
	tcase_add_loop_test(tc, refusals, 0, TEST_COUNT(refused));
	tcase_add_test(tc, places_that_differ);
	return test_main(suite);
}
