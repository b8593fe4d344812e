/* SPDX-License-Identifier: MIT */
/*
 * Kahn actors: fire() that reads and writes when it likes, by windows or by copies, over windows and rings.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Gives 0, 1, .. in pieces of random length; some by windows if there are any. */
struct giver {
	uint64_t tokens; /* SIMPLE_ALL: until no reader wants more */
	uint32_t rate;   /* of the windows it may use; 0: only copies */
	uint64_t seed;
	_Atomic uint64_t given;
	unsigned calls;
};

/* Takes them the same way and checks them. */
struct taker {
	uint32_t rate;
	uint64_t seed;
	uint64_t wanted; /* tokens before it is done; SIMPLE_ALL: all */
	uint64_t delay;  /* zeros before */
	_Atomic uint64_t taken, wrong;
	unsigned ends; /* how often it was told the end */
};

/* A piece by a window, if the port is between two windows: 0 at the end. */
static uint64_t give_window(struct pstk_firing *f, struct giver *giver, uint64_t left)
{
	uint64_t *out = pstk_fifo_write_start(f, 0), given = atomic_load(&giver->given);
	uint32_t valid = left < giver->rate ? (uint32_t)left : giver->rate;

	if (!out)
		return 0;
	for (uint32_t i = 0; i < valid; i++)
		out[i] = given + i;
	if (valid < giver->rate)
		pstk_fifo_write_end_partial(f, 0, valid);
	else
		pstk_fifo_write_end(f, 0);
	return valid;
}

static uint64_t give_copy(struct pstk_firing *f, struct giver *giver, uint64_t n)
{
	uint64_t tokens[MOST], given = atomic_load(&giver->given);
	int put;

	for (uint64_t i = 0; i < n; i++)
		tokens[i] = given + i;
	put = pstk_fifo_write(f, 0, tokens, n);
	ck_assert_int_ge(put, 0);
	return (uint64_t)put;
}

static int giver_fire(struct pstk_firing *f)
{
	struct giver *giver = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { giver->seed };
	uint64_t given, asked, put;

	giver->calls++;
	while ((given = atomic_load(&giver->given)) < giver->tokens) {
		uint64_t left = giver->tokens - given;

		if (giver->rate && given % giver->rate == 0 && test_chance(&rng, 50)) {
			asked = left < giver->rate ? left : giver->rate;
			put = give_window(f, giver, left);
		} else {
			asked = test_between(&rng, 1, MOST);
			if (giver->rate && test_chance(&rng, 50)) /* back to the border of a window */
				asked = giver->rate - given % giver->rate;
			asked = asked < left ? asked : left;
			put = give_copy(f, giver, asked);
		}
		atomic_fetch_add(&giver->given, put);
		if (put < asked)
			break;
	}
	return PSTK_DONE;
}

static void take(struct taker *taker, const uint64_t *tokens, uint64_t n)
{
	uint64_t taken = atomic_load(&taker->taken);

	for (uint64_t i = 0; i < n; i++, taken++)
		if (tokens[i] != (taken < taker->delay ? 0 : taken - taker->delay))
			atomic_fetch_add(&taker->wrong, 1);
	atomic_store(&taker->taken, taken);
}

/* 0: the end. */
static uint64_t take_window(struct pstk_firing *f, struct taker *taker)
{
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint32_t valid;

	if (!in)
		return 0;
	valid = pstk_port_valid(f, 0);
	take(taker, in, valid);
	pstk_fifo_read_end(f, 0);
	return valid;
}

static int taker_fire(struct pstk_firing *f)
{
	struct taker *taker = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { taker->seed };
	uint64_t tokens[MOST], taken;

	while ((taken = atomic_load(&taker->taken)) < taker->wanted) {
		uint64_t n = test_between(&rng, 1, MOST);

		if (taker->rate && taken % taker->rate == 0 && test_chance(&rng, 50)) {
			if (take_window(f, taker) > 0)
				continue;
			taker->ends++;
		} else {
			int got;

			if (taker->rate && test_chance(&rng, 50))
				n = taker->rate - taken % taker->rate;
			n = n < taker->wanted - taken ? n : taker->wanted - taken;
			got = pstk_fifo_read(f, 0, tokens, n);
			ck_assert_int_ge(got, 0);
			take(taker, tokens, (uint64_t)got);
			if ((uint64_t)got == n)
				continue;
			taker->ends++;
		}
		ck_assert_ptr_null(pstk_fifo_read_start(f, 0)); /* the end stays the end */
		ck_assert_int_eq(pstk_fifo_read(f, 0, tokens, 1), 0);
		break;
	}
	return PSTK_DONE;
}

