/* SPDX-License-Identifier: MIT */
/*
 * The threads of a team: their names, masks and cores; threads and memory that are not to be had. The linker's
 * --wrap lets this program refuse the n-th thread, and count allocations.
 */
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTORS = 6, MANY = 66, FIRINGS = 2000 };

static atomic_int fail_at; /* which thread is refused, 1: the next; 0: none */
static atomic_uint allocations;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__wrap_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*main)(void *), void *arg)
{
	if (atomic_load(&fail_at) > 0 && atomic_fetch_sub(&fail_at, 1) == 1)
		return EAGAIN;
	return __real_pthread_create(t, attr, main, arg);
}

void *__wrap_malloc(size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_aligned_alloc(alignment, size);
}

/* An actor, and what it sees of the thread that fires it. No ck_assert there: Check allocates. */
struct seen {
	const char *own;        /* the name of its own thread; NULL: a team's */
	int member;             /* the only one of the team that may fire it; -1: any */
	const cpu_set_t *at;    /* the cores of its thread; NULL: any */
	unsigned threads;       /* of the team */
	_Atomic uint64_t *gate; /* fire() waits until it is 1. NULL: it doesn't */
	_Atomic uint64_t firings, wrong;
};

static int inits, finishes;

static void setup(void)
{
	unsetenv("PENSTOCK_TEAM");
}

static int init(struct pstk_actor *self)
{
	(void)self;
	inits++;
	return 0;
}

static int finish(struct pstk_actor *self)
{
	(void)self;
	finishes++;
	return 0;
}

static bool name_is_right(const struct seen *s, const char *name)
{
	char expected[32];

	if (s->own)
		return !strcmp(name, s->own);
	for (unsigned i = 0; i < s->threads; i++) {
		snprintf(expected, sizeof expected, "pstk-team-%u", i);
		if (!strcmp(name, expected))
			return s->member < 0 || (unsigned)s->member == i;
	}
	return false;
}

static void look(struct seen *s)
{
	char name[16];
	sigset_t blocked;
	cpu_set_t cores;

	pthread_getname_np(pthread_self(), name, sizeof name);
	pthread_getaffinity_np(pthread_self(), sizeof cores, &cores);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	if (!name_is_right(s, name) || (s->at && !CPU_EQUAL(s->at, &cores)) ||
		!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGUSR1) ||
		sigismember(&blocked, SIGSEGV))
		atomic_fetch_add(&s->wrong, 1);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct seen *s = pstk_actor_arg(self);
	const struct pstk_actor_type *t = pstk_actor_get_type(self);
	uint64_t value = pstk_firing_index(f);

	if (s->gate)
		test_await(s->gate, 1);
	look(s);
	for (unsigned p = 0; p < t->port_count; p++)
		if (t->ports[p].kind == PSTK_INPUT) {
			if (*(const uint64_t *)pstk_fifo_read_start(f, p) != value)
				atomic_fetch_add(&s->wrong, 1);
			pstk_fifo_read_end(f, p);
		} else {
			*(uint64_t *)pstk_fifo_write_start(f, p) = value;
			pstk_fifo_write_end(f, p);
		}
	atomic_fetch_add(&s->firings, 1);
	return value + 1 == FIRINGS ? PSTK_DONE : PSTK_AGAIN;
}

/* A chain under a team; `blocks`, a bit per actor, says which actors have a thread of their own. */
static struct pstk_network *build(
	struct seen *seen, unsigned count, unsigned threads, unsigned blocks, struct pstk_actor **actors)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("team");

	inits = finishes = 0;
	ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
	for (unsigned i = 0; i < count; i++) {
		bool first = !i, last = i + 1 == count;
		char name[16];

		seen[i].threads = threads;
		seen[i].member = -1;
		snprintf(name, sizeof name, "actor%u", i);
		actors[i] = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "looks", .ports = ports + first,
				.port_count = first || last ? 1 : 2, .blocks = i < 32 && blocks >> i & 1,
				.stateless = i % 3 == 1, .fire = fire, .init = init, .finish = finish),
			&seen[i]);
		if (i)
			ck_assert_ptr_nonnull(pstk_connect(actors[i - 1], "out", actors[i], "in",
				PSTK_FIFO(.rate = 1, .token_size = 8)));
	}
	return net;
}

static void check_run(struct pstk_network *net, struct seen *seen, unsigned count)
{
	ck_assert_int_eq(pstk_network_run(net), 0);
	for (unsigned i = 0; i < count; i++) {
		ck_assert_uint_eq(seen[i].firings, FIRINGS);
		ck_assert_uint_eq(seen[i].wrong, 0);
	}
	pstk_network_destroy(net);
	ck_assert_int_eq(inits, (int)count);
	ck_assert_int_eq(finishes, (int)count);
}

START_TEST(names_and_masks)
{
	struct seen seen[ACTORS] = { 0 };
	struct pstk_actor *actors[ACTORS];
	struct pstk_network *net = build(seen, ACTORS, (unsigned)_i, 1u << 2 | 1u << 5, actors);
	cpu_set_t all;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (unsigned i = 0; i < ACTORS; i++)
		seen[i].at = &all;
	seen[2].own = "actor2";
	seen[5].own = "actor5";
	check_run(net, seen, ACTORS);
}
END_TEST

