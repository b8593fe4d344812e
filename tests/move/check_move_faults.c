/* SPDX-License-Identifier: MIT */
/* Moves on the fake driver: what a move takes, calls and commands that fail, ends at any time. */
#include "tests/common/common.h"
#include "tests/move/move_net.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TWO "devices=2,unified=0,svm=none"
#define ONE "devices=1,units=4,unified=1,svm=fine"

/* -- what a move takes: nothing -- */

START_TEST(takes_nothing)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");
	struct move_taken before;

	m = (struct move_net){ .chain = { .tokens = 60, .hold_at = 21 }, .keeps = _i };
	move_build(&m, NULL);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	for (unsigned i = 0; i < 1003; i++) {
		ck_assert_int_eq(
			pstk_actor_migrate(m.chain.tested, i % 3 ? move_places[i % 3 - 1] : NULL, 0), (int)i);
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, i, 0), 0);
		if (i < 3)
			before = move_look(fake, m.chain.net);
		else
			move_takes_nothing(fake, m.chain.net, &before);
	}
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

/* What start() takes for places is what move_bytes() says. */
START_TEST(the_bytes)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, _i ? TWO : ONE, _i ? "" : "svm");
	size_t bytes, shared, alone;

	unsetenv("PENSTOCK_TEAM"); /* depths are others with a team */
	if (!_i)
		move_places[0] = "pstk:gpu:0/1of2", move_places[1] = "pstk:gpu:0/2of2";
	m = (struct move_net){ .chain = { .tokens = 70, .rate = 7, .delay = 3 }, .keeps = true };
	move_make(&m, NULL);
	alone = pstk_network_shared_bytes(m.chain.net);
	ck_assert_uint_eq(pstk_network_move_bytes(m.chain.net), 0);
	pstk_network_destroy(m.chain.net);
	move_build(&m, NULL);
	bytes = pstk_network_move_bytes(m.chain.net);
	shared = pstk_network_shared_bytes(m.chain.net);
	/* two windows at each end and device of 7 tokens each; a state at each device, and one on its way */
	ck_assert_uint_eq(bytes, (_i ? 2 * 2 * 2 * 7 * 4 : 0) + 2 * 4 + 4);
	ck_assert_uint_eq(shared, alone + bytes);
	move_expect(&m, true);
	ck_assert_uint_eq(pstk_network_move_bytes(m.chain.net), bytes);
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

/* -- a state that does not arrive -- */

static const struct {
	const char *label, *call, *says;
	cl_command_type command; /* 0: the call itself fails */
	unsigned from, to;       /* 0: the cores */
	unsigned nth;
} stays[] = {
	{ "to a device", "clEnqueueWriteBuffer", "clEnqueueWriteBuffer for the state", 0, 0, 1, 1 },
	{ "from a device", "clEnqueueReadBuffer", "clEnqueueReadBuffer for the state", 0, 1, 0, 1 },
	{ "from one device to another", "clEnqueueWriteBuffer", "clEnqueueWriteBuffer for the state", 0, 1, 2,
		1 },
	{ "the command to a device", NULL, "clEnqueueWriteBuffer for the state", CL_COMMAND_WRITE_BUFFER, 0,
		2, 1 },
	{ "the command from a device", NULL, "clEnqueueReadBuffer for the state", CL_COMMAND_READ_BUFFER, 2,
		0, 1 },
};

static const char *place(unsigned i)
{
	return i ? move_places[i - 1] : NULL;
}

