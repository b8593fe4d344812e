/* SPDX-License-Identifier: MIT */
/*
 * A network over several processes: how the ranks start together, and how each kind of end reaches all of them. Ranks
 * are threads of this process. That they do what the whole does: tests/random/check_random_parts.
 */
#include "lib/model/error.h"
#include "lib/plan/parts.h"
#include "lib/run/blueprint.h"
#include "lib/run/hosts_counts.h"
#include "penstock/hosts.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/*
 * count at host 0 -> relay at another one -> collect at host 0. Other hosts have no actor: they idle, or pass windows
 * on where only neighbours have links.
 */

struct shape {
	unsigned ranks, relay; /* the relay's host */
	bool chained;
};

static struct simple_chain chains[CREW_RANKS];

static void build_as(struct crew *c, const struct shape *shape, uint64_t tokens)
{
	*c = (struct crew){
		.count = shape->ranks, .seed = test_seed(), .delay = 3, .chained = shape->chained
	};
	for (unsigned i = 0; i < c->count; i++) {
		simple_chain(&chains[i], 1, tokens, 4, 1, 3);
		c->ranks[i] = chains[i].net;
		for (unsigned a = 0; a < 3; a++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[a], a == 1 ? shape->relay : 0), 0);
	}
}

static void build(struct crew *c, unsigned ranks, uint64_t tokens)
{
	build_as(c, &(struct shape){ ranks, ranks > 1, false }, tokens);
}

static void make(struct crew *c, unsigned ranks, uint64_t tokens)
{
	build(c, ranks, tokens);
	crew_join(c);
}

static void check_chain(const struct crew *c, uint64_t tokens)
{
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(chains[0].collect.tokens, tokens + chains[0].collect.delay);
	for (unsigned i = 1; i < c->count; i++) {
		ck_assert_uint_eq(chains[i].collect.tokens, 0);
		ck_assert_uint_eq(chains[i].count.given, 0);
	}
}

/* _i: ranks. One rank alone is a network as any other. */
START_TEST(a_way_there_and_back)
{
	struct crew c;

	make(&c, (unsigned)_i, 1001);
	ck_assert_str_eq(pstk_network_host(c.ranks[0], 0), "c0");
	if (_i > 1)
		ck_assert_str_eq(pstk_actor_host(chains[0].actors[1]), "c1");
	ck_assert_ptr_null(pstk_network_host(c.ranks[0], (uint32_t)_i));
	crew_run(&c);
	crew_check(&c, 0, "");
	check_chain(&c, 1001);
	for (unsigned i = 0; i < c.count; i++)
		ck_assert_int_eq(pstk_network_lost_rank(c.ranks[i]), -1);
	crew_free(&c);
}
END_TEST

/*
 * Each kind of end, in these shapes; of a stop and an abort each rank is told, also one without actors.
 */

static const struct shape shapes[] = { { 3, 1, false }, { 3, 2, true }, { 4, 3, true } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct shape *make_shape(struct crew *c, unsigned i)
{
	build_as(c, &shapes[i], SIMPLE_ALL);
	crew_join(c);
	return &shapes[i];
}

START_TEST(a_reader_that_ends_early)
{
	struct crew c;

	make_shape(&c, (unsigned)_i);
	chains[0].collect.wanted = 50;
	crew_run(&c);
	crew_check(&c, 0, "");
	ck_assert_uint_eq(chains[0].collect.firings, 50);
	crew_free(&c);
}
END_TEST

static void await(const struct simple_collect *sink, uint64_t tokens)
{
	while (sink->tokens < tokens)
		sched_yield();
}

static void await_tokens(uint64_t tokens)
{
	await(&chains[0].collect, tokens);
}

START_TEST(a_stop)
{
	struct crew c;

	for (unsigned told = 0; told < shapes[_i].ranks; told++) {
		make_shape(&c, (unsigned)_i);
		crew_begin(&c);
		await_tokens(100);
		pstk_network_stop(c.ranks[told]);
		crew_end(&c);
		crew_check(&c, 0, "");
		check_chain(&c, chains[0].count.given);
		crew_free(&c);
	}
}
END_TEST

START_TEST(an_abort)
{
	struct crew c;

	for (unsigned told = 0; told < shapes[_i].ranks; told++) {
		make_shape(&c, (unsigned)_i);
		crew_begin(&c);
		await_tokens(100);
		pstk_network_abort(c.ranks[told]);
		crew_end(&c);
		crew_check(&c, -ECANCELED, "the network was aborted");
		crew_free(&c);
	}
}
END_TEST

static int fail_in_fire(struct pstk_firing *f)
{
	return pstk_actor_error(pstk_firing_actor(f), -EILSEQ, "no more");
}

static int fail_in_init(struct pstk_actor *a)
{
	return pstk_actor_error(a, -EPERM, "not today");
}

static int fail_in_finish(struct pstk_actor *a)
{
	return pstk_actor_error(a, -EDQUOT, "not any more");
}

START_TEST(an_error)
{
	unsigned relay = shapes[_i].relay;
	char said[64];
	struct crew c;

	build_as(&c, &shapes[_i], SIMPLE_ALL);
	chains[relay].actors[1]->type.fire = fail_in_fire;
	crew_join(&c);
	crew_run(&c);
	snprintf(said, sizeof said, "c%u: 'relay0' (relay), fire() in firing 0: no more", relay);
	crew_check(&c, -EILSEQ, said);
	crew_free(&c);
}
END_TEST

/* Of two errors all ranks name the same. */
START_TEST(two_errors)
{
	struct crew c;

	build(&c, 3, SIMPLE_ALL);
	chains[0].actors[2]->type.fire = fail_in_fire;
	chains[1].actors[1]->type.fire = fail_in_fire;
	crew_join(&c);
	crew_run(&c);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(c.results[i], -EILSEQ);
		ck_assert_str_eq(pstk_network_error(c.ranks[i]), pstk_network_error(c.ranks[0]));
	}
	crew_free(&c);
}
END_TEST

