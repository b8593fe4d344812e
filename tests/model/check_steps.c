/* SPDX-License-Identifier: MIT */
/* Steps: the windows that follow from what ports declare and FIFOs are given, and what does not fit. */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* a.out -> b.in, b.out -> c.in, and perhaps b.out -> d.in */
struct chain_case {
	const char *label;
	uint32_t a, b_in, b_out, c; /* declared rates */
	uint32_t history, peek;     /* of b.in */
	uint32_t a_steps, b_steps, c_steps;
	struct pstk_fifo_spec first, second;
	const struct pstk_fifo_spec *third;
	/* what comes of it */
	uint32_t windows[4]; /* a.out, b.in, b.out, c.in */
	uint32_t steps;      /* of b */
	int err;
	const char *says[3];
};

#define GIVEN(...)                                                        \
	{                                                                 \
		.struct_size = sizeof(struct pstk_fifo_spec), __VA_ARGS__ \
	}

static const struct pstk_fifo_spec other_rate = GIVEN(.write_rate = 6, .read_rate = 6);
static const struct pstk_fifo_spec no_rate = GIVEN(.depth = 3);

static const struct chain_case cases[] = {
	{ "one step each", 2, 3, 4, 5, .first = GIVEN(), .second = GIVEN(), .windows = { 2, 3, 4, 5 },
		.steps = 1 },
	{ "steps are set", 2, 3, 4, 5, .a_steps = 6, .b_steps = 4, .c_steps = 8, .first = GIVEN(),
		.second = GIVEN(), .windows = { 12, 12, 16, 40 }, .steps = 4 },
	{ "a FIFO says how many", .b_in = 3, .b_out = 4, .first = GIVEN(.rate = 12), .second = GIVEN(),
		.windows = { 12, 12, 16, 16 }, .steps = 4 },
	{ "the other one does", .b_in = 3, .b_out = 4, .first = GIVEN(), .second = GIVEN(.rate = 8),
		.windows = { 6, 6, 8, 8 }, .steps = 2 },
	{ "both do", .b_in = 3, .b_out = 4, .first = GIVEN(.rate = 9),
		.second = GIVEN(.write_rate = 12, .read_rate = 6), .windows = { 9, 9, 12, 6 }, .steps = 3 },
	{ "only its own end is given", .b_in = 3, .b_out = 4, .first = GIVEN(.read_rate = 6),
		.second = GIVEN(.write_rate = 8), .windows = { 6, 6, 8, 8 }, .steps = 2 },
	{ "only the other end is given", .b_in = 3, .b_out = 4, .first = GIVEN(.write_rate = 6),
		.second = GIVEN(.read_rate = 8), .windows = { 6, 3, 4, 8 }, .steps = 1 },
	{ "nothing declared", .first = GIVEN(.rate = 7), .second = GIVEN(.write_rate = 2, .read_rate = 3),
		.windows = { 7, 7, 2, 3 } },
	{ "a broadcast", .b_in = 3, .b_out = 4, .b_steps = 2, .first = GIVEN(), .second = GIVEN(),
		.third = &no_rate, .windows = { 6, 6, 8, 8 }, .steps = 2 },
	{ "a reader says it for the whole broadcast", .first = GIVEN(.rate = 1), .second = GIVEN(.rate = 6),
		.c = 2, .third = &other_rate, .windows = { 1, 1, 6, 6 } },
	{ "history needs no rate", .history = 5, .first = GIVEN(.rate = 2), .second = GIVEN(.rate = 1),
		.windows = { 2, 2, 1, 1 } },
	{ "peek", .b_in = 2, .peek = 7, .b_steps = 3, .first = GIVEN(), .second = GIVEN(.rate = 1),
		.windows = { 6, 6, 1, 1 }, .steps = 3 },
	{ "a peek that is the rate", .b_in = 2, .peek = 2, .first = GIVEN(), .second = GIVEN(.rate = 1),
		.windows = { 2, 2, 1, 1 }, .steps = 1 },
	{ "the largest window", .b_in = 65537, .b_out = 1, .b_steps = 65535, .first = GIVEN(.depth = 1),
		.second = GIVEN(.depth = 1), .windows = { UINT32_MAX, UINT32_MAX, 65535, 65535 },
		.steps = 65535 },

	{ "steps of nothing", .b_steps = 4, .first = GIVEN(.rate = 1), .second = GIVEN(.rate = 1),
		.err = -EINVAL,
		.says = { "'b' (relay): a firing of 4 steps, but none of its ports declares" } },
	{ "a FIFO that does not fit what was set", .b_in = 3, .b_out = 4, .b_steps = 2,
		.first = GIVEN(.rate = 9), .second = GIVEN(), .err = -EINVAL,
		.says = { "'b' (relay): port 'in' moves 3 tokens a step and a firing is 2 steps "
			  "(as it was given), but 'a'.out -> 'b'.in gives it 9: give it 6, or "
			  "none" } },
	{ "FIFOs that do not fit each other", .b_in = 3, .b_out = 1, .first = GIVEN(.rate = 9),
		.second = GIVEN(.rate = 4), .err = -EINVAL,
		.says = { "'b' (relay): port 'out' moves 1 token a step and a firing is 3 steps, for port "
			  "'in' "
			  "moves 3 a step and its FIFO gives it 9, but 'b'.out -> 'c'.in gives it 4: give it "
			  "3" } },
	{ "no multiple", .b_in = 3, .first = GIVEN(.rate = 10), .second = GIVEN(.rate = 1), .err = -EINVAL,
		.says = { "a firing is 1 step, but 'a'.out -> 'b'.in gives it 10: give it a multiple of "
			  "3" } },
	{ "history and peek", .b_in = 2, .history = 3, .peek = 4, .first = GIVEN(),
		.second = GIVEN(.rate = 1), .err = -EINVAL,
		.says = { "'b' (relay): port 'in' has a history of 3 tokens and a peek of 4" } },
	{ "peek without a rate", .peek = 4, .first = GIVEN(.rate = 4), .second = GIVEN(.rate = 1),
		.err = -EINVAL, .says = { "port 'in' has a peek of 4 tokens, but no rate" } },
	{ "peek below the rate", .b_in = 5, .peek = 4, .first = GIVEN(), .second = GIVEN(.rate = 1),
		.err = -EINVAL, .says = { "port 'in' has a peek of 4 tokens, but a step takes 5" } },
	{ "windows that are too long", .b_in = 65536, .b_steps = 65536, .first = GIVEN(),
		.second = GIVEN(.rate = 1), .err = -EINVAL,
		.says = { "port 'in' would move 4294967296 tokens in a firing, 65536 steps of 65536" } },
	{ "more bytes than there can be", .b_in = UINT32_MAX, .history = UINT32_MAX,
		.first = GIVEN(.depth = UINT32_MAX), .second = GIVEN(.rate = 1), .err = -EOVERFLOW,
		.says = { "'a'.out -> 'b'.in: windows of 4294967295 and 4294967295 tokens with 4294967295 of "
			  "history",
			"more bytes than memory can have" } },
};

