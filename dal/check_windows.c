/* SPDX-License-Identifier: MIT */
/* Processes that use windows, beside others that don't; their blocks, wrong calls, and their form on a
 * device. */
#include "dal/check_dal.h"
#include "tests/common/file.h"
#include "penstock/dal_network.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct _local_states {
	uint64_t next;
};

static uint64_t tokens; /* of the producer */
static uint64_t consumed, wrong;
static uint64_t last_valid; /* of the consumer: how many came in the end */

static int producer_fire(DALProcess *p)
{
	uint64_t x[5];

	if (p->local->next == tokens) {
		DAL_send_event("done", p);
		return 0;
	}
	for (unsigned i = 0; i < 5; i++)
		x[i] = ++p->local->next;
	DAL_write("out", x, sizeof x, p);
	return 0;
}

#define TOKEN_NARROW_RATE 4
#define TOKEN_WIDE_RATE 6
#define BLOCK_WIDE_SIZE 3
#define BLOCK_WIDE_COUNT 2
typedef uint64_t TOKEN_t;

/* 4 tokens in, 6 out: each of two blocks has a pair and its sum. */
static int widen_fire(DALProcess *p)
{
	const TOKEN_t *in = DAL_read_begin("in", sizeof(TOKEN_t), TOKEN_NARROW_RATE, p);

	DAL_foreach_block(blk, BLOCK_WIDE_COUNT)
	{
		TOKEN_t *out =
			DAL_write_begin("out", sizeof(TOKEN_t), TOKEN_WIDE_RATE, BLOCK_WIDE_SIZE, blk, p);

		out[0] = in[2 * blk];
		out[1] = in[2 * blk + 1];
		out[2] = out[0] + out[1];
		DAL_write_end("out", out, p);
	}
	DAL_read_end("in", in, p);
	return 0;
}

static int double_fire(DALProcess *p)
{
	const TOKEN_t *in = DAL_read_begin("in", sizeof(TOKEN_t), TOKEN_WIDE_RATE, p);
	TOKEN_t *out = DAL_write_begin("out", sizeof(TOKEN_t), TOKEN_WIDE_RATE, TOKEN_WIDE_RATE, 0, p);

	for (unsigned i = 0; i < TOKEN_WIDE_RATE; i++)
		out[i] = 2 * in[i];
	DAL_write_end("out", out, p);
	DAL_read_end("in", in, p);
	return 0;
}

/* What the n-th token of the end is: three zeros, then 1, 2, ..; each four become two pairs with their sums;
 * doubled. */
static uint64_t expected(uint64_t n)
{
	uint64_t pair = n / 3 * 2, a = pair < 3 ? 0 : pair - 2, b = pair + 1 < 3 ? 0 : pair - 1;

	return 2 * (n % 3 == 0 ? a : n % 3 == 1 ? b : a + b);
}

static int consumer_fire(DALProcess *p)
{
	TOKEN_t x;

	if (DAL_read("in", &x, sizeof x, p) < (int)sizeof x)
		return 0;
	wrong += x != expected(consumed);
	consumed++;
	return 0;
}

/* The same with windows, in a process whose rates are not declared. */
static int consumer_begin_fire(DALProcess *p)
{
	const TOKEN_t *in = DAL_read_begin("in", sizeof(TOKEN_t), TOKEN_WIDE_RATE, p);

	for (unsigned i = 0; in && i < TOKEN_WIDE_RATE; i++) {
		wrong += in[i] != expected(consumed);
		consumed++;
	}
	last_valid += !in;
	DAL_read_end("in", in, p);
	return 0;
}

static const struct pstk_dal_port widen_ports[] = {
	{ "in", TOKEN_NARROW_RATE, sizeof(TOKEN_t), 0 },
	{ "out", TOKEN_WIDE_RATE, sizeof(TOKEN_t), BLOCK_WIDE_COUNT },
};
static const struct pstk_dal_port double_ports[] = {
	{ "in", TOKEN_WIDE_RATE, sizeof(TOKEN_t), 0 },
	{ "out", TOKEN_WIDE_RATE, sizeof(TOKEN_t), 1 },
};