/* The others have started, or hear of it while they do. */
START_TEST(an_init_that_fails)
{
	struct crew c;

	build(&c, 3, SIMPLE_ALL);
	chains[1].actors[1]->type.init = fail_in_init;
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EPERM, "c1: 'relay0' (relay), init(): not today");
	ck_assert(!c.started[1]);
	crew_free(&c);
}
END_TEST

/* Behind the end of all. */
START_TEST(a_finish_that_fails)
{
	struct crew c;

	build(&c, 2, 100);
	chains[1].actors[1]->type.finish = fail_in_finish;
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EDQUOT, "c1: 'relay0' (relay), finish(): not any more");
	check_chain(&c, 100);
	crew_free(&c);
}
END_TEST

/*
 * Refusals: by all ranks, with the same words.
 */

START_TEST(one_rank_refuses_its_network)
{
	struct crew c;

	build(&c, 3, 100);
	pstk_network_refuse(c.ranks[1], -EDOM, "not with me");
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EDOM, "c1: not with me");
	for (unsigned i = 0; i < 3; i++)
		ck_assert(!c.started[i]);
	crew_free(&c);
}
END_TEST

START_TEST(all_refuse)
{
	struct crew c;

	build(&c, 2, 100);
	for (unsigned i = 0; i < 2; i++)
		pstk_network_refuse(c.ranks[i], -EDOM, "not with us");
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EDOM, "not with us");
	crew_free(&c);
}
END_TEST

START_TEST(different_networks)
{
	struct crew c;

	build(&c, 2, 100);
	pstk_network_destroy(c.ranks[1]);
	simple_chain(&chains[1], 1, 100, 8, 1, 3);
	c.ranks[1] = chains[1].net;
	ck_assert_int_eq(ps_parts_place(chains[1].actors[1], 1), 0);
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EINVAL,
		"the ranks have built different networks: rank 0 (c0) has [FIFO 'count'.out -> 'relay0'.in: "
		"rates 4 "
		"and 4, tokens of 8 bytes, 1 delay tokens of hash 0000000000000000], rank 1 (c1) has [FIFO "
		"'count'.out -> 'relay0'.in: rates 8 and 8, tokens of 8 bytes, 1 delay tokens of hash "
		"0000000000000000]: start the same program with the same files on each");
	crew_free(&c);
}
END_TEST

/* The library sees no difference: what the caller compares has one. */
START_TEST(different_lines)
{
	struct crew c;

	build(&c, 2, 100);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pstk_network_compare(c.ranks[i], "gain 1"), 0);
		ck_assert_int_eq(pstk_network_compare(c.ranks[i], i ? "gain 3" : "gain 2"), 0);
	}
	crew_join(&c);
	crew_run(&c);
	crew_check(&c, -EINVAL,
		"the ranks have built different networks: rank 0 (c0) has [gain 2], rank 1 (c1) has [gain "
		"3]: "
		"start the same program with the same files on each");
	ck_assert_int_eq(pstk_network_compare(c.ranks[0], "late"), -EBUSY);
	crew_free(&c);
}
END_TEST

