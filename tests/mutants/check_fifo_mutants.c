/* SPDX-License-Identifier: MIT */
/*
 * The tests must see errors. This program is built once for each mutant of layout.c, fifo.c or fifo_wait.c, and once
 * without a fault. `mutant` says which.
 */
#include "lib/fifo/fifo.h"
#include "tests/common/common.h"
#include "tests/fifo/crowd.h"
#include "tests/fifo/fifo_stress.h"
#include "tests/fifo/layout_model.h"
#include "tests/fifo/one_rate.h"
#include "tests/mutants/mutants.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

static bool wrong_layout(void)
{
	return mutant >= ADMISSION && mutant <= MARGIN;
}

/* Layouts among which each fault shows. Returns false behind the last. */
static bool find_layout(unsigned n, struct ps_layout *l)
{
	static const struct {
		uint32_t a, b, history;
		bool peek;
	} kinds[] = { { 1, 1, 0, false }, { 4, 4, 0, false }, { 3, 4, 0, false }, { 3, 4, 2, false },
		{ 4, 3, 5, false }, { 5, 2, 3, true } };
	enum { DELAYS = 6 };

	if (n >= DELAYS * TEST_COUNT(kinds))
		return false;
	*l = (struct ps_layout){ .write_rate = kinds[n / DELAYS].a,
		.read_rate = kinds[n / DELAYS].b,
		.history = kinds[n / DELAYS].history,
		.peek = kinds[n / DELAYS].peek,
		.delay = n % DELAYS,
		.depth = 2,
		.token_size = 4 };
	return true;
}

START_TEST(model)
{
	struct ps_layout l;
	uint64_t states = 0;
	unsigned wrong = 0;
	char text[320];

	for (unsigned n = 0; find_layout(n, &l); n++)
		wrong += (unsigned)layout_model_check(&l, 1, text, sizeof text, &states);
	ck_assert_int_eq(wrong != 0, wrong_layout());
}
END_TEST

/* The same fault in the tokens themselves, without any luck. */
START_TEST(held_windows)
{
	struct ps_layout l;
	uint64_t wrong = 0;

	for (unsigned n = 0; find_layout(n, &l); n++)
		wrong += stress_held(&l);
	ck_assert_int_eq(wrong != 0, wrong_layout());
}
END_TEST

/* Two threads with delays inside the windows: as many rounds as it takes, one where there is no fault. */
START_TEST(stress)
{
	struct stress s = { .tokens = 20000, .delays = 4, .hold = 1 };
	uint64_t wrong = 0;

	do {
		s.seed++;
		for (unsigned n = 0; find_layout(n, &s.asked); n++) {
			stress_run(&s);
			wrong += s.wrong;
		}
	} while (wrong_layout() && !wrong); /* the guard ends a search in vain */
	ck_assert_int_eq(wrong != 0, wrong_layout());
}
END_TEST

static bool wrong_end(void)
{
	return mutant == END_TOKENS || mutant == END_SLOT;
}

/* Readers of one memory, whose windows that reach beyond the last token lie in ends of their own. */
START_TEST(ends)
{
	uint64_t wrong = 0;

	for (unsigned tokens = 0; tokens < 40; tokens++) {
		struct crowd c = { .rate = 4,
			.token_size = 4,
			.tokens = tokens,
			.seed = tokens,
			.hold = 2,
			.count = 3,
			.readers = { { .depth = 2, .last = CROWD_NEVER },
				{ .depth = 2, .last = CROWD_NEVER, .rate = 3, .history = 2 },
				{ .depth = 2, .last = CROWD_NEVER, .rate = 5, .history = 1, .tail = 13 } } };

		crowd_run(&c);
		for (unsigned i = 0; i < c.count; i++)
			wrong += c.readers[i].wrong;
	}
	ck_assert_int_eq(wrong != 0, wrong_end());
}
END_TEST

/*
 * A lost wake-up: the reader tests, the writer publishes and signals, the reader waits. The hook sits between
 * the reader's test and its wait and gives the writer its time; with the lock held that time passes in vain.
 */
static struct ps_fifo fifo;
static atomic_bool testing, published, woken;
static _Atomic uint64_t tested; /* how often in vain */

void mutant_before_wait(struct ps_fifo_end *end)
{
	if (end != &fifo.reader)
		return;
	atomic_store(&testing, true);
	atomic_fetch_add(&tested, 1);
	for (unsigned i = 0; i < 20000 && !atomic_load(&published); i++)
		sched_yield();
}

static void *reader_main(void *arg)
{
	if (arg)
		ps_fifo_wait_patiently(&fifo.reader);
	else
		ps_fifo_wait(&fifo.reader);
	atomic_store(&woken, true);
	return NULL;
}

/* Does the reader wake? Where it is to be lost, two seconds show it; else the guard ends a wait in vain. */
static bool wakes(bool lost)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		if (atomic_load(&woken))
			return true;
		sched_yield();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!lost || now.tv_sec - begin.tv_sec < 2);
	return false;
}