static struct pstk_actor *add(
	struct pstk_network *net, const char *name, uint32_t in, uint32_t out, uint32_t steps)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u32", .rate = in },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = out }
	};
	unsigned first = *name == 'a', count = *name == 'b' ? 2 : 1;
	struct pstk_actor *a = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "relay", .ports = ports + first, .port_count = count, .fire = idle),
		NULL);

	if (steps)
		ck_assert_int_eq(pstk_actor_set_steps(a, steps), 0);
	return a;
}

static void check_windows(
	const struct chain_case *c, struct pstk_network *net, struct pstk_actor *const *chain)
{
	pstk_network_fifo_bytes(net); /* any question will do */
	ck_assert_uint_eq(pstk_actor_port_rate(chain[0], 0), c->windows[0]);
	ck_assert_uint_eq(pstk_actor_port_rate(chain[1], 0), c->windows[1]);
	ck_assert_uint_eq(pstk_actor_port_rate(chain[1], 1), c->windows[2]);
	ck_assert_uint_eq(pstk_actor_port_rate(chain[2], 0), c->windows[3]);
	ck_assert_uint_eq(pstk_actor_steps(chain[1]), c->steps);
	ck_assert_uint_eq(pstk_actor_port_history(chain[1], 0), c->peek ? c->peek - c->b_in : c->history);
}

