/* SPDX-License-Identifier: MIT */
/*
 * unblock(): an actor that waits in a read() of its own, on a pipe, is woken on stop, on a failure and when
 * all its readers have ended.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct blocker {
	int pipe[2];
	_Atomic uint64_t entered, unblocked, woken;
	int finished;
};

/* Waits for a byte: 'd' is a token, 'u' comes from unblock(). */
static int blocker_fire(struct pstk_firing *f)
{
	struct blocker *blocker = pstk_actor_arg(pstk_firing_actor(f));
	char byte = '\0';

	atomic_fetch_add(&blocker->entered, 1);
	while (read(blocker->pipe[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (byte == 'u') {
		atomic_fetch_add(&blocker->woken, 1);
		return PSTK_DONE;
	}
	*(uint64_t *)pstk_fifo_write_start(f, 0) = atomic_load(&blocker->entered) - 1;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

/* The same inside a firing that has an input. */
static int filter_fire(struct pstk_firing *f)
{
	struct blocker *blocker = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	char byte = '\0';

	atomic_fetch_add(&blocker->entered, 1);
	while (read(blocker->pipe[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (byte == 'u') {
		atomic_fetch_add(&blocker->woken, 1);
		return PSTK_DONE;
	}
	*(uint64_t *)pstk_fifo_write_start(f, 1) = *in;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static void blocker_unblock(struct pstk_actor *self)
{
	struct blocker *blocker = pstk_actor_arg(self);

	atomic_fetch_add(&blocker->unblocked, 1);
	ck_assert_int_eq(write(blocker->pipe[1], "u", 1), 1);
}

static int blocker_finish(struct pstk_actor *self)
{
	struct blocker *blocker = pstk_actor_arg(self);

	blocker->finished++;
	return 0;
}

static const struct pstk_port out_ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
static const struct pstk_port filter_ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

static const struct pstk_actor_type blocker_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "blocker",
	.ports = out_ports,
	.port_count = 1,
	.blocks = true,
	.fire = blocker_fire,
	.finish = blocker_finish,
	.unblock = blocker_unblock };
static const struct pstk_actor_type filter_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "filter",
	.ports = filter_ports,
	.port_count = 2,
	.blocks = true,
	.fire = filter_fire,
	.finish = blocker_finish,
	.unblock = blocker_unblock };

static struct blocker blocker;
static struct simple_collect collect;
static const struct pstk_actor_type *sink_type; /* of collect; before the network is made */
static struct simple_count count;
static struct pstk_network *net;

static void set_up(void)
{
	memset(&blocker, 0, sizeof(blocker));
	memset(&collect, 0, sizeof(collect));
	memset(&count, 0, sizeof(count));
	ck_assert_int_eq(pipe(blocker.pipe), 0);
	collect.wanted = SIMPLE_ALL;
	atomic_store(&collect.allowed, SIMPLE_ALL);
	sink_type = simple_collect_type();
	count.tokens = SIMPLE_ALL;
	net = pstk_network_create("unblock");
}

static void tear_down(void)
{
	pstk_network_destroy(net);
	close(blocker.pipe[0]);
	close(blocker.pipe[1]);
}

/* blocker, collect */
static void make_source(void)
{
	struct pstk_actor *source = pstk_network_add(net, "blocker", &blocker_type, &blocker);
	struct pstk_actor *sink = pstk_network_add(net, "collect", sink_type, &collect);

	ck_assert_ptr_nonnull(pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
}

/* count, filter, collect */
static void make_filter(void)
{
	struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *middle = pstk_network_add(net, "filter", &filter_type, &blocker);
	struct pstk_actor *sink = pstk_network_add(net, "collect", sink_type, &collect);

	ck_assert_ptr_nonnull(
		pstk_connect(source, "out", middle, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_nonnull(pstk_connect(middle, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
}

static void feed(size_t tokens)
{
	while (tokens-- > 0)
		ck_assert_int_eq(write(blocker.pipe[1], "d", 1), 1);
}

START_TEST(test_stop)
{
	make_source();
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(5);
	test_await(&collect.tokens, 5);
	test_await(&blocker.entered, 6);
	pstk_network_stop(net);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, 5);
	ck_assert_uint_eq(collect.wrong, 0);
	ck_assert_uint_eq(blocker.unblocked, 1);
	ck_assert_uint_eq(blocker.woken, 1);
	ck_assert_int_eq(blocker.finished, 1);
}
END_TEST

START_TEST(test_abort)
{
	make_source();
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(5);
	test_await(&blocker.entered, 6);
	pstk_network_abort(net);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	ck_assert(blocker.unblocked == 1 || blocker.unblocked == 2); /* its reader may have ended meanwhile */
	ck_assert_uint_eq(blocker.woken, 1);
}
END_TEST

START_TEST(test_destroy)
{
	make_source();
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&blocker.entered, 1);
	pstk_network_destroy(net);
	net = NULL;
	ck_assert(blocker.unblocked == 1 || blocker.unblocked == 2); /* its reader may have ended meanwhile */
	ck_assert_int_eq(blocker.finished, 1);
}
END_TEST

static int fail_fire(struct pstk_firing *f)
{
	struct blocker *other = pstk_actor_arg(pstk_firing_actor(f));

	test_await(&other->entered, 1);
	return -EIO;
}

START_TEST(test_failure)
{
	make_source();
	pstk_network_add(net, "fails", PSTK_ACTOR_TYPE(.name = "fails", .fire = fail_fire), &blocker);
	ck_assert_int_eq(pstk_network_run(net), -EIO);
	TEST_SAYS(pstk_network_error(net), "fails");
	ck_assert(blocker.unblocked == 1 || blocker.unblocked == 2); /* its reader may have ended meanwhile */
	ck_assert_uint_eq(blocker.woken, 1);
}
END_TEST

START_TEST(test_readers_gone)
{
	sink_type = simple_held_type();
	make_source();
	collect.wanted = 3;
	atomic_store(&collect.allowed, 2);
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(3);
	test_await(&blocker.entered, 4);
	atomic_store(&collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, 3);
	ck_assert_uint_eq(blocker.unblocked, 1);
	ck_assert_uint_eq(blocker.woken, 1);
}
END_TEST

/* A filter is no source: on stop it drains. */
START_TEST(test_filter_stop)
{
	make_filter();
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(2);
	test_await(&blocker.entered, 3);
	pstk_network_stop(net);
	feed(100);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(blocker.unblocked, 0);
	ck_assert_uint_eq(collect.tokens, count.given);
	ck_assert_uint_eq(collect.wrong, 0);
}
END_TEST

START_TEST(test_filter_abort)
{
	make_filter();
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(2);
	test_await(&blocker.entered, 3);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	ck_assert(blocker.unblocked == 1 || blocker.unblocked == 2); /* its reader may have ended meanwhile */
	ck_assert_uint_eq(blocker.woken, 1);
	ck_assert_uint_le(collect.tokens, 2);
}
END_TEST

START_TEST(test_filter_readers_gone)
{
	sink_type = simple_held_type();
	make_filter();
	collect.wanted = 2;
	atomic_store(&collect.allowed, 1);
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(2);
	test_await(&blocker.entered, 3);
	atomic_store(&collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, 2);
	ck_assert_uint_eq(blocker.unblocked, 1);
}
END_TEST

/* The end goes up a chain although nothing comes down it: the relay waits at its input, the source in its
 * read. */
START_TEST(test_chain_readers_gone)
{
	struct simple_relay relay = { 0 };
	struct pstk_actor *source = pstk_network_add(net, "blocker", &blocker_type, &blocker);
	struct pstk_actor *middle = pstk_network_add(net, "relay", simple_relay_type(), &relay);
	struct pstk_actor *sink = pstk_network_add(net, "collect", simple_held_type(), &collect);

	collect.wanted = 3;
	ck_assert_ptr_nonnull(
		pstk_connect(source, "out", middle, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_nonnull(pstk_connect(middle, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	atomic_store(&collect.allowed, 2);
	ck_assert_int_eq(pstk_network_start(net), 0);
	feed(3);
	test_await(&blocker.entered, 4);
	test_await(&relay.firings, 3);
	atomic_store(&collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, 3);
	ck_assert_uint_eq(blocker.woken, 1);
}
END_TEST

/* An input ends while the actor waits at another one, which gets nothing. _i: which of them is asked first.
 */
START_TEST(test_other_input_ends)
{
	struct blocker silent = { .entered = 0 };
	struct pstk_actor *join, *sink, *quiet, *source;

	ck_assert_int_eq(pipe(silent.pipe), 0);
	source = pstk_network_add(net, "blocker", &blocker_type, &blocker);
	quiet = pstk_network_add(net, "silent", &blocker_type, &silent);
	join = pstk_network_add(net, "join", simple_join_type(), NULL);
	sink = pstk_network_add(net, "collect", simple_collect_type(), &collect);
	collect.delay = SIMPLE_ALL;
	pstk_connect(source, "out", join, _i ? "a" : "b", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(quiet, "out", join, _i ? "b" : "a", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(join, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&silent.entered, 1);
	ck_assert_int_eq(pstk_network_wait_for(net, 3000000), -ETIMEDOUT); /* the join waits */
	ck_assert_int_eq(write(blocker.pipe[1], "u", 1), 1);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(collect.tokens, 0);
	ck_assert_uint_eq(silent.woken, 1);
	pstk_network_destroy(net);
	net = NULL;
	close(silent.pipe[0]);
	close(silent.pipe[1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unblock");
	TCase *tcase = test_case(suite, "unblock");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_stop);
	tcase_add_test(tcase, test_abort);
	tcase_add_test(tcase, test_destroy);
	tcase_add_test(tcase, test_failure);
	tcase_add_test(tcase, test_readers_gone);
	tcase_add_test(tcase, test_chain_readers_gone);
	tcase_add_loop_test(tcase, test_other_input_ends, 0, 2);
	tcase_add_test(tcase, test_filter_stop);
	tcase_add_test(tcase, test_filter_abort);
	tcase_add_test(tcase, test_filter_readers_gone);
	return test_main(suite);
}
