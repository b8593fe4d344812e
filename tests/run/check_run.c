/* SPDX-License-Identifier: MIT */
/*
 * Threads and the system calls behind a run. The linker's --wrap lets this program refuse the n-th call of
 * what the library asks of the system, and count allocations.
 */
#include "lib/fifo/fifo.h"
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int fail_at;   /* which wrapped call fails from now on, 1: the next; 0: none */
static atomic_bool no_cores; /* the next question for cores fails */
static atomic_uint allocations;

static bool refuse(void)
{
	return atomic_load(&fail_at) > 0 && atomic_fetch_sub(&fail_at, 1) == 1;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __real_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __real_sem_init(sem_t *, int, unsigned);
int __wrap_sem_init(sem_t *, int, unsigned);
int __real_sched_getaffinity(pid_t, size_t, cpu_set_t *);
int __wrap_sched_getaffinity(pid_t, size_t, cpu_set_t *);
void *__real_tsearch(const void *, void **, int (*)(const void *, const void *));
void *__wrap_tsearch(const void *, void **, int (*)(const void *, const void *));
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
	return refuse() ? EAGAIN : __real_pthread_create(t, attr, main, arg);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	return refuse() ? ENOMEM : __real_pthread_mutex_init(m, attr);
}

int __wrap_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	return refuse() ? ENOMEM : __real_pthread_cond_init(c, attr);
}

int __wrap_sem_init(sem_t *s, int shared, unsigned value)
{
	if (refuse()) {
		errno = ENOSPC;
		return -1;
	}
	return __real_sem_init(s, shared, value);
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (atomic_exchange(&no_cores, false)) {
		errno = EINVAL;
		return -1;
	}
	return __real_sched_getaffinity(pid, size, set);
}

void *__wrap_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return refuse() ? NULL : __real_tsearch(key, root, compare);
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

/* What fire() of each actor saw of its thread. */
static struct seen {
	char name[16];
	cpu_set_t cores;
	sigset_t blocked;
} seen[3];
static int inits, finishes;
static atomic_uint wrong; /* tokens */

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

static void look(struct pstk_firing *f)
{
	struct seen *s = pstk_actor_arg(pstk_firing_actor(f));

	pthread_getname_np(pthread_self(), s->name, sizeof s->name);
	pthread_getaffinity_np(pthread_self(), sizeof s->cores, &s->cores);
	pthread_sigmask(SIG_BLOCK, NULL, &s->blocked);
}

static int produce(struct pstk_firing *f)
{
	look(f);
	*(uint64_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) < 999 ? PSTK_AGAIN : PSTK_DONE;
}

static int pass(struct pstk_firing *f)
{
	look(f);
	*(uint64_t *)pstk_fifo_write_start(f, 1) = *(const uint64_t *)pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int consume(struct pstk_firing *f)
{
	look(f);
	/* no ck_assert here: Check allocates */
	if (*(const uint64_t *)pstk_fifo_read_start(f, 0) != pstk_firing_index(f))
		atomic_fetch_add(&wrong, 1);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_network *make(void)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("run");
	struct pstk_actor *a, *b, *c;

	if (!net)
		return NULL;
	inits = finishes = 0;
	a = pstk_network_add(net, "a-name-of-more-than-fifteen-letters",
		PSTK_ACTOR_TYPE(.name = "producer", .ports = &ports[1], .port_count = 1, .fire = produce,
			.init = init, .finish = finish),
		&seen[0]);
	b = pstk_network_add(net, "pass",
		PSTK_ACTOR_TYPE(.name = "passer", .ports = ports, .port_count = 2, .fire = pass, .init = init,
			.finish = finish),
		&seen[1]);
	c = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "consumer", .ports = ports, .port_count = 1, .fire = consume,
			.init = init, .finish = finish),
		&seen[2]);
	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	return net;
}

/* With a thread for each actor, whatever the environment says. */
static struct pstk_network *make_threads(void)
{
	struct pstk_network *net = make();

	if (net)
		ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	return net;
}

START_TEST(threads_are_named_and_masked)
{
	struct pstk_network *net = make_threads();

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(atomic_load(&wrong), 0);
	ck_assert_str_eq(seen[0].name, "a-name-of-more-");
	ck_assert_str_eq(seen[1].name, "pass");
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(sigismember(&seen[i].blocked, SIGINT), 1);
		ck_assert_int_eq(sigismember(&seen[i].blocked, SIGUSR1), 1);
		ck_assert_int_eq(sigismember(&seen[i].blocked, SIGSEGV), 0);
	}
	pstk_network_destroy(net);
}
END_TEST

