/* SPDX-License-Identifier: MIT */
/*
 * How networks end: sources that are done, readers that end early, stop, abort, destroy, time-outs,
 * unblock().
 */
#include "lib/observe/watchdog.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/random/generator.h"
#include "tests/random/run.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* -- a source is done, fewer than r tokens are left
 * ------------------------------------------------------------------- */

static void run_plan(const struct net_plan *plan, uint64_t seed)
{
	static struct net net;
	struct net_totals totals = { 0 };
	const char *what;

	test_guard(net_shape_name(plan->shape), seed);
	net_make(&net, plan, seed);
	what = net_run(&net, &totals);
	ck_assert_msg(!what,
		"%s of %u actors, rate %u, delay %u, depth %u, %" PRIu64 " tokens, seed %" PRIu64 ": %s",
		net_shape_name(plan->shape), plan->actors, plan->rate, plan->delay, plan->depth, plan->tokens,
		seed, what);
}

/* _i is the shape: each rate, each number of tokens left over, each kind of delay. */
START_TEST(test_shapes)
{
	uint32_t rates = TEST_SANITIZED ? 4 : 8;

	for (uint32_t rate = 1; rate <= rates; rate += rate < 4 ? 1 : 4) {
		for (uint32_t left = 0; left < rate; left++) {
			const uint32_t delays[] = { 0, 1, rate, rate + 1, 3 * rate + 2 };

			for (unsigned d = 0; d < TEST_COUNT(delays); d++)
				run_plan(&(struct net_plan){ .shape = (enum net_shape)_i,
						 .actors = 5,
						 .rate = rate,
						 .delay = delays[d],
						 .depth = 1 + (left + d) % 3,
						 .tokens = 3 * rate + left,
						 .broadcast = (left + d) % 2 },
					test_seed() + rate * 100 + left * 10 + d);
		}
	}
}
END_TEST

/* A source that has nothing at all, or less than one window. */
START_TEST(test_shapes_short)
{
	for (uint64_t tokens = 0; tokens < 4; tokens++)
		for (uint32_t delay = 0; delay < 4; delay++)
			run_plan(&(struct net_plan){ .shape = (enum net_shape)_i,
					 .actors = 4,
					 .rate = 4,
					 .delay = delay,
					 .depth = 2,
					 .tokens = tokens },
				test_seed() + tokens * 10 + delay);
}
END_TEST

/* -- an early exit
 * ---------------------------------------------------------------------------------------------------- */