/* An actor on core c is fired by thread c mod n, which runs where its actors are pinned; several share one. */
START_TEST(pinned)
{
	unsigned threads = (unsigned)_i;
	struct seen seen[ACTORS] = { 0 };
	struct pstk_actor *actors[ACTORS];
	struct pstk_network *net = build(seen, ACTORS, threads, 1u << 5, actors);
	cpu_set_t all, of_members[4], own;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (unsigned i = 0; i < 4; i++)
		CPU_ZERO(&of_members[i]);
	CPU_ZERO(&own);
	for (unsigned i = 1; i < ACTORS; i++) { /* the first one is free */
		unsigned core = test_core(i);

		ck_assert_int_eq(pstk_actor_pin(actors[i], core), 0);
		if (i == 5) {
			CPU_SET(core, &own);
			seen[i].own = "actor5";
			seen[i].at = &own;
			continue;
		}
		seen[i].member = (int)(core % threads);
		seen[i].at = &of_members[core % threads];
		CPU_SET(core, &of_members[core % threads]);
	}
	check_run(net, seen, ACTORS);
}
END_TEST

/* The watcher, actors' threads, members of the team: whichever can't be had, nothing fires, all is undone. */
START_TEST(no_thread)
{
	enum { THREADS = 3, ALL = 1 + 2 + THREADS };

	for (int n = 1; n <= ALL + 1; n++) {
		struct seen seen[ACTORS] = { 0 };
		struct pstk_actor *actors[ACTORS];
		struct pstk_network *net = build(seen, ACTORS, THREADS, 3, actors);
		int err;

		seen[0].own = "actor0";
		seen[1].own = "actor1";
		atomic_store(&fail_at, n);
		err = pstk_network_start(net);
		if (n > ALL) { /* there were not that many */
			atomic_store(&fail_at, 0);
			ck_assert_int_eq(err, 0);
			ck_assert_int_eq(pstk_network_wait(net), 0);
			ck_assert_uint_eq(seen[5].firings, FIRINGS);
		} else {
			ck_assert_int_eq(err, -EAGAIN);
			TEST_SAYS(pstk_network_error(net), "thread");
			ck_assert_int_eq(pstk_network_wait(net), -EAGAIN);
			for (unsigned i = 0; i < ACTORS; i++)
				ck_assert_uint_eq(seen[i].firings, 0);
		}
		ck_assert_int_eq(inits, ACTORS);
		ck_assert_int_eq(finishes, ACTORS);
		for (unsigned i = 0; i < ACTORS; i++)
			ck_assert_uint_eq(seen[i].wrong, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* Each allocation of a start fails once: of a small team, and of one with a bit for each actor. */
static bool start_without(long n, unsigned count, unsigned *refused)
{
	struct seen *seen = calloc(count, sizeof *seen);
	struct pstk_actor *actors[MANY];
	struct pstk_network *net = build(seen, count, 3, 1, actors);
	bool failed;
	int err;

	ck_assert_int_eq(pstk_network_handle_signals(net), 0); /* each thread has a stack for the handler */
	ck_assert_int_eq(pstk_actor_pin(actors[count - 1], test_core(0)), 0);
	seen[0].own = "actor0";
	seen[count - 1].member = (int)(test_core(0) % 3);
	ps_memory_fail_at = n;
	err = pstk_network_start(net);
	failed = ps_memory_fail_at == -1;
	ps_memory_fail_at = -1;
	if (failed) {
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_msg(strstr(pstk_network_error(net), "memory"), "allocation %ld: %s", n,
			pstk_network_error(net));
		++*refused;
	}
	ck_assert_int_eq(pstk_network_wait(net), err);
	ck_assert_int_eq(inits, finishes);
	for (unsigned i = 0; i < count; i++) {
		ck_assert_uint_eq(seen[i].firings, failed ? 0 : FIRINGS);
		ck_assert_uint_eq(seen[i].wrong, 0);
	}
	pstk_network_destroy(net);
	free(seen);
	return failed;
}

START_TEST(no_memory)
{
	static const unsigned counts[] = { 3, MANY };
	unsigned before = 0;

	for (size_t i = 0; i < TEST_COUNT(counts); i++) {
		unsigned refused = 0;
		long n = 0;

		while (start_without(n, counts[i], &refused))
			n++;
		ck_assert_uint_gt(refused, before + 10);
		before = refused;
	}
}
END_TEST

/* While members fire, look, sleep and wake; with more actors than are looked at one by one. */
START_TEST(nothing_is_allocated_after_the_start)
{
	static const unsigned counts[] = { ACTORS, MANY };
	struct seen seen[MANY] = { 0 };
	struct pstk_actor *actors[MANY];
	unsigned before, after, count = counts[_i];
	struct pstk_network *net = build(seen, count, 3, 0, actors);
	_Atomic uint64_t gate = 0;
	int err;

	seen[0].gate = &gate;
	err = pstk_network_start(net);
	before = atomic_load(&allocations);
	atomic_store(&gate, 1);
	if (!err)
		err = pstk_network_wait(net);
	after = atomic_load(&allocations);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_gt(before, count);
	ck_assert_uint_eq(after, before);
	ck_assert_uint_eq(seen[count - 1].firings, FIRINGS);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("team_threads");
	TCase *c = test_case(suite, "team_threads");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_loop_test(c, names_and_masks, 1, 4);
	tcase_add_loop_test(c, pinned, 1, 4);
	tcase_add_test(c, no_thread);
	tcase_add_test(c, no_memory);
	tcase_add_loop_test(c, nothing_is_allocated_after_the_start, 0, 2);
	return test_main(suite);
}
