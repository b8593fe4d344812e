/* SPDX-License-Identifier: MIT */
/* PSTK_STEPS_AUTO: which actors get how many steps, and which keep theirs. check_last_steps compares the tokens. */
#include "lib/plan/steps_auto.h"
#include "tests/common/common.h"
#include "tests/plan/plan_net.h"

#include <string.h>

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int decide(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

enum { FIRST, MIDDLE, LAST, ROLES };

/* Ports in, out, or one of them, which declare these rates; 0: nothing. */
static struct pstk_actor *add(struct pstk_network *net, const char *name, int role, uint32_t in, uint32_t out)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = in },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = out }
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "map", .ports = ports + (role == FIRST),
			.port_count = role == MIDDLE ? 2 : 1, .fire = idle, .stateless = true),
		NULL);
}

static struct pstk_fifo *join(struct pstk_actor *a, struct pstk_actor *b)
{
	struct pstk_fifo *f = pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 0));

	ck_assert_ptr_nonnull(f);
	return f;
}

/* CD to DAT as three resamplers, an undeclared source and a sink: rates 3 4, 7 8, 7 5. */
struct dat {
	struct pstk_network *net;
	struct pstk_actor *actors[5];
	struct pstk_fifo *fifos[4];
};

static struct dat make_dat(size_t budget)
{
	struct dat d = { .net = pstk_network_create("dat") };

	d.actors[0] = add(d.net, "cd", FIRST, 0, 0);
	d.actors[1] = add(d.net, "a", MIDDLE, 3, 4);
	d.actors[2] = add(d.net, "b", MIDDLE, 7, 8);
	d.actors[3] = add(d.net, "c", MIDDLE, 7, 5);
	d.actors[4] = add(d.net, "dat", LAST, 0, 0);
	for (unsigned i = 0; i < 4; i++)
		d.fifos[i] = join(d.actors[i], d.actors[i + 1]);
	ck_assert_int_eq(pstk_network_set_flags(d.net, PSTK_STEPS_AUTO), 0);
	ck_assert_int_eq(pstk_network_set_depth_budget(d.net, budget), 0);
	return d;
}

/* In an iteration they make 49, 28 and 32 steps. A firing of these moves 343, 420 and 384 tokens. */
START_TEST(windows_are_equal)
{
	struct dat d = make_dat(1 << 20);
	uint32_t times = PS_STEPS_WORTH / (343 * 4) + 1;
	char text[4096];

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(plan_info(d.fifos[i]).write_rate, plan_info(d.fifos[i]).rate);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[0]), 0);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[1]), 49 * times);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[2]), 28 * times);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[3]), 32 * times);
	plan_printed(d.net, text, sizeof text);
	TEST_SAYS(text, "588 steps a firing", "336 steps a firing", "384 steps a firing");
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(pstk_actor_repetitions(d.actors[i]), 1);
	ck_assert_int_eq(pstk_network_run(d.net), 0);
	pstk_network_destroy(d.net);
}
END_TEST

/* A smaller budget: fewer iterations a firing, then parts of one, then a step each. Never more than fits but then. */
START_TEST(the_budget_decides)
{
	uint32_t before = UINT32_MAX;

	for (size_t budget = 1 << 17; budget; budget /= 2) {
		struct dat d = make_dat(budget);
		size_t bytes = pstk_network_shared_bytes(d.net), least;
		uint32_t steps = pstk_actor_steps(d.actors[1]);

		ck_assert_uint_le(steps, before);
		ck_assert_uint_ge(steps, 1);
		pstk_network_set_flags(d.net, 0);
		least = pstk_network_shared_bytes(d.net); /* which nothing can make smaller */
		ck_assert_uint_le(bytes, least + budget);
		before = steps;
		pstk_network_destroy(d.net);
	}
	ck_assert_uint_eq(before, 1);
}
END_TEST

/* A step of b alone takes more than the budget: the others get more than one all the same. */
START_TEST(a_large_step)
{
	struct dat d = make_dat(1 << 16);

	ck_assert_int_eq(pstk_actor_set_rate(d.actors[2], 0, 48001), 0);
	ck_assert_int_eq(pstk_actor_set_rate(d.actors[2], 1, 44100), 0);
	ck_assert_uint_gt(pstk_network_shared_bytes(d.net), 1 << 16);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[2]), 1);
	ck_assert_uint_gt(pstk_actor_steps(d.actors[1]), 10);
	ck_assert_uint_gt(pstk_actor_steps(d.actors[3]), 10);
	pstk_network_destroy(d.net);
}
END_TEST

