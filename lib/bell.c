/* SPDX-License-Identifier: MIT */
#include "lib/bell.h"
#include "lib/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { CHUNK = 32 };

struct ps_bell {
	pthread_mutex_t lock;
	pthread_cond_t rung; /* with lock, CLOCK_MONOTONIC */
	unsigned count;      /* guarded by lock */
	bool lent;           /* guarded by pool_lock */
};

/* Bells stay for the process's life; the pool only grows, by the most that were lent at once. */
struct chunk {
	struct ps_bell bells[CHUNK];
	struct chunk *next;
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *pool; /* guarded by pool_lock */

static int init_bell(struct ps_bell *b)
{
	pthread_condattr_t attr;
	int err = pthread_mutex_init(&b->lock, NULL);

	if (err)
		return err;
	err = pthread_condattr_init(&attr);
	if (!err) {
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		err = pthread_cond_init(&b->rung, &attr);
		pthread_condattr_destroy(&attr);
	}
	if (err)
		pthread_mutex_destroy(&b->lock);
	return err;
}

/* Call with pool_lock held. */
static bool grow_pool(void)
{
	struct chunk *c = ps_memory_zalloc(1, sizeof *c);
	int made = 0;

	if (!c)
		return false;
	while (made < CHUNK && !init_bell(&c->bells[made]))
		made++;
	if (made < CHUNK) {
		while (made-- > 0) {
			pthread_cond_destroy(&c->bells[made].rung);
			pthread_mutex_destroy(&c->bells[made].lock);
		}
		ps_memory_free(c);
		return false;
	}
	c->next = pool;
	pool = c;
	return true;
}

/* Call with pool_lock held. */
static struct ps_bell *find_bell(void)
{
	for (struct chunk *c = pool; c; c = c->next)
		for (int i = 0; i < CHUNK; i++)
			if (!c->bells[i].lent) {
				c->bells[i].lent = true;
				return &c->bells[i];
			}
	return NULL;
}

struct ps_bell *ps_bell_get(void)
{
	struct ps_bell *b;

	pthread_mutex_lock(&pool_lock);
	b = find_bell();
	if (!b && grow_pool())
		b = find_bell();
	pthread_mutex_unlock(&pool_lock);
	return b;
}

void ps_bell_put(struct ps_bell *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&pool_lock);
	b->lent = false;
	pthread_mutex_unlock(&pool_lock);
}

unsigned ps_bell_count(struct ps_bell *b)
{
	unsigned count;

	pthread_mutex_lock(&b->lock);
	count = b->count;
	pthread_mutex_unlock(&b->lock);
	return count;
}

void ps_bell_ring(struct ps_bell *b)
{
	pthread_mutex_lock(&b->lock);
	b->count++;
	pthread_cond_broadcast(&b->rung);
	pthread_mutex_unlock(&b->lock);
}

void ps_bell_wait(struct ps_bell *b, unsigned seen, uint64_t ns)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	ns += (uint64_t)end.tv_nsec;
	end.tv_sec += (time_t)(ns / 1000000000u);
	end.tv_nsec = (long)(ns % 1000000000u);
	pthread_mutex_lock(&b->lock);
	while (b->count == seen && pthread_cond_timedwait(&b->rung, &b->lock, &end) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&b->lock);
}
