/* SPDX-License-Identifier: MIT */
/*
 * A team's members: no actor is starved by firings that take long, a member is woken when there is something for it,
 * and time that is spent now and then is seen. All that goes by the clock, which is this program's own (the linker puts
 * it in the library's place): each member's goes on by what its firings say that they take, and a little by each look.
 * So nothing here depends on how fast the machine is or what else it does.
 */
#include "lib/schedule/team_member.h"
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

enum { LOOK_NS = 25, SHORT_NS = 100, LONG_NS = 3000000 };
static _Thread_local uint64_t now_ns = UINT64_C(1) << 60; /* later than what the machine's says */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

/* Other threads wait by the machine's clock. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	if (!ps_member_current)
		return __real_clock_gettime(clock, t);
	now_ns += LOOK_NS;
	*t = (struct timespec){ .tv_sec = (time_t)(now_ns / 1000000000),
		.tv_nsec = (long)(now_ns % 1000000000) };
	return 0;
}

/* Time for others, of which no member's clock knows; nothing depends on how long it is. */
static void linger(void)
{
	struct timespec begin, now;

	__real_clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		sched_yield();
		__real_clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 200000);
}

static void work(uint64_t ns)
{
	now_ns += ns;
}

/* -- a loop that is always ready beside a pipeline -- */

/* A turn is a few long firings long. */
enum { TOKENS = 20 };
static _Atomic uint64_t looped, arrived, sent; /* looped: while there was something in the pipeline */
static uint64_t loop_ns;
static struct pstk_network *fair_net;

static int loop_fire(struct pstk_firing *f)
{
	looped += sent > arrived;
	work(loop_ns);
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	*(uint32_t *)pstk_fifo_write_start(f, 1) = 0;
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int source_fire(struct pstk_firing *f)
{
	work(LONG_NS);
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	work(LONG_NS);
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	if (++arrived == TOKENS)
		pstk_network_stop(fair_net);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned first, unsigned ports,
	int (*fire)(struct pstk_firing *))
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "fair", .ports = &in_out[first], .port_count = ports, .fire = fire),
		NULL);
}

/* The loop beside source and sink, fired by one thread of a team. */
static void expect_both_go_on(struct pstk_network *net, struct pstk_actor *source, uint64_t ready,
	uint64_t at_least, uint64_t at_most)
{
	struct pstk_actor *a = add(net, "a", 0, 2, loop_fire), *b = add(net, "b", 0, 2, loop_fire),
			  *sink = add(net, "sink", 0, 1, sink_fire);

	fair_net = net;
	looped = arrived = 0;
	sent = ready;
	pstk_network_set_threads(net, 1);
	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(b, "out", a, "in", PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 4));
	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_ge(arrived, TOKENS);
	ck_assert_uint_ge(looped, at_least);
	ck_assert_uint_le(looped, at_most);
	pstk_network_destroy(net);
}

START_TEST(long_firings_starve_nobody)
{
	struct pstk_network *net = pstk_network_create("fair");

	loop_ns = LONG_NS;
	expect_both_go_on(net, add(net, "source", 1, 1, source_fire), UINT64_MAX, TOKENS, 10 * TOKENS);
}
END_TEST

/* -- a loop of two, with one token, and two members -- */

enum { AROUND = TEST_SANITIZED ? 20000 : 200000 };
static const struct ps_member *fired_last; /* goes with the token */
static uint64_t changes;

static int around_fire(struct pstk_firing *f)
{
	work(SHORT_NS);
	pstk_fifo_read_start(f, 0);
	changes += fired_last != ps_member_current;
	fired_last = ps_member_current;
	pstk_fifo_read_end(f, 0);
	*(uint32_t *)pstk_fifo_write_start(f, 1) = 0;
	pstk_fifo_write_end(f, 1);
	return pstk_firing_index(f) + 1 < AROUND ? PSTK_AGAIN : PSTK_DONE;
}

