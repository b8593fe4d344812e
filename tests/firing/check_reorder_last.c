/* SPDX-License-Identifier: MIT */
/*
 * The last firing of an actor whose firings run side by side, where it is known when it is taken: an input that is
 * partly filled is on. None is taken behind it. A dynamic actor could take one: that input may be off in it.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, DEPTH = 16, RATE = 4 };

struct last {
	uint64_t seed;
	unsigned delay; /* gives the processor away so often at most */
	uint64_t wait;  /* ticks that the last firing waits for */
	uint32_t
		whole; /* windows of x before the partly filled one; its control values are 1, then 2 for ever */
	_Atomic uint64_t calls, behind; /* of the sink's fire(); of these without x */
	_Atomic uint64_t last_begun, last_through, ticks;
};

static int choose_fire(struct pstk_firing *f)
{
	const struct last *l = pstk_actor_arg(pstk_firing_actor(f));

	*(uint32_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f) <= l->whole ? 1 : 2;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int x_fire(struct pstk_firing *f)
{
	const struct last *l = pstk_actor_arg(pstk_firing_actor(f));

	memset(pstk_fifo_write_start(f, 0), 0, RATE * sizeof(uint64_t));
	pstk_fifo_write_end_partial(f, 0, pstk_firing_index(f) < l->whole ? RATE : 1);
	return PSTK_AGAIN;
}

static int y_fire(struct pstk_firing *f)
{
	*(uint64_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int x_or_y(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, value, true);
	return 0;
}

static int sink_fire(struct pstk_firing *f)
{
	struct last *l = pstk_actor_arg(pstk_firing_actor(f));
	unsigned port = pstk_port_enabled(f, 1) ? 1 : 2;

	atomic_fetch_add(&l->calls, 1);
	for (uint64_t n = l->delay ? test_mix(l->seed ^ pstk_firing_index(f)) % l->delay : 0; n; n--)
		sched_yield();
	pstk_fifo_read_start(f, port);
	pstk_fifo_read_end(f, port);
	if (port == 2)
		atomic_fetch_add(&l->behind, 1);
	else if (pstk_port_valid(f, 1) < RATE) {
		atomic_store(&l->last_begun, 1);
		test_await(&l->ticks, l->wait);
		atomic_store(&l->last_through, 1);
	}
	return PSTK_AGAIN;
}

/* A thread of its own: meanwhile others have nothing to fire but the sink. */
static int tick_fire(struct pstk_firing *f)
{
	struct last *l = pstk_actor_arg(pstk_firing_actor(f));

	if (atomic_load(&l->last_begun))
		atomic_fetch_add(&l->ticks, 1);
	sched_yield();
	return atomic_load(&l->last_through) ? PSTK_DONE : PSTK_AGAIN;
}

static struct pstk_actor *add_giver(
	struct pstk_network *net, const char *name, int (*fire)(struct pstk_firing *), struct last *l)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };

	return pstk_network_add(
		net, name, PSTK_ACTOR_TYPE(.name = name, .ports = &out, .port_count = 1, .fire = fire), l);
}

/* n firings of the sink side by side: by a team of n, or by n threads of its own. */
static struct pstk_network *build(struct last *l, unsigned n, bool team)
{
	static const struct pstk_port ports[] = { { .name = "ctl", .kind = PSTK_CONTROL },
		{ .name = "x", .kind = PSTK_DYNAMIC_INPUT }, { .name = "y", .kind = PSTK_DYNAMIC_INPUT } };
	struct pstk_network *net = pstk_network_create("last");
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 3, .stateless = true,
			.control = x_or_y, .fire = sink_fire),
		l);

	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0); /* both givers are static */
	ck_assert_int_eq(pstk_network_set_threads(net, team ? n : 0), 0);
	pstk_connect(add_giver(net, "choose", choose_fire, l), "out", sink, "ctl",
		PSTK_FIFO(.rate = 1, .depth = DEPTH, .token_size = 4));
	pstk_connect(add_giver(net, "x", x_fire, l), "out", sink, "x",
		PSTK_FIFO(.rate = RATE, .depth = DEPTH, .token_size = 8));
	pstk_connect(add_giver(net, "y", y_fire, l), "out", sink, "y",
		PSTK_FIFO(.rate = 1, .depth = DEPTH, .token_size = 8));
	pstk_network_add(net, "tick", PSTK_ACTOR_TYPE(.name = "tick", .blocks = true, .fire = tick_fire), l);
	if (!team)
		ck_assert_int_eq(pstk_actor_set_concurrency(sink, n), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(sink, NULL, 0), n);
	return net;
}

/* Both ways, 2 to 8 side by side: _i. While the last firing runs the other threads have long looked for something to
 * fire; or they look just when it is through. One of them still ends the actor. */
START_TEST(nothing_behind_the_last)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	for (uint64_t round = 0; round < test_rounds(40) + 1; round++) {
		struct last l = { .seed = test_random(&rng),
			.delay = test_between(&rng, 0, 5),
			.whole = test_between(&rng, 0, 20),
			.wait = round % 4 ? test_between(&rng, 0, 20) : 1000 };
		struct pstk_network *net = build(&l, 2 + (unsigned)_i % (MOST - 1), (unsigned)_i < MOST - 1);
		struct pstk_actor_stats stats;
		struct pstk_fifo_info y;

		test_guard("nothing_behind_the_last", round);
		ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
		ck_assert_uint_eq(l.calls, l.whole + 1);
		ck_assert_uint_eq(l.behind, 0);
		ck_assert_int_eq(pstk_actor_get_stats(pstk_network_actor(net, 0), &stats), 0);
		ck_assert_uint_eq(stats.firings, l.whole + 1);
		ck_assert_uint_eq(stats.control_tokens, l.whole + 1);
		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 2), &y), 0);
		ck_assert_uint_eq(y.read, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

static void setup(void)
{
	unsetenv("PENSTOCK_TEAM"); /* each test sets the threads of its networks */
}

int main(void)
{
	Suite *suite = suite_create("order, last");
	TCase *c = test_case(suite, "last");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_loop_test(c, nothing_behind_the_last, 0, 2 * (MOST - 1));
	return test_main(suite);
}
