/* SPDX-License-Identifier: MIT */
/* Building dynamic actors: types, FIFOs of control tokens and directions that are refused, with what is said. */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>

enum { VALUES = 8 };

static const struct pstk_port gate_ports[] = {
	{ .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "a", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8 },
	{ .name = "b", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8 },
};

static int nothing(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int no_control(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return 0;
}

static const struct pstk_port bad_ports[] = {
	{ .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_DYNAMIC_INPUT },
	{ .name = "more", .kind = PSTK_CONTROL },
	{ .name = "odd", .kind = PSTK_CONTROL, .token_size = 8 },
	{ .name = "float", .kind = PSTK_CONTROL, .token_type = "f32" },
	{ .name = "in", .kind = PSTK_INPUT },
	{ .name = "wrong", .kind = (enum pstk_port_kind)(PSTK_CONTROL + 1) },
};

static const struct bad_type {
	unsigned first, count;
	uint32_t values;
	int (*control)(struct pstk_firing *, uint32_t);
	bool kahn;
	const char *words;
} bad_types[] = {
	{ 0, 3, 2, no_control, false, "2 control ports: an actor has at most one" },
	{ 1, 1, 0, NULL, false, "dynamic ports need a control port" },
	{ 0, 2, 2, NULL, false, "a control port needs control()" },
	{ 5, 1, 0, no_control, false, "control() and control_values need a control port" },
	{ 5, 1, 2, NULL, false, "control() and control_values need a control port" },
	{ 0, 1, 2, no_control, false, "no port that it could control" },
	{ 0, 2, 2, no_control, true, "a kahn actor has no control port" },
	{ 0, 2, 65537, no_control, false, "65537 control values: expected at most 65536" },
	{ 3, 1, 2, no_control, false, "port 'odd': control tokens are u32, of 4 bytes" },
	{ 4, 1, 2, no_control, false, "port 'float': control tokens are u32, of 4 bytes" },
	{ 6, 1, 0, NULL, false, "port 'wrong' is of an unknown kind, 5" },
};

START_TEST(types_that_are_refused)
{
	const struct bad_type *bad = &bad_types[_i];
	struct pstk_network *net = pstk_network_create("bad");

	ck_assert_ptr_null(pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "bad", .ports = bad_ports + bad->first, .port_count = bad->count,
			.control_values = bad->values, .control = bad->control, .fire = nothing,
			.kahn = bad->kahn),
		NULL));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'a'", bad->words);
	pstk_network_destroy(net);
}
END_TEST

static const struct bad_fifo {
	uint32_t rate, delay;
	size_t size;
	const char *words[3]; /* each is a problem */
} bad_fifos[] = { { 2, 0, 4, { "rate is 2: must be 1" } }, { 1, 1, 4, { "delay is 1: must be 0" } },
	{ 1, 0, 8, { "token size is 8: must be 4" } }, { 1, 0, 1, { "token size is 1: must be 4" } },
	{ 3, 2, 2, { "token size is 2: must be 4", "rate is 3: must be 1", "delay is 2: must be 0" } } };

/* An actor `c` that gives control tokens to the one returned. */
static struct pstk_actor *add_pair(struct pstk_network *net, struct pstk_actor **c)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };

	*c = pstk_network_add(net, "c",
		PSTK_ACTOR_TYPE(.name = "c", .ports = &out, .port_count = 1, .fire = nothing), NULL);
	return pstk_network_add(net, "g",
		PSTK_ACTOR_TYPE(.name = "g", .ports = bad_ports, .port_count = 2, .control_values = 65536,
			.control = no_control, .fire = nothing),
		NULL);
}