/* What one member follows the other one leaves alone, but where that one loses its core. */
START_TEST(loop_is_one_members)
{
	struct pstk_network *net = pstk_network_create("loop");
	struct pstk_actor *a = add(net, "a", 0, 2, around_fire), *b = add(net, "b", 0, 2, around_fire);

	changes = 0;
	pstk_network_set_threads(net, 2);
	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = 2, .token_size = 4));
	pstk_connect(b, "out", a, "in", PSTK_FIFO(.rate = 1, .depth = 2, .delay = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
	ck_assert_uint_lt(changes, AROUND / 100);
}
END_TEST

/* -- pipelines side by side, each always ready -- */

/* PIPE_LEAST is no less under a sanitizer: turns are as long there, about 65,000 tokens, and one pipe has 13 of them
 * before the last one has its first. */
enum { PIPES = 20, PIPE_LEAST = 20000, LEAST = TEST_SANITIZED ? 4000 : PIPE_LEAST };
static _Atomic uint64_t through[PIPES], pipes_left;

static int spring_fire(struct pstk_firing *f)
{
	work(SHORT_NS);
	pstk_fifo_write_start(f, 0);
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int swallow_fire(struct pstk_firing *f)
{
	work(SHORT_NS);
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int pass_fire(struct pstk_firing *f)
{
	work(SHORT_NS);
	pstk_fifo_read_start(f, 0);
	pstk_fifo_write_start(f, 1);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* The last one to come to PIPE_LEAST ends it: the others have had no more than MOST each by then. */
static int drain_fire(struct pstk_firing *f)
{
	_Atomic uint64_t *count = pstk_actor_arg(pstk_firing_actor(f));

	swallow_fire(f);
	if (atomic_fetch_add(count, 1) + 1 == PIPE_LEAST && atomic_fetch_sub(&pipes_left, 1) == 1)
		pstk_network_stop(fair_net);
	return PSTK_AGAIN;
}

START_TEST(pipelines_side_by_side)
{
	enum { MOST = 100 * PIPE_LEAST };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_network *net = fair_net = pstk_network_create("pipes");

	spec.rate = 1;
	spec.token_size = 4;
	pipes_left = PIPES;
	for (unsigned i = 0; i < PIPES; i++) {
		char name[16];
		struct pstk_actor *a[3];
		static int (*const fire[])(struct pstk_firing *) = { spring_fire, pass_fire, drain_fire };

		for (unsigned k = 0; k < 3; k++) {
			snprintf(name, sizeof name, "p%u %u", i, k);
			a[k] = pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "pipe", .ports = &in_out[k == 0],
					.port_count = k == 1 ? 2 : 1, .fire = fire[k]),
				&through[i]);
		}
		through[i] = 0;
		pstk_connect(a[0], "out", a[1], "in", &spec);
		pstk_connect(a[1], "out", a[2], "in", &spec);
	}
	pstk_network_set_threads(net, 1);
	ck_assert_int_eq(pstk_network_run(net), 0);
	for (unsigned i = 0; i < PIPES; i++) {
		ck_assert_uint_ge(through[i], PIPE_LEAST);
		ck_assert_uint_lt(through[i], MOST);
	}
	pstk_network_destroy(net);
}
END_TEST

/* -- parts whose firings differ in length and in the size of their windows -- */

enum { ROUNDS_OF_LOOP = 40, LARGE = 8192 };

static void add_pipe(struct pstk_network *net, const char *const names[3], size_t token_size,
	int (*drain)(struct pstk_firing *))
{
	struct pstk_actor *spring = add(net, names[0], 1, 1, spring_fire),
			  *pass = add(net, names[1], 0, 2, pass_fire), *end = add(net, names[2], 0, 1, drain);

	pstk_connect(spring, "out", pass, "in",
		PSTK_FIFO(.rate = 1, .depth = 8, .token_size = (uint32_t)token_size));
	pstk_connect(
		pass, "out", end, "in", PSTK_FIFO(.rate = 1, .depth = 8, .token_size = (uint32_t)token_size));
}

static int drain_large_fire(struct pstk_firing *f)
{
	through[0]++;
	return swallow_fire(f);
}

static int drain_small_fire(struct pstk_firing *f)
{
	through[1]++;
	return swallow_fire(f);
}

/* By the clock: in the time of a long firing many short ones. */
START_TEST(short_beside_long)
{
	static const char *const names[] = { "spring", "pass", "drain" };
	struct pstk_network *net = pstk_network_create("unequal");
	struct pstk_actor *loop = add(net, "loop", 0, 2, loop_fire);

	looped = arrived = through[0] = 0;
	sent = UINT64_MAX;
	loop_ns = LONG_NS;
	add_pipe(net, names, LARGE, drain_large_fire);
	pstk_connect(loop, "out", loop, "in", PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 4));
	pstk_network_set_threads(net, 1);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&looped, ROUNDS_OF_LOOP);
	pstk_network_abort(net);
	pstk_network_wait(net);
	ck_assert_uint_ge(through[0], 100 * ROUNDS_OF_LOOP);
	pstk_network_destroy(net);
}
END_TEST

