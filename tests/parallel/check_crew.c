/* SPDX-License-Identifier: MIT */
/* Crew: each index of a loop once, whoever comes and goes; nothing of a loop is touched after its end. */
#include "lib/parallel/crew.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_HELPERS = 5, MOST_COUNT = 1000, ALIVE = 0x600d, GONE = 0xdead };

/* Threads that serve, each until it is wanted elsewhere; from there it comes back until all is over. */
struct helper {
	struct ps_crew *crew;
	pthread_t thread;
	atomic_bool wanted, over;
	_Atomic uint64_t visits; /* how often it was elsewhere */
};

static bool is_wanted(void *arg)
{
	return atomic_load(&((struct helper *)arg)->wanted);
}

static void *serve(void *arg)
{
	struct helper *h = arg;

	while (!atomic_load(&h->over)) {
		ps_crew_serve(h->crew, is_wanted, h);
		atomic_store(&h->wanted, false);
		atomic_fetch_add(&h->visits, 1);
	}
	return NULL;
}

static void begin(struct helper *helpers, unsigned count, struct ps_crew *crew)
{
	for (unsigned i = 0; i < count; i++) {
		helpers[i] = (struct helper){ .crew = crew };
		ck_assert_int_eq(pthread_create(&helpers[i].thread, NULL, serve, &helpers[i]), 0);
	}
}

static void end(struct helper *helpers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		atomic_store(&helpers[i].over, true);
		atomic_store(&helpers[i].wanted, true);
		ps_crew_wake(helpers[i].crew);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(helpers[i].thread, NULL);
}

/* A loop that counts each of its indices. The counters are not atomic: ThreadSanitizer sees a part taken twice. */
struct counting {
	struct ps_crew *crew;
	size_t count, grain;
	uint64_t seed;
	unsigned nested; /* each part runs a loop of so many indices in the same crew */
	unsigned width;
	_Atomic unsigned inside, wrong;
	unsigned char times[MOST_COUNT];
};

static void count_inner(void *data, size_t from, size_t to)
{
	unsigned char *times = data;

	for (size_t i = from; i < to; i++)
		times[i]++;
}

static void run_inner(struct counting *c)
{
	unsigned char times[64] = { 0 };

	ps_crew_run(c->crew, NULL, c->nested, 3, count_inner, times);
	for (unsigned i = 0; i < sizeof times; i++)
		if (times[i] != (i < c->nested))
			atomic_fetch_add(&c->wrong, 1);
}

static void count_body(void *data, size_t from, size_t to)
{
	struct counting *c = data;
	uint64_t r = test_mix(c->seed ^ from);

	if (atomic_fetch_add(&c->inside, 1) >= c->width)
		atomic_fetch_add(&c->wrong, 1);
	if (from >= to || to > c->count || (c->grain > 0 && to - from > c->grain))
		atomic_fetch_add(&c->wrong, 1);
	for (volatile uint64_t i = 0; i < r % 500; i++)
		;
	if (r % 64 == 0)
		sched_yield();
	for (size_t i = from; i < to; i++)
		c->times[i]++;
	if (c->nested > 0)
		run_inner(c);
	atomic_fetch_sub(&c->inside, 1);
}

static void count_all(struct counting *c, struct ps_crew *crew, struct test_rng *rng)
{
	memset(c, 0, sizeof *c);
	c->crew = crew;
	c->count = test_between(rng, 0, test_chance(rng, 50) ? 20 : MOST_COUNT);
	c->grain = test_between(rng, 0, test_chance(rng, 50) ? 3 : MOST_COUNT + 5);
	if (test_chance(rng, 5))
		c->grain = SIZE_MAX - test_between(rng, 0, 2);
	c->nested = test_chance(rng, 30) ? test_between(rng, 1, 64) : 0;
	c->seed = test_random(rng);
	c->width = MOST_HELPERS + 1;
}

static void check_all(const struct counting *c)
{
	ck_assert_uint_eq(c->wrong, 0);
	ck_assert_uint_eq(c->inside, 0);
	for (size_t i = 0; i < MOST_COUNT; i++)
		ck_assert_msg(c->times[i] == (i < c->count), "index %zu of %zu, grain %zu: %u times", i,
			c->count, c->grain, c->times[i]);
}

