/* SPDX-License-Identifier: MIT */
/* Transports that fail, ranks that are silent or talk nonsense: a fault names the rank, and no thread hangs. */
#include "lib/remote/state.h"
#include "tests/remote/rig.h"

#include <inttypes.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

enum { STEP_NS = 1000000000 };

static enum inside_fault planted;

/* Time stands still until the fault has happened: then the other rank need not wait long to find it. */
static uint64_t time_of_faults(void *user)
{
	struct rig_rank *k = user;

	if (inside_failed(k->of->inside, 0, planted))
		atomic_fetch_add(&k->time, STEP_NS / 100);
	return atomic_load(&k->time);
}

/* What rank 0 says of a fault of its own. */
static void check_fault(struct rig *rig)
{
	static const char *const words[INSIDE_FAULTS] = { [INSIDE_RECEIVE] = "planted fault",
		[INSIDE_SEND] = "planted fault",
		[INSIDE_RECEIVED] = "planted fault",
		[INSIDE_SENT] = "planted fault",
		[INSIDE_CANCEL] = "planted fault",
		[INSIDE_TEST] = "inside: planted fault",
		[INSIDE_SILENT] = "nothing has come",
		[INSIDE_CUT] = "tokens have 4" };

	if (!rig->rank[0].faults)
		return;
	ck_assert_uint_eq(rig->rank[0].faults, 1);
	ck_assert_uint_eq(rig->rank[0].blamed, planted == INSIDE_TEST ? 0 : 1);
	TEST_SAYS(rig->rank[0].text, words[planted]);
	if (planted != INSIDE_TEST)
		TEST_SAYS(rig->rank[0].text, "rank 1 (h1): ");
}

/* Returns whether rank 0 has said that it has failed. */
static bool fault_at(enum inside_fault fault, uint32_t n, uint64_t seed)
{
	struct rig rig = { .ranks = 2, .seed = seed, .delay = 2, .now = time_of_faults };
	bool told;

	planted = fault;
	for (uint32_t i = 0; i < 2; i++) {
		rig_stream(&rig, i, 1 - i);
		/* without tokens the stream ends while another receive is posted, which is cancelled */
		rig.stream[i].tokens = fault == INSIDE_CANCEL && !n ? 0 : 41;
		rig.stream[i].readers = 2;
	}
	rig_build(&rig);
	rig_begin(&rig);
	/* not while it begins: silence counts only for a rank that was heard before */
	while (!inside_heard(rig.inside, 0, 1) || !inside_heard(rig.inside, 1, 0))
		sched_yield();
	inside_fail(rig.inside, 0, fault, n);
	rig_run(&rig);
	check_fault(&rig);
	/* a stream may end early, but what was read until then is right */
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 2; k++)
			ck_assert_uint_eq(rig.stream[i].reader[k].wrong, 0);
	told = rig.rank[0].faults;
	rig_free(&rig);
	return told;
}

/* Each fault, at each of its first times. */
START_TEST(each_fault)
{
	for (enum inside_fault fault = INSIDE_RECEIVE; fault < INSIDE_FAULTS; fault++) {
		unsigned told = 0;

		for (uint32_t n = 0; n < 30; n++) {
			test_guard("each_fault", fault * 100 + n);
			told += fault_at(fault, n, n);
		}
		ck_assert_msg(told, "fault %u was never told", fault);
	}
}
END_TEST

static uint64_t time_of_test(void *user)
{
	return atomic_load(&((struct rig_rank *)user)->time);
}

/* All clocks go on, while ranks 0 and 1 hear each other. */
static void pass_second(struct rig *rig)
{
	uint64_t heard[2] = { inside_heard(rig->inside, 1, 0), inside_heard(rig->inside, 0, 1) };

	for (uint32_t i = 0; i < rig->ranks; i++)
		atomic_fetch_add(&rig->rank[i].time, STEP_NS);
	while (inside_heard(rig->inside, 1, 0) == heard[0] || inside_heard(rig->inside, 0, 1) == heard[1])
		sched_yield();
}

/* A second passes for one rank, which sees that. */
static void pass_second_of(struct rig *rig, uint32_t rank)
{
	uint64_t looks;

	atomic_fetch_add(&rig->rank[rank].time, STEP_NS);
	looks = inside_looks(rig->inside, rank);
	while (inside_looks(rig->inside, rank) < looks + 3)
		sched_yield();
}

