/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a crew that loses a wake-up, runs a part twice or touches a loop that has returned. This program
 * is built once for each mutant of crew.c, and once without a fault. `mutant` says which. They are the faults of
 * tests/models/loop.pml, but for the one that needs helpers which sleep for certain (11).
 */
#include "lib/base/clock.h"
#include "lib/parallel/crew.h"
#include "tests/common/common.h"
#include "tests/mutants/mutants.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

enum { MOST_HELPERS = 3 };

/* What a test forces at the places of crew.c, and how often threads have been there. */
static void (*_Atomic act)(enum mutant_crew place);
static _Atomic uint64_t at[MUTANT_CREW_PLACES];

static _Thread_local bool is_helper;

/* Each thread that comes adds itself first. */
void mutant_in_crew(enum mutant_crew place)
{
	void (*now)(enum mutant_crew) = atomic_load(&act);

	atomic_fetch_add(&at[place], 1);
	if (now)
		now(place);
}

static void spin_until(enum mutant_crew place, uint64_t times)
{
	test_await(&at[place], times);
}

/* A loop. What its body does the test says. */
struct loop {
	struct ps_crew *crew;
	size_t parts;
	void (*step)(struct loop *);
	atomic_bool over; /* it has returned */
	_Atomic uint64_t begun, by_helpers, times[4];
	pthread_t thread;
};

static _Atomic uint64_t returned, touched, gone, release;
static _Atomic uint64_t came, there, asleep, held;
static atomic_bool taken;

static void body(void *data, size_t from, size_t to)
{
	struct loop *l = data;

	if (to != from + 1 || atomic_load(&l->over))
		atomic_fetch_add(&touched, 1);
	atomic_fetch_add(&l->times[from % 4], 1);
	atomic_fetch_add(&l->begun, 1);
	if (is_helper)
		atomic_fetch_add(&l->by_helpers, 1);
	if (l->step)
		l->step(l);
}

static void *call(void *arg)
{
	struct loop *l = arg;

	ps_crew_run(l->crew, NULL, l->parts, 1, body, l);
	atomic_store(&l->over, true);
	atomic_fetch_add(&returned, 1);
	return NULL;
}

static void call_aside(struct loop *l)
{
	ck_assert_int_eq(pthread_create(&l->thread, NULL, call, l), 0);
}

struct helper {
	struct ps_crew *crew;
	atomic_bool wanted;
	pthread_t thread;
};

static struct helper helpers[MOST_HELPERS];
static _Thread_local struct helper *me;

static bool is_wanted(void *arg)
{
	return atomic_load(&((struct helper *)arg)->wanted);
}

static void *serve(void *arg)
{
	is_helper = true;
	me = arg;
	ps_crew_serve(me->crew, is_wanted, arg);
	atomic_fetch_add(&gone, 1);
	return NULL;
}

static void begin(unsigned count, struct ps_crew *crew)
{
	for (unsigned i = 0; i < count; i++) {
		helpers[i].crew = crew;
		ck_assert_int_eq(pthread_create(&helpers[i].thread, NULL, serve, &helpers[i]), 0);
	}
}

static void end(unsigned count, struct ps_crew *crew)
{
	act = NULL;
	for (unsigned i = 0; i < count; i++)
		atomic_store(&helpers[i].wanted, true);
	/* again and again: where they ask but once, or are woken but once, they are to come home, too */
	while (atomic_load(&gone) < count) {
		ps_crew_wake(crew);
		sched_yield();
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(helpers[i].thread, NULL);
	ps_crew_destroy(crew);
}

/* Is this counter still below `least` after half a second? Where nothing is wrong it comes at last. */
static bool is_missed(const _Atomic uint64_t *counter, uint64_t least, bool wrong)
{
	uint64_t until = ps_clock_ns() + 500000000;

	if (!wrong) {
		test_await(counter, least);
		return false;
	}
	while (atomic_load(counter) < least && ps_clock_ns() < until)
		sched_yield();
	return atomic_load(counter) < least;
}

static void await_a_helper(struct loop *l)
{
	if (!is_helper)
		test_await(&l->by_helpers, 1);
}

/* The helper stays in its part. */
static void stay(struct loop *l)
{
	await_a_helper(l);
	if (is_helper)
		test_await(&release, 1);
}

START_TEST(no_wait)
{
	bool wrong = mutant == LOOP_NO_WAIT;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = stay };

	begin(1, crew);
	call_aside(&l);
	if (wrong) {
		test_await(&returned, 1);
	} else {
		spin_until(CREW_SLEEP_OVER, 1);
		ck_assert_uint_eq(returned, 0);
	}
	atomic_store(&release, 1);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

static void meet_at_take(enum mutant_crew place)
{
	if (place == CREW_TAKE)
		spin_until(CREW_TAKE, 2);
}

/* The caller and a helper take a part at once. */
START_TEST(twice)
{
	bool wrong = mutant == LOOP_TWICE;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2 };

	act = meet_at_take;
	begin(1, crew);
	call(&l);
	ck_assert_uint_eq(l.times[0], wrong ? 2 : 1);
	end(1, crew);
}
END_TEST