START_TEST(test_early_sink)
{
	struct simple_chain chain;

	for (uint32_t rate = 1; rate <= 4; rate++) {
		simple_chain(&chain, 3, SIMPLE_ALL, rate, rate - 1, 2);
		chain.collect.wanted = 7;
		ck_assert_int_eq(pstk_network_run(chain.net), 0);
		ck_assert_str_eq(pstk_network_error(chain.net), "");
		ck_assert_uint_eq(chain.collect.firings, 7);
		ck_assert_uint_eq(chain.collect.tokens, 7 * rate);
		ck_assert_uint_eq(chain.collect.wrong, 0);
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* A broadcast: the writer goes on for the reader that is left, and ends when none is. */
START_TEST(test_early_reader)
{
	for (unsigned first = 0; first < 3; first++) {
		struct pstk_network *net = pstk_network_create("readers");
		struct simple_count count = { .tokens = SIMPLE_ALL };
		struct simple_collect collect[3] = { 0 };
		struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);

		for (unsigned i = 0; i < 3; i++) {
			static const char *const names[] = { "left", "middle", "right" };
			struct pstk_actor *sink =
				pstk_network_add(net, names[i], simple_collect_type(), &collect[i]);

			collect[i].wanted = 3 + 20 * ((first + i) % 3);
			collect[i].delay = i;
			atomic_store(&collect[i].allowed, SIMPLE_ALL);
			pstk_connect(source, "out", sink, "in",
				PSTK_FIFO(.rate = 3, .delay = i, .depth = i + 1, .token_size = 8));
		}
		ck_assert_int_eq(pstk_network_run(net), 0);
		for (unsigned i = 0; i < 3; i++) {
			ck_assert_uint_eq(collect[i].firings, collect[i].wanted);
			ck_assert_uint_eq(collect[i].tokens, 3 * collect[i].wanted);
			ck_assert_uint_eq(collect[i].wrong, 0);
		}
		pstk_network_destroy(net);
	}
}
END_TEST

/* Two branches, one of which ends early: the other one gets all. */
START_TEST(test_early_branch)
{
	struct pstk_network *net = pstk_network_create("branches");
	struct simple_count count = { .tokens = 1001 };
	struct simple_relay relay[2] = { 0 };
	struct simple_collect collect[2] = { { .wanted = 2, .allowed = SIMPLE_ALL },
		{ .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL } };
	struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);

	for (unsigned i = 0; i < 2; i++) {
		struct pstk_actor *middle =
			pstk_network_add(net, i ? "r1" : "r0", simple_relay_type(), &relay[i]);
		struct pstk_actor *sink =
			pstk_network_add(net, i ? "s1" : "s0", simple_collect_type(), &collect[i]);

		pstk_connect(source, "out", middle, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
		pstk_connect(middle, "out", sink, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
	}
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect[0].tokens, 8);
	ck_assert_uint_eq(collect[1].tokens, 1001);
	ck_assert_uint_eq(collect[1].wrong, 0);
	ck_assert_uint_eq(count.given, 1001);
	pstk_network_destroy(net);
}
END_TEST

/* -- a slow and a blocked sink
 * ---------------------------------------------------------------------------------------- */

static uint64_t fill_of(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	ck_assert_uint_le(info.fill, info.delay + (uint64_t)info.depth * info.rate);
	return info.fill;
}

/* The sink waits until every FIFO is full, which is d + k r tokens and never more; then it takes a window at
 * a time. */
START_TEST(test_blocked_sink)
{
	for (uint32_t depth = 1; depth <= 4; depth++) {
		const uint32_t rate = 3, delay = (uint32_t)_i;
		struct simple_chain chain;

		simple_chain_held(&chain, 2, SIMPLE_ALL, rate, delay, depth);
		atomic_store(&chain.collect.allowed, 0);
		ck_assert_int_eq(pstk_network_start(chain.net), 0);
		for (unsigned f = 0; f < 3; f++)
			while (fill_of(chain.fifos[f]) < delay + (uint64_t)depth * rate)
				sched_yield();
		for (uint64_t windows = 1; windows <= 20; windows++) {
			atomic_store(&chain.collect.allowed, windows);
			test_await(&chain.collect.firings, windows);
			for (unsigned f = 0; f < 3; f++)
				fill_of(chain.fifos[f]);
		}
		atomic_store(&chain.collect.allowed, SIMPLE_ALL);
		pstk_network_stop(chain.net);
		ck_assert_int_eq(pstk_network_wait(chain.net), 0);
		ck_assert_uint_eq(chain.collect.tokens, chain.count.given + 3 * delay);
		ck_assert_uint_eq(chain.collect.wrong, 0);
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* -- stop
 * --------------------------------------------------------------------------------------------------------------
 */

START_TEST(test_stop_drains)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	for (uint64_t round = test_rounds(20) + 1; round > 0; round--) {
		struct simple_chain chain;
		uint32_t delay = test_between(&rng, 0, 9);

		simple_chain(&chain, test_between(&rng, 0, 4), SIMPLE_ALL, test_between(&rng, 1, 5), delay,
			test_between(&rng, 1, 3));
		ck_assert_int_eq(pstk_network_start(chain.net), 0);
		test_await(&chain.collect.tokens, test_between(&rng, 0, 300));
		pstk_network_stop(chain.net);
		if (test_chance(&rng, 50))
			pstk_network_stop(chain.net);
		ck_assert_int_eq(pstk_network_wait(chain.net), 0);
		ck_assert_str_eq(pstk_network_error(chain.net), "");
		ck_assert(!pstk_network_failed(chain.net));
		ck_assert_uint_eq(chain.collect.tokens, chain.count.given + (chain.relays + 1) * delay);
		ck_assert_uint_eq(chain.collect.wrong, 0);
		pstk_network_destroy(chain.net);
	}
}
END_TEST

START_TEST(test_stop_before_start)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, SIMPLE_ALL, 4, 2, 2);
	pstk_network_stop(chain.net);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_uint_eq(chain.count.given, 0);
	ck_assert_uint_eq(chain.collect.tokens, 4); /* the delay tokens drain */
	ck_assert_uint_eq(chain.collect.wrong, 0);
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(test_stop_after_end)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, 10, 4, 0, 2);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	pstk_network_stop(chain.net);
	pstk_network_abort(chain.net);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	ck_assert_str_eq(pstk_network_error(chain.net), "");
	ck_assert_uint_eq(chain.collect.tokens, 10);
	pstk_network_destroy(chain.net);
}
END_TEST

