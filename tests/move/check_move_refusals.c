/* SPDX-License-Identifier: MIT */
/* What is refused of moves, and with which words: before the start as a problem of the network, later as an answer. */
#include "tests/common/common.h"
#include "tests/move/move_net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- before the start -- */

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int open_place(struct pstk_actor *a, unsigned place)
{
	(void)a;
	(void)place;
	return 0;
}

static const struct pstk_kernel kernel = { .name = "k", .source = "__kernel void k(ulong firing) {}" };

struct refused {
	const char *label;
	struct pstk_actor_type type;
	unsigned devices; /* the first one it is mapped to, the others it may move to */
	bool cores;       /* it may move there */
	int err;          /* of may_move(); 0: of the check */
	const char *says[3];
};

#define TYPE(...)                                                                       \
	{                                                                               \
		.struct_size = sizeof(struct pstk_actor_type), .name = "t", __VA_ARGS__ \
	}

static const struct refused refusals[] = {
	{ "kahn", TYPE(.fire = idle, .kahn = true), 0, true, -EINVAL,
		{ "'a' (t)", "no boundary between firings", "leave out" } },
	{ "no device form", TYPE(.fire = idle), 1, false, -EINVAL,
		{ "'a' (t)", "no kernel and no fire_cl()", "/1of2" } },
	{ "no host form", TYPE(.kernel = &kernel), 1, true, -EINVAL, { "'a' (t)", "no fire()", "cores" } },
	{ "a state", TYPE(.fire = idle, .kernel = &kernel, .state_size = 4), 1, true, 0,
		{ "'a' (t)", "keeps a state that fire() and its kernel may not read alike",
			"set portable_state" } },
	{ "neither stateless nor a state", TYPE(.fire = idle, .kernel = &kernel), 1, true, 0,
		{ "'a' (t)", "may not read alike", "set portable_state" } },
	{ "fire_cl() at two devices", TYPE(.fire_cl = idle, .stateless = true), 2, false, 0,
		{ "'a' (t)", "fire_cl()'s objects belong to one", "open_place()" } },
	{ "fire_cl() with a state at two devices", TYPE(.fire_cl = idle, .open_place = open_place), 2, false,
		0, { "'a' (t)", "what does not travel", "portable_state" } },
};

START_TEST(before_the_start)
{
	const struct refused *r = &refusals[_i];
	struct pstk_network *net;
	struct pstk_actor *a;
	int err = 0;

	if (!move_open("pthread", ""))
		return;
	net = pstk_network_create("refused");
	a = pstk_network_add(net, "a", &r->type, NULL);
	ck_assert_ptr_nonnull(a);
	if (r->devices && !r->err)
		ck_assert_int_eq(pstk_actor_map(a, move_places[0]), 0);
	for (unsigned i = !r->err; i < r->devices && !err; i++)
		err = pstk_actor_may_move(a, move_places[i]);
	if (r->cores)
		err = pstk_actor_may_move(a, NULL);
	ck_assert_int_eq(err, r->err);
	if (!err)
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	test_says(pstk_network_error(net), r->says, 3);
	pstk_network_destroy(net);
}
END_TEST

/* It names the actor, the place and what would do. */
static void problem(struct pstk_network *net, const char *a, const char *b)
{
	const char *words[] = { a, b };

	test_says(pstk_network_error(net), words, 2);
}

START_TEST(places)
{
	static struct move_net m;
	static const char *const words[] = { "cpu/1of2", "cpu/2of2", "pocl:cpu/1of2", "pocl:cpu/2of2" };

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 4 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_may_move(NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, "no such"), -ENODEV);
	problem(m.chain.net, "'tested' (mover)", "no such");
	pstk_network_destroy(m.chain.net);

	move_build(&m, NULL); /* with four: the cores twice. In the same words it is no further one */
	for (unsigned i = 0; i < 12; i++)
		ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, words[i % TEST_COUNT(words)]), 0);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, move_places[0]), 0);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, NULL), 0);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, "pocl/1of2"), -ENOSPC);
	problem(m.chain.net, "'tested' (mover)", "8 places already");
	pstk_network_destroy(m.chain.net);

	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 0), -EINVAL);
	problem(m.chain.net, "'tested' (mover)", "for firing 0");
	pstk_network_destroy(m.chain.net);

	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, "pocl:cpu:7", 3), -ENOENT);
	problem(m.chain.net, "'pocl:cpu:7', which is none of its places", "pstk_actor_may_move()");
	pstk_network_destroy(m.chain.net);

	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.source, NULL, 3), -ENOENT);
	problem(m.chain.net, "'source' (source)", "pstk_actor_may_move()");
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* Where it is mapped to comes first, whenever that is said. */
START_TEST(each_place)
{
	static struct move_net m;
	struct pstk_device_info info;

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 4 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_get_place(NULL, 0, &info), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 0, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.source, 0, &info), -ENODEV);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.source, 1, &info), -ENOENT);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 0, &info), -ENODEV);
	for (unsigned i = 0; i < 2; i++) { /* behind the cores, which were given, too */
		ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 2 + i, &info), 0);
		ck_assert_str_eq(info.selector, move_places[i]);
	}
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 4, &info), -ENOENT);
	ck_assert_int_eq(pstk_actor_map(m.chain.tested, move_places[1]), 0);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 0, &info), 0);
	ck_assert_str_eq(info.selector, move_places[1]);
	pstk_network_destroy(m.chain.net);

	move_make(&m, move_places[0]); /* it stays */
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 0, &info), 0);
	ck_assert_str_eq(info.selector, move_places[0]);
	ck_assert_int_eq(pstk_actor_get_place(m.chain.tested, 1, &info), -ENOENT);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* A place that was there when the move was asked for, and is not at the start. */