START_TEST(threads_are_pinned)
{
	struct pstk_network *net = make_threads();
	cpu_set_t all;
	unsigned core = test_core(0);

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	ck_assert_int_eq(pstk_actor_pin(pstk_network_actor(net, 1), core), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert(CPU_EQUAL(&seen[0].cores, &all));
	ck_assert_int_eq(CPU_COUNT(&seen[1].cores), 1);
	ck_assert(CPU_ISSET(core, &seen[1].cores));
	ck_assert_int_eq(pstk_actor_core(pstk_network_actor(net, 0)), -1);
	ck_assert_int_eq(pstk_actor_core(pstk_network_actor(net, 1)), (int)core);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(cores_that_cannot_be_asked_for)
{
	struct pstk_network *net = make();

	atomic_store(&no_cores, true);
	ck_assert_int_eq(pstk_actor_pin(pstk_network_actor(net, 0), 0), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "a-name-of-more-than-fifteen-letters", "cores");
	pstk_network_destroy(net);
}
END_TEST

/* Watcher, then three actors: whichever thread can't be had, nothing fires and all is undone. */
START_TEST(no_thread)
{
	for (int n = 1; n <= 4; n++) {
		struct pstk_network *net = make_threads();

		atomic_store(&fail_at, n);
		ck_assert_int_eq(pstk_network_start(net), -EAGAIN);
		TEST_SAYS(pstk_network_error(net), "thread");
		ck_assert_int_eq(inits, 3);
		ck_assert_int_eq(finishes, 3);
		for (unsigned i = 0; i < 3; i++) {
			struct pstk_actor_stats stats;

			ck_assert_int_eq(pstk_actor_get_stats(pstk_network_actor(net, i), &stats), 0);
			ck_assert_uint_eq(stats.firings, 0);
		}
		ck_assert_int_eq(pstk_network_wait(net), -EAGAIN);
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(no_locks)
{
	/* create(): mutex, condition, semaphore, the plan's mutex */
	for (int n = 1; n <= 4; n++) {
		atomic_store(&fail_at, n);
		ck_assert_ptr_eq(pstk_network_create("x"), NULL);
	}
	/* behind three add()s, connect(): mutex and two conditions, for two FIFOs */
	for (int n = 8; n <= 13; n++) {
		struct pstk_network *net;

		atomic_store(&fail_at, n);
		net = make_threads();
		ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
		TEST_SAYS(pstk_network_error(net), "'pass'", "memory");
		pstk_network_destroy(net);
	}
}
END_TEST

/* The tree of names gets its memory from libc. */
START_TEST(no_memory_for_a_name)
{
	struct pstk_network *net = pstk_network_create("names");

	atomic_store(&fail_at, 1);
	ck_assert_ptr_null(pstk_network_add(net, "a", PSTK_ACTOR_TYPE(.name = "a", .fire = produce), NULL));
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "'a'", "memory");
	pstk_network_destroy(net);
}
END_TEST

static _Atomic uint64_t gate;

static int wait_for_gate(struct pstk_firing *f)
{
	test_await(&gate, 1);
	return produce(f);
}

START_TEST(nothing_is_allocated_after_the_start)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("frugal");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "a", .ports = &ports[1], .port_count = 1, .fire = wait_for_gate),
		&seen[0]);
	struct pstk_actor *b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "b", .ports = &ports[0], .port_count = 1, .fire = consume), &seen[1]);
	unsigned before, after;
	int err;

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	err = pstk_network_start(net);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_gt(atomic_load(&allocations), 0);
	before = atomic_load(&allocations);
	atomic_store(&gate, 1);
	err = pstk_network_wait(net);
	after = atomic_load(&allocations);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(after, before);
	ck_assert_uint_eq(atomic_load(&wrong), 0);
	pstk_network_destroy(net);
}
END_TEST

static void *wait_main(void *net)
{
	return (void *)(intptr_t)pstk_network_wait(net);
}

/* Several threads wait: one does the end's work, all get the result. */
START_TEST(several_wait)
{
	for (unsigned round = 0; round < 50; round++) {
		struct pstk_network *net = make();
		pthread_t threads[4];

		ck_assert_int_eq(pstk_network_start(net), 0);
		if (round % 2)
			pstk_network_abort(net);
		for (unsigned i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, wait_main, net);
		for (unsigned i = 0; i < 4; i++) {
			void *result;

			pthread_join(threads[i], &result);
			/* an abort may come after the end */
			if (round % 2 == 0 || (intptr_t)result != 0)
				ck_assert_int_eq((intptr_t)result, round % 2 ? -ECANCELED : 0);
		}
		ck_assert_int_eq(finishes, 3);
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run");
	TCase *c = test_case(suite, "run");

	tcase_add_test(c, threads_are_named_and_masked);
	tcase_add_test(c, threads_are_pinned);
	tcase_add_test(c, cores_that_cannot_be_asked_for);
	tcase_add_test(c, no_thread);
	tcase_add_test(c, no_locks);
	tcase_add_test(c, no_memory_for_a_name);
	tcase_add_test(c, nothing_is_allocated_after_the_start);
	tcase_add_test(c, several_wait);
	return test_main(suite);
}