/* Doubled by a kernel of 3 work-groups of 2. */
static const struct pstk_kernel double_kernel = {
	.source = "kernel void twice(global const ulong *in, global ulong *out, ulong firing)\n"
		  "{ out[get_global_id(0)] = 2 * in[get_global_id(0)]; }\n",
	.name = "twice",
};

enum { PRODUCER, WIDEN, DOUBLE, CONSUMER, PROCESSES };
static struct pstk_dal_process processes[PROCESSES] = {
	{ .name = "producer", .fire = producer_fire, .state_size = sizeof(struct _local_states) },
	{ .name = "widen", .fire = widen_fire, .ports = widen_ports, .port_count = 2, .stateless = true },
	{ .name = "double", .fire = double_fire, .ports = double_ports, .port_count = 2 },
	{ .name = "consumer", .fire = consumer_fire },
};

static struct pstk_network *build(const char *mapping)
{
	struct pstk_network *net = pstk_network_create("windows");
	int err = pstk_dal_build(net, DAL_DATA "/windows.xml", mapping, processes, PROCESSES);

	ck_assert_msg(err == 0, "%s", pstk_network_error(net));
	return net;
}

static void run(struct pstk_network *net, int expected_err)
{
	int err = pstk_network_run(net);

	ck_assert_msg(err == expected_err, "%d: %s", err, pstk_network_error(net));
}

/* tokens + 3 zeros are whole windows of 4, so all of them come: 6 for each 4. */
static void check_all(void)
{
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(consumed, (tokens + 3) / 4 * 6);
}

/* A thread per actor, and teams; a team fires the process without a state side by side. */
START_TEST(test_streams)
{
	struct pstk_network *net = build(NULL);

	ck_assert_int_eq(pstk_network_set_threads(net, (unsigned)_i), 0);
	tokens = 4005;
	run(net, 0);
	check_all();
	pstk_network_destroy(net);
}
END_TEST

/* A source with windows: it ends the application in its last fire, whose window still counts. */
static int producer_begin_fire(DALProcess *p)
{
	TOKEN_t *out = DAL_write_begin("out", sizeof(TOKEN_t), TOKEN_NARROW_RATE, TOKEN_NARROW_RATE, 0, p);

	for (unsigned i = 0; i < TOKEN_NARROW_RATE; i++)
		out[i] = ++p->local->next;
	DAL_write_end("out", out, p);
	if (p->local->next == tokens)
		ck_assert_int_eq(DAL_send_event("done", p), 0);
	return 0;
}

/* Nothing but ordinary actors: a team runs all of them. 403 tokens come, in windows of 4, the last one
 * filled in part. */
START_TEST(test_all_windows)
{
	static const struct pstk_dal_port out[] = { { "out", TOKEN_NARROW_RATE, sizeof(TOKEN_t), 1 } };
	static const struct pstk_dal_port in[] = { { "in", TOKEN_WIDE_RATE, sizeof(TOKEN_t), 0 } };
	struct pstk_network *net;

	processes[PRODUCER].fire = producer_begin_fire;
	processes[PRODUCER].ports = out;
	processes[CONSUMER].fire = consumer_begin_fire;
	processes[CONSUMER].ports = in;
	processes[PRODUCER].port_count = processes[CONSUMER].port_count = 1;
	net = build(NULL);
	ck_assert_int_eq(pstk_network_set_threads(net, (unsigned)_i), 0);
	tokens = 400;
	run(net, 0);
	/* the last two would need the token that the last window of 4 lacks: zeros */
	ck_assert_uint_eq(consumed, 101 * 6);
	ck_assert_uint_eq(wrong, 2);
	ck_assert_uint_eq(last_valid, 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_begin_in_stream)
{
	struct pstk_network *net;

	processes[CONSUMER].fire = consumer_begin_fire;
	net = build(NULL);
	tokens = 405;
	run(net, 0);
	check_all();
	ck_assert_uint_eq(last_valid, 1);
	pstk_network_destroy(net);
}
END_TEST

/* FIFOs: rate and depth as the sizes say, at least one window; A has room for one beside its three initial
 * tokens. */
START_TEST(test_fifos)
{
	static const struct {
		uint32_t rate, delay, depth;
	} expect[] = { { 4, 3, 1 }, { 6, 0, 2 }, { 6, 0, 1 } };
	struct pstk_network *net = build(NULL);

	ck_assert_uint_eq(pstk_network_fifo_count(net), 3);
	for (unsigned i = 0; i < 3; i++) {
		struct pstk_fifo_info info;

		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, i), &info), 0);
		ck_assert_uint_eq(info.rate, expect[i].rate);
		ck_assert_uint_eq(info.delay, expect[i].delay);
		ck_assert_uint_eq(info.depth, expect[i].depth);
		ck_assert_uint_eq(info.token_size, 8);
	}
	pstk_network_destroy(net);
}
END_TEST