START_TEST(a_silent_rank_is_named)
{
	struct rig rig = { .ranks = 3, .now = time_of_test };

	rig_stream(&rig, 0, 1);
	rig_stream(&rig, 2, 1);
	rig_build(&rig);
	rig_begin(&rig);
	pass_second(&rig); /* each rank says something */
	for (uint32_t i = 0; i < 9; i++)
		while (i % 3 != i / 3 && !inside_heard(rig.inside, i % 3, i / 3))
			sched_yield();
	inside_fail(rig.inside, 2, INSIDE_SILENT, 0);
	for (unsigned second = 0; second < 5; second++)
		pass_second(&rig);
	while (!rig_faults(&rig, 0) || !rig_faults(&rig, 1) || rig_faults(&rig, 2) < 2)
		sched_yield();
	rig_run(&rig);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(rig.rank[i].faults, 1);
		ck_assert_uint_eq(rig.rank[i].blamed, 2);
		TEST_SAYS(rig.rank[i].text, "rank 2 (h2): nothing has come from there for 4 s");
	}
	ck_assert_uint_eq(rig.stream[0].reader[0].tokens, 20);
	ck_assert_uint_eq(rig.stream[0].reader[0].wrong, 0);
	ck_assert_int_eq(rig_tell(&rig, 0, 2, 0), -EPIPE);
	rig_free(&rig);
}
END_TEST

/* A process that was stopped for an hour has not heard anything meanwhile. */
START_TEST(a_stopped_process_blames_no_rank)
{
	struct rig rig = { .ranks = 2, .now = time_of_test };
	uint64_t looks;

	rig_stream(&rig, 0, 1);
	rig_build(&rig);
	rig_begin(&rig);
	atomic_fetch_add(&rig.rank[0].time, 3600ull * STEP_NS);
	looks = inside_looks(rig.inside, 0);
	while (inside_looks(rig.inside, 0) < looks + 10)
		sched_yield();
	for (unsigned second = 0; second < 8; second++)
		pass_second(&rig);
	rig_run(&rig);
	rig_check(&rig);
	rig_free(&rig);
}
END_TEST

/* A rank may need a minute until it begins. */
START_TEST(a_rank_may_begin_late)
{
	struct rig rig = { .ranks = 2, .now = time_of_test };

	rig_stream(&rig, 0, 1);
	rig_stream(&rig, 1, 0);
	rig_build(&rig);
	ck_assert_int_eq(ps_remote_begin(rig.rank[0].remote), 0);
	ps_remote_go(rig.rank[0].remote);
	for (unsigned second = 0; second < 60; second++)
		pass_second_of(&rig, 0);
	ck_assert_uint_eq(rig_faults(&rig, 0), 0);
	ck_assert_int_eq(ps_remote_begin(rig.rank[1].remote), 0);
	ps_remote_go(rig.rank[1].remote);
	rig_run(&rig);
	rig_check(&rig);
	rig_free(&rig);
}
END_TEST

static void *end_rank_1(void *rig)
{
	ps_remote_end(((struct rig *)rig)->rank[1].remote);
	return NULL;
}

/* Rank 1 has said its last word, but rank 0 goes on. Rank 1 owes it acknowledgements: their absence is found. */
START_TEST(a_rank_dies_after_its_last_word)
{
	struct rig rig = { .ranks = 2, .now = time_of_test };
	pthread_t thread;
	uint64_t heard;

	rig_build(&rig);
	rig_begin(&rig);
	pass_second(&rig); /* both have heard each other */
	heard = inside_heard(rig.inside, 1, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, end_rank_1, &rig), 0);
	while (inside_heard(rig.inside, 1, 0) == heard)
		sched_yield();
	inside_fail(rig.inside, 1, INSIDE_SILENT, 0);
	while (!inside_failed(rig.inside, 1, INSIDE_SILENT))
		sched_yield();
	/* eight signs of life fill all slots, then four seconds are silence */
	for (unsigned second = 0; second < 15; second++)
		pass_second_of(&rig, 0);
	ck_assert_uint_eq(rig_faults(&rig, 0), 1);
	TEST_SAYS(rig.rank[0].text, "rank 1 (h1): nothing has come from there for 4 s");
	ps_remote_end(rig.rank[0].remote);
	while (!rig_faults(&rig, 1)) {
		atomic_fetch_add(&rig.rank[1].time, STEP_NS / 10);
		sched_yield();
	}
	pthread_join(thread, NULL);
	rig_free(&rig);
}
END_TEST