START_TEST(control_fifos_that_are_refused)
{
	const struct bad_fifo *bad = &bad_fifos[_i];
	struct pstk_network *net = pstk_network_create("bad");
	struct pstk_actor *c, *g = add_pair(net, &c);
	unsigned count = 0;

	ck_assert_ptr_nonnull(g);
	ck_assert_ptr_null(pstk_connect(c, "out", g, "ctl",
		PSTK_FIFO(.rate = bad->rate, .delay = bad->delay, .token_size = bad->size)));
	for (unsigned i = 0; i < 3 && bad->words[i]; i++, count++)
		TEST_SAYS(pstk_network_problem(net, i), "'c'.out -> 'g'.ctl: ", bad->words[i]);
	ck_assert_ptr_null(pstk_network_problem(net, count));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

/* They are read one by one, but several may be written in a firing. */
START_TEST(control_fifos_of_two_rates)
{
	struct pstk_network *net = pstk_network_create("two");
	struct pstk_actor *c, *g = add_pair(net, &c);

	ck_assert_ptr_null(pstk_connect(c, "out", g, "ctl", PSTK_FIFO(.write_rate = 3, .read_rate = 2)));
	TEST_SAYS(pstk_network_problem(net, 0), "'c'.out -> 'g'.ctl: read_rate is 2: must be 1");
	ck_assert_ptr_null(pstk_connect(c, "out", g, "ctl", PSTK_FIFO(.rate = 1, .tail = 3)));
	TEST_SAYS(pstk_network_problem(net, 1), "'c'.out -> 'g'.ctl: tail is 3: must be 0");
	ck_assert_ptr_nonnull(pstk_connect(c, "out", g, "ctl", PSTK_FIFO(.write_rate = 3)));
	pstk_network_fifo_bytes(net);
	ck_assert_uint_eq(pstk_actor_port_rate(c, 0), 3);
	ck_assert_uint_eq(pstk_actor_port_rate(g, 0), 1);
	pstk_network_destroy(net);
}
END_TEST

/* Of every kind there is: outputs are outputs. */
START_TEST(directions)
{
	struct pstk_network *net = pstk_network_create("directions");
	struct pstk_actor *g[2];

	for (unsigned i = 0; i < 2; i++)
		g[i] = pstk_network_add(net, i ? "second" : "first",
			PSTK_ACTOR_TYPE(.name = "gate", .ports = gate_ports,
				.port_count = TEST_COUNT(gate_ports), .control_values = VALUES,
				.control = no_control, .fire = nothing),
			NULL);
	ck_assert_ptr_null(pstk_connect(g[0], "a", g[1], "b", PSTK_FIFO(.rate = 1, .token_size = 8)));
	TEST_SAYS(pstk_network_problem(net, 0), "'first': port 'a' is an input, not an output");
	ck_assert_ptr_null(pstk_connect(g[0], "out", g[1], "out", PSTK_FIFO(.rate = 1, .token_size = 8)));
	TEST_SAYS(pstk_network_problem(net, 1), "'second': port 'out' is an output, not an input");
	ck_assert_ptr_null(pstk_connect(g[0], "ctl", g[1], "b", PSTK_FIFO(.rate = 1, .token_size = 4)));
	TEST_SAYS(pstk_network_problem(net, 2), "'first': port 'ctl' is an input, not an output");
	ck_assert_ptr_null(pstk_connect(g[0], "outt", g[1], "b", PSTK_FIFO(.rate = 1, .token_size = 8)));
	TEST_SAYS(pstk_network_problem(net, 3), "no output 'outt'; did you mean 'out'? It has out");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(null_is_allowed)
{
	pstk_port_enable(NULL, 0, true);
	ck_assert(!pstk_port_enabled(NULL, 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_types");
	TCase *c = test_case(suite, "building");

	tcase_add_loop_test(c, types_that_are_refused, 0, TEST_COUNT(bad_types));
	tcase_add_loop_test(c, control_fifos_that_are_refused, 0, TEST_COUNT(bad_fifos));
	tcase_add_test(c, directions);
	tcase_add_test(c, control_fifos_of_two_rates);
	tcase_add_test(c, null_is_allowed);
	return test_main(suite);
}