START_TEST(a_chain)
{
	const struct chain_case *c = &cases[_i];
	struct pstk_network *net = pstk_network_create("steps");
	struct pstk_actor *chain[] = { add(net, "a", 0, c->a, c->a_steps),
		add(net, "b", c->b_in, c->b_out, c->b_steps), add(net, "c", c->c, 0, c->c_steps) };

	if (c->history)
		ck_assert_int_eq(pstk_actor_set_history(chain[1], 0, c->history), 0);
	if (c->peek)
		ck_assert_int_eq(pstk_actor_set_peek(chain[1], 0, c->peek), 0);
	ck_assert_msg(pstk_connect(chain[0], "out", chain[1], "in", &c->first) != NULL, "%s: %s", c->label,
		pstk_network_error(net));
	ck_assert_ptr_nonnull(pstk_connect(chain[1], "out", chain[2], "in", &c->second));
	if (c->third)
		ck_assert_ptr_nonnull(pstk_connect(chain[1], "out", add(net, "d", 0, 0, 0), "in", c->third));
	if (!c->err) {
		check_windows(c, net, chain);
		ck_assert_msg(!pstk_network_problem(net, 0), "%s", pstk_network_error(net));
	}
	ck_assert_msg(c->windows[0] == UINT32_MAX || pstk_network_start(net) == c->err, "%s: %s", c->label,
		pstk_network_error(net));
	for (unsigned i = 0; c->err && i < 3 && c->says[i]; i++)
		TEST_SAYS(pstk_network_error(net), c->says[i]);
	pstk_network_destroy(net);
}
END_TEST

/* What a FIFO has no rate for is refused at once if no port could declare one, else at the start. */
START_TEST(no_rate_at_all)
{
	struct pstk_network *net = pstk_network_create("none");
	struct pstk_actor *a = add(net, "a", 0, 0, 0), *b = add(net, "b", 0, 2, 0),
			  *c = add(net, "c", 0, 0, 0);

	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.depth = 2)));
	TEST_SAYS(pstk_network_error(net),
		"'a'.out -> 'b'.in: rate is 0: give the tokens of a window, at least 1; "
		"'a'.out and 'b'.in declare none");
	ck_assert_ptr_nonnull(pstk_connect(b, "out", c, "in", PSTK_FIFO(.depth = 2)));
	pstk_network_destroy(net);
	net = pstk_network_create("taken back");
	a = add(net, "a", 0, 3, 0);
	c = add(net, "c", 0, 0, 0);
	ck_assert_ptr_nonnull(pstk_connect(a, "out", c, "in", PSTK_FIFO(.depth = 2)));
	ck_assert_int_eq(pstk_actor_set_rate(a, 0, 0), 0);
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net),
		"'a'.out -> 'c'.in: no rate: give the tokens of a window, for neither port "
		"declares any");
	pstk_network_destroy(net);
}
END_TEST

/* Write rates that only the second and the third FIFO are given: the first one takes what it finds. */
START_TEST(a_broadcast_of_two_rates)
{
	struct pstk_network *net = pstk_network_create("two");
	struct pstk_actor *a = add(net, "a", 0, 0, 0), *c = add(net, "c", 0, 0, 0),
			  *d = add(net, "d", 0, 0, 0), *e = add(net, "e", 0, 0, 0);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", c, "in", PSTK_FIFO(.read_rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out", d, "in", PSTK_FIFO(.rate = 30)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out", e, "in", PSTK_FIFO(.rate = 2)));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net),
		"'a'.out -> 'e'.in: a broadcast has one write rate: here 2, to 'c' 30");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("steps");
	TCase *test = test_case(suite, "rates");

	tcase_add_loop_test(test, a_chain, 0, TEST_COUNT(cases));
	tcase_add_test(test, no_rate_at_all);
	tcase_add_test(test, a_broadcast_of_two_rates);
	return test_main(suite);
}
