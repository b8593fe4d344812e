/* SPDX-License-Identifier: MIT */
/*
 * What the test suites share: random numbers from a seed, counts that fit the build, a guard against hangs,
 * the log.
 *
 * PENSTOCK_TEST_SEED=n   the first seed of a random suite; a failure names the seed that repeats it
 * PENSTOCK_TEST_LONG=n   n times as many rounds, and all of what is else tried in part
 * PENSTOCK_TEST_SHORT=n  an n-th part of them, but one at least; half of what is else tried in part; LeakSanitizer
 *                        looks at each n-th test of a suite, the first one included
 * PENSTOCK_TEST_TEAM=n   all random networks are run by a team of n, or, 0, by a thread per actor
 * PENSTOCK_TEST_GUARD=s  seconds until the guard ends a test that hangs; 600
 * PENSTOCK_TEST_COVERED=file  each test that ends well adds a line: rounds, first and last seed; for make campaign
 */
#ifndef PENSTOCK_TESTS_COMMON_H
#define PENSTOCK_TESTS_COMMON_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

/*
 * For what a test expects, computed pixel by pixel in one thread: ThreadSanitizer, which would take ten times as long
 * as the computation, has nothing to see there. AddressSanitizer has.
 */
#define TEST_ONE_THREAD __attribute__((no_sanitize("thread")))

#define TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct test_rng {
	uint64_t state;
};

uint64_t test_mix(uint64_t x);
uint64_t test_random(struct test_rng *rng); /* a generator belongs to one thread */
uint32_t test_between(struct test_rng *rng, uint32_t low, uint32_t high); /* both included */
bool test_chance(struct test_rng *rng, unsigned percent);

uint64_t test_seed(void);
uint64_t test_rounds(uint64_t quick); /* fewer under a sanitizer; see PENSTOCK_TEST_LONG, _SHORT */

/* Of what is tried one by one, such as a fault in each call of a run, the number of the next behind n: number 1, and a
 * share of the others, each third, or, under a sanitizer, each sixth; half of these with PENSTOCK_TEST_SHORT. Another
 * seed tries others, PENSTOCK_TEST_LONG all. */
unsigned test_next(unsigned n);
/* Of how many alike one is tried: `quick`, under a sanitizer twice as many, with PENSTOCK_TEST_SHORT twice as many;
 * with PENSTOCK_TEST_LONG 1. */
unsigned test_share(unsigned quick);

/* Zeroed memory, at least a byte, which free() frees; without any the process aborts. Also outside of a test, where
 * libcheck's assertions must not be. */
void *test_zeroed(size_t bytes);

/* The threads that run a random network, for pstk_network_set_threads(): a team of 1 .. 8 or a thread per actor, half
 * and half. Where the environment wants teams (PENSTOCK_TEAM, the suite in that mode) always a team. */
unsigned test_team(struct test_rng *rng);

/* A case of the suite whose tests each have the guard, from their begin on. */
TCase *test_case(Suite *suite, const char *name);
int test_main(Suite *suite);

/*
 * The guard against hangs: a process that has not ended after PENSTOCK_TEST_GUARD seconds says what it did and aborts.
 * The time is the clock's, because a hang may use no processor; it is long, because a busy machine is no failure.
 * Nothing else in the tests depends on time. With CK_FORK=no, which is for debuggers, there is no guard.
 *
 * For a round of many, and for a child process: starts the time again and says what runs. Counts the round for
 * PENSTOCK_TEST_COVERED.
 */
void test_guard(const char *what, uint64_t seed);

/* Gives the processor away until *flag is at least `least`; the guard ends a wait in vain. */
void test_await(const _Atomic uint64_t *flag, uint64_t least);

/* The k-th core that this process may use; they repeat. */
unsigned test_core(unsigned k);

/* Keeps what the library logs. test_log_has() looks for a text in it, test_log_count() tells how often it is there. */
void test_log_start(void);
bool test_log_has(const char *text);
unsigned test_log_count(const char *text);
void test_log_stop(void);
/* What the library logs is lost, until pstk_set_log(NULL, NULL). */
void test_log_nothing(void);

/* Fails the test unless text contains each of the words. */
void test_says(const char *text, const char *const *words, size_t count);
#define TEST_SAYS(text, ...)                                  \
	test_says(text, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

#endif
