/* SPDX-License-Identifier: MIT */
/*
 * What shares memory in the outlines of random flows, executed in cycles and self-timed: each reader gets the windows
 * that were written for it. A planted fault must be seen: the rule of PACCO, by which only buffers that touch one
 * node are kept apart.
 */
#include "lib/mapping/outline.h"
#include "tests/common/common.h"
#include "tests/mapping/execution.h"
#include "tests/mapping/random_flow.h"

#include <stdio.h>

static bool settled(const struct ps_outline *o)
{
	return !o->slow.count;
}

static void group_as_planned(const struct ps_outline *o, unsigned *group)
{
	for (unsigned i = 0; i < o->buffer_count; i++)
		group[i] = o->buffers[i].group;
}

/* Nodes of PACCO's graph of buffers: actors, and hops. Do they write or read both? */
static bool touch_one(const struct ps_outline *o, unsigned a, unsigned b)
{
	const struct ps_flow *f = o->flow;
	const struct ps_buffer *x = &o->buffers[a], *y = &o->buffers[b];
	bool touches[2];

	if (x->from == b || y->from == a || (x->from != PS_NONE && x->from == y->from))
		return true;
	for (unsigned actor = 0; actor < f->actor_count; actor++) {
		touches[0] = x->from == PS_NONE && f->outputs[x->output].writer == actor;
		touches[1] = y->from == PS_NONE && f->outputs[y->output].writer == actor;
		for (unsigned i = 0; i < f->reader_count; i++)
			if (f->readers[i].actor == actor) {
				touches[0] |= o->feeds[i] == a;
				touches[1] |= o->feeds[i] == b;
			}
		if (touches[0] && touches[1])
			return true;
	}
	return false;
}

/* Those stay alone: in cycles an actor with initial tokens may come before the one that writes its window. */
static bool has_delay(const struct ps_outline *o, unsigned buffer)
{
	for (unsigned i = 0; i < o->flow->reader_count; i++)
		if (o->feeds[i] == buffer && o->flow->readers[i].delay)
			return true;
	return false;
}

/* First fit by PACCO's rule. true: something shares memory. */
static bool group_as_the_paper(const struct ps_outline *o, unsigned *group)
{
	bool merged = false;

	for (unsigned i = 0; i < o->buffer_count; i++) {
		bool fits = false;

		group[i] = i;
		for (unsigned g = 0; g < i && !fits && !has_delay(o, i); g++) {
			fits = group[g] == g && !has_delay(o, g) &&
			       o->buffers[g].place == o->buffers[i].place;
			for (unsigned k = g; k < i && fits; k++)
				fits = group[k] != g || !touch_one(o, k, i);
			if (fits)
				group[i] = g;
		}
		merged |= fits;
	}
	return merged;
}

struct random_outline {
	struct pstk_machine *machine;
	struct ps_flow flow;
	struct ps_outline outline;
	int result;
};

static void open_outline(struct random_outline *r, struct test_rng *rng)
{
	r->machine = flow_random_machine(rng);
	flow_random(&r->flow, r->machine, rng);
	r->result = ps_outline_make(&r->outline, &r->flow, test_chance(rng, 50));
}

static void close_outline(struct random_outline *r)
{
	ps_outline_fini(&r->outline);
	ps_flow_fini(&r->flow);
	pstk_machine_destroy(r->machine);
}

START_TEST(what_is_merged_is_sound)
{
	uint64_t rounds = test_rounds(10000), merged = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		unsigned group[FLOW_BUFFERS];
		struct random_outline r;

		test_guard("merge", test_seed() + i);
		open_outline(&r, &rng);
		if (!r.result) {
			group_as_planned(&r.outline, group);
			merged += r.outline.group_count < r.outline.buffer_count;
			if (settled(&r.outline))
				ck_assert_int_eq(
					execution_in_cycles(&r.outline, group, &rng), EXECUTION_GOOD);
			ck_assert_int_eq(execution_self_timed(&r.outline, group, &rng), EXECUTION_GOOD);
		}
		close_outline(&r);
	}
	ck_assert(rounds < 100 || merged > rounds / 40);
}
END_TEST

/* The paper's rule spoils many of the networks in which it merges anything, and lets others wait for ever. */
START_TEST(the_rule_of_the_paper_is_not)
{
	uint64_t rounds = test_rounds(4000), merged = 0, corrupt = 0, stuck = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		unsigned group[FLOW_BUFFERS];
		struct random_outline r;

		test_guard("paper", test_seed() + i);
		open_outline(&r, &rng);
		if (!r.result && settled(&r.outline) && group_as_the_paper(&r.outline, group)) {
			merged++;
			corrupt += execution_in_cycles(&r.outline, group, &rng) == EXECUTION_CORRUPT;
			stuck += execution_self_timed(&r.outline, group, &rng) == EXECUTION_STUCK;
		}
		close_outline(&r);
	}
	printf("PACCO's rule: %u outlines merged, %u corrupt in cycles, %u stuck\n", (unsigned)merged,
		(unsigned)corrupt, (unsigned)stuck);
	ck_assert(rounds < 100 || (corrupt > merged / 10 && stuck > merged / 10));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random_merge");
	TCase *c = test_case(s, "merge");

	tcase_add_test(c, what_is_merged_is_sound);
	tcase_add_test(c, the_rule_of_the_paper_is_not);
	return test_main(s);
}