START_TEST(each_index_once)
{
	static struct counting c;
	uint64_t rounds = test_rounds(100), seed = test_seed();

	for (uint64_t round = 0; round < rounds; round++) {
		struct test_rng rng = { seed + round };
		unsigned count = test_between(&rng, 0, MOST_HELPERS);
		struct helper helpers[MOST_HELPERS];
		struct ps_crew *crew = ps_crew_create(1, NULL);

		test_guard("each index once", seed + round);
		begin(helpers, count, crew);
		for (unsigned loop = 0; loop < 20; loop++) {
			unsigned width = test_between(&rng, 0, MOST_HELPERS + 1);

			count_all(&c, crew, &rng);
			c.width = width > 0 ? width : 1;
			ps_crew_set_width(crew, width);
			ps_crew_run(crew, NULL, c.count, c.grain, count_body, &c);
			check_all(&c);
		}
		end(helpers, count);
		ps_crew_destroy(crew);
	}
}
END_TEST

/* Another thread asks helpers away, each time until they have gone: a wake-up that is lost hangs the test. */
struct asking {
	struct helper *helpers;
	unsigned count;
	uint64_t seed;
	atomic_bool over;
};

static void *ask(void *arg)
{
	struct asking *a = arg;
	struct test_rng rng = { a->seed };

	while (!atomic_load(&a->over)) {
		struct helper *h = &a->helpers[test_between(&rng, 0, a->count - 1)];
		uint64_t visits = atomic_load(&h->visits);

		atomic_store(&h->wanted, true);
		ps_crew_wake(h->crew);
		test_await(&h->visits, visits + 1);
		if (test_chance(&rng, 50))
			sched_yield();
	}
	return NULL;
}

START_TEST(helpers_come_and_go)
{
	static struct counting c;
	uint64_t rounds = test_rounds(20), seed = test_seed();

	for (uint64_t round = 0; round < rounds; round++) {
		struct test_rng rng = { seed + round };
		unsigned count = test_between(&rng, 1, MOST_HELPERS);
		struct helper helpers[MOST_HELPERS];
		struct ps_crew *crew = ps_crew_create(MOST_HELPERS + 1, NULL);
		struct asking asking = { .helpers = helpers, .count = count, .seed = seed + round };
		pthread_t asker;

		test_guard("helpers come and go", seed + round);
		begin(helpers, count, crew);
		ck_assert_int_eq(pthread_create(&asker, NULL, ask, &asking), 0);
		for (unsigned loop = 0; loop < 50; loop++) {
			count_all(&c, crew, &rng);
			ps_crew_run(crew, NULL, c.count, c.grain, count_body, &c);
			check_all(&c);
		}
		atomic_store(&asking.over, true);
		pthread_join(asker, NULL);
		end(helpers, count);
		ps_crew_destroy(crew);
	}
}
END_TEST

struct calling {
	struct ps_crew *crew;
	uint64_t seed;
	pthread_t thread;
	struct counting counting;
};

static void *call(void *arg)
{
	struct calling *c = arg;
	struct test_rng rng = { c->seed };

	for (unsigned loop = 0; loop < 30; loop++) {
		count_all(&c->counting, c->crew, &rng);
		ps_crew_run(c->crew, NULL, c->counting.count, c->counting.grain, count_body, &c->counting);
		check_all(&c->counting);
	}
	return NULL;
}

START_TEST(callers_at_once)
{
	static struct calling callers[3];
	uint64_t rounds = test_rounds(20), seed = test_seed();

	for (uint64_t round = 0; round < rounds; round++) {
		unsigned count = (unsigned)(round % MOST_HELPERS);
		struct helper helpers[MOST_HELPERS];
		struct ps_crew *crew = ps_crew_create(MOST_HELPERS + 1, NULL);

		test_guard("callers at once", seed + round);
		begin(helpers, count, crew);
		for (unsigned i = 0; i < TEST_COUNT(callers); i++) {
			callers[i].crew = crew;
			callers[i].seed = test_mix(seed + round) + i;
			ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
		}
		for (unsigned i = 0; i < TEST_COUNT(callers); i++)
			pthread_join(callers[i].thread, NULL);
		end(helpers, count);
		ps_crew_destroy(crew);
	}
}
END_TEST

/* Data on the caller's stack, which say whether their loop runs. */
struct canary {
	unsigned alive;
	_Atomic unsigned parts;
};

static _Atomic uint64_t touched_gone;

static void canary_body(void *data, size_t from, size_t to)
{
	struct canary *c = data;

	if (c->alive != ALIVE)
		atomic_fetch_add(&touched_gone, 1);
	if (from % 3 == 0)
		sched_yield();
	atomic_fetch_add(&c->parts, (unsigned)(to - from));
	if (c->alive != ALIVE)
		atomic_fetch_add(&touched_gone, 1);
}

