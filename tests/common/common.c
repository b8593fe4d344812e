/* SPDX-License-Identifier: MIT */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* splitmix64's finaliser: every bit of x reaches every bit of the result. */
TEST_ONE_THREAD uint64_t test_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

TEST_ONE_THREAD uint64_t test_random(struct test_rng *rng)
{
	uint64_t value = test_mix(rng->state);

	rng->state += UINT64_C(0x9e3779b97f4a7c15);
	return value;
}

uint32_t test_between(struct test_rng *rng, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(test_random(rng) % ((uint64_t)high - low + 1));
}

bool test_chance(struct test_rng *rng, unsigned percent)
{
	return test_random(rng) % 100 < percent;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

uint64_t test_seed(void)
{
	return number_from("PENSTOCK_TEST_SEED", 1);
}

uint64_t test_rounds(uint64_t quick)
{
	uint64_t rounds = TEST_SANITIZED ? quick / 10 : quick;

	rounds *= number_from("PENSTOCK_TEST_LONG", 1);
	if (number_from("PENSTOCK_TEST_SHORT", 0))
		rounds /= number_from("PENSTOCK_TEST_SHORT", 1);
	return rounds ? rounds : 1;
}

unsigned test_share(unsigned quick)
{
	if (number_from("PENSTOCK_TEST_LONG", 0))
		return 1;
	if (number_from("PENSTOCK_TEST_SHORT", 0) > 1)
		quick *= 2;
	return TEST_SANITIZED ? 2 * quick : quick;
}

unsigned test_next(unsigned n)
{
	unsigned step = test_share(3);

	if (number_from("PENSTOCK_TEST_LONG", 0))
		return n + 1;
	return n == 1 ? 2 + (unsigned)(test_seed() % step) : n + step;
}

void *test_zeroed(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p)
		abort();
	return p;
}

unsigned test_team(struct test_rng *rng)
{
	bool team = test_chance(rng, 50) || number_from("PENSTOCK_TEAM", 0) > 0;
	unsigned threads = test_between(rng, 1, 8);

	return (unsigned)number_from("PENSTOCK_TEST_TEAM", team ? threads : 0);
}

/* Written before alarm(), read by its handler. */
static char guard_text[200];
static const char
	*guard_file; /* of scripts/check, which starts no more tests after a hang; NULL: it has not asked */

static void guard_expired(int number)
{
	int file = guard_file ? open(guard_file, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

	(void)number;
	if (write(STDERR_FILENO, guard_text, strlen(guard_text)) < 0 ||
		(file >= 0 && write(file, guard_text, strlen(guard_text)) < 0))
		_exit(EXIT_FAILURE);
	abort();
}

/* The rounds of this process. */
static struct {
	uint64_t count, first, last;
	pid_t process; /* that writes them: not its children */
} covered;

/* Adds the rounds of a test that has come to its end to the file of PENSTOCK_TEST_COVERED. */
static void covered_write(void)
{
	const char *name = getenv("PENSTOCK_TEST_COVERED");
	char line[100];
	int length = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", covered.count,
		covered.first, covered.last);
	int file = name && covered.count && covered.process == getpid()
	                   ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0666)
	                   : -1;

	if (file >= 0 && (write(file, line, (size_t)length) != length || close(file)))
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
}

static void covered_add(uint64_t seed)
{
	if (!covered.count || seed < covered.first)
		covered.first = seed;
	if (!covered.count || seed > covered.last)
		covered.last = seed;
	covered.count++;
}

static void guard(const char *what, uint64_t seed)
{
	const char *fork = getenv("CK_FORK");
	unsigned seconds = (unsigned)number_from("PENSTOCK_TEST_GUARD", 600);

	if (fork && !strcmp(fork, "no"))
		return;
	alarm(0);
	snprintf(guard_text, sizeof(guard_text),
		"%s: %s has not ended in %u s: it hangs, PENSTOCK_TEST_SEED=%" PRIu64 "\n",
		program_invocation_short_name, what, seconds, seed);
	guard_file = getenv("PENSTOCK_TEST_HUNG");
	signal(SIGALRM, guard_expired);
	alarm(seconds);
}

void test_guard(const char *what, uint64_t seed)
{
	covered_add(seed);
	guard(what, seed);
}

static void guard_whole_test(void)
{
	guard("a test", test_seed());
	if (covered.process != getpid() && getenv("PENSTOCK_TEST_COVERED")) {
		covered.count = 0;
		covered.process = getpid();
		atexit(covered_write);
	}
}

TCase *test_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 0); /* libcheck's, which knows no rounds */
	tcase_add_checked_fixture(tcase, guard_whole_test, NULL);
	suite_add_tcase(suite, tcase);
	return tcase;
}

/* The processes that this one has begun, one for each test; a test has the number of those before it. */
static unsigned begun;

static void count_begun(void)
{
	begun++;
}

#if TEST_SANITIZED
/* LeakSanitizer asks as a process ends. It takes a tenth of a second for any process, which is most of what a small
 * test takes. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	uint64_t share = number_from("PENSTOCK_TEST_SHORT", 0);

	return share > 1 && begun % share;
}
#endif

int test_main(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	if (pthread_atfork(NULL, count_begun, NULL))
		abort();
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	if (failed)
		printf("first seed: PENSTOCK_TEST_SEED=%" PRIu64 "\n", test_seed());
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void test_await(const _Atomic uint64_t *flag, uint64_t least)
{
	while (atomic_load(flag) < least)
		sched_yield();
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_text[65536]; /* guarded by log_lock */

static void log_keep(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	size_t used;

	(void)data;
	pthread_mutex_lock(&log_lock);
	used = strlen(log_text);
	snprintf(log_text + used, sizeof(log_text) - used, "%d %s %s\n", (int)level, topic, message);
	pthread_mutex_unlock(&log_lock);
}

void test_log_start(void)
{
	pthread_mutex_lock(&log_lock);
	log_text[0] = '\0';
	pthread_mutex_unlock(&log_lock);
	pstk_set_log(log_keep, NULL);
}

unsigned test_log_count(const char *text)
{
	unsigned count = 0;

	pthread_mutex_lock(&log_lock);
	for (const char *at = log_text; (at = strstr(at, text)); at += strlen(text))
		count++;
	pthread_mutex_unlock(&log_lock);
	return count;
}

bool test_log_has(const char *text)
{
	return test_log_count(text);
}

void test_log_stop(void)
{
	pstk_set_log(NULL, NULL);
}

static void forget(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data, (void)level, (void)topic, (void)message;
}

void test_log_nothing(void)
{
	pstk_set_log(forget, NULL);
}

void test_says(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(text && strstr(text, words[i]), "'%s' does not say '%s'",
			text ? text : "(null)", words[i]);
}

unsigned test_core(unsigned k)
{
	cpu_set_t all;
	unsigned core = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (k %= (unsigned)CPU_COUNT(&all); k || !CPU_ISSET(core, &all); core++)
		k -= CPU_ISSET(core, &all) ? 1 : 0;
	return core;
}