/* The last window is filled in part: what comes out of it is in proportion. */
START_TEST(test_partial)
{
	struct pstk_network *net = build(NULL);

	tokens = 15; /* 18 in all: four windows and a half */
	run(net, 0);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(consumed, 4 * 6 + 3);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_device)
{
	const char *mapping = test_file("map.xml",
		"<mapping name='m'><binding><process name='double'/><processor name='gpu_0'>"
		"<target><opencl workgroups='3' workitems='2'/></target></processor></binding></mapping>");
	struct pstk_device_info device;
	struct pstk_network *net;

	if (pstk_devices(NULL, 0) > 0) {
		processes[DOUBLE].kernel = &double_kernel;
		if (_i)
			processes[DOUBLE].fire = NULL;
		net = build(mapping);
		ck_assert_int_eq(pstk_actor_device(pstk_network_actor(net, DOUBLE), &device), 0);
		ck_assert_int_eq(pstk_actor_device(pstk_network_actor(net, WIDEN), &device), -ENODEV);
		tokens = 405;
		run(net, 0);
		check_all();
		pstk_network_destroy(net);
	}
	test_files_remove();
}
END_TEST

START_TEST(test_pin)
{
	char text[300];
	struct pstk_network *net;

	snprintf(text, sizeof text,
		"<mapping name='m'><binding><process name='widen'/><processor "
		"name='core_%u'/></binding></mapping>",
		test_core(1));
	net = build(test_file("map.xml", text));
	ck_assert_int_eq(pstk_actor_core(pstk_network_actor(net, WIDEN)), (int)test_core(1));
	ck_assert_int_eq(pstk_actor_core(pstk_network_actor(net, DOUBLE)), -1);
	tokens = 405;
	run(net, 0);
	check_all();
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

/* -- wrong calls, made by the process that doubles -- */

static TOKEN_t *begin_both(DALProcess *p)
{
	DAL_read_begin("in", 8, 6, p);
	return DAL_write_begin("out", 8, 6, 6, 0, p);
}

/* Processes of DAL don't look whether there is a window. The whole of it can be read, or written. */
static int uses_input(const void *port, unsigned count, DALProcess *p)
{
	TOKEN_t *in = DAL_read_begin(port, sizeof *in, count, p);

	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(in[i], 0);
	memset(in, 1, count * sizeof *in);
	DAL_read_end(port, in, p);
	return 0;
}

static int uses_output(const void *port, size_t size, unsigned block_size, unsigned block, DALProcess *p)
{
	memset(DAL_write_begin(port, size, 6, block_size, block, p), 1,
		(block_size < 6 ? 6 : block_size) * size);
	DAL_write_end(port, NULL, p);
	return 0;
}

static int other_rate(DALProcess *p)
{
	uses_input("in", 5, p);
	uses_input("in", 7, p);
	return uses_input("in", 3, p) + uses_output("out", 8, 6, 0, p);
}

static int other_size(DALProcess *p)
{
	return uses_output("out", 4, 6, 0, p) + uses_input("in", 6, p);
}

static int other_block(DALProcess *p)
{
	return uses_output("out", 8, 3, 0, p);
}

static int large_block(DALProcess *p)
{
	return uses_output("out", 8, 9, 0, p);
}

static int far_block(DALProcess *p)
{
	return uses_output("out", 8, 6, 1, p);
}

static int no_such_port(DALProcess *p)
{
	return uses_input("inn", 6, p) + uses_output("out", 8, 6, 0, p);
}

/* It goes on for as long as there are windows. */
static int until_none(DALProcess *p)
{
	unsigned windows = 0;

	while (DAL_read_begin("inn", 8, 6, p))
		windows++;
	ck_assert_uint_eq(windows, 65536);
	ck_assert_ptr_null(DAL_write_begin("out", 8, 6, 6, 0, p));
	return 0;
}

static int too_large(DALProcess *p)
{
	ck_assert_ptr_null(DAL_read_begin("in", SIZE_MAX / 2, 5, p));
	ck_assert_ptr_null(DAL_read_begin("in", SIZE_MAX - 8, 1, p));
	return uses_input("in", 6, p);
}

static int nothing(DALProcess *p)
{
	return p == NULL;
}

static int never_ends(DALProcess *p)
{
	begin_both(p);
	DAL_read_end("in", NULL, p);
	return 0;
}

static int ends_early(DALProcess *p)
{
	DAL_read_end("in", NULL, p);
	return 0;
}

static int begins_again(DALProcess *p)
{
	begin_both(p);
	DAL_read_end("in", NULL, p);
	return uses_input("in", 6, p);
}

static int begins_twice(DALProcess *p)
{
	begin_both(p);
	return uses_input("in", 6, p);
}

static int reads_stream(DALProcess *p)
{
	TOKEN_t x;

	return DAL_read("in", &x, sizeof x, p);
}

static const struct {
	int (*call)(DALProcess *p);
	const char *says;
} calls[] = {
	{ other_rate, "DAL_read_begin(\"in\") of 5 tokens of 8 bytes: its windows have 6 of 8" },
	{ other_size, "DAL_write_begin(\"out\") of 6 tokens of 4 bytes: its windows have 6 of 8" },
	{ large_block, "DAL_write_begin(\"out\"), block 0 of 9 tokens: its windows have 1 blocks of 6" },
	{ no_such_port, "DAL_read_begin(\"inn\"): the process network gives it no such input" },
	{ until_none, "DAL_read_begin(\"inn\"): the process network gives it no such input" },
	{ too_large, "DAL_read_begin(\"in\") of 5 tokens of 9223372036854775807 bytes" },
	{ begins_twice, "DAL_read_begin(\"in\") twice: end the window first" },
	{ other_block, "DAL_write_begin(\"out\"), block 0 of 3 tokens: its windows have 1 blocks of 6" },
	{ far_block, "DAL_write_begin(\"out\"), block 1 of 6 tokens: its windows have 1 blocks of 6" },
	{ nothing,
		"fire() has not begun a window of port 'in': each port's is begun and ended in each fire" },
	{ never_ends, "fire() has not ended a window of port 'out'" },
	{ ends_early, "DAL_read_end(\"in\") without DAL_read_begin()" },
	{ begins_again, "DAL_read_begin(\"in\"): its window was ended in this fire" },
	{ reads_stream, "DAL_read(\"in\"): its program says that it uses windows only" },
};

START_TEST(test_calls)
{
	struct pstk_network *net;

	processes[DOUBLE].fire = calls[_i].call;
	net = build(NULL);
	tokens = 405;
	run(net, -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'double'", calls[_i].says);
	ck_assert_uint_eq(consumed, 0);
	pstk_network_destroy(net);
}
END_TEST

/* Firings that may run side by side keep nothing. */
static int saves_fire(DALProcess *p)
{
	ck_assert_int_eq(DAL_create_checkpoint(&tokens, sizeof tokens, "x", p), -1);
	ck_assert_int_eq(DAL_read_checkpoint(&tokens, sizeof tokens, "x", p), -1);
	return widen_fire(p);
}

START_TEST(test_stateless)
{
	struct pstk_network *net;

	processes[WIDEN].fire = saves_fire;
	net = build(NULL);
	tokens = 405;
	run(net, 0);
	check_all();
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("windows");
	TCase *data = test_case(suite, "data"), *wrong_calls = test_case(suite, "calls");

	tcase_add_loop_test(data, test_streams, 0, 4);
	tcase_add_loop_test(data, test_all_windows, 0, 4);
	tcase_add_test(data, test_begin_in_stream);
	tcase_add_test(data, test_fifos);
	tcase_add_test(data, test_partial);
	tcase_add_loop_test(data, test_device, 0, 2);
	tcase_add_test(data, test_pin);
	tcase_add_loop_test(wrong_calls, test_calls, 0, TEST_COUNT(calls));
	tcase_add_test(wrong_calls, test_stateless);
	return test_main(suite);
}