/* In shared virtual memory no other transfer is made. The actor goes on where it was; the next move does it. */
START_TEST(a_state_stays)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, ONE, "svm");
	struct pstk_move move;
	char *text, line[512];

	move_places[0] = "pstk:gpu:0/1of2";
	move_places[1] = "pstk:gpu:0/2of2";
	test_log_start();
	m = (struct move_net){ .chain = { .tokens = 40, .hold_at = 11 }, .keeps = true };
	move_build(&m, place(stays[_i].from));
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	if (stays[_i].command)
		fake->fail_command(stays[_i].command, stays[_i].nth, CL_OUT_OF_RESOURCES);
	else
		ck_assert_int_eq(fake->fail_calls(stays[_i].call, stays[_i].nth, 1, CL_OUT_OF_RESOURCES), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(stays[_i].to), 0), (int)i);
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, i, 0), 0);
	}
	move = move_of(&m, 0);
	ck_assert_int_eq(move.state, PSTK_MOVE_STAYED);
	ck_assert_int_lt(move.err, 0);
	ck_assert_msg(strstr(move.text, stays[_i].says) != NULL, "%s", move.text);
	ck_assert_msg(strstr(move.text, "CL_") && strstr(move.text, "pstk:gpu:0/"), "%s", move.text);
	ck_assert_str_eq(move.from, stays[_i].from ? move_places[stays[_i].from - 1] : "cores");
	snprintf(line, sizeof line, "  move 0: tested from %s to %s: stayed: %s\n", move.from, move.to,
		move.text);
	move = move_of(&m, 1);
	ck_assert_int_eq(move.state, PSTK_MOVE_DONE);
	ck_assert_str_eq(move.to, stays[_i].to ? move_places[stays[_i].to - 1] : "cores");
	atomic_store(&m.chain.go, true);
	ck_assert_msg(!pstk_network_wait(m.chain.net), "%s", pstk_network_error(m.chain.net));
	move_check_tokens(&m);
	text = move_stats(&m);
	TEST_SAYS(text, line);
	free(text);
	pstk_network_destroy(m.chain.net);
	test_log_stop();
	move_settle(fake);
}
END_TEST

/* -- a reader that has ended -- */

/*
 * source -> mover -> short, which ends after its first window, and long. While commands are held, write 1 of the mover
 * is on its way to a FIFO that nothing reads any more. On the cores it must not get that memory before it is through.
 */
static struct {
	uint32_t next;
	atomic_bool may_go_on, may_end, held;
	_Atomic unsigned short_read, on_cores, too_early;
	_Atomic uint32_t count;
} two;

enum { TWO_TOKENS = 12 };

static int two_give(struct pstk_firing *f)
{
	while (two.next == 1 && !atomic_load(&two.may_go_on) &&
		!pstk_network_failed(pstk_actor_network(pstk_firing_actor(f))))
		sched_yield();
	*(uint32_t *)pstk_fifo_write_start(f, 0) = ++two.next;
	pstk_fifo_write_end(f, 0);
	return two.next == TWO_TOKENS ? PSTK_DONE : PSTK_AGAIN;
}

static int two_fire(struct pstk_firing *f)
{
	uint32_t in = *(const uint32_t *)pstk_fifo_read_start(f, 0);

	atomic_fetch_add(&two.on_cores, 1);
	/* write 2 goes to the window that `short` has given back, write 3 to the memory of write 1 */
	two.too_early += atomic_load(&two.held) && pstk_firing_index(f) >= 3;
	for (unsigned p = 1; p <= 2; p++)
		*(uint32_t *)pstk_fifo_write_start(f, p) = in + p;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

static int two_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, NULL);
}

static void run_two(const struct fake_cl_launch *l)
{
	for (unsigned p = 1; p <= 2; p++)
		*(uint32_t *)l->arg[p] = *(const uint32_t *)l->arg[0] + p;
}

static int two_short(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	atomic_store(&two.short_read, 1);
	while (!atomic_load(&two.may_end) && !pstk_network_failed(pstk_actor_network(pstk_firing_actor(f))))
		sched_yield();
	pstk_fifo_read_end(f, 0);
	return PSTK_DONE;
}

static int two_long(struct pstk_firing *f)
{
	ck_assert_uint_eq(*(const uint32_t *)pstk_fifo_read_start(f, 0), ++two.count + 2);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *two_build(struct pstk_network *net)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
		{ .name = "a", .kind = PSTK_OUTPUT, .token_size = 4 },
		{ .name = "b", .kind = PSTK_OUTPUT, .token_size = 4 } };
	static const struct pstk_kernel kernel = { .name = "two", .source = "kernel void two(" };
	struct pstk_actor *source, *mover, *first, *second;

	source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &ports[1], .port_count = 1, .fire = two_give),
		NULL);
	mover = pstk_network_add(net, "mover",
		PSTK_ACTOR_TYPE(.name = "two", .ports = ports, .port_count = 3, .stateless = true,
			.init = two_init, .fire = two_fire, .kernel = &kernel),
		NULL);
	first = pstk_network_add(net, "short",
		PSTK_ACTOR_TYPE(.name = "short", .ports = ports, .port_count = 1, .fire = two_short,
			.blocks = true),
		NULL);
	second = pstk_network_add(net, "long",
		PSTK_ACTOR_TYPE(.name = "long", .ports = ports, .port_count = 1, .fire = two_long), NULL);
	ck_assert_int_eq(pstk_actor_map(mover, move_places[0]), 0);
	ck_assert_int_eq(pstk_actor_may_move(mover, NULL), 0);
	pstk_connect(source, "a", mover, "in", PSTK_FIFO(.rate = 1, .depth = 16));
	pstk_connect(mover, "a", first, "in", PSTK_FIFO(.rate = 1, .depth = 2));
	pstk_connect(mover, "b", second, "in", PSTK_FIFO(.rate = 1, .depth = 16));
	return mover;
}

