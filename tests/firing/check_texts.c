/* SPDX-License-Identifier: MIT */
/* Where firings keep what is wrong: of their own, or one of the network's rooms, of which there may be too few. */
#include "lib/base/memory.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/texts.h"
#include "tests/common/common.h"

#include <errno.h>
#include <string.h>

enum { FIRINGS = 3 };

/* Tasks of one firing each, in a network. */
struct few {
	struct pstk_network net;
	struct pstk_actor actors[FIRINGS];
	struct ps_task tasks[FIRINGS];
	struct pstk_firing firings[FIRINGS];
};

static void make(struct few *f, unsigned rooms)
{
	memset(f, 0, sizeof *f);
	for (unsigned i = 0; i < FIRINGS; i++) {
		f->actors[i].network = &f->net;
		f->actors[i].task = &f->tasks[i];
		f->actors[i].name = (char *)"actor";
		f->actors[i].type.name = "type";
		f->tasks[i].actor = &f->actors[i];
		f->tasks[i].slots = &f->firings[i];
		f->tasks[i].slot_count = 1;
		f->firings[i].actor = &f->actors[i];
		f->firings[i].task = &f->tasks[i];
		ck_assert_int_eq(ps_texts_give(&f->tasks[i], false), 0);
		ck_assert_str_eq(f->firings[i].misuse, "");
		ck_assert_ptr_eq(f->firings[i].text, f->actors[i].text);
	}
	ck_assert_int_eq(ps_texts_prepare(&f->net, rooms), 0);
}

START_TEST(each_has_its_own_while_there_is_room)
{
	static struct few f;

	make(&f, 2);
	for (unsigned i = 0; i < FIRINGS; i++)
		ps_firing_set_misuse(&f.firings[i], i ? "two" : "one");
	ck_assert_str_eq(f.firings[0].misuse, "one");
	ck_assert_str_eq(f.firings[1].misuse, "two");
	TEST_SAYS(f.firings[2].misuse, "a wrong call", "log");
	ps_texts_free(&f.net);
}
END_TEST

/* Fired once more it has its room still; without one it has none again. */
START_TEST(what_is_forgotten)
{
	static struct few f;

	make(&f, 1);
	for (unsigned i = 0; i < 2; i++) {
		ps_firing_set_misuse(&f.firings[i], "one");
		ck_assert_int_ne(f.firings[i].misuse[0], 0);
		ps_texts_forget(&f.firings[i]);
		ck_assert_str_eq(f.firings[i].misuse, "");
		ps_firing_set_misuse(&f.firings[i], "again");
	}
	ck_assert_str_eq(f.firings[0].misuse, "again");
	TEST_SAYS(f.firings[1].misuse, "a wrong call", "log");
	ps_texts_free(&f.net);
}
END_TEST

START_TEST(side_by_side_each_has_both)
{
	struct pstk_firing firings[FIRINGS] = { 0 };
	struct pstk_actor actor = { 0 };
	struct ps_task task = { .actor = &actor, .slots = firings, .slot_count = FIRINGS };

	ck_assert_int_eq(ps_texts_give(&task, false), 0);
	for (unsigned i = 0; i < FIRINGS; i++) {
		ps_firing_set_misuse(&firings[i], i ? "two" : "one");
		snprintf(firings[i].text, PS_TEXT_SIZE, "%s", i ? "four" : "three");
	}
	for (unsigned i = 0; i < FIRINGS; i++) {
		ck_assert_str_eq(firings[i].misuse, i ? "two" : "one");
		ck_assert_str_eq(firings[i].text, i ? "four" : "three");
	}
	ck_assert_str_eq(actor.text, "");
	ps_texts_take_back(&task);
}
END_TEST

START_TEST(no_memory)
{
	struct pstk_firing firing = { 0 };
	struct pstk_actor actor = { 0 };
	struct ps_task task = { .actor = &actor, .slots = &firing, .slot_count = 1 };
	struct pstk_network net = { 0 };

	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_texts_give(&task, true), -ENOMEM);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_texts_prepare(&net, 1), -ENOMEM);
	ps_texts_take_back(&task);
	ps_texts_free(&net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("texts");
	TCase *c = test_case(suite, "texts");

	tcase_add_test(c, each_has_its_own_while_there_is_room);
	tcase_add_test(c, what_is_forgotten);
	tcase_add_test(c, side_by_side_each_has_both);
	tcase_add_test(c, no_memory);
	return test_main(suite);
}
