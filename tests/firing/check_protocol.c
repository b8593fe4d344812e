/* SPDX-License-Identifier: MIT */
/*
 * What fire() may do with its ports: each port is started and ended once in a firing. Anything else ends the
 * network with -EPROTO and a message that names actor and port.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { IN, OUT, BAD = 9, RATE = 4 };

static void read_all(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, IN);
	pstk_fifo_read_end(f, IN);
}

static void write_all(struct pstk_firing *f)
{
	memset(pstk_fifo_write_start(f, OUT), 0, RATE * sizeof(uint64_t));
	pstk_fifo_write_end(f, OUT);
}

static int input_not_started(struct pstk_firing *f)
{
	write_all(f);
	return PSTK_AGAIN;
}

static int input_not_ended(struct pstk_firing *f)
{
	write_all(f);
	pstk_fifo_read_start(f, IN);
	return PSTK_AGAIN;
}

static int output_not_started(struct pstk_firing *f)
{
	read_all(f);
	return PSTK_AGAIN;
}

static int output_not_ended(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_start(f, OUT);
	return PSTK_AGAIN;
}

static int input_started_twice(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, IN);
	ck_assert_ptr_null(pstk_fifo_read_start(f, IN));
	pstk_fifo_read_end(f, IN);
	write_all(f);
	return PSTK_AGAIN;
}

static int input_started_after_end(struct pstk_firing *f)
{
	read_all(f);
	ck_assert_ptr_null(pstk_fifo_read_start(f, IN));
	write_all(f);
	return PSTK_AGAIN;
}

static int output_started_twice(struct pstk_firing *f)
{
	read_all(f);
	write_all(f);
	ck_assert_ptr_null(pstk_fifo_write_start(f, OUT));
	return PSTK_AGAIN;
}

static int input_ended_twice(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_read_end(f, IN);
	write_all(f);
	return PSTK_AGAIN;
}

static int output_ended_twice(struct pstk_firing *f)
{
	read_all(f);
	write_all(f);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int input_ended_unstarted(struct pstk_firing *f)
{
	pstk_fifo_read_end(f, IN);
	write_all(f);
	return PSTK_AGAIN;
}

static int output_ended_unstarted(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int partial_unstarted(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_end_partial(f, OUT, 1);
	return PSTK_DONE;
}

static int reads_as_kahn(struct pstk_firing *f)
{
	uint64_t token;

	ck_assert_int_eq(pstk_fifo_read(f, IN, &token, 1), -EINVAL);
	return PSTK_AGAIN;
}

static int writes_as_kahn(struct pstk_firing *f)
{
	uint64_t token = 0;

	ck_assert_int_eq(pstk_fifo_write(f, OUT, &token, 1), -EINVAL);
	return PSTK_AGAIN;
}

static int reads_output(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_read_start(f, OUT));
	read_all(f);
	write_all(f);
	return PSTK_AGAIN;
}

static int read_ends_output(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_start(f, OUT);
	pstk_fifo_read_end(f, OUT);
	return PSTK_DONE;
}

static int writes_input(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_write_start(f, IN));
	read_all(f);
	write_all(f);
	return PSTK_AGAIN;
}

static int write_ends_input(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, IN);
	pstk_fifo_write_end(f, IN);
	return PSTK_DONE;
}

static int partial_of_input(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, IN);
	pstk_fifo_write_end_partial(f, IN, 1);
	return PSTK_DONE;
}

static int reads_no_port(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_read_start(f, BAD));
	return PSTK_DONE;
}

static int writes_no_port(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_write_start(f, BAD));
	return PSTK_DONE;
}

static int ends_no_port(struct pstk_firing *f)
{
	pstk_fifo_read_end(f, BAD);
	return PSTK_DONE;
}

static int ends_no_output(struct pstk_firing *f)
{
	pstk_fifo_write_end(f, UINT_MAX);
	return PSTK_DONE;
}

static int partial_of_too_much(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_start(f, OUT);
	pstk_fifo_write_end_partial(f, OUT, RATE + 1);
	return PSTK_DONE;
}

static int returns_two(struct pstk_firing *f)
{
	read_all(f);
	write_all(f);
	return 2;
}

static int returns_much(struct pstk_firing *f)
{
	read_all(f);
	write_all(f);
	return INT_MAX;
}

/* The first mistake is the one that is told. */
static int two_mistakes(struct pstk_firing *f)
{
	read_all(f);
	pstk_fifo_write_end(f, OUT);
	pstk_fifo_read_end(f, BAD);
	return PSTK_DONE;
}

/* With a partly filled output AGAIN or DONE make no difference, but the other port must be ended before
 * AGAIN. */