static void quick_loop(struct ps_crew *crew, unsigned count)
{
	struct canary c = { .alive = ALIVE };

	ps_crew_run(crew, NULL, count, 1, canary_body, &c);
	ck_assert_uint_eq(c.parts, count);
	/* volatile: what nothing reads any more the compiler would not write */
	((volatile struct canary *)&c)->alive = GONE;
}

/* Tiny loops, one behind the other: helpers always come late, to the end of one or the begin of the next. */
START_TEST(loops_in_quick_succession)
{
	struct helper helpers[3];
	uint64_t loops = test_rounds(100000);
	struct ps_crew *crew = ps_crew_create(4, NULL);

	begin(helpers, TEST_COUNT(helpers), crew);
	for (uint64_t loop = 0; loop < loops; loop++)
		quick_loop(crew, 2 + (unsigned)(loop % 3));
	end(helpers, TEST_COUNT(helpers));
	ck_assert_uint_eq(touched_gone, 0);
	ps_crew_destroy(crew);
}
END_TEST

/* Each part waits for all others: the loop ends only if as many helpers come as there are seats. */
static void meet_body(void *data, size_t from, size_t to)
{
	struct canary *c = data;

	(void)from, (void)to;
	atomic_fetch_add(&c->parts, 1);
	while (atomic_load(&c->parts) < c->alive)
		sched_yield();
}

START_TEST(no_helper_sleeps_on)
{
	struct helper helpers[3];
	uint64_t loops = test_rounds(3000);
	struct ps_crew *crew = ps_crew_create(1, NULL);

	begin(helpers, TEST_COUNT(helpers), crew);
	for (uint64_t loop = 0; loop < loops; loop++) {
		struct canary c = { .alive = 1 + (unsigned)(loop % 4) };

		ps_crew_set_width(crew, c.alive);
		ps_crew_run(crew, NULL, c.alive, 1, meet_body, &c);
		ck_assert_uint_eq(c.parts, c.alive);
	}
	end(helpers, TEST_COUNT(helpers));
	ps_crew_destroy(crew);
}
END_TEST

struct lengths {
	_Atomic size_t sum, calls, longest;
	pthread_t caller;
	bool alone;
	_Atomic unsigned wrong;
};

static void length_body(void *data, size_t from, size_t to)
{
	struct lengths *l = data;
	size_t longest = atomic_load(&l->longest);

	if (to <= from || (l->alone && !pthread_equal(pthread_self(), l->caller)))
		atomic_fetch_add(&l->wrong, 1);
	atomic_fetch_add(&l->sum, to - from);
	atomic_fetch_add(&l->calls, 1);
	while (longest < to - from && !atomic_compare_exchange_weak(&l->longest, &longest, to - from))
		;
}

static void measure(struct ps_crew *crew, size_t count, size_t grain, size_t calls, bool alone)
{
	struct lengths l = { .caller = pthread_self(), .alone = alone };

	ps_crew_run(crew, NULL, count, grain, length_body, &l);
	ck_assert_uint_eq(l.sum, count);
	ck_assert_uint_eq(l.calls, calls);
	ck_assert_uint_eq(l.wrong, 0);
	ck_assert(grain == 0 || l.longest <= grain);
}

/* Sizes at the end of their range, with a helper and alone. Where the caller says nothing a thread has four parts. */
START_TEST(sizes)
{
	struct helper helper;
	struct ps_crew *crew = ps_crew_create(3, NULL);

	begin(&helper, 1, crew);
	for (unsigned width = 1; width <= 3; width += 2) {
		bool alone = width == 1;

		ps_crew_set_width(crew, width);
		measure(crew, SIZE_MAX, 0, alone ? 1 : 12, alone);
		measure(crew, SIZE_MAX, SIZE_MAX, 1, true);
		measure(crew, SIZE_MAX, SIZE_MAX - 1, 2, alone);
		measure(crew, SIZE_MAX, SIZE_MAX / 2, 3, alone);
		measure(crew, SIZE_MAX - 1, SIZE_MAX / 2, 2, alone);
		measure(crew, SIZE_MAX, SIZE_MAX / 100, 101, alone);
		measure(crew, 7, SIZE_MAX, 1, true);
		measure(crew, 7, 3, 3, alone);
		measure(crew, 7, 1, 7, alone);
		measure(crew, 7, 0, alone ? 1 : 7, alone);
		measure(crew, 1, 0, 1, true);
		measure(crew, 0, 0, 0, true);
		measure(crew, 0, 1, 0, true);
	}
	end(&helper, 1);
	ps_crew_destroy(crew);
}
END_TEST

