/* SPDX-License-Identifier: MIT */
/*
 * The firing rule: whose windows a task will work on next, as the members of a team see it.
 */
#include "lib/firing/firing_rule.h"
#include "lib/schedule/team_member.h"
#include "tests/common/common.h"
#include "tests/fifo/one_rate.h"

#include <stdlib.h>

enum { RATE = 4, BYTES = 8, WINDOW = RATE * BYTES, DEPTH = 5, TERMS = 3 };
enum { ME = 1, OTHER = 2 };

/* An actor of two inputs, the second one with a delay, and one output. */
struct net {
	struct pstk_fifo fifos[TERMS];
	struct ps_rule_term terms[TERMS];
	_Atomic uint64_t on;
	struct ps_task *task;
};

static void make(struct net *n, uint32_t delay)
{
	*n = (struct net){ .task = calloc(1, sizeof *n->task) };
	ck_assert_ptr_nonnull(n->task);
	n->task->term_count = TERMS;
	n->task->terms = n->terms;
	n->task->on = &n->on;
	for (unsigned i = 0; i < TERMS; i++) {
		struct ps_fifo *f = &n->fifos[i].fifo;

		n->terms[i] = (struct ps_rule_term){
			.fifo = &n->fifos[i], .bytes = WINDOW, .port = i, .writer = i == 2
		};
		ck_assert_int_eq(one_rate(&f->layout, RATE, i == 1 ? delay : 0, DEPTH, BYTES), 0);
		ck_assert_int_eq(ps_fifo_init(f), 0);
		ck_assert_int_eq(ps_fifo_allocate(f, NULL, 0), 0);
	}
	ps_fifo_by = ME;
}

static void unmake(struct net *n)
{
	for (unsigned i = 0; i < TERMS; i++)
		ps_fifo_fini(&n->fifos[i].fifo);
	free(n->task);
	ps_fifo_by = 0;
}

static void put(struct net *n, unsigned term, unsigned char member)
{
	struct ps_fifo *f = &n->fifos[term].fifo;

	ck_assert_int_eq(ps_fifo_peek(&f->writer), PS_FIFO_READY);
	ps_fifo_by = member;
	ps_fifo_write_start(f);
	ck_assert_int_eq(ps_fifo_write_end(f, RATE), 0);
	ps_fifo_by = ME;
}

static void get(struct net *n, unsigned term)
{
	struct ps_fifo *f = &n->fifos[term].fifo;
	uint32_t valid;

	ck_assert_int_eq(ps_fifo_peek(&f->reader), PS_FIFO_READY);
	ps_fifo_read_start(f, &valid);
	ck_assert_int_eq(ps_fifo_read_end(f), 0);
}

START_TEST(own_bytes)
{
	struct net n;

	make(&n, 0);
	put(&n, 0, ME);
	put(&n, 1, ME);
	ck_assert_int_eq(ps_rule_own_bytes(n.task), 2 * WINDOW);
	put(&n, 0, OTHER); /* behind it: doesn't count yet */
	put(&n, 1, ME);
	ck_assert_int_eq(ps_rule_own_bytes(n.task), 2 * WINDOW);
	get(&n, 0);
	get(&n, 1);
	ck_assert_int_eq(ps_rule_own_bytes(n.task), 0);
	n.terms[1].dynamic = true; /* and off */
	ck_assert_int_eq(ps_rule_own_bytes(n.task), -WINDOW);
	n.on = 1u << 1;
	ck_assert_int_eq(ps_rule_own_bytes(n.task), 0);
	unmake(&n);
}
END_TEST

START_TEST(are_anothers)
{
	struct net n;

	make(&n, 0);
	ck_assert(!ps_rule_are_anothers(n.task)); /* no member's */
	put(&n, 2, OTHER);                        /* an output */
	ck_assert(!ps_rule_are_anothers(n.task));
	put(&n, 0, OTHER);
	ck_assert(ps_rule_are_anothers(n.task));
	put(&n, 1, ME); /* one is enough */
	ck_assert(!ps_rule_are_anothers(n.task));
	get(&n, 1);
	put(&n, 1, OTHER);
	ck_assert(ps_rule_are_anothers(n.task));
	get(&n, 0);
	put(&n, 0, 0); /* a thread of no team */
	ck_assert(ps_rule_are_anothers(n.task));
	unmake(&n);
}
END_TEST