START_TEST(a_blueprint_tells_the_first_difference)
{
	struct ps_blueprint_line d[2];

	ck_assert(ps_blueprint_same("a\nb\n", "a\nb\n", d));
	ck_assert(ps_blueprint_same("", "", d));
	ck_assert(!ps_blueprint_same("Penstock 0.1.0\nb\n", "Penstock 0.2.0\nb\n", d));
	ck_assert(d[0].length == 14 && !strncmp(d[0].text, "Penstock 0.1.0", 14));
	ck_assert(d[1].length == 14 && !strncmp(d[1].text, "Penstock 0.2.0", 14));
	ck_assert(!ps_blueprint_same("a\nb\n", "a\n", d));
	ck_assert(d[0].length == 1 && *d[0].text == 'b' && !d[1].length);
	ck_assert(!ps_blueprint_same("a\nb", "a\nbc", d));
	ck_assert(d[1].length == 2);
}
END_TEST

/* No plan says where the actors are. */
START_TEST(without_a_plan)
{
	struct crew c;

	build(&c, 2, 100);
	crew_meet(&c, NULL);
	crew_run(&c);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(c.results[i], -EINVAL);
		TEST_SAYS(pstk_network_error(c.ranks[i]), "runs over 2 processes", "pstk_plan_apply()");
	}
	crew_free(&c);
}
END_TEST

/*
 * What rank 0 knows while it runs.
 */

static uint64_t written(const struct pstk_fifo *f)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	return info.written;
}

/* Both ends of the second FIFO are at host 1. Rank 2, which has no part of it either, is told nothing. */
START_TEST(what_others_have_written)
{
	struct crew c;

	ps_hosts_counts_every_ns = 1000000;
	build(&c, 3, SIMPLE_ALL);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(ps_parts_place(chains[i].actors[2], 1), 0);
	crew_join(&c);
	ck_assert_uint_eq(written(chains[0].fifos[1]), 0);
	crew_begin(&c);
	await(&chains[1].collect, 1);
	for (uint64_t last = 0, now; last < 1000; last = now) {
		now = written(chains[0].fifos[1]);
		ck_assert_uint_ge(now, last);
		ck_assert_uint_le(now, written(chains[1].fifos[1]));
		ck_assert_uint_eq(written(chains[2].fifos[1]), 0);
		sched_yield();
	}
	pstk_network_stop(c.ranks[0]);
	crew_end(&c);
	crew_check(&c, 0, "");
	ck_assert_uint_eq(written(chains[0].fifos[1]), chains[0].count.given + 1); /* a delay token */
	crew_free(&c);
}
END_TEST

/* More FIFOs than one message tells of. A source, and all that read it, at host 1. Less than 64: the detector holds a
 * lock of each that waits, and ThreadSanitizer ends a process with a thread that holds more. */
START_TEST(what_many_have_written)
{
	enum { MANY = 40 };
	static struct simple_count source;
	static struct simple_collect sinks[MANY];
	struct crew c = { .count = 2, .seed = test_seed(), .delay = 3 };
	char sink[8];

	ps_hosts_counts_every_ns = 1000000;
	source = (struct simple_count){ .tokens = SIMPLE_ALL };
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_network *net = c.ranks[i] = pstk_network_create("many");
		struct pstk_actor *src = pstk_network_add(net, "source", simple_count_type(), &source);

		ck_assert_int_eq(ps_parts_place(src, 1), 0);
		for (unsigned k = 0; k < MANY; k++) {
			struct pstk_actor *a;

			sinks[k] = (struct simple_collect){ .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
			snprintf(sink, sizeof sink, "s%u", k);
			a = pstk_network_add(net, sink, simple_collect_type(), &sinks[k]);
			ck_assert_int_eq(ps_parts_place(a, 1), 0);
			ck_assert_ptr_nonnull(pstk_connect(src, "out", a, "in", PSTK_FIFO(.rate = 1)));
		}
	}
	crew_join(&c);
	crew_begin(&c);
	await(&sinks[0], 1);
	for (unsigned k = 0; k < MANY;) {
		k += written(pstk_network_fifo(c.ranks[0], k)) > 0;
		sched_yield();
	}
	pstk_network_stop(c.ranks[1]);
	crew_end(&c);
	crew_check(&c, 0, "");
	crew_free(&c);
}
END_TEST