/* A ring without a source, with a collector beside it: every actor of the ring counts as a source. */
static void make_ring(struct pstk_network *net, unsigned actors, uint32_t delay, struct simple_relay *relays,
	struct pstk_fifo **fifos)
{
	struct pstk_actor *ring[SIMPLE_RELAYS];

	for (unsigned i = 0; i < actors; i++) {
		char name[16];

		snprintf(name, sizeof(name), "ring%u", i);
		ring[i] = pstk_network_add(net, name, simple_relay_type(), &relays[i]);
	}
	for (unsigned i = 0; i < actors; i++)
		fifos[i] = pstk_connect(ring[i], "out", ring[(i + 1) % actors], "in",
			PSTK_FIFO(.rate = 4, .delay = i == 0 ? delay : 0, .token_size = 8));
}

START_TEST(test_stop_ring)
{
	for (unsigned actors = 1; actors <= SIMPLE_RELAYS; actors++) {
		struct pstk_network *net = pstk_network_create("ring");
		struct simple_relay relays[SIMPLE_RELAYS] = { 0 };
		struct pstk_fifo *fifos[SIMPLE_RELAYS];

		make_ring(net, actors, 7, relays, fifos);
		ck_assert_int_eq(pstk_network_start(net), 0);
		test_await(&relays[0].firings, 100);
		pstk_network_stop(net);
		ck_assert_int_eq(pstk_network_wait(net), 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* A ring with too little delay is found, whether or not a thread asks it to stop meanwhile. */
START_TEST(test_dead_ring)
{
	struct pstk_network *net = pstk_network_create("dead");
	struct simple_relay relays[SIMPLE_RELAYS] = { 0 };
	struct pstk_fifo *fifos[SIMPLE_RELAYS];

	make_ring(net, SIMPLE_RELAYS, 3, relays, fifos);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), -EDEADLK);
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	test_log_start();
	if (_i == 0) {
		pstk_network_stop(net); /* before the first firing: a ring's actors are all sources */
		ck_assert_int_eq(pstk_network_run(net), 0);
	} else {
		ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
		pstk_network_stop(net);
		pstk_network_abort(net);
		ck_assert_int_eq(pstk_network_wait(net), -EDEADLK);
	}
	test_log_stop();
	pstk_network_destroy(net);
	ck_assert_uint_eq(relays[0].firings, 0);
}
END_TEST

/* A ring fed from outside is no source: what the source gave goes round and out. */
START_TEST(test_stop_fed_ring)
{
	struct pstk_network *net = pstk_network_create("fed");
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *join = pstk_network_add(net, "join", simple_join_type(), NULL);
	struct simple_relay relay = { 0 }, out = { 0 };
	struct pstk_actor *back = pstk_network_add(net, "back", simple_relay_type(), &relay);
	struct pstk_actor *sink = pstk_network_add(net, "out", simple_relay_type(), &out);
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *end = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	pstk_connect(source, "out", join, "a", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(join, "out", back, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(back, "out", join, "b", PSTK_FIFO(.rate = 2, .delay = 2, .token_size = 8));
	pstk_connect(join, "out", sink, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(sink, "out", end, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&collect.tokens, 50);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, count.given);
	pstk_network_destroy(net);
}
END_TEST

/* -- stop and abort from inside
 * ---------------------------------------------------------------------------------------- */

struct hook {
	uint64_t at; /* the firing that calls */
	void (*call)(struct pstk_network *net);
	_Atomic uint64_t firings;
	int finished;
};

static int hook_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct hook *hook = pstk_actor_arg(self);
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	memcpy(out, in, pstk_port_valid(f, 0) * sizeof(*in));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	if (atomic_fetch_add(&hook->firings, 1) == hook->at)
		hook->call(pstk_actor_network(self));
	return PSTK_AGAIN;
}

static int hook_finish(struct pstk_actor *self)
{
	struct hook *hook = pstk_actor_arg(self);

	hook->finished++;
	return 0;
}

static const struct pstk_port hook_ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };
static const struct pstk_actor_type hook_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "hook",
	.ports = hook_ports,
	.port_count = 2,
	.fire = hook_fire,
	.finish = hook_finish };

