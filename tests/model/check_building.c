/* SPDX-License-Identifier: MIT */
/* Building: what is refused as a whole, names, structs of other versions, memory. */
#include "penstock/penstock.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int idle_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static unsigned problem_count(const struct pstk_network *net)
{
	unsigned n = 0;

	while (pstk_network_problem(net, n))
		n++;
	return n;
}

static const struct pstk_port out_port = { .name = "out", .kind = PSTK_OUTPUT },
			      in_port = { .name = "in", .kind = PSTK_INPUT };

static struct pstk_actor *add(struct pstk_network *net, const char *name, const struct pstk_port *port)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "t", .ports = port, .port_count = 1, .fire = idle_fire), NULL);
}

/* Both networks are refused; neither runs with a port that leads nowhere. */
START_TEST(two_networks)
{
	struct pstk_network *one = pstk_network_create("one"), *two = pstk_network_create("two");
	struct pstk_actor *a = add(one, "a", &out_port), *b = add(two, "b", &in_port);

	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_int_eq(pstk_network_run(two), -EINVAL);
	TEST_SAYS(pstk_network_error(two), "'a'", "'b'", "two networks");
	ck_assert_int_eq(pstk_network_run(one), -EINVAL);
	TEST_SAYS(pstk_network_error(one), "'a'", "'b'", "two networks");
	pstk_network_destroy(one);
	pstk_network_destroy(two);
}
END_TEST

/* A connection to a network that has run is refused; the other network still says that its port is open. */
START_TEST(a_network_that_has_run)
{
	struct simple_chain chain;
	struct pstk_network *net = pstk_network_create("late");
	struct pstk_actor *b = add(net, "b", &in_port);

	simple_chain(&chain, 1, 4, 1, 0, 2);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_ptr_null(
		pstk_connect(chain.actors[0], "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_network_run(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'b'", "'in'", "not connected");
	pstk_network_destroy(net);
	pstk_network_destroy(chain.net);
}
END_TEST

/* One call, several mistakes: each is a problem. */
START_TEST(several_problems)
{
	static const struct pstk_port bad[] = {
		{ .name = "odd", .kind = PSTK_INPUT, .token_size = 3, .token_type = "f32" },
		{ .name = "strange", .kind = (enum pstk_port_kind)9 },
		{ .name = "odd", .kind = PSTK_INPUT },
	};
	static const struct pstk_param params[] = {
		{ .name = "p", .type = "complex" },
		{ .name = "q", .type = "u32", .range = "1-5" },
		{ .name = "r", .type = "u32", .offset = 2 },
	};
	struct pstk_network *net = pstk_network_create("several");
	struct pstk_actor *a = add(net, "a", &out_port), *b = add(net, "b", &in_port);

	ck_assert_ptr_null(pstk_network_add(net, "wrong",
		PSTK_ACTOR_TYPE(.name = "t", .ports = bad, .port_count = 3, .params = params,
			.param_count = 3, .arg_size = 4),
		NULL));
	/* no fire(), three ports, three params */
	ck_assert_uint_eq(problem_count(net), 7);
	TEST_SAYS(pstk_network_problem(net, 5), "'q'", "'1-5'", "MIN..MAX");
	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.depth = 1)));
	ck_assert_uint_eq(problem_count(net), 9);
	TEST_SAYS(pstk_network_problem(net, 7), "'a'.out", "token size");
	TEST_SAYS(pstk_network_problem(net, 8), "'a'.out", "rate");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(specs)
{
	static const unsigned char tokens[8];
	struct pstk_network *net = pstk_network_create("specs");
	struct pstk_actor *a = add(net, "a", &out_port), *b = add(net, "b", &in_port);

	ck_assert_ptr_null(
		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8, .initial = tokens)));
	TEST_SAYS(pstk_network_problem(net, 0), "'b'.in", "initial", "delay");
	ck_assert_ptr_null(
		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8, .reserved = 1)));
	TEST_SAYS(pstk_network_problem(net, 1), "'b'.in", "reserved");
	pstk_network_destroy(net);
}
END_TEST

