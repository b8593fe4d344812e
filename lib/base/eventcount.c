/* SPDX-License-Identifier: MIT */
#include "lib/base/eventcount.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 32 };

/* count and expecting are sequentially consistent: of a notifier and a thread that begins to wait one sees the
 * other. */
struct ps_eventcount {
	_Atomic unsigned count;     /* the word on which threads sleep */
	_Atomic unsigned expecting; /* threads that are about to sleep, and again those that sleep */
	bool lent;                  /* guarded by pool_lock */
};

/* Eventcounts stay for the life of the process. The pool only grows, to the most that were lent at once. */
struct chunk {
	struct ps_eventcount eventcounts[CHUNK];
	struct chunk *next;
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *pool; /* guarded by pool_lock */

/* Call with pool_lock held. */
static bool grow_pool(void)
{
	struct chunk *c = ps_memory_zalloc(1, sizeof *c);

	if (!c)
		return false;
	c->next = pool;
	pool = c;
	return true;
}

/* Call with pool_lock held. */
static struct ps_eventcount *find_free(void)
{
	for (struct chunk *c = pool; c; c = c->next)
		for (int i = 0; i < CHUNK; i++)
			if (!c->eventcounts[i].lent) {
				c->eventcounts[i].lent = true;
				return &c->eventcounts[i];
			}
	return NULL;
}

struct ps_eventcount *ps_eventcount_get(void)
{
	struct ps_eventcount *b;

	pthread_mutex_lock(&pool_lock);
	b = find_free();
	if (!b && grow_pool())
		b = find_free();
	pthread_mutex_unlock(&pool_lock);
	return b;
}

void ps_eventcount_put(struct ps_eventcount *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&pool_lock);
	b->lent = false;
	pthread_mutex_unlock(&pool_lock);
}

unsigned ps_eventcount_count(struct ps_eventcount *b)
{
	return atomic_load(&b->count);
}

static void wake(struct ps_eventcount *b, int threads)
{
	syscall(SYS_futex, &b->count, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

void ps_eventcount_notify_few(struct ps_eventcount *b, unsigned threads)
{
	atomic_fetch_add(&b->count, 1);
	if (atomic_load(&b->expecting))
		wake(b, threads < INT_MAX ? (int)threads : INT_MAX);
}

void ps_eventcount_notify(struct ps_eventcount *b)
{
	ps_eventcount_notify_few(b, INT_MAX);
}

void ps_eventcount_notify_one(struct ps_eventcount *b)
{
	ps_eventcount_notify_few(b, 1);
}

unsigned ps_eventcount_expect(struct ps_eventcount *b)
{
	atomic_fetch_add(&b->expecting, 1);
	return atomic_load(&b->count);
}

void ps_eventcount_leave(struct ps_eventcount *b)
{
	atomic_fetch_sub(&b->expecting, 1);
}

unsigned ps_eventcount_hint(struct ps_eventcount *b)
{
	return atomic_load_explicit(&b->expecting, memory_order_relaxed);
}

unsigned ps_eventcount_awaited(struct ps_eventcount *b)
{
	/* Adding 0 orders this look behind all changes before it: a fence that ThreadSanitizer understands. */
	return atomic_fetch_add(&b->expecting, 0);
}

/* The time on the clock when ns nanoseconds have passed. false: that is for ever. */
static bool end_of(uint64_t ns, struct timespec *end)
{
	if (ns == PS_EVENTCOUNT_FOR_EVER)
		return false;
	clock_gettime(CLOCK_MONOTONIC, end);
	ns += (uint64_t)end->tv_nsec;
	end->tv_sec += (time_t)(ns / 1000000000u);
	end->tv_nsec = (long)(ns % 1000000000u);
	return true;
}

void ps_eventcount_wait(struct ps_eventcount *b, unsigned seen, uint64_t ns)
{
	struct timespec end;
	bool ends = end_of(ns, &end);

	atomic_fetch_add(&b->expecting, 1);
	while (atomic_load(&b->count) == seen)
		if (syscall(SYS_futex, &b->count, FUTEX_WAIT_BITSET_PRIVATE, seen, ends ? &end : NULL, NULL,
			    FUTEX_BITSET_MATCH_ANY) &&
			errno == ETIMEDOUT)
			break;
	atomic_fetch_sub(&b->expecting, 1);
}
