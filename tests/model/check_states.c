/* SPDX-License-Identifier: MIT */
/*
 * Calls at the wrong time, from the wrong place, and with NULL; the log and the version.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- NULL
 * --------------------------------------------------------------------------------------------------------------------
 */

START_TEST(test_null_network)
{
	ck_assert_ptr_null(pstk_network_add(NULL, "a", simple_join_type(), NULL));
	ck_assert_int_eq(pstk_network_start(NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_wait(NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_wait_for(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_run(NULL), -EINVAL);
	pstk_network_stop(NULL);
	pstk_network_abort(NULL);
	pstk_network_destroy(NULL);
	ck_assert_ptr_nonnull(pstk_network_error(NULL)); /* says so, for a create() that failed */
	ck_assert_ptr_null(pstk_network_problem(NULL, 0));
	ck_assert(!pstk_network_failed(NULL));
	ck_assert_int_eq(pstk_network_handle_signals(NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_signal(NULL), 0);
	ck_assert_uint_eq(pstk_network_actor_count(NULL), 0);
	ck_assert_uint_eq(pstk_network_fifo_count(NULL), 0);
	ck_assert_ptr_null(pstk_network_actor(NULL, 0));
	ck_assert_ptr_null(pstk_network_fifo(NULL, 0));
	ck_assert_ptr_null(pstk_network_name(NULL));
	ck_assert_uint_eq(pstk_network_fifo_bytes(NULL), 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(NULL), 0);
	ck_assert_uint_eq(pstk_network_allocated_bytes(NULL), 0);
	ck_assert_int_eq(pstk_network_print(NULL, stderr), -EINVAL);
	ck_assert_int_eq(pstk_network_print_stats(NULL, stderr), -EINVAL);
}
END_TEST

START_TEST(test_null_actor)
{
	struct pstk_actor_stats stats;

	ck_assert_int_eq(pstk_actor_pin(NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_state_size(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_param(NULL, "a", "1"), -EINVAL);
	ck_assert_uint_eq(pstk_actor_port_rate(NULL, 0), 0);
	ck_assert_uint_eq(pstk_actor_port_token_size(NULL, 0), 0);
	ck_assert_ptr_null(pstk_actor_state(NULL));
	ck_assert_ptr_null(pstk_actor_arg(NULL));
	ck_assert_ptr_null(pstk_actor_name(NULL));
	ck_assert_ptr_null(pstk_actor_network(NULL));
	ck_assert_ptr_null(pstk_actor_get_type(NULL));
	pstk_actor_error(NULL, -EIO, "nobody");
	ck_assert_int_eq(pstk_actor_get_stats(NULL, &stats), -EINVAL);
	ck_assert_uint_eq(pstk_actor_port_wait_ns(NULL, 0), 0);
	ck_assert_uint_eq(pstk_actor_cpu_ns(NULL), 0);
	ck_assert_int_lt(pstk_actor_core(NULL), 0);
}
END_TEST

START_TEST(test_null_firing)
{
	ck_assert_ptr_null(pstk_fifo_read_start(NULL, 0));
	pstk_fifo_read_end(NULL, 0);
	ck_assert_ptr_null(pstk_fifo_write_start(NULL, 0));
	pstk_fifo_write_end(NULL, 0);
	pstk_fifo_write_end_partial(NULL, 0, 1);
	ck_assert_uint_eq(pstk_port_valid(NULL, 0), 0);
	ck_assert_ptr_null(pstk_firing_actor(NULL));
	ck_assert_uint_eq(pstk_firing_index(NULL), 0);
}
END_TEST

/* NULL for the other pointers of each function. */
START_TEST(test_null_others)
{
	struct simple_chain chain;
	struct pstk_fifo_info info;
	struct pstk_network *net;

	simple_chain(&chain, 1, 4, 2, 0, 2);
	ck_assert_int_eq(pstk_fifo_get_info(NULL, &info), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[0], NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_stats(chain.actors[0], NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_print(chain.net, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_print_stats(chain.net, NULL), -EINVAL);
	ck_assert_ptr_null(pstk_network_actor(chain.net, 3));
	ck_assert_ptr_null(pstk_network_fifo(chain.net, 2));
	ck_assert_ptr_null(pstk_network_actor(chain.net, UINT_MAX));
	ck_assert_uint_eq(pstk_actor_port_wait_ns(chain.actors[0], 1), 0);
	ck_assert_uint_eq(pstk_actor_port_rate(chain.actors[0], 1), 0);
	ck_assert_ptr_null(pstk_network_problem(chain.net, 0));
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	pstk_network_destroy(chain.net);

	net = pstk_network_create(NULL); /* a name is for messages only */
	ck_assert_ptr_nonnull(net);
	ck_assert_ptr_nonnull(pstk_network_name(net));
	ck_assert_ptr_null(pstk_network_add(net, NULL, simple_join_type(), NULL));
	ck_assert_ptr_null(pstk_network_add(net, "a", NULL, NULL));
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_null_connect)
{
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = 1, .token_size = 8);

	for (unsigned i = 0; i < 5; i++) {
		struct pstk_network *net = pstk_network_create("null");
		struct simple_count count = { .tokens = 1 };
		struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
		struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);
		struct pstk_actor *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);

		ck_assert_ptr_null(pstk_connect(i == 0 ? NULL : a, i == 1 ? NULL : "out", i == 2 ? NULL : b,
			i == 3 ? NULL : "in", i == 4 ? NULL : spec));
		ck_assert_uint_eq(pstk_network_fifo_count(net), 0);
		ck_assert_int_lt(pstk_network_start(net), 0); /* the ports are open */
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(test_null_set_param)
{
	struct pstk_network *net = pstk_network_create("null");
	struct simple_count count = { .tokens = 1 };
	struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);

	ck_assert_int_eq(pstk_actor_set_param(a, NULL, "1"), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_param(a, "p", NULL), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

/* -- the wrong time
 * ------------------------------------------------------------------------------------------------------------
 */

/* Every BUILD function while the network runs, and after its end: -EBUSY, and the run goes on as if nothing
 * had been. */
static void try_building(struct simple_chain *chain)
{
	ck_assert_ptr_null(pstk_network_add(chain->net, "late", simple_join_type(), NULL));
	ck_assert_ptr_null(pstk_connect(
		chain->actors[0], "out", chain->actors[1], "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_actor_pin(chain->actors[0], 0), -EBUSY);
	ck_assert_int_eq(pstk_actor_set_state_size(chain->actors[0], 1), -EBUSY);
	ck_assert_int_eq(pstk_actor_set_param(chain->actors[0], "p", "1"), -EBUSY);
	ck_assert_int_eq(pstk_network_handle_signals(chain->net), -EBUSY);
	ck_assert_int_eq(pstk_network_start(chain->net), -EBUSY);
	ck_assert_int_eq(pstk_network_run(chain->net), -EBUSY);
	ck_assert_uint_eq(pstk_network_actor_count(chain->net), 3);
	ck_assert_uint_eq(pstk_network_fifo_count(chain->net), 2);
	ck_assert(!pstk_network_failed(chain->net));
	ck_assert_str_eq(pstk_network_error(chain->net), "");
}

START_TEST(test_too_late)
{
	struct simple_chain chain;

	simple_chain_held(&chain, 1, 40, 4, 0, 2);
	atomic_store(&chain.collect.allowed, 1);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	try_building(&chain);
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	try_building(&chain);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	ck_assert_uint_eq(chain.collect.tokens, 40);
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(test_too_early)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, 40, 4, 0, 2);
	ck_assert_int_eq(pstk_network_wait(chain.net), -EINVAL);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_run(chain.net), 0); /* no harm done */
	ck_assert_uint_eq(chain.collect.tokens, 40);
	pstk_network_destroy(chain.net);
}
END_TEST

/* -- the wrong place
 * ------------------------------------------------------------------------------------------------------------
 */

struct inside {
	struct pstk_network *net, *other;
	int waited[5];
};

static int try_waiting(const struct inside *inside)
{
	int err = pstk_network_wait(inside->net);

	return err == pstk_network_wait_for(inside->net, UINT64_MAX) ? err : 1;
}

static int inside_init(struct pstk_actor *self)
{
	struct inside *inside = pstk_actor_arg(self);

	inside->waited[0] = try_waiting(inside);
	return 0;
}

static int inside_fire(struct pstk_firing *f)
{
	struct inside *inside = pstk_actor_arg(pstk_firing_actor(f));

	inside->waited[1] = try_waiting(inside);
	inside->waited[3] = pstk_network_run(inside->other); /* another network is no trouble */
	inside->waited[4] = pstk_network_wait(inside->net);  /* and leaves this one in its actor */
	return PSTK_DONE;
}

static int inside_finish(struct pstk_actor *self)
{
	struct inside *inside = pstk_actor_arg(self);

	inside->waited[2] = try_waiting(inside);
	return 0;
}

START_TEST(test_wait_inside)
{
	struct simple_chain chain;
	struct inside inside = { .net = pstk_network_create("inside") };

	simple_chain(&chain, 1, 40, 4, 0, 2);
	inside.other = chain.net;
	pstk_network_add(inside.net, "inside",
		PSTK_ACTOR_TYPE(.name = "t", .init = inside_init, .fire = inside_fire,
			.finish = inside_finish),
		&inside);
	ck_assert_int_eq(pstk_network_run(inside.net), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(inside.waited[i], -EDEADLK);
	ck_assert_int_eq(inside.waited[3], 0);
	ck_assert_int_eq(inside.waited[4], -EDEADLK);
	ck_assert_uint_eq(chain.collect.tokens, 40);
	pstk_network_destroy(inside.net);
	pstk_network_destroy(chain.net);
}
END_TEST

/* An actor can't destroy its network: it is aborted instead, and stays until another thread destroys it. */
static int destroy_fire(struct pstk_firing *f)
{
	pstk_network_destroy(pstk_actor_network(pstk_firing_actor(f)));
	return PSTK_AGAIN;
}

START_TEST(test_destroy_inside)
{
	struct pstk_network *net = pstk_network_create("inside");

	test_log_start();
	pstk_network_add(net, "suicidal", PSTK_ACTOR_TYPE(.name = "t", .fire = destroy_fire), NULL);
	ck_assert_int_eq(pstk_network_run(net), -ECANCELED);
	ck_assert(test_log_has("suicidal"));
	pstk_network_destroy(net);
	test_log_stop();
}
END_TEST

/* -- the log and the version
 * ------------------------------------------------------------------------------------------------------ */

START_TEST(test_version)
{
	char macros[32];

	snprintf(macros, sizeof(macros), "%d.%d.%d", PSTK_VERSION_MAJOR, PSTK_VERSION_MINOR,
		PSTK_VERSION_PATCH);
	ck_assert_str_eq(PSTK_VERSION, macros);
	ck_assert_str_eq(pstk_version(), PSTK_VERSION);
}
END_TEST

/* What PENSTOCK_DEBUG lets through: _i. */
static const struct {
	const char *debug;
	bool info, debugging;
} debugs[] = {
	{ NULL, false, false },
	{ "", false, false },
	{ "*:error", false, false },
	{ "*:info", true, false },
	{ "thread:debug", true, true },
	{ "fifo:debug,thread:info", true, false },
	{ "network:debug", false, false },
	{ "*:debug,thread:warning", false, false },
	{ "nonsense", false, false },
	{ "thread:", false, false },
	{ ":debug", false, false },
	{ ",,thread:info,", true, false },
};

START_TEST(test_debug)
{
	struct simple_chain chain;

	if (debugs[_i].debug)
		ck_assert_int_eq(setenv("PENSTOCK_DEBUG", debugs[_i].debug, 1), 0);
	else
		unsetenv("PENSTOCK_DEBUG");
	test_log_start();
	simple_chain(&chain, 1, 400, 4, 0, 1);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 0), 0); /* a team's members tell of no waiting */
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	pstk_network_destroy(chain.net);
	ck_assert_int_eq(test_log_has("2 thread "), debugs[_i].info);
	ck_assert_int_eq(test_log_has("3 thread "), debugs[_i].debugging);
	test_log_stop();
}
END_TEST

/* What a reader leaves behind is told at info level, and is no error. */
START_TEST(test_leftovers)
{
	struct pstk_network *net = pstk_network_create("leftovers");
	struct simple_count some = { .tokens = 8 }, more = { .tokens = 16 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL, .delay = SIMPLE_ALL };
	struct pstk_actor *join = pstk_network_add(net, "join", simple_join_type(), NULL);

	ck_assert_int_eq(setenv("PENSTOCK_DEBUG", "fifo:info", 1), 0);
	test_log_start();
	pstk_connect(pstk_network_add(net, "some", simple_count_type(), &some), "out", join, "a",
		PSTK_FIFO(.rate = 4, .token_size = 8));
	pstk_connect(pstk_network_add(net, "more", simple_count_type(), &more), "out", join, "b",
		PSTK_FIFO(.rate = 4, .delay = 3, .token_size = 8));
	pstk_connect(join, "out", pstk_network_add(net, "collect", simple_collect_type(), &collect), "in",
		PSTK_FIFO(.rate = 4, .token_size = 8));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect.tokens, 8);
	/* at least the delay tokens that moved up were left */
	ck_assert(test_log_has("2 fifo ") && test_log_has("more") && !test_log_has("some"));
	pstk_network_destroy(net);
	test_log_stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states");
	TCase *nulls = test_case(suite, "null"), *time = test_case(suite, "time"),
	      *place = test_case(suite, "place");
	TCase *library = test_case(suite, "library");

	tcase_add_test(nulls, test_null_network);
	tcase_add_test(nulls, test_null_actor);
	tcase_add_test(nulls, test_null_firing);
	tcase_add_test(nulls, test_null_others);
	tcase_add_test(nulls, test_null_connect);
	tcase_add_test(nulls, test_null_set_param);
	tcase_add_test(time, test_too_late);
	tcase_add_test(time, test_too_early);
	tcase_add_test(place, test_wait_inside);
	tcase_add_test(place, test_destroy_inside);
	tcase_add_test(library, test_version);
	tcase_add_test(library, test_leftovers);
	tcase_add_loop_test(library, test_debug, 0, (int)TEST_COUNT(debugs));
	return test_main(suite);
}