/*
 * Faults.
 */

/* Nothing comes from rank 1 any more. The others find that out, and say which it is; it finds that it is alone. */
START_TEST(a_silent_rank)
{
	struct crew c;

	make_shape(&c, (unsigned)_i);
	crew_begin(&c);
	await_tokens(100);
	inside_fail(c.inside, 1, INSIDE_SILENT, 0);
	crew_end(&c);
	for (unsigned i = 0; i < c.count; i++) {
		ck_assert_int_eq(c.results[i], -EIO);
		ck_assert_int_ge(pstk_network_lost_rank(c.ranks[i]), 0);
	}
	ck_assert_int_eq(pstk_network_lost_rank(c.ranks[0]), 1);
	TEST_SAYS(pstk_network_error(c.ranks[0]), "rank 1 (c1): nothing has come from there for 4 s");
	crew_free(&c);
}
END_TEST

START_TEST(a_transport_that_fails)
{
	struct crew c;

	make(&c, 2, SIMPLE_ALL);
	crew_begin(&c);
	await_tokens(100);
	inside_fail(c.inside, 1, INSIDE_TEST, 0);
	crew_end(&c);
	ck_assert_int_eq(c.results[1], -EIO);
	ck_assert_int_eq(pstk_network_lost_rank(c.ranks[1]), 1);
	ck_assert_int_eq(c.results[0], -EIO);
	ck_assert_int_eq(pstk_network_lost_rank(c.ranks[0]), 1);
	crew_free(&c);
}
END_TEST

/* Wrong calls. */
START_TEST(misuse)
{
	struct simple_chain chain;
	struct inside *inside = inside_new(1, test_seed(), 0);
	struct pstk_transport *t = inside_rank(inside, 0), old = *t;
	char longest[257];

	memset(longest, 'x', 256);
	longest[256] = 0;
	old.struct_size--;
	simple_chain(&chain, 1, 8, 4, 0, 2);
	ck_assert_int_eq(pstk_network_set_hosts(NULL, t, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_set_hosts(chain.net, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_set_hosts(chain.net, &old, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_set_hosts(chain.net, t, longest), -EINVAL);
	ck_assert_int_eq(pstk_network_set_hosts(chain.net, t, longest + 1), 0);
	ck_assert_int_eq(pstk_network_set_hosts(chain.net, t, NULL), -EBUSY);
	ck_assert_int_eq(pstk_network_compare(NULL, "line"), -EINVAL);
	ck_assert_int_eq(pstk_network_compare(chain.net, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_compare(chain.net, "two\nlines"), -EINVAL);
	ck_assert_ptr_null(pstk_actor_host(NULL));
	ck_assert_ptr_null(pstk_actor_host(chain.actors[0]));
	ck_assert_ptr_null(pstk_network_host(NULL, 0));
	ck_assert_ptr_null(pstk_network_host(chain.net, 0));
	ck_assert_int_eq(pstk_network_lost_rank(NULL), -1);
	ck_assert_int_eq(pstk_network_lost_rank(chain.net), -1);
	pstk_network_destroy(chain.net);
	inside_free(inside);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hosts");
	TCase *c = test_case(suite, "ends");

	test_log_nothing();
	tcase_add_loop_test(c, a_way_there_and_back, 1, CREW_RANKS + 1);
	tcase_add_loop_test(c, a_reader_that_ends_early, 0, SHAPES);
	tcase_add_loop_test(c, a_stop, 0, SHAPES);
	tcase_add_loop_test(c, an_abort, 0, SHAPES);
	tcase_add_loop_test(c, an_error, 0, SHAPES);
	tcase_add_test(c, two_errors);
	tcase_add_test(c, an_init_that_fails);
	tcase_add_test(c, a_finish_that_fails);
	c = test_case(suite, "refusals");
	tcase_add_test(c, one_rank_refuses_its_network);
	tcase_add_test(c, all_refuse);
	tcase_add_test(c, different_networks);
	tcase_add_test(c, different_lines);
	tcase_add_test(c, a_blueprint_tells_the_first_difference);
	tcase_add_test(c, without_a_plan);
	tcase_add_test(c, misuse);
	c = test_case(suite, "news");
	tcase_add_test(c, what_others_have_written);
	tcase_add_test(c, what_many_have_written);
	c = test_case(suite, "faults");
	tcase_add_loop_test(c, a_silent_rank, 0, 2);
	tcase_add_test(c, a_transport_that_fails);
	return test_main(suite);
}
