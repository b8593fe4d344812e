/* SPDX-License-Identifier: MIT */
/* What a network was given, as programs ask for it: a FIFO's spec, settings of actors and of the network. */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u8" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8" },
	{ .name = "step", .kind = PSTK_OUTPUT, .rate = 3 } };

static struct pstk_actor *add(struct pstk_network *net, const char *name, bool kahn)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = 3, .fire = fire, .kahn = kahn,
			.stateless = !kahn),
		NULL);
}

static const char text[] = "abcdefghijklmnopqrst";

/* Behind the names in the message: what was given. */
static const struct spec {
	struct pstk_fifo_spec given, told;
	const char *out;
	bool kahn;
} specs[] = {
	{ .given = { .rate = 4 }, .told = { .rate = 4, .token_size = 1 } },
	{ .given = { .write_rate = 4, .read_rate = 4, .depth = 7, .token_size = 2 },
		.told = { .rate = 4, .depth = 7, .token_size = 2 } },
	{ .given = { .write_rate = 4, .read_rate = 6, .delay = 3, .initial = text, .token_size = 2 },
		.told = { .write_rate = 4, .read_rate = 6, .delay = 3, .initial = text, .token_size = 2 } },
	{ .given = { .read_rate = 6, .tail = 9 },
		.told = { .read_rate = 6, .tail = 9, .token_size = 1 },
		.out = "step" },
	{ .given = { .capacity = 9, .delay = 2 },
		.told = { .capacity = 9, .delay = 2, .token_size = 1 },
		.kahn = true },
};

START_TEST(spec)
{
	const struct spec *s = &specs[_i];
	struct pstk_network *net = pstk_network_create("given");
	struct pstk_fifo_spec given = s->given, told;
	struct pstk_fifo *fifo;

	given.struct_size = sizeof given;
	fifo = pstk_connect(
		add(net, "a", s->kahn), s->out ? s->out : "out", add(net, "b", s->kahn), "in", &given);
	ck_assert_msg(fifo != NULL, "%s", pstk_network_error(net));
	pstk_network_set_threads(net, 3); /* changes a depth that was not given */
	ck_assert_int_eq(pstk_fifo_get_spec(fifo, &told), 0);
	ck_assert_uint_eq(told.struct_size, sizeof told);
	ck_assert_uint_eq(told.rate, s->told.rate);
	ck_assert_uint_eq(told.write_rate, s->told.write_rate);
	ck_assert_uint_eq(told.read_rate, s->told.read_rate);
	ck_assert_uint_eq(told.depth, s->told.depth);
	ck_assert_uint_eq(told.delay, s->told.delay);
	ck_assert_uint_eq(told.tail, s->told.tail);
	ck_assert_uint_eq(told.capacity, s->told.capacity);
	ck_assert_uint_eq(told.token_size, s->told.token_size);
	ck_assert_int_eq(told.initial != NULL, s->told.initial != NULL);
	if (told.initial)
		ck_assert_mem_eq(told.initial, text, told.delay * told.token_size);
	pstk_network_destroy(net);
}
END_TEST

static int wait_for_end(struct pstk_firing *f)
{
	(void)f;
	return PSTK_AGAIN;
}

START_TEST(started)
{
	struct pstk_network *net = pstk_network_create("started");
	struct pstk_fifo_spec told;
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &ports[1], .port_count = 1, .fire = wait_for_end),
		NULL);
	struct pstk_actor *b = pstk_network_add(
		net, "b", PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = 1, .fire = fire), NULL);
	struct pstk_fifo *fifo = pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1));

	ck_assert_int_eq(pstk_fifo_get_spec(NULL, &told), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_spec(fifo, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pstk_fifo_get_spec(fifo, &told), -EBUSY);
	pstk_network_abort(net);
	pstk_network_wait(net);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(settings)
{
	struct pstk_network *net;
	struct pstk_actor *a;

	setenv("PENSTOCK_WATCHDOG", "7", 1);
	net = pstk_network_create("settings");
	a = add(net, "a", false);
	ck_assert_uint_eq(pstk_actor_given_steps(a), 0);
	ck_assert_uint_eq(pstk_actor_given_concurrency(a), 0);
	ck_assert_uint_eq(pstk_network_flags(net), 0);
	ck_assert_uint_eq(pstk_network_depth_budget(net), 0);
	ck_assert_uint_eq(pstk_network_watchdog(net), UINT64_C(7000000000));
	pstk_actor_set_steps(a, 12);
	pstk_actor_set_concurrency(a, 3);
	pstk_network_set_flags(net, PSTK_UNCHECKED | PSTK_STEPS_AUTO);
	pstk_network_set_depth_budget(net, 12345);
	pstk_network_set_watchdog(net, 0, false);
	ck_assert_uint_eq(pstk_actor_given_steps(a), 12);
	ck_assert_uint_eq(pstk_actor_given_concurrency(a), 3);
	ck_assert_uint_eq(pstk_network_flags(net), PSTK_UNCHECKED | PSTK_STEPS_AUTO);
	ck_assert_uint_eq(pstk_network_depth_budget(net), 12345);
	ck_assert_uint_eq(pstk_network_watchdog(net), 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(nothing)
{
	ck_assert_uint_eq(pstk_actor_given_steps(NULL), 0);
	ck_assert_uint_eq(pstk_actor_given_concurrency(NULL), 0);
	ck_assert_uint_eq(pstk_network_flags(NULL), 0);
	ck_assert_uint_eq(pstk_network_depth_budget(NULL), 0);
	ck_assert_uint_eq(pstk_network_watchdog(NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("given");
	TCase *c = test_case(suite, "given");

	tcase_add_loop_test(c, spec, 0, (int)TEST_COUNT(specs));
	tcase_add_test(c, started);
	tcase_add_test(c, settings);
	tcase_add_test(c, nothing);
	return test_main(suite);
}