static const struct pstk_port out_port[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
static const struct pstk_port in_port[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 } };
static const struct pstk_actor_type giver_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "giver",
	.ports = out_port,
	.port_count = 1,
	.kahn = true,
	.fire = giver_fire };
static const struct pstk_actor_type taker_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "taker",
	.ports = in_port,
	.port_count = 1,
	.kahn = true,
	.fire = taker_fire };

static void give_and_take(struct giver *giver, struct taker *taker, const struct pstk_fifo_spec *spec)
{
	struct pstk_network *net = pstk_network_create("pair");
	struct pstk_actor *a = pstk_network_add(net, "giver", &giver_type, giver);
	struct pstk_actor *b = pstk_network_add(net, "taker", &taker_type, taker);

	ck_assert_msg(pstk_connect(a, "out", b, "in", spec) != NULL, "%s", pstk_network_error(net));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert_uint_eq(taker->wrong, 0);
	pstk_network_destroy(net);
}

/* _i: the capacity. */
START_TEST(test_ring)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	for (uint64_t round = test_rounds(50) + 1; round > 0; round--) {
		uint32_t delay = test_between(&rng, 0, (uint32_t)_i - 1);
		struct giver giver = { .tokens = test_between(&rng, 0, 2000), .seed = test_random(&rng) };
		struct taker taker = { .wanted = SIMPLE_ALL, .delay = delay, .seed = test_random(&rng) };

		if (test_chance(&rng, 30)) /* a ring has windows of one token */
			giver.rate = taker.rate = 1;
		give_and_take(
			&giver, &taker, PSTK_FIFO(.capacity = (uint32_t)_i, .delay = delay, .token_size = 8));
		ck_assert_uint_eq(giver.given, giver.tokens);
		ck_assert_uint_eq(taker.taken, giver.tokens + delay);
		ck_assert_uint_eq(taker.ends, 1);
	}
}
END_TEST

START_TEST(test_windows)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	for (uint64_t round = test_rounds(200) + 1; round > 0; round--) {
		uint32_t rate = test_between(&rng, 1, 9), delay = test_between(&rng, 0, 3 * rate + 2);
		struct giver giver = {
			.tokens = test_between(&rng, 0, 1000), .rate = rate, .seed = test_random(&rng)
		};
		struct taker taker = {
			.wanted = SIMPLE_ALL, .rate = rate, .delay = delay, .seed = test_random(&rng)
		};

		if (test_chance(&rng, 20))
			giver.rate = 0;
		if (test_chance(&rng, 20))
			taker.rate = 0;
		give_and_take(&giver, &taker,
			PSTK_FIFO(.rate = rate, .delay = delay, .depth = test_between(&rng, 1, 4),
				.token_size = 8));
		ck_assert_uint_eq(giver.given, giver.tokens);
		ck_assert_uint_eq(taker.taken, giver.tokens + delay);
		ck_assert_uint_eq(taker.ends, 1);
	}
}
END_TEST

/* The taker has enough: the giver is told by a short write or a NULL window. */
START_TEST(test_reader_ends)
{
	for (uint64_t round = test_rounds(50) + 1; round > 0; round--) {
		bool ring = round % 2;
		uint32_t rate = ring ? 1 : (uint32_t)(round % 7) + 1;
		struct giver giver = { .tokens = SIMPLE_ALL, .rate = ring ? 0 : rate, .seed = round };
		struct taker taker = { .wanted = 10 * rate, .rate = ring ? 0 : rate, .seed = round };

		give_and_take(&giver, &taker,
			ring ? PSTK_FIFO(.capacity = 17, .token_size = 8)
			     : PSTK_FIFO(.rate = rate, .token_size = 8));
		ck_assert_uint_eq(taker.taken, 10 * rate);
		ck_assert_uint_ge(giver.given, 10 * rate);
		ck_assert_uint_eq(giver.calls, 1);
	}
}
END_TEST