/* Short firings of small windows are repeated, those of large ones are not: they have the same time. */
START_TEST(large_beside_small)
{
	static const char *const large[] = { "spring", "pass", "drain" }, *const small[] = { "s", "p", "d" };
	struct pstk_network *net = pstk_network_create("unequal");

	through[0] = through[1] = 0;
	add_pipe(net, large, LARGE, drain_large_fire);
	add_pipe(net, small, 4, drain_small_fire);
	pstk_network_set_threads(net, 1);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&through[0], LEAST);
	test_await(&through[1], LEAST);
	/* several turns from here on, so that it doesn't matter which actor had the first one */
	through[0] = through[1] = 0;
	test_await(&through[0], 20 * LEAST);
	test_await(&through[1], 20 * LEAST);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_lt(through[0], 10 * through[1]);
	ck_assert_uint_lt(through[1], 10 * through[0]);
	pstk_network_destroy(net);
}
END_TEST

/* -- one token after the other -- */

enum { ORDERED = TEST_SANITIZED ? 100000 : 1000000, CHAIN = 4 };
static uint64_t begun, ended, beside;

static int begin_fire(struct pstk_firing *f)
{
	work(SHORT_NS);
	beside += begun++ != ended;
	pstk_fifo_write_start(f, 0);
	pstk_fifo_write_end(f, 0);
	return begun < ORDERED ? PSTK_AGAIN : PSTK_DONE;
}

static int end_fire(struct pstk_firing *f)
{
	ended++;
	return swallow_fire(f);
}

/* Short firings of large windows: what was begun is brought to its end while it is in the cache. The source is
 * not fired again at once, and an actor that need not wait for a turn has none. */
START_TEST(large_windows_go_on)
{
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *chain[CHAIN] = { add(net, "begin", 1, 1, begin_fire) };

	spec.rate = 1;
	spec.depth = 8;
	spec.token_size = LARGE;
	begun = ended = beside = 0;
	for (unsigned i = 1; i + 1 < CHAIN; i++) {
		char name[] = { (char)('a' + i), 0 };

		chain[i] = add(net, name, 0, 2, pass_fire);
	}
	chain[CHAIN - 1] = add(net, "end", 0, 1, end_fire);
	for (unsigned i = 0; i + 1 < CHAIN; i++)
		pstk_connect(chain[i], "out", chain[i + 1], "in", &spec);
	pstk_network_set_threads(net, 1);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(ended, ORDERED);
	ck_assert_uint_eq(beside, 0); /* tens of turns pass */
	pstk_network_destroy(net);
}
END_TEST

/* -- fed by a thread beside the team -- */

static int patient_fire(struct pstk_firing *f)
{
	uint64_t n = pstk_firing_index(f);

	test_await(&arrived, n); /* the one before has come */
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	sent = n + 1;
	return PSTK_AGAIN;
}

START_TEST(from_outside_at_once)
{
	struct pstk_network *net = pstk_network_create("outside");

	loop_ns = SHORT_NS; /* a turn is many firings long */
	expect_both_go_on(net,
		pstk_network_add(net, "source",
			PSTK_ACTOR_TYPE(.name = "patient", .ports = &in_out[1], .port_count = 1,
				.blocks = true, .fire = patient_fire),
			NULL),
		0, 0, 1000 * TOKENS);
}
END_TEST

/* -- so many readers, each of which waits for all others -- */

enum { READERS = 8, ROUNDS = 50 };
static _Atomic uint64_t met;

