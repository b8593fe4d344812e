/* SPDX-License-Identifier: MIT */
/* Memory that is out: each allocation of a network's life fails once. */
#include "lib/base/memory.h"
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct arg {
	uint32_t count;
	const char *mode;
};

static int inits, finishes;

static int init(struct pstk_actor *self)
{
	(void)self;
	inits++;
	return 0;
}

static int finish(struct pstk_actor *self)
{
	(void)self;
	finishes++;
	return 0;
}

static int produce(struct pstk_firing *f)
{
	struct pstk_actor *a = pstk_firing_actor(f);
	const struct arg *arg = pstk_actor_arg(a);
	uint32_t *state = pstk_actor_state(a), *out = pstk_fifo_write_start(f, 0);

	*out = ++*state;
	pstk_fifo_write_end(f, 0);
	return *state < arg->count ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	uint32_t *state = pstk_actor_state(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		*state += in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int odd_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value % 2);
	return 0;
}

static int odd_fire(struct pstk_firing *f)
{
	*(uint32_t *)pstk_fifo_write_start(f, 1) = 1;
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* A dynamic actor, with declared values: the analyser has something to allocate, and something to keep. */
static void build_dynamic(struct pstk_network *net, struct pstk_actor *source, const struct pstk_port *in)
{
	static const struct pstk_port ports[] = { { .name = "ctl", .kind = PSTK_CONTROL },
		{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_type = "u32" } };
	struct pstk_actor *odd = pstk_network_add(net, "odd",
		PSTK_ACTOR_TYPE(.name = "odd", .ports = ports, .port_count = 2, .control_values = 11,
			.control = odd_control, .fire = odd_fire),
		NULL);
	struct pstk_actor *count = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "consumer", .ports = in, .port_count = 1, .state_size = 4,
			.fire = consume),
		NULL);

	pstk_connect(source, "out", odd, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(odd, "out", count, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
}

static void build(struct pstk_network *net)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" };
	static const struct pstk_param params[] = {
		{ "count", "u32", "10", "1..1000", "tokens", offsetof(struct arg, count) },
		{ "mode", "string", "fast", "fast|slow", "how", offsetof(struct arg, mode) },
	};
	const uint32_t delay = 100;
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "producer", .ports = &out, .port_count = 1, .params = params,
			.param_count = 2, .arg_size = sizeof(struct arg), .state_size = 4, .fire = produce,
			.init = init, .finish = finish),
		NULL);

	pstk_network_handle_signals(net);
	pstk_network_set_trace(net, "/dev/null", PSTK_TRACE_BYTES / 64, PSTK_TRACE_LAST);
	pstk_actor_set_param(source, "mode", "slow");
	for (unsigned i = 0; i < 20; i++) { /* more than a list's first capacity */
		char name[16];
		struct pstk_actor *sink;

		snprintf(name, sizeof name, "sink%u", i);
		sink = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "consumer", .ports = &in, .port_count = 1, .state_size = 4,
				.fire = consume, .init = init, .finish = finish),
			NULL);
		pstk_connect(source, "out", sink, "in",
			PSTK_FIFO(.write_rate = 1, .read_rate = 1 + i % 2, .delay = 1, .token_size = 4,
				.initial = &delay));
	}
	build_dynamic(net, source, &in);
}

/* A life with the n-th allocation failing. false: there were fewer. */
static bool live(long n, unsigned *refused)
{
	struct pstk_network *net;
	bool failed;
	int err = 0;

	inits = finishes = 0;
	ps_memory_fail_at = n;
	net = pstk_network_create("memory");
	if (net) {
		build(net);
		err = pstk_network_run(net);
	}
	failed = ps_memory_fail_at == -1;
	ps_memory_fail_at = -1;
	ck_assert_int_eq(inits, finishes);
	if (failed && net) {
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_msg(strstr(pstk_network_error(net), "memory"), "allocation %ld: %s", n,
			pstk_network_error(net));
		ck_assert_ptr_eq(pstk_network_fifo(net, 100), NULL);
		++*refused;
	} else if (net) {
		ck_assert_int_eq(err, 0);
		ck_assert_int_eq(inits, 21);
		for (unsigned i = 1; i <= 20; i++)
			ck_assert_uint_eq(*(uint32_t *)pstk_actor_state(pstk_network_actor(net, i)), 155);
		ck_assert_uint_eq(*(uint32_t *)pstk_actor_state(pstk_network_actor(net, 22)), 5);
	}
	pstk_network_destroy(net);
	return failed;
}