START_TEST(mapped_elsewhere_since)
{
	static struct move_net m;

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 4 } };
	move_make(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, move_places[1]), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 3), 0);
	ck_assert_int_eq(pstk_actor_map(m.chain.tested, NULL), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), -ENOENT);
	problem(m.chain.net, "at firing 3, which is none of its places", move_places[0]);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_int_eq(move_of(&m, 0).state, PSTK_MOVE_CANCELLED);
	ck_assert_str_eq(move_of(&m, 0).text, "the network did not start");
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* Of an actor with an unconnected port. */
static const struct pstk_port loose_ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };
static const struct pstk_actor_type loose = TYPE(.fire = idle, .ports = loose_ports, .port_count = 1);

/* An unconnected port: the network never had what its moves need. */
START_TEST(not_started)
{
	static struct move_net m;
	char text[200];

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 4 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 3), 0);
	ck_assert_ptr_nonnull(pstk_network_add(m.chain.net, "loose", &loose, NULL));
	ck_assert_int_eq(pstk_network_start(m.chain.net), -EINVAL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 0), -ECANCELED);
	pstk_network_move_refusal(m.chain.net, text, sizeof text);
	TEST_SAYS(text, "'tested' (mover)", "the network did not start");
	ck_assert_str_eq(move_of(&m, 0).text, "the network did not start");
	pstk_network_destroy(m.chain.net);
}
END_TEST

static void note(struct pstk_network *net, unsigned number, const struct pstk_move *move, void *data)
{
	unsigned *told = data;

	ck_assert_int_eq(move->state, PSTK_MOVE_CANCELLED);
	ck_assert_str_eq(move->text, "the network did not start");
	ck_assert_int_eq(pstk_network_wait_move(net, number, 0), 0);
	ck_assert_int_eq(pstk_actor_migrate(move->actor, NULL, 5), -ECANCELED);
	told[number]++;
}

/* Scripts of a network that never starts are answered, too. */
START_TEST(destroyed_before_the_start)
{
	static struct move_net m;
	unsigned told[3] = { 0 };

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 4 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_on_move(m.chain.net, note, told), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 3), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 4), 1);
	pstk_network_destroy(m.chain.net);
	ck_assert_uint_eq(told[0], 1);
	ck_assert_uint_eq(told[1], 1);
	ck_assert_uint_eq(told[2], 0);
}
END_TEST