/* Kahn actors between actors of windows: the last window is partly filled either way. */
START_TEST(test_mixed)
{
	for (uint64_t tokens = 0; tokens < 20; tokens++) {
		for (uint32_t rate = 1; rate < 6; rate++) {
			struct pstk_network *net = pstk_network_create("mixed");
			struct giver giver = { .tokens = tokens, .rate = rate, .seed = tokens };
			struct taker taker = {
				.wanted = SIMPLE_ALL, .rate = rate, .delay = 3, .seed = tokens + 1
			};
			struct simple_relay relay = { 0 };
			struct pstk_actor *a = pstk_network_add(net, "giver", &giver_type, &giver);
			struct pstk_actor *b = pstk_network_add(net, "relay", simple_relay_type(), &relay);
			struct pstk_actor *c = pstk_network_add(net, "taker", &taker_type, &taker);

			pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = rate, .delay = 1, .token_size = 8));
			pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = rate, .delay = 2, .token_size = 8));
			ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
			ck_assert_uint_eq(taker.taken, tokens + 3);
			ck_assert_uint_eq(taker.wrong, 0);
			ck_assert_uint_eq(relay.firings, (tokens + 1 + rate - 1) / rate);
			pstk_network_destroy(net);
		}
	}
}
END_TEST

/* Each reader of a kahn actor's output gets all, by copies and by windows. */
START_TEST(test_broadcast)
{
	for (uint32_t rate = 1; rate <= 5; rate += 2) {
		struct pstk_network *net = pstk_network_create("broadcast");
		struct giver giver = { .tokens = 1003, .rate = rate, .seed = rate };
		struct taker taker = { .wanted = SIMPLE_ALL, .rate = rate, .seed = 1 };
		struct taker early = { .wanted = 12 * rate, .rate = rate, .delay = 2, .seed = 2 };
		struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL, .delay = 1 };
		struct pstk_actor *a = pstk_network_add(net, "giver", &giver_type, &giver);

		pstk_connect(a, "out", pstk_network_add(net, "early", &taker_type, &early), "in",
			PSTK_FIFO(.rate = rate, .delay = 2, .token_size = 8));
		pstk_connect(a, "out", pstk_network_add(net, "taker", &taker_type, &taker), "in",
			PSTK_FIFO(.rate = rate, .depth = 1, .token_size = 8));
		pstk_connect(a, "out", pstk_network_add(net, "collect", simple_collect_type(), &collect),
			"in", PSTK_FIFO(.rate = rate, .delay = 1, .depth = 3, .token_size = 8));
		ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
		ck_assert_uint_eq(early.taken, 12 * rate);
		ck_assert_uint_eq(taker.taken, 1003);
		ck_assert_uint_eq(collect.tokens, 1004);
		ck_assert_uint_eq(early.wrong + taker.wrong + collect.wrong, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* -- stop, abort
 * --------------------------------------------------------------------------------------------------------------
 */

/* A source that is blocked at a full FIFO: a stop ends it, what it gave arrives. */
START_TEST(test_stop_blocked)
{
	for (uint64_t round = test_rounds(50) + 1; round > 0; round--) {
		struct pstk_network *net = pstk_network_create("stop");
		bool by_windows = round % 2;
		struct giver giver = { .tokens = SIMPLE_ALL, .rate = by_windows ? 4 : 0, .seed = round };
		struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = 3 };
		struct pstk_actor *a = pstk_network_add(net, "giver", &giver_type, &giver);
		struct pstk_actor *b = pstk_network_add(net, "collect", simple_held_type(), &collect);
		struct pstk_fifo *fifo =
			pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
		struct pstk_fifo_info info;

		ck_assert_int_eq(pstk_network_start(net), 0);
		test_await(&collect.firings, 3);
		do {
			sched_yield();
			ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
		} while (info.fill < 8); /* full, one of them in the reader's hand */
		pstk_network_stop(net);
		atomic_store(&collect.allowed, SIMPLE_ALL);
		ck_assert_int_eq(pstk_network_wait(net), 0);
		ck_assert_uint_eq(collect.tokens, giver.given);
		ck_assert_uint_eq(collect.wrong, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(test_abort_blocked)
{
	for (unsigned side = 0; side < 2; side++) {
		struct pstk_network *net = pstk_network_create("abort");
		struct giver giver = { .tokens = SIMPLE_ALL, .seed = 1 };
		struct taker taker = { .wanted = SIMPLE_ALL, .seed = 1 };
		struct simple_collect collect = { .wanted = SIMPLE_ALL };
		struct simple_count count = { .tokens = SIMPLE_ALL };
		struct pstk_actor *a = pstk_network_add(net, "source",
			side ? simple_count_type() : &giver_type, side ? (void *)&count : &giver);
		struct pstk_actor *b = pstk_network_add(net, "sink", side ? &taker_type : simple_held_type(),
			side ? (void *)&taker : &collect);

		ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 4, .token_size = 8)));
		ck_assert_int_eq(pstk_network_start(net), 0);
		if (side)
			test_await(&taker.taken, 100);
		pstk_network_abort(net);
		ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
		ck_assert_uint_eq(taker.wrong, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* -- a cycle
 * -------------------------------------------------------------------------------------------------------------------
 */

struct player {
	uint64_t rounds; /* SIMPLE_ALL: until the other one stops */
	uint64_t last, played;
	_Atomic uint64_t hits;
};

/* Reads a number, answers it plus one: two of them in a cycle count up. */
static int player_fire(struct pstk_firing *f)
{
	struct player *player = pstk_actor_arg(pstk_firing_actor(f));

	while (player->played < player->rounds) {
		uint64_t ball;

		if (pstk_fifo_read(f, 0, &ball, 1) != 1)
			break;
		player->last = ++ball;
		player->played++;
		atomic_fetch_add(&player->hits, 1);
		if (pstk_fifo_write(f, 1, &ball, 1) != 1)
			break;
	}
	return PSTK_DONE;
}

static const struct pstk_port player_ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
static const struct pstk_actor_type player_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "player",
	.ports = player_ports,
	.port_count = 2,
	.kahn = true,
	.fire = player_fire };

static struct pstk_network *make_match(
	struct player *players, const struct pstk_fifo_spec *there, const struct pstk_fifo_spec *back)
{
	struct pstk_network *net = pstk_network_create("match");
	struct pstk_actor *a = pstk_network_add(net, "ann", &player_type, &players[0]);
	struct pstk_actor *b = pstk_network_add(net, "ben", &player_type, &players[1]);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", there));
	ck_assert_ptr_nonnull(pstk_connect(b, "out", a, "in", back));
	return net;
}

START_TEST(test_cycle)
{
	static const uint64_t serve = 1000;

	for (unsigned ring = 0; ring < 2; ring++) {
		struct player players[2] = { { .rounds = 500 }, { .rounds = SIMPLE_ALL } };
		struct pstk_fifo_spec there = *PSTK_FIFO(.rate = 1, .token_size = 8);
		struct pstk_fifo_spec back =
			*PSTK_FIFO(.rate = 1, .delay = 1, .initial = &serve, .token_size = 8);
		struct pstk_network *net;

		if (ring) {
			there.capacity = 3;
			back.capacity = 2;
		}
		net = make_match(players, &there, &back);
		ck_assert_int_eq(pstk_network_run(net), 0);
		ck_assert_uint_eq(players[0].played, 500);
		ck_assert_uint_eq(players[0].last, 1000 + 2 * 499 + 1);
		ck_assert_uint_ge(players[1].played, 499);
		ck_assert_uint_le(players[1].played, 500);
		pstk_network_destroy(net);
	}
}
END_TEST

/* No source: both count as one, a stop ends them. */
START_TEST(test_cycle_stop)
{
	struct player players[2] = { { .rounds = SIMPLE_ALL }, { .rounds = SIMPLE_ALL } };
	struct pstk_network *net = make_match(players, PSTK_FIFO(.rate = 1, .token_size = 8),
		PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 8));

	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&players[1].hits, 200);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

/* Without a ball both wait at their inputs. */
START_TEST(test_cycle_dead)
{
	struct player players[2] = { { .rounds = SIMPLE_ALL }, { .rounds = SIMPLE_ALL } };
	struct pstk_network *net = make_match(
		players, PSTK_FIFO(.rate = 1, .token_size = 8), PSTK_FIFO(.rate = 1, .token_size = 8));

	if (_i)
		pstk_network_stop(net);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), _i ? 0 : -EDEADLK);
	test_log_stop();
	ck_assert_uint_eq(players[0].played + players[1].played, 0);
	pstk_network_destroy(net);
}
END_TEST