START_TEST(a_late_write)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("a", "uint"),
		FAKE_CL_OUT("b", "uint"), FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel kernel = {
		.name = "two", .args = args, .arg_count = TEST_COUNT(args), .run = run_two
	};
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, _i ? ONE : TWO, _i ? "svm" : "");
	struct pstk_network *net = pstk_network_create("two");
	struct pstk_actor *mover;
	uint64_t launched;

	move_places[0] = "pstk:gpu:0";
	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
	mover = two_build(net);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!atomic_load(&two.short_read)) /* its first window */
		sched_yield();
	fake->hold(true);
	atomic_store(&two.held, true);
	launched = fake->calls("clEnqueueNDRangeKernel");
	atomic_store(&two.may_go_on, true);
	while (fake->calls("clEnqueueNDRangeKernel") == launched) /* write 1, which stays */
		sched_yield();
	ck_assert_int_eq(pstk_actor_migrate(mover, NULL, 0), 0);
	ck_assert_int_eq(pstk_network_wait_move(net, 0, 0), 0);
	atomic_store(&two.may_end, true);
	for (unsigned i = 0; i < 3000; i++)
		sched_yield();
	atomic_store(&two.held, false);
	fake->hold(false);
	ck_assert_msg(!pstk_network_wait(net), "%s", pstk_network_error(net));
	ck_assert_uint_eq(two.count, TWO_TOKENS);
	ck_assert_uint_ge(two.on_cores, 1);
	ck_assert_uint_eq(two.too_early, 0);
	pstk_network_destroy(net);
	move_settle(fake);
}
END_TEST

/* -- a broadcast -- */

static int second_fire(struct pstk_firing *f)
{
	uint32_t *count = pstk_actor_arg(pstk_firing_actor(f)),
		 in = *(const uint32_t *)pstk_fifo_read_start(f, 0);

	++*count;
	ck_assert_msg(in == 3 * *count + 1, "token %u of the second reader is %u", *count, in);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/*
 * source -> mover -> sink, and a second reader with a deeper FIFO. While the command is held that copies the first
 * window to that one, the sink has read it, and gives it back. On the cores the mover must not get that memory before
 * the copy is through.
 */
START_TEST(a_late_copy)
{
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, ONE, "svm");
	static struct move_net m;
	uint32_t count = 0;
	struct pstk_actor *second;

	m = (struct move_net){ .chain = { .tokens = 12, .depths = { 16, 1 }, .hold_at = 1 } };
	move_make(&m, "pstk:gpu:0");
	second = pstk_network_add(m.chain.net, "second",
		PSTK_ACTOR_TYPE(.name = "second", .ports = cl_chain_ports, .port_count = 1,
			.fire = second_fire),
		&count);
	pstk_connect(m.chain.tested, "out", second, "in", PSTK_FIFO(.rate = 1, .depth = 4));
	ck_assert_int_eq(pstk_actor_may_move(m.chain.tested, NULL), 0);
	ck_assert_msg(!pstk_network_start(m.chain.net), "%s", pstk_network_error(m.chain.net));
	fake->hold(true);
	atomic_store(&m.chain.go, true);
	while (fake->calls("clEnqueueSVMMemcpy") < 1)
		sched_yield();
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 0), 0);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	fake->step(1);
	while (!atomic_load(&m.chain.count))
		sched_yield();
	for (unsigned i = 0; i < 3000; i++)
		sched_yield();
	ck_assert_uint_eq(atomic_load(&m.on_cores), 0);
	fake->hold(false);
	ck_assert_msg(!pstk_network_wait(m.chain.net), "%s", pstk_network_error(m.chain.net));
	move_check_tokens(&m);
	ck_assert_uint_eq(count, m.chain.tokens);
	ck_assert_uint_gt(atomic_load(&m.on_cores), 0);
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

