/* SPDX-License-Identifier: MIT */
/* How ports of a kahn actor end: readers that end first, partly filled windows. */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <sched.h>

static const struct pstk_port out_port[] = { { .name = "out", .kind = PSTK_OUTPUT } };

/* Two outputs, the reader of the first ends at once: what is written there is dropped, the other goes on. */
static int two_outputs_fire(struct pstk_firing *f)
{
	uint64_t tokens[8] = { 0 };

	for (unsigned i = 0; i < 100; i++) {
		for (unsigned t = 0; t < 8; t++)
			tokens[t] = 8 * i + t;
		if (pstk_fifo_write(f, 0, tokens, 8) != 8 || pstk_fifo_write(f, 1, tokens, 8) != 8)
			return -EIO;
	}
	return PSTK_DONE;
}

START_TEST(test_one_reader_ends)
{
	static const struct pstk_port ports[] = { { .name = "a", .kind = PSTK_OUTPUT },
		{ .name = "b", .kind = PSTK_OUTPUT } };
	struct simple_collect a = { .wanted = 1, .allowed = SIMPLE_ALL },
			      b = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("drops");
	struct pstk_actor *giver = pstk_network_add(net, "giver",
		PSTK_ACTOR_TYPE(.name = "two", .ports = ports, .port_count = 2, .kahn = true,
			.fire = two_outputs_fire),
		NULL);
	struct pstk_actor *first = pstk_network_add(net, "first", simple_collect_type(), &a);
	struct pstk_actor *second = pstk_network_add(net, "second", simple_collect_type(), &b);

	pstk_connect(giver, "a", first, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(giver, "b", second, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(a.tokens, 1);
	ck_assert_uint_eq(b.tokens, 800);
	ck_assert_uint_eq(a.wrong + b.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

/* A partly filled window closes a broadcast port for all, also when its first reader has ended before. */
struct closing {
	struct simple_collect a, b;
	struct pstk_fifo *first;
	bool closed;
};

static int closing_fire(struct pstk_firing *f)
{
	struct closing *c = pstk_actor_arg(pstk_firing_actor(f));
	struct pstk_fifo_info info = { 0 };
	uint64_t *out = pstk_fifo_write_start(f, 0);

	for (uint64_t i = 0; i < 4; i++)
		out[i] = i;
	pstk_fifo_write_end(f, 0);
	while (!info.discards) {
		sched_yield();
		pstk_fifo_get_info(c->first, &info);
	}
	out = pstk_fifo_write_start(f, 0);
	out[0] = 4;
	out[1] = 5;
	pstk_fifo_write_end_partial(f, 0, 2);
	c->closed = !pstk_fifo_write_start(f, 0);
	return PSTK_DONE;
}

START_TEST(test_partial_closes_broadcast)
{
	struct closing c = { .a = { .wanted = 1, .allowed = SIMPLE_ALL },
		.b = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL } };
	struct pstk_network *net = pstk_network_create("closing");
	struct pstk_actor *giver = pstk_network_add(net, "giver",
		PSTK_ACTOR_TYPE(.name = "t", .ports = out_port, .port_count = 1, .kahn = true,
			.fire = closing_fire),
		&c);
	struct pstk_actor *a = pstk_network_add(net, "a", simple_collect_type(), &c.a);
	struct pstk_actor *b = pstk_network_add(net, "b", simple_collect_type(), &c.b);

	c.first = pstk_connect(giver, "out", a, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
	pstk_connect(giver, "out", b, "in", PSTK_FIFO(.rate = 4, .token_size = 8));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert(c.closed);
	ck_assert_uint_eq(c.b.tokens, 6);
	ck_assert_uint_eq(c.b.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

/* A wrong call in the middle of a copied window leaves the window as it is. */
static int middle_fire(struct pstk_firing *f)
{
	static const uint64_t tokens[100];

	pstk_fifo_write(f, 0, tokens, 5);
	pstk_fifo_write_end_partial(f, 0, 2);
	pstk_fifo_write(f, 0, tokens, 100);
	return PSTK_DONE;
}

START_TEST(test_partial_in_the_middle)
{
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("middle");
	struct pstk_actor *a = pstk_network_add(net, "giver",
		PSTK_ACTOR_TYPE(.name = "t", .ports = out_port, .port_count = 1, .kahn = true,
			.fire = middle_fire),
		NULL);
	struct pstk_actor *b = pstk_network_add(net, "b", simple_collect_type(), &collect);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 8, .token_size = 8));
	ck_assert_int_eq(pstk_network_run(net), -EPROTO);
	TEST_SAYS(pstk_network_error(net), "giver", "pstk_fifo_write_end_partial", "'out'");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kahn ends");
	TCase *c = test_case(suite, "kahn ends");

	tcase_add_test(c, test_one_reader_ends);
	tcase_add_test(c, test_partial_closes_broadcast);
	tcase_add_test(c, test_partial_in_the_middle);
	return test_main(suite);
}