static int partial_with_open_input(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, IN);
	memset(pstk_fifo_write_start(f, OUT), 0, RATE * sizeof(uint64_t));
	pstk_fifo_write_end_partial(f, OUT, 1);
	return PSTK_AGAIN;
}

static const struct {
	int (*fire)(struct pstk_firing *f);
	bool not_kahn;
	const char *says;
} wrongs[] = {
	{ input_not_started, true, "entry" },
	{ input_not_ended, false, "entry" },
	{ output_not_started, true, "exit" },
	{ output_not_ended, false, "exit" },
	{ input_started_twice, false, "entry" },
	{ input_started_after_end, true, "entry" },
	{ output_started_twice, true, "exit" },
	{ input_ended_twice, false, "entry" },
	{ output_ended_twice, false, "exit" },
	{ input_ended_unstarted, false, "entry" },
	{ output_ended_unstarted, false, "exit" },
	{ partial_unstarted, false, "exit" },
	{ reads_as_kahn, true, "pstk_fifo_read() is for kahn actors: call pstk_fifo_read_start()" },
	{ writes_as_kahn, true, "pstk_fifo_write() is for kahn actors: call pstk_fifo_write_start()" },
	{ reads_output, false, "exit" },
	{ read_ends_output, false, "exit" },
	{ writes_input, false, "entry" },
	{ write_ends_input, false, "entry" },
	{ partial_of_input, false, "entry" },
	{ reads_no_port, false, "9" },
	{ writes_no_port, false, "9" },
	{ ends_no_port, false, "9" },
	{ ends_no_output, false, "4294967295" },
	{ partial_of_too_much, false, "exit" },
	{ returns_two, false, "2" },
	{ returns_much, false, "2147483647" },
	{ partial_with_open_input, false, "entry" },
	{ two_mistakes, false, "exit" },
};

static const struct pstk_port ports[] = { { .name = "entry", .kind = PSTK_INPUT },
	{ .name = "exit", .kind = PSTK_OUTPUT } };

static struct pstk_network *make(
	int (*fire)(struct pstk_firing *f), bool kahn, void *arg, struct simple_collect *collect)
{
	static struct simple_count count;
	struct pstk_network *net = pstk_network_create("protocol");
	struct pstk_actor *source, *middle, *sink;

	count = (struct simple_count){ .tokens = SIMPLE_ALL };
	source = pstk_network_add(net, "count", simple_count_type(), &count);
	middle = pstk_network_add(net, "culprit",
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = 2, .kahn = kahn, .fire = fire),
		arg);
	sink = pstk_network_add(net, "collect", simple_collect_type(), collect);
	ck_assert_ptr_nonnull(
		pstk_connect(source, "out", middle, "entry", PSTK_FIFO(.rate = RATE, .token_size = 8)));
	ck_assert_ptr_nonnull(
		pstk_connect(middle, "exit", sink, "in", PSTK_FIFO(.rate = RATE, .token_size = 8)));
	return net;
}

static void run_wrong(int i, bool kahn)
{
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = make(wrongs[i].fire, kahn, NULL, &collect);
	int err = pstk_network_run(net);

	ck_assert_msg(err == -EPROTO, "%d: %s", err, pstk_network_error(net));
	TEST_SAYS(pstk_network_error(net), "culprit", "0", wrongs[i].says);
	pstk_network_destroy(net);
}

START_TEST(test_wrong)
{
	run_wrong(_i, false);
}
END_TEST

START_TEST(test_wrong_kahn)
{
	if (!wrongs[_i].not_kahn)
		run_wrong(_i, true);
}
END_TEST

/* -- a start that returns NULL: fire() may use that and never return, so it is told before -- */

static const struct {
	unsigned port;
	bool write;
	const char *says;
} nulls[] = {
	{ OUT, false, "pstk_fifo_read_start: port 'exit' is an output: call pstk_fifo_write_start()" },
	{ IN, true, "pstk_fifo_write_start: port 'entry' is an input: call pstk_fifo_read_start()" },
	{ BAD, false, "pstk_fifo_read_start: there is no port 9, only 2, numbered from 0" },
	{ UINT_MAX, true, "pstk_fifo_write_start: there is no port 4294967295, only 2, numbered from 0" },
};

struct told {
	unsigned call;
	bool at_once, in_time; /* the log had it before fire() returned; not before the call */
};

static int tells_fire(struct pstk_firing *f)
{
	struct told *t = pstk_actor_arg(pstk_firing_actor(f));
	char text[256];
	void *null;

	read_all(f);
	write_all(f);
	if (pstk_firing_index(f) < 2)
		return PSTK_AGAIN;
	snprintf(text, sizeof text, "'culprit' (t), firing 2: %s", nulls[t->call].says);
	t->in_time = !test_log_has(text);
	null = nulls[t->call].write ? pstk_fifo_write_start(f, nulls[t->call].port)
	                            : (void *)(uintptr_t)pstk_fifo_read_start(f, nulls[t->call].port);
	t->at_once = !null && test_log_has(text);
	return PSTK_AGAIN;
}