START_TEST(hold_mine)
{
	struct net n;

	make(&n, 0);
	ck_assert(!ps_rule_hold_mine(n.task));
	put(&n, 2, ME); /* an output: not to be read here */
	put(&n, 0, OTHER);
	ck_assert(!ps_rule_hold_mine(n.task));
	put(&n, 0, ME);
	ck_assert(ps_rule_hold_mine(n.task)); /* also behind another one's */
	get(&n, 0);
	ck_assert(ps_rule_hold_mine(n.task));
	get(&n, 0);
	ck_assert(!ps_rule_hold_mine(n.task));
	for (unsigned i = 0; i < 3 * PS_FIFO_BY; i++) {
		put(&n, 1, i % 2 ? ME : OTHER);
		ck_assert_int_eq(ps_rule_hold_mine(n.task), i % 2);
		get(&n, 1);
	}
	unmake(&n);
}
END_TEST

/* Window j that is read begins with what was written as window j - 1. */
START_TEST(delayed)
{
	struct net n;

	make(&n, RATE);
	get(&n, 1); /* the delay's */
	ck_assert(!ps_rule_hold_mine(n.task));
	put(&n, 1, OTHER);
	put(&n, 1, ME);
	get(&n, 1);
	ck_assert(ps_rule_hold_mine(n.task));
	ck_assert(ps_fifo_is_mine(&n.fifos[1].fifo));
	get(&n, 1);
	ck_assert(!ps_rule_hold_mine(n.task));
	unmake(&n);
}
END_TEST

START_TEST(have_whole)
{
	struct net n;

	make(&n, 0);
	ck_assert(!ps_rule_have_whole(n.task));
	put(&n, 0, ME);
	ck_assert(!ps_rule_have_whole(n.task));
	n.terms[1].dynamic = true;
	ck_assert(ps_rule_have_whole(n.task));
	ck_assert(!ps_rule_have_unread(n.task));
	for (unsigned i = 0; i < DEPTH; i++) {
		ck_assert(ps_rule_have_whole(n.task));
		put(&n, 2, ME);
		ck_assert(ps_rule_have_unread(n.task));
	}
	ck_assert(!ps_rule_have_whole(n.task)); /* no room */
	for (unsigned i = 0; i < DEPTH; i++)
		get(&n, 2);
	ck_assert(ps_rule_have_whole(n.task));
	ck_assert(!ps_rule_have_unread(n.task));
	unmake(&n);
}
END_TEST

/* Until it ends; not for ever, not for little, not where it takes longer than taking something else would cost. */
START_TEST(patience)
{
	const uint64_t now = 1000000;

	ck_assert_uint_eq(ps_member_patience_ns(60000, now + 1, now), 1);
	ck_assert_uint_eq(ps_member_patience_ns(60000, now + 10000, now), 10000);
	ck_assert_uint_eq(ps_member_patience_ns(60000, now + 10001, now), 0);
	ck_assert_uint_eq(ps_member_patience_ns(60000, now, now), 0);
	ck_assert_uint_eq(ps_member_patience_ns(60000, now - 5, now), 0);
	ck_assert_uint_eq(ps_member_patience_ns(4095, now + 1, now), 0);
	ck_assert_uint_eq(ps_member_patience_ns(-60000, now + 1, now), 0);
	ck_assert_uint_eq(ps_member_patience_ns(INT64_MAX, now + PS_TEAM_SPIN_NS, now), PS_TEAM_SPIN_NS);
	ck_assert_uint_eq(ps_member_patience_ns(INT64_MAX, now + PS_TEAM_SPIN_NS + 1, now), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("terms");
	TCase *c = test_case(suite, "terms");

	tcase_add_test(c, own_bytes);
	tcase_add_test(c, are_anothers);
	tcase_add_test(c, hold_mine);
	tcase_add_test(c, delayed);
	tcase_add_test(c, have_whole);
	tcase_add_test(c, patience);
	return test_main(suite);
}
