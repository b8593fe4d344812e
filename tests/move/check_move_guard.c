/* SPDX-License-Identifier: MIT */
/* A guarded actor: the n-th call of each function and the n-th command fail on the fake driver; nothing is lost. */
#include "tests/common/common.h"
#include "tests/move/move_net.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TWO "devices=2,unified=0,svm=none"

/* The mover at the first device; then the second one, if `second`, and the cores. */
static void build(struct move_net *m, bool second, bool cores)
{
	move_make(m, move_places[0]);
	if (second)
		ck_assert_int_eq(pstk_actor_may_move(m->chain.tested, move_places[1]), 0);
	if (cores)
		ck_assert_int_eq(pstk_actor_may_move(m->chain.tested, NULL), 0);
	ck_assert(!pstk_actor_guarded(m->chain.tested));
	ck_assert_int_eq(pstk_actor_guard(m->chain.tested, true), 0);
	ck_assert(pstk_actor_guarded(m->chain.tested));
}

/* What a firing calls on its device. */
static const char *const calls[] = { "clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clEnqueueNDRangeKernel",
	"clSetKernelArg", "clFlush", "clGetEventInfo" };
static const cl_command_type commands[] = { CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER,
	CL_COMMAND_NDRANGE_KERNEL };

/* Some fail while start() works: then it does not start. Else the run ends well, somewhere. */
static void run(struct move_net *m, const struct fake_cl *fake, bool must)
{
	unsigned moves = 0;

	ck_assert_msg(!pstk_network_wait(m->chain.net), "%s", pstk_network_error(m->chain.net));
	move_check_tokens(m);
	for (unsigned i = 0; i < pstk_network_move_count(m->chain.net); i++) {
		struct pstk_move move = move_of(m, i);

		ck_assert_int_eq(move.state, PSTK_MOVE_DONE);
		ck_assert_int_lt(move.err, 0);
		ck_assert_str_ne(move.text, "");
		ck_assert_str_ne(move.from, move.to);
		moves++;
	}
	if (must)
		ck_assert_uint_ge(moves, 1);
	pstk_network_destroy(m->chain.net);
	fake->settle();
	ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
}

static void start_held(struct move_net *m, bool keeps, const char *settings, const struct fake_cl **fake)
{
	*fake = move_fake(FAKE_CL_DRIVER, settings, "");
	*m = (struct move_net){ .chain = { .tokens = 24, .rate = 2, .hold_at = 1 }, .keeps = keeps };
	build(m, true, true);
	ck_assert_int_eq(pstk_network_start(m->chain.net), 0);
}

START_TEST(a_call_fails)
{
	static struct move_net m;
	const struct fake_cl *fake;

	test_log_nothing();
	for (unsigned n = 1; n <= 40; n++) {
		start_held(&m, n % 2, n % 3 ? TWO : TWO ",pocl=1", &fake);
		ck_assert_int_eq(fake->fail_calls(calls[_i], n, n % 5 ? 1 : 1000, CL_OUT_OF_RESOURCES), 0);
		atomic_store(&m.chain.go, true);
		run(&m, fake, n <= 10);
		fake->reset();
	}
}
END_TEST

START_TEST(a_command_fails)
{
	static struct move_net m;
	const struct fake_cl *fake;

	test_log_nothing();
	for (unsigned n = 1; n <= 30; n++) {
		start_held(&m, n % 2, n % 3 ? TWO : TWO ",pocl=1", &fake);
		ck_assert_int_eq(fake->fail_command(commands[_i], n, CL_OUT_OF_RESOURCES), 0);
		atomic_store(&m.chain.go, true);
		run(&m, fake, n <= 10);
		fake->reset();
	}
}
END_TEST

/* What fire_cl() and open_place() of a type are told. */
struct told {
	cl_device_id devices[2];
	unsigned firings[2], bad;
};

static int open_place(struct pstk_actor *self, unsigned place)
{
	struct told *t = pstk_actor_arg(self);

	t->bad += place > 1 || !pstk_cl_device(self) || !pstk_cl_context(self);
	t->devices[place % 2] = pstk_cl_device(self);
	return 0;
}

static int copy(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct told *t = pstk_actor_arg(self);
	struct pstk_cl_window in, out;
	unsigned place = pstk_cl_place(f);

	t->bad += place > 1 || pstk_cl_device(self) != t->devices[place % 2] || !pstk_cl_context(self) ||
	          pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out);
	t->firings[place % 2]++;
	return clEnqueueCopyBuffer(pstk_cl_queue(f), in.buffer, out.buffer, 0, 0, in.bytes, 0, NULL, NULL)
	               ? pstk_actor_error(self, -EIO, "no copy")
	               : PSTK_AGAIN;
}

/* A type with fire_cl(), which goes on at its second device behind a download that failed. */
START_TEST(host_code)
{
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "copy",
		.ports = cl_chain_ports,
		.port_count = 2,
		.stateless = true,
		.fire_cl = copy,
		.open_place = open_place };
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");
	static struct cl_chain c;
	struct told told = { .bad = 0 };

	test_log_nothing();
	c = (struct cl_chain){ .tokens = 30 };
	cl_chain_build(&c, &type, &told, move_places[0]);
	ck_assert_int_eq(pstk_actor_may_move(c.tested, move_places[1]), 0);
	ck_assert_int_eq(pstk_actor_guard(c.tested, true), 0);
	if (_i)
		ck_assert_int_eq(fake->fail_command(CL_COMMAND_READ_BUFFER, 11, CL_OUT_OF_RESOURCES), 0);
	cl_chain_expect(&c, 1, 0);
	ck_assert_uint_eq(told.bad, 0);
	ck_assert_uint_eq(told.firings[0], _i ? 11 : 30);
	ck_assert_uint_eq(told.firings[1], _i ? 20 : 0);
	fake->settle();
}
END_TEST