/* With and without the flag, and with another one: what was chosen before leaves nothing. */
START_TEST(flags_come_and_go)
{
	struct dat d = make_dat(1 << 20);
	uint32_t steps = pstk_actor_steps(d.actors[1]);
	size_t bytes = pstk_network_shared_bytes(d.net);

	steps = pstk_actor_steps(d.actors[1]);
	ck_assert_int_eq(pstk_network_set_flags(d.net, 0), 0);
	ck_assert_uint_lt(pstk_network_shared_bytes(d.net), bytes);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[1]), 1);
	ck_assert_int_eq(pstk_network_set_flags(d.net, PSTK_STEPS_AUTO | PSTK_DEPTH_AUTO), 0);
	ck_assert_uint_gt(pstk_network_shared_bytes(d.net), bytes);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[1]), steps);
	ck_assert_int_eq(pstk_network_set_flags(d.net, PSTK_STEPS_AUTO), 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(d.net), bytes);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[1]), steps);
	pstk_network_destroy(d.net);
}
END_TEST

/* Steps that were set, or follow from a FIFO, stay, and the others go with them. */
START_TEST(given_steps_stay)
{
	struct dat d = make_dat(1 << 20);

	ck_assert_int_eq(pstk_actor_set_steps(d.actors[2], 7), 0);
	ck_assert_uint_eq(plan_info(d.fifos[1]).rate, 49);
	ck_assert_uint_eq(pstk_actor_steps(d.actors[2]), 7);
	ck_assert_uint_gt(pstk_actor_steps(d.actors[1]), 40);
	ck_assert_uint_gt(pstk_actor_steps(d.actors[3]), 40);
	pstk_network_destroy(d.net);
}
END_TEST

static void begin(struct pstk_network **net)
{
	*net = pstk_network_create("keep");
	ck_assert_int_eq(pstk_network_set_flags(*net, PSTK_STEPS_AUTO), 0);
}

static uint32_t steps_of(const struct pstk_network *net, const char *name)
{
	pstk_network_shared_bytes(net);
	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		if (!strcmp(pstk_actor_name(pstk_network_actor(net, i)), name))
			return pstk_actor_steps(pstk_network_actor(net, i));
	ck_abort_msg("no actor %s", name);
}

START_TEST(a_cycle_keeps_one_step)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		{ .name = "back", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 }
	};
	struct pstk_network *net;
	struct pstk_actor *a, *b;

	begin(&net);
	a = add(net, "a", FIRST, 0, 1);
	b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "sum", .ports = ports, .port_count = 3, .fire = idle), NULL);
	join(a, b);
	ck_assert_ptr_nonnull(pstk_connect(b, "out", b, "back", PSTK_FIFO(.delay = 1)));
	join(b, add(net, "c", LAST, 1, 0));
	ck_assert_uint_eq(steps_of(net, "b"), 1);
	ck_assert_uint_gt(steps_of(net, "a"), 1);
	ck_assert_uint_gt(steps_of(net, "c"), 1);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	pstk_network_destroy(net);
}
END_TEST

/* source -> relay, which declares nothing -> sink: its proportion is that of its neighbours' rates. */
START_TEST(beside_an_undeclared_actor)
{
	struct pstk_network *net;
	struct pstk_actor *a, *b;

	begin(&net);
	a = add(net, "a", FIRST, 0, 2);
	b = add(net, "b", MIDDLE, 0, 0);
	join(a, b);
	join(b, add(net, "c", LAST, 3, 0));
	ck_assert_uint_eq(steps_of(net, "a"), 1);
	ck_assert_uint_eq(steps_of(net, "c"), 1);
	pstk_network_destroy(net);
}
END_TEST

/*
 * values -> gate's control port; source -> gate.in, dynamic; gate.out -> near -> far: both fire with the gate, which
 * fires always, so they are free; source fires when the gate's input is on. Each declares one token.
 */