/* -- the end, at any time -- */

/* A place that fails fails the network, and what is open is cancelled. */
START_TEST(a_place_fails)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = CL_CHAIN_ALL }, .keeps = _i };
	move_build(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 1000000000), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	while (atomic_load(&m.chain.count) < 5)
		sched_yield();
	fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 1, CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_int_lt(pstk_network_wait(m.chain.net), 0);
	ck_assert_int_eq(move_of(&m, 0).state, PSTK_MOVE_CANCELLED);
	ck_assert_str_eq(move_of(&m, 0).text, "the network has failed");
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 0), -ECANCELED);
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

/* What is open says what the network's error does. */
START_TEST(aborted)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = CL_CHAIN_ALL } };
	move_build(&m, move_places[0]);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 1000000000), 0);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	pstk_network_abort(m.chain.net);
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), -ECANCELED);
	ck_assert_int_eq(move_of(&m, 0).state, PSTK_MOVE_CANCELLED);
	ck_assert_str_eq(pstk_network_error(m.chain.net), "the network was aborted");
	ck_assert_str_eq(move_of(&m, 0).text, "the network was aborted");
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

static void count(struct pstk_network *net, unsigned number, const struct pstk_move *move, void *data)
{
	unsigned *told = data;

	(void)net;
	ck_assert_int_ne(move->state, PSTK_MOVE_ASKED);
	told[number]++;
}

/* Stopped, or aborted, while moves are made. */
START_TEST(ended)
{
	enum { MOVES = 60 };
	uint64_t rounds = test_rounds(60);

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		static struct move_net m;
		struct test_rng rng = { test_mix(seed) };
		char settings[80];
		unsigned told[2 * MOVES] = { 0 }, asked = 0, most = test_between(&rng, 1, MOVES);
		const struct fake_cl *fake;
		int err;

		test_guard("ended", seed);
		snprintf(settings, sizeof settings, TWO ",delay=%u", test_between(&rng, 0, 3));
		fake = move_fake(FAKE_CL_DRIVER, settings, test_chance(&rng, 50) ? "copy" : "");
		m = (struct move_net){ .chain = { .tokens = CL_CHAIN_ALL }, .keeps = test_chance(&rng, 50) };
		move_build(&m, place(test_between(&rng, 0, 2)));
		pstk_network_set_threads(m.chain.net, test_between(&rng, 0, 3));
		pstk_network_on_move(m.chain.net, count, told);
		for (; asked < 3; asked++)
			ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(test_between(&rng, 0, 2)),
						 test_between(&rng, 1, 40)),
				(int)asked);
		ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
		while (asked < most && pstk_actor_migrate(m.chain.tested, place(test_between(&rng, 0, 2)),
					       test_chance(&rng, 20) ? 100000 : 0) >= 0)
			asked++;
		if (test_chance(&rng, 50))
			pstk_network_stop(m.chain.net);
		else
			pstk_network_abort(m.chain.net);
		for (unsigned i = 0; i < asked; i++)
			ck_assert_int_eq(pstk_network_wait_move(m.chain.net, i, 0), 0);
		err = pstk_network_wait(m.chain.net);
		ck_assert(!err || err == -ECANCELED);
		ck_assert_uint_eq(pstk_network_move_count(m.chain.net), asked);
		for (unsigned i = 0; i < asked; i++)
			ck_assert_uint_eq(told[i], 1);
		pstk_network_destroy(m.chain.net);
		move_settle(fake);
		fake->reset();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move_faults");
	TCase *tcase = test_case(suite, "faults");

	tcase_add_loop_test(tcase, takes_nothing, 0, 2);
	tcase_add_loop_test(tcase, the_bytes, 0, 2);
	tcase_add_loop_test(tcase, a_state_stays, 0, (int)TEST_COUNT(stays));
	tcase_add_loop_test(tcase, a_place_fails, 0, 2);
	tcase_add_test(tcase, aborted);
	tcase_add_loop_test(tcase, a_late_write, 0, 2);
	tcase_add_test(tcase, a_late_copy);
	tcase_add_test(tcase, ended);
	return test_main(suite);
}