/* More threads than the door has room for are no more than it has. */
START_TEST(widths)
{
	static const unsigned threads[] = { 0, 1, 2, 32767, 32768, 32769, 65536, UINT32_MAX };
	struct helper helper;
	struct ps_crew *crew = ps_crew_create(0, NULL);

	begin(&helper, 1, crew);
	for (unsigned i = 0; i < TEST_COUNT(threads); i++) {
		ps_crew_set_width(crew, threads[i]);
		measure(crew, 100, 1, 100, threads[i] < 2);
	}
	end(&helper, 1);
	ps_crew_destroy(crew);
}
END_TEST

/* What a helper does for another thread it does in that thread's name; the caller and what is alone need none. */
static _Thread_local void *working_for;
static _Atomic uint64_t entered, left, by_helpers;

static void enter(void *owner)
{
	ck_assert_ptr_null(working_for);
	working_for = owner;
	atomic_fetch_add(&entered, 1);
}

static void leave(void *owner)
{
	ck_assert_ptr_eq(working_for, owner);
	working_for = NULL;
	atomic_fetch_add(&left, 1);
}

static void named_body(void *data, size_t from, size_t to)
{
	struct lengths *l = data;
	bool calls = pthread_equal(pthread_self(), l->caller);

	(void)from, (void)to;
	if (working_for != (calls ? NULL : l))
		atomic_fetch_add(&l->wrong, 1);
	if (!calls)
		atomic_fetch_add(&by_helpers, 1);
	atomic_fetch_add(&l->calls, 1);
	while (l->calls < 2)
		sched_yield();
}

START_TEST(helpers_act_for_the_caller)
{
	struct helper helpers[2];
	struct ps_crew *crew = ps_crew_create(3, &(struct ps_crew_hooks){ .enter = enter, .leave = leave });
	uint64_t loops = test_rounds(1000);

	begin(helpers, 2, crew);
	for (uint64_t loop = 0; loop < loops; loop++) {
		struct lengths l = { .caller = pthread_self() };
		uint64_t before = entered;

		ps_crew_run(crew, &l, 10, 1, named_body, &l);
		ck_assert_uint_eq(l.calls, 10);
		ck_assert_uint_eq(l.wrong, 0);
		ck_assert_uint_gt(entered, before);
		ck_assert_uint_eq(entered, left);
	}
	ck_assert_uint_ge(by_helpers, loops);
	end(helpers, 2);
	ps_crew_destroy(crew);
}
END_TEST

static bool always(void *arg)
{
	(void)arg;
	return true;
}

/* A thread that is wanted elsewhere does not begin to serve. */
START_TEST(serving_ends_at_once)
{
	struct ps_crew *crew = ps_crew_create(2, NULL);

	ps_crew_wake(crew);
	ps_crew_serve(crew, always, NULL);
	measure(crew, 10, 1, 10, true);
	ps_crew_destroy(crew);
	ps_crew_destroy(NULL);
}
END_TEST

/* Nothing is allocated but at the begin, and what is left of a begin that fails is given back. */
START_TEST(no_memory)
{
	struct ps_crew *crew = NULL;

	for (long n = 0; !crew; n++) {
		ps_memory_fail_at = n;
		crew = ps_crew_create(2, NULL);
		ck_assert((crew == NULL) == (ps_memory_fail_at < 0));
	}
	ps_memory_fail_at = 0;
	measure(crew, 10, 1, 10, true);
	ck_assert_int_eq(ps_memory_fail_at, 0);
	ps_memory_fail_at = -1;
	ps_crew_destroy(crew);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crew");
	TCase *crews = test_case(suite, "crews");

	tcase_add_test(crews, no_memory); /* first: without forks only now there are no eventcounts */
	tcase_add_test(crews, each_index_once);
	tcase_add_test(crews, helpers_come_and_go);
	tcase_add_test(crews, callers_at_once);
	tcase_add_test(crews, loops_in_quick_succession);
	tcase_add_test(crews, no_helper_sleeps_on);
	tcase_add_test(crews, sizes);
	tcase_add_test(crews, widths);
	tcase_add_test(crews, helpers_act_for_the_caller);
	tcase_add_test(crews, serving_ends_at_once);
	return test_main(suite);
}