/* count, hook, collect */
static struct pstk_network *make_hooked(
	struct simple_count *count, struct hook *hook, struct simple_collect *collect)
{
	struct pstk_network *net = pstk_network_create("hooked");
	struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), count);
	struct pstk_actor *middle = pstk_network_add(net, "hook", &hook_type, hook);
	struct pstk_actor *sink = pstk_network_add(net, "collect",
		collect->allowed == SIMPLE_ALL ? simple_collect_type() : simple_held_type(), collect);

	pstk_connect(source, "out", middle, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(middle, "out", sink, "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	return net;
}

START_TEST(test_stop_inside)
{
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct hook hook = { .at = 9, .call = pstk_network_stop };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = make_hooked(&count, &hook, &collect);

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect.tokens, count.given);
	ck_assert_uint_ge(collect.tokens, 20);
	ck_assert_int_eq(hook.finished, 1);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_abort_inside)
{
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct hook hook = { .at = 9, .call = pstk_network_abort };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = make_hooked(&count, &hook, &collect);
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_network_run(net), -ECANCELED);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 1), &info), 0);
	ck_assert_uint_eq(info.written, 18); /* the window in flight was dropped */
	ck_assert_str_ne(pstk_network_error(net), "");
	ck_assert_uint_eq(hook.firings, 10); /* nothing fires again */
	ck_assert_uint_le(collect.tokens, 20);
	ck_assert_int_eq(hook.finished, 1);
	pstk_network_destroy(net);
}
END_TEST

/* -- abort, destroy, time-outs
 * ------------------------------------------------------------------------------------------ */

START_TEST(test_abort_running)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(30) + 1; round > 0; round--) {
		struct simple_chain chain;
		bool held = test_chance(&rng, 30);

		(held ? simple_chain_held : simple_chain)(
			&chain, test_between(&rng, 0, 4), SIMPLE_ALL, test_between(&rng, 1, 5), 0, 2);
		if (held)
			atomic_store(&chain.collect.allowed, 5); /* all are blocked */
		ck_assert_int_eq(pstk_network_start(chain.net), 0);
		test_await(&chain.collect.firings, test_between(&rng, 0, 5));
		pstk_network_abort(chain.net);
		ck_assert(pstk_network_failed(chain.net));
		ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
		ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
		ck_assert_str_ne(pstk_network_error(chain.net), "");
		ck_assert_uint_eq(chain.collect.wrong, 0);
		ck_assert_uint_le(chain.collect.tokens, chain.count.given);
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* An abort after a stop wins: what is left is dropped. */
START_TEST(test_abort_after_stop)
{
	struct simple_chain chain;

	simple_chain_held(&chain, 2, SIMPLE_ALL, 4, 0, 2);
	atomic_store(&chain.collect.allowed, 3);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	test_await(&chain.count.given, 20); /* the fourth window is on its way, the sink keeps it */
	pstk_network_stop(chain.net);
	pstk_network_abort(chain.net);
	ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(test_abort_before_start)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, SIMPLE_ALL, 4, 0, 2);
	pstk_network_abort(chain.net);
	ck_assert_int_eq(pstk_network_run(chain.net), -ECANCELED);
	ck_assert_uint_eq(chain.count.given, 0);
	ck_assert_str_ne(pstk_network_error(chain.net), "");
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(test_destroy_running)
{
	for (uint64_t round = test_rounds(20) + 1; round > 0; round--) {
		struct simple_count count = { .tokens = SIMPLE_ALL };
		struct hook hook = { .at = SIMPLE_ALL, .call = pstk_network_abort };
		struct simple_collect collect = { .wanted = SIMPLE_ALL,
			.allowed = round % 2 ? SIMPLE_ALL : 3 };
		struct pstk_network *net = make_hooked(&count, &hook, &collect);
		uint64_t given;

		ck_assert_int_eq(pstk_network_start(net), 0);
		test_await(&collect.firings, round % 3);
		pstk_network_destroy(net);
		given = count.given;
		ck_assert_int_eq(hook.finished, 1);
		sched_yield();
		ck_assert_uint_eq(count.given, given);
	}
}
END_TEST

START_TEST(test_destroy_unstarted)
{
	struct simple_chain chain;

	simple_chain(&chain, 2, 10, 4, 1, 2);
	pstk_network_destroy(chain.net);
	pstk_network_destroy(NULL);
}
END_TEST

START_TEST(test_wait_for)
{
	struct simple_chain chain;

	simple_chain_held(&chain, 1, 40, 4, 0, 2);
	atomic_store(&chain.collect.allowed, 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 0), -ETIMEDOUT);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 1), -ETIMEDOUT);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 2000000), -ETIMEDOUT);
	ck_assert_str_eq(pstk_network_error(chain.net), ""); /* not an error of the network */
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, UINT64_MAX), 0);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 0), 0);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	ck_assert_uint_eq(chain.collect.tokens, 40);
	pstk_network_destroy(chain.net);
}
END_TEST

static void *wait_thread(void *net)
{
	ck_assert_int_eq(pstk_network_wait(net), 0);
	return NULL;
}