static void hold_until_opened(enum mutant_crew place)
{
	if (place == CREW_EXPECT)
		spin_until(CREW_OPENED, 1);
}

/* The loop comes between a helper's look and its word that it is about to sleep. */
START_TEST(no_look)
{
	bool wrong = mutant == LOOP_NO_LOOK;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = await_a_helper };

	act = hold_until_opened;
	begin(1, crew);
	spin_until(CREW_EXPECT, 1);
	call_aside(&l);
	ck_assert_int_eq(is_missed(&l.by_helpers, 1, wrong), wrong);
	ps_crew_wake(crew);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

static void hold_until_asked(enum mutant_crew place)
{
	if (place == CREW_EXPECT)
		test_await(&release, 1);
}

/* .. or the word that it is wanted elsewhere. */
START_TEST(no_ask)
{
	bool wrong = mutant == LOOP_NO_ASK;
	struct ps_crew *crew = ps_crew_create(2, NULL);

	act = hold_until_asked;
	begin(1, crew);
	spin_until(CREW_EXPECT, 1);
	atomic_store(&helpers[0].wanted, true);
	ps_crew_wake(crew);
	atomic_store(&release, 1);
	ck_assert_int_eq(is_missed(&gone, 1, wrong), wrong);
	end(1, crew);
}
END_TEST

/* The caller says that it waits when the helper is about to go out, and sleeps before it is out. */
static void cross_at_the_door(enum mutant_crew place)
{
	if (place == CREW_WAIT)
		spin_until(CREW_OUT, 1);
	if (place == CREW_OUT)
		spin_until(CREW_SLEEP_OVER, 1);
}

START_TEST(early_ring)
{
	bool wrong = mutant == LOOP_EARLY_RING;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = await_a_helper };

	act = cross_at_the_door;
	begin(1, crew);
	call_aside(&l);
	ck_assert_int_eq(is_missed(&returned, 1, wrong), wrong);
	mutant_free_caller(crew);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

/* The helper goes out between the caller's look and its word that it waits. */
static void go_before_the_word(enum mutant_crew place)
{
	if (place == CREW_OUT)
		spin_until(CREW_WAIT, 1);
	if (place == CREW_WAIT)
		spin_until(CREW_EXPECT, 1);
}

START_TEST(no_over_look)
{
	bool wrong = mutant == LOOP_NO_OVER_LOOK;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = await_a_helper };

	act = go_before_the_word;
	call_aside(&l);
	spin_until(CREW_OPENED, 1); /* so the helper finds an open door, and none when it is out */
	begin(1, crew);
	ck_assert_int_eq(is_missed(&returned, 1, wrong), wrong);
	mutant_free_caller(crew);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

static struct loop two[2];

/* Both callers have found the crew free. The second one goes on when the first has opened the door; and that one runs
 * its loop when the second has opened it, too, or runs alone. */
static void claim_both(enum mutant_crew place)
{
	static _Thread_local bool second;

	if (place == CREW_CLAIM) {
		second = atomic_fetch_add(&came, 1) > 0;
		spin_until(CREW_CLAIM, 2);
		if (second)
			spin_until(CREW_OPENED, 1);
	}
	if (place == CREW_OPENED && !second) {
		if (mutant == LOOP_TWO_CALLERS)
			spin_until(CREW_OPENED, 2);
		else
			while (atomic_load(&two[0].begun) + atomic_load(&two[1].begun) < 2)
				sched_yield();
	}
}