/* A message of one entry that is in order in itself; rank 0 sends channel 1 and receives channel 2. */
static struct ps_control_message entry(uint32_t what, uint32_t number, uint64_t total)
{
	return (struct ps_control_message){ .entries = 1, .entry = { { what, number, total } } };
}

static const size_t one_entry = offsetof(struct ps_control_message, entry[1]);

/* Rank 1 is played here: it says two messages. Rank 0 must find the second one wrong. */
static void say_nonsense(const struct ps_control_message *messages, const size_t *sizes)
{
	static struct ps_control_message in[PS_CONTROL_SLOTS];
	struct rig rig = { .ranks = 2, .now = time_of_test };
	struct pstk_transport *t;
	const struct pstk_transport_channel channels[] = { { 1, 0, true, PS_CONTROL_SLOTS, sizeof *in },
		{ 0, 0, false, PS_CONTROL_SLOTS, sizeof *in }, { 3, 0, false, PS_CONTROL_ACKS, 0 },
		{ 2, 0, true, PS_CONTROL_ACKS, 0 } };

	rig_stream(&rig, 0, 1);
	rig_stream(&rig, 1, 0);
	rig_build(&rig);
	t = inside_rank(rig.inside, 1);
	ck_assert_int_eq(t->open(t->self, channels, 4), 0);
	for (uint32_t i = 0; i < PS_CONTROL_SLOTS; i++)
		ck_assert_int_eq(t->receive(t->self, 1, i, &in[i], sizeof in[i]), 0);
	ck_assert_int_eq(ps_remote_begin(rig.rank[0].remote), 0);
	ps_remote_go(rig.rank[0].remote);
	for (uint32_t i = 0; i < 2; i++)
		ck_assert_int_eq(t->send(t->self, 0, i, &messages[i], sizes[i]), 0);
	while (!rig_faults(&rig, 0))
		sched_yield();
	ps_remote_end(rig.rank[0].remote);
	ck_assert_uint_eq(rig.rank[0].faults, 1);
	TEST_SAYS(rig.rank[0].text, "rank 1 (h1): control message 2 makes no sense");
	rig_free(&rig);
}

START_TEST(nonsense_is_a_fault)
{
	const struct ps_control_message empty = { 0 }, credit = entry(PS_CONTROL_CREDITS, 1, 0);
	const size_t head = offsetof(struct ps_control_message, entry);
	const struct {
		struct ps_control_message first, second;
		size_t first_size, second_size;
	} cases[] = {
		{ credit, empty, one_entry, head - 1 },  /* too short */
		{ credit, empty, one_entry, one_entry }, /* too long */
		{ credit, { .entries = PS_CONTROL_ENTRIES + 1 }, one_entry,
			sizeof empty }, /* too many entries */
		{ credit, { .flags = PS_CONTROL_USER, .size = PS_REMOTE_MESSAGE + 1 }, one_entry,
			sizeof empty },
		{ credit, entry(PS_CONTROL_WHATS, 1, 0), one_entry, one_entry },   /* says what? */
		{ credit, entry(PS_CONTROL_CREDITS, 9, 0), one_entry, one_entry }, /* of which channel? */
		{ credit, entry(PS_CONTROL_CREDITS, 2, 0), one_entry, one_entry }, /* rank 0 receives that */
		{ credit, entry(PS_CONTROL_LAST, 2, 0), one_entry, one_entry },    /* it was not asked for */
		{ { .flags = PS_CONTROL_BYE }, empty, head, head },                /* after the last word */
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		const struct ps_control_message both[] = { cases[i].first, cases[i].second };
		const size_t sizes[] = { cases[i].first_size, cases[i].second_size };

		test_guard("nonsense_is_a_fault", i);
		say_nonsense(both, sizes);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("remote_faults");
	TCase *c = test_case(s, "remote_faults");

	tcase_add_test(c, each_fault);
	tcase_add_test(c, a_silent_rank_is_named);
	tcase_add_test(c, a_stopped_process_blames_no_rank);
	tcase_add_test(c, a_rank_may_begin_late);
	tcase_add_test(c, a_rank_dies_after_its_last_word);
	tcase_add_test(c, nonsense_is_a_fault);
	return test_main(s);
}