START_TEST(what_control_tokens_decide)
{
	const struct pstk_port control[] = { { .name = "control", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_DYNAMIC_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 } };
	const struct pstk_port value = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = 1 };
	struct pstk_network *net;
	struct pstk_actor *values, *gate, *relay, *near;

	begin(&net);
	values = pstk_network_add(net, "values",
		PSTK_ACTOR_TYPE(.name = "values", .ports = &value, .port_count = 1, .fire = idle), NULL);
	gate = pstk_network_add(net, "gate",
		PSTK_ACTOR_TYPE(.name = "gate", .ports = control, .port_count = 3, .fire = idle,
			.control = decide, .control_values = 2),
		NULL);
	relay = add(net, "relay", MIDDLE, 1, 1);
	near = add(net, "near", MIDDLE, 1, 1);
	ck_assert_ptr_nonnull(pstk_connect(values, "out", gate, "control", PSTK_FIFO(.rate = 0)));
	join(add(net, "source", FIRST, 0, 1), relay);
	join(relay, gate);
	join(gate, near);
	join(near, add(net, "far", LAST, 1, 0));
	ck_assert_uint_eq(steps_of(net, "values"), 1);
	ck_assert_uint_eq(steps_of(net, "gate"), 1);
	ck_assert_uint_eq(steps_of(net, "relay"), 1);  /* fires when gate.in is on .. */
	ck_assert_uint_eq(steps_of(net, "source"), 1); /* .. and so does what feeds it */
	ck_assert_uint_gt(steps_of(net, "near"), 1);
	ck_assert_uint_gt(steps_of(net, "far"), 1);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	pstk_network_destroy(net);
}
END_TEST

/* It declares what it takes and not what it gives: more steps would be fewer tokens out of it. */
START_TEST(an_actor_that_declares_one_port)
{
	struct pstk_network *net;
	struct pstk_actor *a, *b;

	begin(&net);
	a = add(net, "a", FIRST, 0, 1);
	b = add(net, "b", MIDDLE, 4, 0);
	join(a, b);
	join(b, add(net, "c", LAST, 1, 0));
	ck_assert_uint_eq(steps_of(net, "b"), 1);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	pstk_network_destroy(net);
}
END_TEST

/* So many repetitions that not even one iteration fits a number of steps: parts of one. */
START_TEST(parts_of_an_iteration)
{
	struct pstk_network *net;
	struct pstk_actor *source, *a, *b;

	begin(&net);
	ck_assert_int_eq(pstk_network_set_depth_budget(net, 1 << 24), 0);
	source = add(net, "source", FIRST, 0, 1);
	a = add(net, "a", MIDDLE, 65536, 1);
	b = add(net, "b", MIDDLE, 65536, 1);
	join(source, a);
	join(a, b);
	join(b, add(net, "sink", LAST, 1, 0));
	ck_assert_uint_gt(steps_of(net, "a"), 1);
	ck_assert_uint_gt(steps_of(net, "source"), 65536);
	pstk_network_destroy(net);
}
END_TEST

/*
 * split -> join, six windows deep, beside split -> middle -> join. A firing of the middle takes what split has written
 * while join waits, so more than six steps of it are too many: rule R3. split and join make one step.
 */
START_TEST(a_given_depth_stays_large_enough)
{
	const struct pstk_port ports[] = {
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out2", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "in2", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
	};
	struct pstk_network *net;
	struct pstk_actor *split, *middle, *join2;

	begin(&net);
	split = pstk_network_add(net, "split",
		PSTK_ACTOR_TYPE(.name = "map", .ports = ports, .port_count = 2, .fire = idle), NULL);
	join2 = pstk_network_add(net, "join",
		PSTK_ACTOR_TYPE(.name = "map", .ports = ports + 2, .port_count = 2, .fire = idle), NULL);
	middle = add(net, "middle", MIDDLE, 1, 1);
	ck_assert_int_eq(pstk_actor_set_steps(split, 1), 0);
	ck_assert_int_eq(pstk_actor_set_steps(join2, 1), 0);
	join(split, middle);
	join(middle, join2);
	ck_assert_ptr_nonnull(pstk_connect(split, "out2", join2, "in2", PSTK_FIFO(.depth = 6)));
	ck_assert_uint_gt(steps_of(net, "middle"), 1);
	ck_assert_uint_le(steps_of(net, "middle"), 6);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("steps auto");
	TCase *test = test_case(suite, "steps");

	tcase_add_checked_fixture(test, plan_setup, NULL);
	tcase_add_test(test, windows_are_equal);
	tcase_add_test(test, the_budget_decides);
	tcase_add_test(test, a_large_step);
	tcase_add_test(test, flags_come_and_go);
	tcase_add_test(test, given_steps_stay);
	tcase_add_test(test, a_cycle_keeps_one_step);
	tcase_add_test(test, beside_an_undeclared_actor);
	tcase_add_test(test, what_control_tokens_decide);
	tcase_add_test(test, an_actor_that_declares_one_port);
	tcase_add_test(test, parts_of_an_iteration);
	tcase_add_test(test, a_given_depth_stays_large_enough);
	return test_main(suite);
}