/* A struct_size that is no size is not believed. */
START_TEST(absurd_struct_size)
{
	struct pstk_network *net = pstk_network_create("sizes");
	struct pstk_actor *a = add(net, "a", &out_port), *b = add(net, "b", &in_port);
	struct pstk_actor_type *type = malloc(sizeof *type);
	struct pstk_fifo_spec *spec = malloc(sizeof *spec);

	*type = pstk_actor_type_init();
	*spec = pstk_fifo_spec_init();
	type->struct_size = spec->struct_size = 0x7fffffff;
	ck_assert_ptr_null(pstk_network_add(net, "c", type, NULL));
	TEST_SAYS(pstk_network_problem(net, 0), "'c'", "struct_size");
	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", spec));
	TEST_SAYS(pstk_network_problem(net, 1), "'a'.out", "struct_size");
	free(type);
	free(spec);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(names)
{
	char name[200];
	struct pstk_network *net;

	memset(name, 'n', sizeof name);
	name[128] = 0;
	net = pstk_network_create(name);
	ck_assert_str_eq(pstk_network_name(net), "network"); /* no reason to have none */
	ck_assert_ptr_null(add(net, name, &out_port));
	TEST_SAYS(pstk_network_problem(net, 0), "127");
	name[127] = 0;
	ck_assert_ptr_nonnull(add(net, name, &out_port));
	ck_assert_ptr_null(add(net, "two\nlines", &out_port));
	TEST_SAYS(pstk_network_problem(net, 1), "control");
	ck_assert_ptr_null(add(net, "c", &(const struct pstk_port){ .name = "a\tb", .kind = PSTK_OUTPUT }));
	TEST_SAYS(pstk_network_problem(net, 2), "'c'", "port 0", "control");
	ck_assert_ptr_null(pstk_network_add(net, "d", PSTK_ACTOR_TYPE(.name = "", .fire = idle_fire), NULL));
	TEST_SAYS(pstk_network_problem(net, 3), "'d'", "type", "missing");
	pstk_network_destroy(net);
}
END_TEST

/* The message about a core lists those that there are. */
START_TEST(cores)
{
	struct pstk_network *net = pstk_network_create("cores");
	struct pstk_actor *a = add(net, "a", &out_port);
	cpu_set_t all, one;
	char expected[32];
	int core = (int)test_core(0);

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_int_eq(pstk_actor_pin(a, (unsigned)core + 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_pin(a, (unsigned)core), 0);
	ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
	snprintf(expected, sizeof expected, "it may use %d", core);
	ck_assert_str_eq(strstr(pstk_network_error(net), "it may use"), expected);
	pstk_network_destroy(net);
}
END_TEST

/* What an abort says does not come before what the start says. */
START_TEST(aborted_before_the_start)
{
	struct pstk_network *net = pstk_network_create("empty");

	pstk_network_abort(net);
	ck_assert_str_eq(pstk_network_error(net), "");
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "no actors");
	pstk_network_destroy(net);
}
END_TEST

/* States count as memory too, also where their sum is more than a size_t holds. */
START_TEST(states_beyond_the_machine)
{
	struct pstk_network *net = pstk_network_create("states");

	for (unsigned i = 0; i < 9; i++) {
		char name[16];

		snprintf(name, sizeof name, "a%u", i);
		pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "t", .state_size = (size_t)1 << 61, .fire = idle_fire), NULL);
	}
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "states", "machine");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("building");
	TCase *c = test_case(suite, "building");

	tcase_add_checked_fixture(c, test_log_start, test_log_stop);
	tcase_add_test(c, two_networks);
	tcase_add_test(c, a_network_that_has_run);
	tcase_add_test(c, several_problems);
	tcase_add_test(c, specs);
	tcase_add_test(c, absurd_struct_size);
	tcase_add_test(c, names);
	tcase_add_test(c, cores);
	tcase_add_test(c, aborted_before_the_start);
	tcase_add_test(c, states_beyond_the_machine);
	return test_main(suite);
}