static int few_fire(struct pstk_firing *f)
{
	/* all others sleep meanwhile, mostly */
	linger();
	work(LONG_NS);
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 < ROUNDS ? PSTK_AGAIN : PSTK_DONE;
}

static int meet_fire(struct pstk_firing *f)
{
	uint64_t round = pstk_firing_index(f);

	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	met++;
	test_await(&met, (round + 1) * READERS);
	return PSTK_AGAIN;
}

START_TEST(all_are_woken)
{
	struct pstk_network *net = pstk_network_create("meeting");
	struct pstk_actor *source = add(net, "source", 1, 1, few_fire);
	char name[] = "reader 0";

	met = 0;
	pstk_network_set_threads(net, READERS);
	for (int i = 0; i < READERS; i++) {
		name[sizeof name - 2] = (char)('0' + i);
		pstk_connect(source, "out", add(net, name, 0, 1, meet_fire), "in",
			PSTK_FIFO(.rate = 1, .token_size = 4));
	}
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(met, (uint64_t)READERS * ROUNDS);
	pstk_network_destroy(net);
}
END_TEST

/* -- work in each n-th firing only -- */

enum { FIRINGS = 32000, SPENT_NS = 20000 };
static const unsigned periods[] = { 2, 16, 32 };
static unsigned period;

static int now_and_then_fire(struct pstk_firing *f)
{
	uint64_t n = pstk_firing_index(f);

	if (n % period == 0)
		work(SPENT_NS);
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return n + 1 < FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

START_TEST(time_is_seen)
{
	struct pstk_network *net = pstk_network_create("now and then");
	struct pstk_actor *source = add(net, "source", 1, 1, now_and_then_fire),
			  *sink = add(net, "sink", 0, 1, swallow_fire);
	struct pstk_actor_stats stats;

	period = periods[_i];
	pstk_network_set_threads(net, 1);
	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_int_eq(pstk_actor_get_stats(source, &stats), 0);
	ck_assert_uint_eq(stats.firings, FIRINGS);
	/* a sample */
	ck_assert_uint_gt(stats.fire_ns, FIRINGS / period * (uint64_t)SPENT_NS / 2);
	ck_assert_uint_lt(stats.fire_ns, FIRINGS / period * (uint64_t)SPENT_NS * 2);
	pstk_network_destroy(net);
}
END_TEST

/* -- a source with little to do in each fifth firing -- */

enum { UNEVEN_FIRINGS = 150, UNEVEN_DEPTH = 20 };
static _Atomic uint64_t taken;

static int uneven_fire(struct pstk_firing *f)
{
	uint64_t n = pstk_firing_index(f);

	if (n % 5) {
		/* all that was sent before is taken meanwhile; after its first firing it passes for a short one */
		if (n > 1)
			test_await(&taken, n);
		work(LONG_NS);
	} else {
		linger(); /* the member that takes them sleeps meanwhile, mostly */
	}
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return n + 1 < UNEVEN_FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int count_fire(struct pstk_firing *f)
{
	taken++;
	return swallow_fire(f);
}

/* One short firing does not make the next ones short: no member sleeps while their tokens lie there. */
START_TEST(short_ones_among_long)
{
	struct pstk_network *net = pstk_network_create("uneven");
	struct pstk_actor *source = add(net, "source", 1, 1, uneven_fire),
			  *sink = add(net, "sink", 0, 1, count_fire);

	taken = 0;
	pstk_network_set_threads(net, 2);
	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .depth = UNEVEN_DEPTH));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(taken, UNEVEN_FIRINGS);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fair");
	TCase *tc = test_case(suite, "fair");

	tcase_add_test(tc, long_firings_starve_nobody);
	tcase_add_test(tc, loop_is_one_members);
	tcase_add_test(tc, pipelines_side_by_side);
	tcase_add_test(tc, short_beside_long);
	tcase_add_test(tc, large_beside_small);
	tcase_add_test(tc, large_windows_go_on);
	tcase_add_test(tc, from_outside_at_once);
	tcase_add_test(tc, all_are_woken);
	tcase_add_test(tc, short_ones_among_long);
	tcase_add_loop_test(tc, time_is_seen, 0, (int)TEST_COUNT(periods));
	return test_main(suite);
}