START_TEST(test_told_at_once)
{
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL, .delay = SIMPLE_ALL };
	struct told t = { .call = (unsigned)_i };
	struct pstk_network *net = make(tells_fire, false, &t, &collect);
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_network_run(net), -EPROTO);
	ck_assert(t.in_time && t.at_once);
	TEST_SAYS(pstk_network_error(net), "'culprit' (t), firing 2: ", nulls[_i].says);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 1), &info), 0);
	ck_assert_uint_eq(info.written, 2 * RATE); /* not that firing's */
	pstk_network_destroy(net);
}
END_TEST

/* -- what is right
 * --------------------------------------------------------------------------------------------------------------
 */

/* DONE with windows open: they are given back, nothing is published. */
static int done_open(struct pstk_firing *f)
{
	if (pstk_firing_index(f) < 2) {
		read_all(f);
		write_all(f);
		return PSTK_AGAIN;
	}
	pstk_fifo_read_start(f, IN);
	memset(pstk_fifo_write_start(f, OUT), 0xff, RATE * sizeof(uint64_t));
	return PSTK_DONE;
}

START_TEST(test_done_open)
{
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = make(done_open, false, NULL, &collect);
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect.tokens, 2 * RATE);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
	ck_assert_uint_eq(info.read, 2 * RATE);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 1), &info), 0);
	ck_assert_uint_eq(info.written, 2 * RATE);
	pstk_network_destroy(net);
}
END_TEST

static int partial_fire(struct pstk_firing *f)
{
	const uint32_t *valid = pstk_actor_arg(pstk_firing_actor(f));

	read_all(f);
	ck_assert_uint_eq(pstk_port_valid(f, OUT), RATE);
	memset(pstk_fifo_write_start(f, OUT), 0, RATE * sizeof(uint64_t));
	if (pstk_firing_index(f) == 3)
		pstk_fifo_write_end_partial(f, OUT, *valid);
	else
		pstk_fifo_write_end(f, OUT);
	return pstk_firing_index(f) == 4 ? PSTK_DONE : PSTK_AGAIN;
}

/* A partly filled output ends the actor; one that is filled does not. */
START_TEST(test_partial)
{
	for (uint32_t valid = 1; valid <= RATE; valid++) {
		struct simple_collect collect = {
			.wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL, .delay = SIMPLE_ALL
		};
		struct pstk_network *net = make(partial_fire, false, &valid, &collect);

		ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
		ck_assert_uint_eq(collect.tokens, valid < RATE ? 3 * RATE + valid : 5 * RATE);
		ck_assert_uint_eq(collect.wrong, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* What a firing says of itself. */
static int figures_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);

	ck_assert_str_eq(pstk_actor_name(self), "culprit");
	ck_assert_uint_eq(pstk_actor_port_rate(self, IN), RATE);
	ck_assert_uint_eq(pstk_actor_port_rate(self, OUT), RATE);
	ck_assert_uint_eq(pstk_actor_port_rate(self, BAD), 0);
	ck_assert_uint_eq(pstk_actor_port_token_size(self, IN), 8);
	ck_assert_uint_eq(pstk_actor_port_token_size(self, BAD), 0);
	ck_assert_uint_eq(pstk_port_valid(f, IN), RATE);
	ck_assert_uint_eq(pstk_port_valid(f, OUT), RATE);
	ck_assert_uint_eq(pstk_port_valid(f, BAD), 0);
	read_all(f);
	write_all(f);
	return pstk_firing_index(f) == 1 ? PSTK_DONE : PSTK_AGAIN;
}

START_TEST(test_figures)
{
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL, .delay = SIMPLE_ALL };
	struct pstk_network *net = make(figures_fire, false, NULL, &collect);

	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert_uint_eq(collect.tokens, 2 * RATE);
	ck_assert_uint_eq(collect.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("protocol");
	TCase *wrong = test_case(suite, "wrong"), *right = test_case(suite, "right");

	tcase_add_checked_fixture(wrong, test_log_start, test_log_stop);
	tcase_add_loop_test(wrong, test_wrong, 0, (int)TEST_COUNT(wrongs));
	tcase_add_loop_test(wrong, test_wrong_kahn, 0, (int)TEST_COUNT(wrongs));
	tcase_add_loop_test(wrong, test_told_at_once, 0, (int)TEST_COUNT(nulls));
	tcase_add_test(right, test_done_open);
	tcase_add_test(right, test_partial);
	tcase_add_test(right, test_figures);
	return test_main(suite);
}