/* Several threads may wait. */
START_TEST(test_wait_twice)
{
	struct simple_chain chain;
	pthread_t threads[3];

	simple_chain(&chain, 1, SIMPLE_ALL, 4, 0, 2);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_thread, chain.net), 0);
	test_await(&chain.collect.tokens, 40);
	pstk_network_stop(chain.net);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(chain.collect.tokens, chain.count.given);
	pstk_network_destroy(chain.net);
}
END_TEST

static int done_fire(struct pstk_firing *f)
{
	_Atomic uint64_t *fired = pstk_actor_arg(pstk_firing_actor(f));

	return atomic_fetch_add(fired, 1) == 4 ? PSTK_DONE : PSTK_AGAIN;
}

/* An actor without ports is a source and a sink: it fires until it is done. */
START_TEST(test_no_ports)
{
	struct pstk_network *net = pstk_network_create("alone");
	_Atomic uint64_t fired = 0;

	pstk_network_add(net, "alone", PSTK_ACTOR_TYPE(.name = "alone", .fire = done_fire), &fired);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(fired, 5);
	pstk_network_destroy(net);
}
END_TEST

static _Atomic uint64_t judging, judged;

/* The analyser asks it, before there is anything that could run. */
static int slow_control(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	atomic_store(&judging, 1);
	test_await(&judged, 1);
	return 0;
}

static int no_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static void *start_thread(void *net)
{
	pstk_network_start(net);
	return NULL;
}

/* wait() in another thread reminds of what holds up the end while start() is still at its analysis. */
START_TEST(test_wait_during_start)
{
	static const struct pstk_port ports[] = { { .name = "c", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_DYNAMIC_INPUT, .token_size = 4 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 } };
	struct pstk_network *net = pstk_network_create("slow");
	struct pstk_actor *one = pstk_network_add(net, "one",
		PSTK_ACTOR_TYPE(.name = "one", .ports = ports + 2, .port_count = 1, .fire = no_fire), NULL);
	struct pstk_actor *two = pstk_network_add(net, "two",
		PSTK_ACTOR_TYPE(.name = "two", .ports = ports, .port_count = 2, .fire = no_fire,
			.control = slow_control, .control_values = 1),
		NULL);
	struct pstk_actor *three = pstk_network_add(net, "three",
		PSTK_ACTOR_TYPE(.name = "one", .ports = ports + 2, .port_count = 1, .fire = no_fire), NULL);
	pthread_t thread;

	ps_watchdog_remind_ns = 1000000;
	pstk_connect(one, "out", two, "c", PSTK_FIFO(.rate = 1, .depth = 2));
	pstk_connect(three, "out", two, "in", PSTK_FIFO(.rate = 1, .depth = 2));
	ck_assert_int_eq(pthread_create(&thread, NULL, start_thread, net), 0);
	test_await(&judging, 1);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait_for(net, 50000000), -ETIMEDOUT);
	atomic_store(&judged, 1);
	pthread_join(thread, NULL);
	pstk_network_wait(net);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("end");
	TCase *shapes = test_case(suite, "shapes"), *early = test_case(suite, "early");
	TCase *stop = test_case(suite, "stop"), *others = test_case(suite, "abort and wait");

	tcase_add_loop_test(shapes, test_shapes, 0, NET_SHAPES);
	tcase_add_loop_test(shapes, test_shapes_short, 0, NET_SHAPES);
	tcase_add_test(early, test_early_sink);
	tcase_add_test(early, test_early_reader);
	tcase_add_test(early, test_early_branch);
	tcase_add_loop_test(early, test_blocked_sink, 0, 8);
	tcase_add_loop_test(stop, test_stop_drains, 0, 4);
	tcase_add_test(stop, test_stop_before_start);
	tcase_add_test(stop, test_stop_after_end);
	tcase_add_test(stop, test_stop_ring);
	tcase_add_loop_test(stop, test_dead_ring, 0, 3);
	tcase_add_test(stop, test_stop_fed_ring);
	tcase_add_test(stop, test_stop_inside);
	tcase_add_test(others, test_abort_inside);
	tcase_add_test(others, test_abort_running);
	tcase_add_test(others, test_abort_after_stop);
	tcase_add_test(others, test_abort_before_start);
	tcase_add_test(others, test_destroy_running);
	tcase_add_test(others, test_destroy_unstarted);
	tcase_add_test(others, test_wait_for);
	tcase_add_test(others, test_wait_during_start);
	tcase_add_test(others, test_wait_twice);
	tcase_add_test(others, test_no_ports);
	return test_main(suite);
}