START_TEST(each_allocation_fails)
{
	unsigned refused = 0;
	long n = 0;

	test_log_start(); /* problems after the first are logged */
	while (live(n, &refused))
		n++;
	test_log_stop();
	printf("memory: %ld allocations failed\n", n);
	ck_assert_int_gt(n, 100);
	ck_assert_uint_ge(refused, (unsigned)n - 6); /* but for create()'s own six */
}
END_TEST

/* The text of a problem that can't be kept is still the network's error. */
START_TEST(no_memory_for_a_problem)
{
	for (long n = 0; n < 2; n++) {
		struct pstk_network *net = pstk_network_create("short");

		ps_memory_fail_at = n;
		ck_assert_int_eq(pstk_network_refuse(net, -EDOM, "the first of %d", 2), -EDOM);
		ck_assert_int_eq(ps_memory_fail_at, -1);
		ck_assert_ptr_null(pstk_network_problem(net, 0));
		ck_assert_int_eq(pstk_network_refuse(net, -EIO, "the second of %d", 2), -EIO);
		ck_assert_str_eq(pstk_network_problem(net, 0), "the second of 2");
		ck_assert_int_eq(pstk_network_start(net), -EDOM);
		ck_assert_str_eq(pstk_network_error(net), "the first of 2");
		pstk_network_destroy(net);
	}
}
END_TEST

/* More than the machine has is refused before the start, with figures and the fix. */
START_TEST(more_than_the_machine_has)
{
	struct pstk_network *net = pstk_network_create("large");
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "a", .ports = &out, .port_count = 1, .fire = produce), NULL);
	struct pstk_actor *b = pstk_network_add(
		net, "b", PSTK_ACTOR_TYPE(.name = "b", .ports = &in, .port_count = 1, .fire = consume), NULL);

	pstk_connect(
		a, "out", b, "in", PSTK_FIFO(.rate = 1u << 20, .depth = 2, .token_size = (size_t)1 << 36));
	ck_assert_uint_eq(pstk_network_fifo_bytes(net), (size_t)1 << 57);
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "MB", "machine", "lower");
	pstk_network_destroy(net);
}
END_TEST

/* Of a depth that the team chose the team is named. */
START_TEST(more_than_the_machine_has_for_a_team)
{
	for (unsigned given = 0; given < 2; given++) {
		struct pstk_network *net = pstk_network_create("large");
		static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
					      in = { .name = "in", .kind = PSTK_INPUT };
		struct pstk_actor *a = pstk_network_add(net, "a",
			PSTK_ACTOR_TYPE(.name = "a", .ports = &out, .port_count = 1, .fire = produce), NULL);
		struct pstk_actor *b = pstk_network_add(net, "b",
			PSTK_ACTOR_TYPE(.name = "b", .ports = &in, .port_count = 1, .fire = consume), NULL);

		pstk_connect(a, "out", b, "in",
			PSTK_FIFO(.rate = 1u << 16, .depth = given ? 512 : 0, .token_size = (size_t)1 << 32));
		ck_assert_int_eq(pstk_network_set_threads(net, 256), 0);
		ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
		TEST_SAYS(pstk_network_error(net), "lower rates, depths or token sizes");
		ck_assert_int_eq(
			strstr(pstk_network_error(net), "the threads of the team (256: depth 512") != NULL,
			!given);
		pstk_network_destroy(net);
	}
}
END_TEST

/* Each FIFO has a size, but not their sum. */
START_TEST(more_than_can_be_counted)
{
	struct pstk_network *net = pstk_network_create("countless");
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "a", .ports = &out, .port_count = 1, .fire = produce), NULL);

	for (unsigned i = 0; i < 4; i++) {
		char name[16];
		struct pstk_actor *b;

		snprintf(name, sizeof name, "b%u", i);
		b = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "b", .ports = &in, .port_count = 1, .fire = consume), NULL);
		pstk_connect(
			a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = 2, .token_size = (size_t)1 << 61));
	}
	ck_assert_uint_eq(pstk_network_fifo_bytes(net), SIZE_MAX);
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(puts_zeros)
{
	unsigned char bytes[] = { 1, 0, 2, 0, 3 };

	ps_memory_put_zeros(bytes + 1, 3);
	ck_assert_mem_eq(bytes, ((unsigned char[]){ 1, 0, 0, 0, 3 }), 5);
	ps_memory_put_zeros(bytes, 0);
	ck_assert_uint_eq(bytes[0], 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory");
	TCase *c = test_case(suite, "memory");

	tcase_add_test(c, each_allocation_fails);
	tcase_add_test(c, no_memory_for_a_problem);
	tcase_add_test(c, more_than_the_machine_has);
	tcase_add_test(c, more_than_the_machine_has_for_a_team);
	tcase_add_test(c, more_than_can_be_counted);
	tcase_add_test(c, puts_zeros);
	return test_main(suite);
}