START_TEST(wake_up)
{
	pthread_t thread;
	bool loses = mutant == NO_LOCK, lost;

	ck_assert_int_eq(one_rate(&fifo.layout, 1, 0, 2, 4), 0);
	ck_assert_int_eq(ps_fifo_init(&fifo), 0);
	ck_assert_int_eq(ps_fifo_allocate(&fifo, NULL, 0), 0);
	pthread_create(&thread, NULL, reader_main, NULL);
	while (!atomic_load(&testing))
		sched_yield();
	*(int *)ps_fifo_write_start(&fifo) = 1;
	ps_fifo_write_end(&fifo, 1);
	atomic_store(&published, true);
	lost = !wakes(loses);
	ps_fifo_nudge(&fifo.reader); /* frees it in any case */
	pthread_join(thread, NULL);
	ps_fifo_fini(&fifo);
	ck_assert_int_eq(lost, loses);
}
END_TEST

/*
 * A patient reader that is left asleep. Nothing here depends on luck: each step waits for the one before it.
 */

/* The reader has said how it listens, and holds the lock from there until it sleeps. */
static void await_asleep(void)
{
	pthread_mutex_lock(&fifo.lock);
	pthread_mutex_unlock(&fifo.lock);
}

#define FOR_EVER (3600 * UINT64_C(1000000000))

static pthread_t begin_patient(uint64_t patience_ns, enum ps_fifo_listens until)
{
	pthread_t thread;

	ps_fifo_patience_ns = patience_ns;
	atomic_store(&published, true); /* no delay */
	atomic_store(&woken, false);
	ck_assert_int_eq(one_rate(&fifo.layout, 1, 0, 8, 4), 0);
	ck_assert_int_eq(ps_fifo_init(&fifo), 0);
	ck_assert_int_eq(ps_fifo_allocate(&fifo, NULL, 0), 0);
	pthread_create(&thread, NULL, reader_main, &fifo);
	/* or more: this thread may look late, and find the reader urgent */
	while (atomic_load(&fifo.reader_listens) < until)
		sched_yield();
	await_asleep();
	return thread;
}

/* Is the reader lost where a fault loses it, and only there? Ends it in any case. */
static void end_patient(pthread_t thread, bool loses)
{
	bool lost = !wakes(loses);

	ps_fifo_nudge(&fifo.reader);
	pthread_join(thread, NULL);
	ps_fifo_fini(&fifo);
	ck_assert_int_eq(lost, loses);
}

static void write_one(void)
{
	*(int *)ps_fifo_write_start(&fifo) = 1;
	ps_fifo_write_end(&fifo, 1);
}

/* Its waker has one window for it, and is about to wait. */
START_TEST(debt)
{
	pthread_t thread = begin_patient(FOR_EVER, PS_LISTENS_PATIENT);

	write_one();
	ck_assert(fifo.writer.owes);
	ps_fifo_pay(&fifo.writer);
	ck_assert(!fifo.writer.owes);
	end_patient(thread, mutant == NO_DEBTS);
}
END_TEST

/* Its waker does not come by any more: it is blocked in code of the user's. */
START_TEST(timeout)
{
	pthread_t thread = begin_patient(200000000, PS_LISTENS_PATIENT);

	write_one();
	end_patient(thread, mutant == NO_TIMEOUT);
}
END_TEST

/* It has become urgent; a debt of an earlier wait is paid, which wakes it for nothing; then comes a window. */
START_TEST(woken_for_nothing)
{
	pthread_t thread = begin_patient(1000000, PS_LISTENS_URGENT);
	uint64_t before;

	before = atomic_load(&tested);
	fifo.writer.owes = true;
	ps_fifo_pay(&fifo.writer);
	if (mutant != NO_DEBTS)
		test_await(&tested, before + 1);
	write_one();
	ck_assert(!fifo.writer.owes);
	end_patient(thread, mutant == TAKEN_DOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fifo_mutants");
	TCase *c = test_case(suite, "mutants");

	tcase_add_test(c, model);
	/* races that a fault makes are no news to a sanitizer */
	if (!(TEST_SANITIZED && mutant != NO_FAULT)) {
		tcase_add_test(c, held_windows);
		/* a thread that its waker may miss waits for ever, if no thread nudges it */
		if (mutant == NO_FAULT || wrong_layout())
			tcase_add_test(c, stress);
		if (mutant == NO_FAULT || wrong_end())
			tcase_add_test(c, ends);
		tcase_add_test(c, wake_up);
	}
	/* without its lock the writer owes no signal */
	if (mutant != NO_LOCK) {
		tcase_add_test(c, debt);
		tcase_add_test(c, timeout);
		if (mutant != NO_TIMEOUT)
			tcase_add_test(c, woken_for_nothing);
	}
	return test_main(suite);
}