START_TEST(two_callers)
{
	bool wrong = mutant == LOOP_TWO_CALLERS;
	struct ps_crew *crew = ps_crew_create(2, NULL);

	act = claim_both;
	for (unsigned i = 0; i < 2; i++) {
		two[i].crew = crew;
		two[i].parts = 2;
		call_aside(&two[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(two[i].thread, NULL);
	ck_assert_uint_eq(two[0].begun + two[1].begun, wrong ? 2 : 4);
	end(0, crew);
}
END_TEST

/*
 * The first helper goes elsewhere in the middle of the loop, and the second one sleeps. It has been woken for that
 * before: so from `release` on nothing wakes it but what the first one passes on.
 */
static void hold_the_second(enum mutant_crew place)
{
	if (place == CREW_EXPECT && atomic_load(&held) && !atomic_load(&me->wanted)) {
		atomic_store(&there, 1);
		test_await(&release, 1);
	}
	if (place == CREW_SLEEP && atomic_load(&release))
		atomic_store(&asleep, 1);
}

static void leave_for_good(struct loop *l)
{
	if (!is_helper) {
		test_await(&l->begun, 3);
	} else if (!atomic_exchange(&taken, true)) {
		atomic_store(&me->wanted, true);
		atomic_store(&held, 1);
		while (!atomic_load(&there)) {
			ps_crew_wake(l->crew);
			sched_yield();
		}
		atomic_store(&release, 1);
		test_await(&asleep, 1);
	}
}

START_TEST(no_pass_on)
{
	bool wrong = mutant == LOOP_NO_PASS_ON;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 3, .step = leave_for_good };

	act = hold_the_second;
	begin(2, crew);
	call_aside(&l);
	test_await(&gone, 1);
	ck_assert_int_eq(is_missed(&l.by_helpers, 2, wrong), wrong);
	ps_crew_wake(crew);
	pthread_join(l.thread, NULL);
	ck_assert_uint_eq(l.begun, 3);
	end(2, crew);
}
END_TEST

static struct ps_crew *opening;

/* In the second loop. The helper that comes in stays until the caller waits for it. */
static void show_the_old_loop(enum mutant_crew place)
{
	if (place == CREW_OPEN && mutant == LOOP_OPEN_EARLY && atomic_load(&returned) == 1) {
		ps_crew_wake(opening);
		test_await(&touched, 1);
	}
	if (place == CREW_WAIT && atomic_load(&touched))
		atomic_store(&release, 1);
}

static void stay_in_the_old_loop(struct loop *l)
{
	if (is_helper && atomic_load(&l->over))
		test_await(&release, 1);
}

START_TEST(open_early)
{
	bool wrong = mutant == LOOP_OPEN_EARLY;
	struct ps_crew *crew = ps_crew_create(2, NULL);

	opening = crew;
	act = show_the_old_loop;
	for (unsigned i = 0; i < 2; i++) {
		two[i].crew = crew;
		two[i].parts = 2;
		two[i].step = stay_in_the_old_loop;
	}
	call(&two[0]); /* alone, so that its end is not disturbed */
	begin(1, crew);
	call(&two[1]);
	ck_assert_uint_eq(touched, wrong);
	ck_assert_uint_eq(two[1].begun, wrong ? 1 : 2);
	end(1, crew);
}
END_TEST

static void stay_until_shown(struct loop *l)
{
	await_a_helper(l);
	if (!is_helper)
		test_await(&release, 1);
}

/* There are no more parts, but one under way: the helper sleeps, and doesn't come again. */
START_TEST(not_closed)
{
	bool wrong = mutant == LOOP_NOT_CLOSED;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = stay_until_shown };

	call_aside(&l);
	spin_until(CREW_OPENED, 1);
	begin(1, crew);
	while (atomic_load(&at[CREW_SLEEP]) == 0 && atomic_load(&at[CREW_OUT]) < 10)
		sched_yield();
	ck_assert_int_eq(atomic_load(&at[CREW_OUT]) >= 10, wrong);
	atomic_store(&release, 1);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

/* The helper has looked at the door of the first loop, and comes in by that of the second, which looks the same. */
static void come_late(enum mutant_crew place)
{
	if (place == CREW_COME)
		spin_until(CREW_OPENED, 2);
	if (place == CREW_OPENED)
		spin_until(CREW_COME, 1);
}

static void await_helper_of_second(struct loop *l)
{
	if (l == &two[1] && !is_helper)
		while (atomic_load(&two[0].by_helpers) + atomic_load(&two[1].by_helpers) == 0)
			sched_yield();
}

START_TEST(stale)
{
	bool wrong = mutant == LOOP_STALE;
	struct ps_crew *crew = ps_crew_create(2, NULL);

	act = come_late;
	begin(1, crew);
	for (unsigned i = 0; i < 2; i++) {
		two[i].crew = crew;
		two[i].parts = 2;
		two[i].step = await_helper_of_second;
		call(&two[i]);
	}
	ck_assert_uint_eq(two[0].by_helpers, touched);
	ck_assert_int_eq(touched > 0, wrong);
	end(1, crew);
}
END_TEST

/* The helper looks at the closed door, and sleeps before it is opened. */
static void look_before_opening(enum mutant_crew place)
{
	if (place == CREW_EXPECT)
		spin_until(CREW_OPEN, 1);
	if (place == CREW_OPEN)
		spin_until(CREW_SLEEP, 1);
}

START_TEST(ring_first)
{
	bool wrong = mutant == LOOP_RING_FIRST;
	struct ps_crew *crew = ps_crew_create(2, NULL);
	struct loop l = { .crew = crew, .parts = 2, .step = await_a_helper };

	act = look_before_opening;
	begin(1, crew);
	spin_until(CREW_EXPECT, 1);
	call_aside(&l);
	ck_assert_int_eq(is_missed(&l.by_helpers, 1, wrong), wrong);
	ps_crew_wake(crew);
	pthread_join(l.thread, NULL);
	end(1, crew);
}
END_TEST

/* Delays everywhere. */
static void delay(enum mutant_crew place)
{
	static _Atomic uint64_t seeds;
	static _Thread_local struct test_rng rng;
	uint64_t r;

	if (rng.state == 0)
		rng.state = test_mix(test_seed() + atomic_fetch_add(&seeds, 1) + 1);
	r = test_random(&rng) + place;
	if (r % 16 == 0)
		sched_yield();
	else if (r % 4 == 0)
		for (volatile uint64_t i = 0; i < r / 16 % 1000; i++)
			;
}

static atomic_bool asking_over;

static void *ask(void *arg)
{
	struct test_rng rng = { test_seed() };

	while (!atomic_load(&asking_over)) {
		atomic_store(&helpers[test_between(&rng, 0, MOST_HELPERS - 1)].wanted, true);
		ps_crew_wake(arg);
		sched_yield();
	}
	return NULL;
}

static void *come_back(void *arg)
{
	struct helper *h = arg;

	while (!atomic_load(&asking_over)) {
		ps_crew_serve(h->crew, is_wanted, h);
		atomic_store(&h->wanted, false);
	}
	return NULL;
}

static void *call_many(void *crew)
{
	for (uint64_t i = 0, loops = test_rounds(20000); i < loops; i++) {
		struct loop l = { .crew = crew, .parts = 2 + i % 3 };

		ps_crew_run(crew, NULL, l.parts, 1, body, &l);
		/* on this stack the next one lies, too: what comes late finds that it is over, or counts there */
		atomic_store(&l.over, true);
		for (size_t k = 0; k < 4; k++)
			if (l.times[k] != (k < l.parts))
				atomic_fetch_add(&touched, 1);
	}
	return NULL;
}

START_TEST(delays)
{
	struct ps_crew *crew = ps_crew_create(3, NULL);
	pthread_t callers[2], asker;

	act = delay;
	for (unsigned i = 0; i < MOST_HELPERS; i++) {
		helpers[i].crew = crew;
		ck_assert_int_eq(pthread_create(&helpers[i].thread, NULL, come_back, &helpers[i]), 0);
	}
	ck_assert_int_eq(pthread_create(&asker, NULL, ask, crew), 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&callers[i], NULL, call_many, crew), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(callers[i], NULL);
	atomic_store(&asking_over, true);
	pthread_join(asker, NULL);
	for (unsigned i = 0; i < MOST_HELPERS; i++) {
		atomic_store(&helpers[i].wanted, true);
		ps_crew_wake(crew);
	}
	for (unsigned i = 0; i < MOST_HELPERS; i++)
		pthread_join(helpers[i].thread, NULL);
	ck_assert_uint_eq(touched, 0);
	ps_crew_destroy(crew);
}
END_TEST

/* For tests in one process (CK_FORK=no). */
static void forget(void)
{
	for (unsigned i = 0; i < MUTANT_CREW_PLACES; i++)
		at[i] = 0;
	for (unsigned i = 0; i < MOST_HELPERS; i++)
		helpers[i] = (struct helper){ 0 };
	for (unsigned i = 0; i < 2; i++)
		two[i] = (struct loop){ 0 };
	act = NULL;
	returned = touched = gone = release = came = there = asleep = held = 0;
	taken = asking_over = false;
}

/* A mutant has the test of its fault, for a crew with one is no good for anything else. */
static void add(TCase *c, enum mutant fault, const TTest *test)
{
	if (mutant == fault || mutant == NO_FAULT)
		tcase_add_test(c, test);
}

int main(void)
{
	Suite *suite = suite_create("crew_mutants");
	TCase *c = test_case(suite, "mutants");

	tcase_add_checked_fixture(c, forget, NULL);
	add(c, LOOP_NO_WAIT, no_wait);
	add(c, LOOP_TWICE, twice);
	add(c, LOOP_NO_LOOK, no_look);
	add(c, LOOP_NO_ASK, no_ask);
	add(c, LOOP_EARLY_RING, early_ring);
	add(c, LOOP_NO_OVER_LOOK, no_over_look);
	add(c, LOOP_TWO_CALLERS, two_callers);
	add(c, LOOP_NO_PASS_ON, no_pass_on);
	add(c, LOOP_OPEN_EARLY, open_early);
	add(c, LOOP_NOT_CLOSED, not_closed);
	add(c, LOOP_STALE, stale);
	add(c, LOOP_RING_FIRST, ring_first);
	add(c, NO_FAULT, delays);
	return test_main(suite);
}