/* A place in other words is one more until the start, which keeps the first. */
START_TEST(other_words)
{
	static const char *const words[] = { "cpu/1of2", "pocl:cpu/1of2" };
	static struct move_net m;

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 30, .hold_at = 5 } };
	move_make(&m, NULL);
	for (unsigned i = 0; i < TEST_COUNT(words); i++) {
		ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, words[i]), 0);
		ck_assert_str_eq(pstk_actor_place_name(m.chain.tested, 1 + i), move_places[0]);
	}
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_ptr_null(pstk_actor_place_name(m.chain.tested, 2));
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, words[0], 0), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 0), 1);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, words[1], 0), -ENOENT);
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* The next network may lie where that of the refusal lay. */
START_TEST(of_another_network)
{
	char text[200];

	for (unsigned i = 0; i < 20; i++) {
		struct pstk_network *net = pstk_network_create("next");
		struct pstk_actor *a = pstk_network_add(net, "loose", &loose, NULL);

		ck_assert_int_eq(pstk_network_move_refusal(net, text, sizeof text), 0);
		ck_assert_str_eq(text, "");
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);
		ck_assert_int_lt(pstk_actor_migrate(a, NULL, 0), 0);
		ck_assert_int_gt(pstk_network_move_refusal(net, text, sizeof text), 0);
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(null_and_numbers)
{
	struct pstk_network *net = pstk_network_create("null");
	struct pstk_move move = PSTK_MOVE();
	char text[8] = "x";

	ck_assert_int_eq(pstk_actor_migrate(NULL, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_wait_move(NULL, 0, 0), -EINVAL);
	ck_assert_int_eq(pstk_network_wait_move(net, 0, 0), -ENOENT);
	ck_assert_uint_eq(pstk_network_move_count(NULL), 0);
	ck_assert_uint_eq(pstk_network_move_count(net), 0);
	ck_assert_int_eq(pstk_network_move(NULL, 0, &move), -EINVAL);
	ck_assert_int_eq(pstk_network_move(net, 0, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_move(net, 0, &move), -ENOENT);
	for (uint32_t size = 0; size < sizeof move.struct_size; size++) {
		move.struct_size = size;
		ck_assert_int_eq(pstk_network_move(net, 0, &move), -EINVAL);
	}
	ck_assert_int_eq(pstk_network_set_moves(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_on_move(NULL, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_on_move(net, NULL, NULL), 0);
	ck_assert_int_eq(pstk_network_move_refusal(NULL, text, sizeof text), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(pstk_network_move_refusal(net, NULL, 0), 0);
	ck_assert_uint_eq(pstk_network_move_bytes(NULL), 0);
	ck_assert_int_eq(pstk_network_kept_move(NULL, 0), -ENOENT);
	ck_assert_int_eq(pstk_network_kept_move(net, 0), -ENOENT);
	ck_assert_int_eq(pstk_network_print_moves(NULL, stdout), -EINVAL);
	ck_assert_int_eq(pstk_network_print_moves(net, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_print_moves(net, stdout), 0);
	ck_assert_ptr_null(pstk_actor_place_name(NULL, 0));
	ck_assert_ptr_null(pstk_actor_at(NULL));
	ck_assert_int_eq(pstk_actor_say_move(NULL, text, sizeof text), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(pstk_actor_say_move(NULL, NULL, 0), 0);
	ck_assert_uint_eq(pstk_network_move_bytes(net), 0);
	ck_assert_int_eq(pstk_network_set_moves(net, 3), 0);
	ck_assert_int_eq(pstk_network_set_moves(net, 0), -EINVAL);
	problem(net, "pstk_network_set_moves(0)", "1 to 65536");
	pstk_network_destroy(net);
}
END_TEST

/* -- while it runs: nothing of the network changes -- */

START_TEST(while_it_runs)
{
	static struct move_net m;
	struct pstk_move move = PSTK_MOVE();
	char text[200];

	if (!move_open("pthread", ""))
		return;
	test_log_start();
	m = (struct move_net){ .chain = { .tokens = 30, .hold_at = 5 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 2), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, NULL), -EBUSY);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 9), -EBUSY);
	ck_assert_int_eq(pstk_network_on_move(m.chain.net, NULL, NULL), -EBUSY);
	ck_assert_int_eq(pstk_network_move_refusal(m.chain.net, text, sizeof text), 0);

	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, "gpu", 0), -ENOENT);
	ck_assert_int_gt(pstk_network_move_refusal(m.chain.net, text, sizeof text), 0);
	TEST_SAYS(text, "'tested' (mover)", "'gpu', which is none of its places", "pstk_actor_may_move()");
	ck_assert_int_eq(pstk_actor_migrate(m.chain.sink, NULL, 0), -ENOENT);
	pstk_network_move_refusal(m.chain.net, text, sizeof text);
	TEST_SAYS(text, "'sink' (sink)", "'cores'");

	/* two are open */
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 1000), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[1], 1000), 1);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[1], 0), -EBUSY);
	pstk_network_move_refusal(m.chain.net, text, sizeof text);
	TEST_SAYS(text, "2 moves of this network are open", "pstk_network_set_moves()");
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 1, 1000), -ETIMEDOUT);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 2, 0), -ENOENT);
	ck_assert_int_eq(pstk_network_move(m.chain.net, 2, &move), -ENOENT);
	ck_assert_int_eq(move_of(&m, 0).state, PSTK_MOVE_ASKED);
	ck_assert_str_eq(move_of(&m, 0).to, move_places[0]);

	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 0), -ECANCELED);
	pstk_network_move_refusal(m.chain.net, text, sizeof text);
	TEST_SAYS(text, "'tested' (mover)", "has ended");
	pstk_network_destroy(m.chain.net);
	test_log_stop();
}
END_TEST

