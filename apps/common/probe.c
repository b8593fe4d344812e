/* SPDX-License-Identifier: MIT */
#include "apps/common/probe.h"

#include "lib/base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LINE = 64,
	BATCH = 64,    /* round trips that are measured at once */
	BATCHES = 384, /* 3 ms where a round trip takes 120 ns */
	LEAST = 8,     /* fewer batches say nothing */
	TIME_NS = 12000000,
	/* of round trips; one way was seen to take 25 to 65 ns where cores were near, 180 where they were far */
	FAR_NS = 200,
};

const char *const probe_state_names[PROBE_STATES] = { "near", "far", "neither" };

struct pair {
	_Alignas(2 * LINE) _Atomic unsigned ball;
	_Alignas(2 * LINE) atomic_bool over;
};

struct player {
	struct pair *pair;
	int core;
	unsigned count;     /* of batches */
	double ns[BATCHES]; /* of a round trip, the mean of a batch */
};

int probe_core(unsigned index)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return -1;
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &set) && !index--)
			return core;
	return -1;
}

static void stay_on(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/* Waits for the ball to be n. False: the time is over. */
static bool receive(struct pair *p, unsigned n)
{
	while (atomic_load_explicit(&p->ball, memory_order_acquire) != n)
		if (atomic_load_explicit(&p->over, memory_order_relaxed))
			return false;
	return true;
}

static void *answer(void *arg)
{
	struct player *me = arg;

	stay_on(me->core);
	for (unsigned n = 1; receive(me->pair, n); n += 2)
		atomic_store_explicit(&me->pair->ball, n + 1, memory_order_release);
	return NULL;
}

/* As receive(), for the player that looks at the clock: others may keep the other player from its core. */
static bool receive_until(struct pair *p, unsigned n, uint64_t end)
{
	for (unsigned spins = 1; atomic_load_explicit(&p->ball, memory_order_acquire) != n; spins++)
		if (spins % 1024 == 0 && ps_clock_ns() > end)
			return false;
	return true;
}

static void *serve(void *arg)
{
	struct player *me = arg;
	uint64_t begin = ps_clock_ns(), end = begin + TIME_NS;
	unsigned n = 0;

	stay_on(me->core);
	while (me->count < BATCHES && begin < end) {
		for (unsigned i = 0; i < BATCH; i++, n += 2) {
			atomic_store_explicit(&me->pair->ball, n + 1, memory_order_release);
			if (!receive_until(me->pair, n + 2, end))
				goto over;
		}
		uint64_t now = ps_clock_ns();

		me->ns[me->count++] = (double)(now - begin) / BATCH;
		begin = now;
	}
over:
	atomic_store(&me->pair->over, true);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lower quartile: others on the cores make single batches long, not short. */
static struct probe judge(struct player *p)
{
	struct probe probe = { PROBE_NEITHER, 0 };

	if (p->count < LEAST)
		return probe;
	qsort(p->ns, p->count, sizeof *p->ns, compare);
	probe.ns = p->ns[p->count / 4];
	probe.state = probe.ns < FAR_NS ? PROBE_NEAR : PROBE_FAR;
	return probe;
}

struct probe probe_cores(void)
{
	static struct player one, other;
	struct pair pair = { 0, false };
	pthread_t threads[2];

	one = (struct player){ .pair = &pair, .core = probe_core(0) };
	other = (struct player){ .pair = &pair, .core = probe_core(1) };
	if (other.core < 0 || pthread_create(&threads[1], NULL, answer, &other))
		return (struct probe){ PROBE_NEITHER, 0 };
	if (pthread_create(&threads[0], NULL, serve, &one))
		atomic_store(&pair.over, true);
	else
		pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return judge(&one);
}

void probe_print(const char *when)
{
	struct probe probe = probe_cores();

	printf("cores %s: %s, %.0f ns\n", when, probe_state_names[probe.state], probe.ns);
}