/* -- the calls themselves
 * --------------------------------------------------------------------------------------------------- */

static int errno_fire(struct pstk_firing *f)
{
	uint64_t token = 0;

	ck_assert_int_eq(pstk_fifo_read(f, 1, &token, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_write(f, 0, &token, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_read(f, 7, &token, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_write(f, UINT_MAX, &token, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_read(f, 0, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_write(f, 1, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_read(f, 0, &token, (size_t)INT_MAX + 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_write(f, 1, &token, SIZE_MAX), -EINVAL);
	ck_assert_int_eq(pstk_fifo_read(f, 0, NULL, 0), 0);
	ck_assert_int_eq(pstk_fifo_write(f, 1, NULL, 0), 0);
	ck_assert_ptr_nonnull(pstk_fifo_read_start(f, 0));
	ck_assert_ptr_nonnull(pstk_fifo_write_start(f, 1));
	ck_assert_int_eq(pstk_fifo_read(f, 0, &token, 1), -EINVAL); /* the window is held */
	ck_assert_int_eq(pstk_fifo_write(f, 1, &token, 1), -EINVAL);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	ck_assert_int_eq(pstk_fifo_read(f, 0, &token, 1), 1);
	return PSTK_DONE;
}

START_TEST(test_errnos)
{
	struct pstk_network *net = pstk_network_create("errnos");
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *b = pstk_network_add(net, "tests",
		PSTK_ACTOR_TYPE(.name = "tests", .ports = player_ports, .port_count = 2, .kahn = true,
			.fire = errno_fire),
		NULL);
	struct pstk_actor *c = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert_uint_eq(collect.tokens, 2);
	pstk_network_destroy(net);
	ck_assert_int_eq(pstk_fifo_read(NULL, 0, &net, 1), -EINVAL);
	ck_assert_int_eq(pstk_fifo_write(NULL, 0, &net, 1), -EINVAL);
}
END_TEST

/* A partly filled window is the last one of its port. */
static int partial_fire(struct pstk_firing *f)
{
	struct simple_collect *collect = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t token = 0, *out = pstk_fifo_write_start(f, 0);

	*out = 0;
	pstk_fifo_write_end_partial(f, 0, 1);
	ck_assert_ptr_null(pstk_fifo_write_start(f, 0));
	ck_assert_int_eq(pstk_fifo_write(f, 0, &token, 1), 0);
	atomic_store(&collect->allowed, SIMPLE_ALL); /* until here there was a reader */
	return PSTK_DONE;
}

START_TEST(test_partial_is_last)
{
	struct pstk_network *net = pstk_network_create("partial");
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = 0 };
	struct pstk_actor *a = pstk_network_add(net, "partial",
		PSTK_ACTOR_TYPE(.name = "t", .ports = out_port, .port_count = 1, .kahn = true,
			.fire = partial_fire),
		&collect);
	struct pstk_actor *b = pstk_network_add(net, "collect", simple_held_type(), &collect);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 3, .token_size = 8));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert_uint_eq(collect.tokens, 1);
	pstk_network_destroy(net);
}
END_TEST

/* fire() of a kahn actor is called again until it is done; a copied window goes on over the border of two
 * calls. */
static int again_fire(struct pstk_firing *f)
{
	struct taker *taker = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t token;
	int got = pstk_fifo_read(f, 0, &token, 1);

	if (got == 1) {
		take(taker, &token, 1);
		ck_assert_uint_eq(pstk_firing_index(f) + 1, taker->taken);
		return taker->taken == taker->wanted ? PSTK_DONE : PSTK_AGAIN;
	}
	taker->ends++;
	return PSTK_AGAIN; /* it was told the end: not called again */
}

START_TEST(test_again)
{
	for (uint64_t wanted = 5; wanted <= 11; wanted++) {
		struct pstk_network *net = pstk_network_create("again");
		struct simple_count count = { .tokens = 10 };
		struct taker taker = { .wanted = wanted };
		struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);
		struct pstk_actor *b = pstk_network_add(net, "again",
			PSTK_ACTOR_TYPE(.name = "again", .ports = in_port, .port_count = 1, .kahn = true,
				.fire = again_fire),
			&taker);
		struct pstk_actor_stats stats;

		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
		ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
		ck_assert_uint_eq(taker.taken, wanted < 10 ? wanted : 10);
		ck_assert_uint_eq(taker.wrong, 0);
		ck_assert_uint_eq(taker.ends, wanted > 10);
		ck_assert_int_eq(pstk_actor_get_stats(b, &stats), 0);
		ck_assert_uint_eq(stats.firings, taker.taken + taker.ends);
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kahn");
	TCase *data = test_case(suite, "data"), *ends = test_case(suite, "ends"),
	      *calls = test_case(suite, "calls");

	tcase_add_loop_test(data, test_ring, 1, 12);
	tcase_add_loop_test(data, test_windows, 0, 4);
	tcase_add_test(data, test_mixed);
	tcase_add_test(data, test_broadcast);
	tcase_add_test(ends, test_reader_ends);
	tcase_add_test(ends, test_stop_blocked);
	tcase_add_test(ends, test_abort_blocked);
	tcase_add_test(ends, test_cycle);
	tcase_add_test(ends, test_cycle_stop);
	tcase_add_loop_test(ends, test_cycle_dead, 0, 2);
	tcase_add_test(calls, test_errnos);
	tcase_add_test(calls, test_partial_is_last);
	tcase_add_test(calls, test_again);
	return test_main(suite);
}