/* The first device is lost, then a move to it is asked for: the actor stays. */
START_TEST(a_dead_place)
{
	static struct move_net m;
	const struct fake_cl *fake;
	struct pstk_device_info info;
	struct pstk_move move;
	char *text;

	test_log_start();
	start_held(&m, true, TWO, &fake);
	ck_assert_int_eq(pstk_actor_device(m.chain.tested, &info), 0);
	ck_assert_str_eq(info.selector, move_places[0]);
	ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 3, CL_OUT_OF_RESOURCES), 0);
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	move = move_of(&m, 0);
	ck_assert_uint_eq(move.firing, 2);
	ck_assert_str_eq(move.from, move_places[0]);
	ck_assert_str_eq(move.to, move_places[1]);
	ck_assert_msg(strstr(move.text, "CL_OUT_OF_RESOURCES") && strstr(move.text, move_places[0]), "%s",
		move.text);
	ck_assert(test_log_has("firing 2 goes on at pstk:gpu:1"));
	text = move_stats(&m);
	TEST_SAYS(text, "  move 0: tested from pstk:gpu:0 to pstk:gpu:1: done, at firing 2: ", move.text);
	free(text);
	pstk_network_destroy(m.chain.net);
	fake->settle();
	test_log_stop();
}
END_TEST

/* Planned moves of a guarded actor, its state with it; to a place that has failed it does not go. */
START_TEST(planned)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	test_log_nothing();
	m = (struct move_net){ .chain = { .tokens = 60 }, .keeps = true };
	build(&m, true, true);
	for (unsigned i = 1; i <= 20; i++)
		ck_assert_int_eq(
			pstk_actor_migrate(m.chain.tested, i % 3 ? move_places[i % 3 - 1] : NULL, 2 * i),
			(int)i - 1);
	if (_i) /* of the second device, behind the launch at the start */
		ck_assert_int_eq(
			fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 2 + 9, CL_OUT_OF_RESOURCES), 0);
	move_expect(&m, true);
	for (unsigned i = 0; i < 20; i++) {
		struct pstk_move move = move_of(&m, i);

		if (!_i)
			ck_assert_int_eq(move.state, PSTK_MOVE_DONE);
		else if (move.state == PSTK_MOVE_STAYED)
			ck_assert_msg(strstr(move.text, "has failed before") != NULL, "%s", move.text);
	}
	pstk_network_destroy(m.chain.net);
	fake->settle();
}
END_TEST

/* With the last place the network fails, and says so. */
START_TEST(the_last_place)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	test_log_nothing();
	m = (struct move_net){ .chain = { .tokens = 30 } };
	build(&m, _i, false);
	fake->lose_device(_i ? 20 : 10, CL_OUT_OF_RESOURCES, false);
	ck_assert_int_lt(pstk_network_run(m.chain.net), 0);
	TEST_SAYS(pstk_network_error(m.chain.net), "'tested' (mover)", "no other place is left");
	pstk_network_destroy(m.chain.net);
	fake->settle();
}
END_TEST

/* At each of its two devices a window at either end and a state, and their copies on the host. */
START_TEST(the_bytes)
{
	static struct move_net m;
	const struct fake_cl *fake = move_fake(FAKE_CL_DRIVER, TWO, "");

	m = (struct move_net){ .chain = { .tokens = 35, .rate = 7 }, .keeps = true };
	build(&m, true, true);
	ck_assert_uint_eq(pstk_network_move_bytes(m.chain.net), 2 * (2 * 7 * 4 + 2 * 7 * 4 + 2 * 4));
	move_expect(&m, true);
	ck_assert_uint_eq(pstk_network_move_bytes(m.chain.net), 2 * (2 * 7 * 4 + 2 * 7 * 4 + 2 * 4));
	pstk_network_destroy(m.chain.net);
	move_settle(fake);
}
END_TEST

START_TEST(refused)
{
	struct pstk_network *net = pstk_network_create("refused");
	struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 };
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &out, .port_count = 1, .kahn = true,
			.fire = cl_chain_source_fire),
		NULL);

	ck_assert(!pstk_actor_guarded(NULL));
	ck_assert_int_eq(pstk_actor_guard(NULL, true), -EINVAL);
	ck_assert_int_eq(pstk_actor_guard(a, true), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'a' (t)", "can't be guarded");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move_guard");
	TCase *tcase = test_case(suite, "guard");

	tcase_add_loop_test(tcase, a_call_fails, 0, (int)TEST_COUNT(calls));
	tcase_add_loop_test(tcase, a_command_fails, 0, (int)TEST_COUNT(commands));
	tcase_add_loop_test(tcase, host_code, 0, 2);
	tcase_add_test(tcase, a_dead_place);
	tcase_add_loop_test(tcase, planned, 0, 2);
	tcase_add_loop_test(tcase, the_last_place, 0, 2);
	tcase_add_test(tcase, the_bytes);
	tcase_add_test(tcase, refused);
	return test_main(suite);
}