/* The latest ones are kept. */
START_TEST(kept)
{
	static struct move_net m;
	struct pstk_move move = PSTK_MOVE();

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 100 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 5), 0);
	for (unsigned i = 1; i <= 5; i++)
		ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[i % 2], i), (int)i - 1);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 9), -EINVAL);
	problem(m.chain.net, "pstk_network_set_moves(9)", "before any move is asked for");
	pstk_network_destroy(m.chain.net);

	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 5), 0);
	for (unsigned i = 1; i <= 5; i++)
		ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[i % 2], i), (int)i - 1);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 6), -EBUSY);
	problem(m.chain.net, "'tested' (mover)", "5 moves of this network are open");
	pstk_network_destroy(m.chain.net);

	m = (struct move_net){ .chain = { .tokens = 100, .hold_at = 50 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_set_moves(m.chain.net, 5), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[i % 2], 0), (int)i);
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, i, 0), 0);
	}
	ck_assert_uint_eq(pstk_network_move_count(m.chain.net), 20);
	ck_assert_int_eq(pstk_network_move(m.chain.net, 14, &move), -ENOENT);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 14, 0), -ENOENT);
	ck_assert_int_eq(move_of(&m, 15).state, PSTK_MOVE_DONE);
	ck_assert_int_eq(pstk_network_kept_move(m.chain.net, 0), 15);
	ck_assert_int_eq(pstk_network_kept_move(m.chain.net, 18), 18);
	ck_assert_int_eq(pstk_network_kept_move(m.chain.net, 20), -ENOENT);
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* Its places, where it is, and what its move waits for. */
START_TEST(where)
{
	static struct move_net m;
	char text[200], wanted[200];

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 100, .hold_at = 50 } };
	move_build(&m, NULL);
	ck_assert_ptr_null(pstk_actor_place_name(m.chain.source, 0));
	ck_assert_ptr_null(pstk_actor_at(m.chain.source));
	ck_assert_int_eq(pstk_actor_say_move(m.chain.tested, text, sizeof text), 0);
	ck_assert_str_eq(pstk_actor_at(m.chain.tested), "cores");
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	ck_assert_str_eq(pstk_actor_place_name(m.chain.tested, 0), "cores");
	ck_assert_str_eq(pstk_actor_place_name(m.chain.tested, 2), move_places[1]);
	ck_assert_ptr_null(pstk_actor_place_name(m.chain.tested, 3));
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[1], 0), 0);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_str_eq(pstk_actor_at(m.chain.tested), move_places[1]);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 1000), 1);
	snprintf(wanted, sizeof wanted, "at %s, move 1 to cores waits for firing 1000", move_places[1]);
	ck_assert_int_eq(pstk_actor_say_move(m.chain.tested, text, sizeof text), (int)strlen(wanted));
	ck_assert_str_eq(text, wanted);
	ck_assert_int_eq(pstk_actor_say_move(m.chain.source, text, sizeof text), 0);
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* A program of another version knows fewer members. */
START_TEST(an_older_program)
{
	static struct move_net m;
	union {
		struct pstk_move move;
		unsigned char bytes[sizeof(struct pstk_move)];
	} is;

	if (!move_open("pthread", ""))
		return;
	m = (struct move_net){ .chain = { .tokens = 40 } };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, move_places[0], 4), 0);
	move_expect(&m, true);
	memset(is.bytes, 0xee, sizeof is.bytes);
	is.move.struct_size = offsetof(struct pstk_move, asked_ns);
	ck_assert_int_eq(pstk_network_move(m.chain.net, 0, &is.move), 0);
	ck_assert_uint_eq(is.move.firing, 4);
	for (size_t i = offsetof(struct pstk_move, asked_ns); i < sizeof is.bytes; i++)
		ck_assert_uint_eq(is.bytes[i], 0xee);
	pstk_network_destroy(m.chain.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move_refusals");
	TCase *tcase = test_case(suite, "refusals");

	tcase_add_loop_test(tcase, before_the_start, 0, (int)TEST_COUNT(refusals));
	tcase_add_test(tcase, places);
	tcase_add_test(tcase, each_place);
	tcase_add_test(tcase, mapped_elsewhere_since);
	tcase_add_test(tcase, not_started);
	tcase_add_test(tcase, destroyed_before_the_start);
	tcase_add_test(tcase, other_words);
	tcase_add_test(tcase, of_another_network);
	tcase_add_test(tcase, null_and_numbers);
	tcase_add_test(tcase, while_it_runs);
	tcase_add_test(tcase, kept);
	tcase_add_test(tcase, where);
	tcase_add_test(tcase, an_older_program);
	return test_main(suite);
}
