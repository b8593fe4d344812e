/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { JOBS = 64 };

static const uint64_t second = 1000000000;

/* A stage's work. */
struct job {
	double left;  /* ns of its own, since `since` */
	uint64_t due; /* when it was through; 0: it is not */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* with lock: some job has another speed now, or a core is free */
	/* guarded by lock */
	struct job *jobs[JOBS];
	unsigned count, cores;
	double stretch;
	bool permits;
	uint64_t since, arrived, served; /* served: of permits: jobs that have had a core */
	double due_ns, took_ns;
} world = { .lock = PTHREAD_MUTEX_INITIALIZER };

uint64_t mapping_cores_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / second), .tv_nsec = (long)(ns % second) };
}

void mapping_cores_sleep(uint64_t until)
{
	struct timespec t = time_of(until);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

void mapping_cores_open(unsigned count, double stretch, bool permits)
{
	static bool made;
	pthread_condattr_t attr;

	if (!made) {
		pthread_condattr_init(&attr);
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		if (pthread_cond_init(&world.changed, &attr))
			rounds_fail("no condition variable");
		pthread_condattr_destroy(&attr);
		made = true;
	}
	pthread_mutex_lock(&world.lock);
	world.cores = count;
	world.stretch = stretch;
	world.permits = permits;
	world.count = 0;
	world.due_ns = world.took_ns = 0;
	pthread_mutex_unlock(&world.lock);
}

double mapping_cores_late(void)
{
	double late;

	pthread_mutex_lock(&world.lock);
	late = world.due_ns > 0 ? world.took_ns / world.due_ns : 1;
	pthread_mutex_unlock(&world.lock);
	return late;
}

/* Of each job. */
static double speed(void)
{
	unsigned busy = world.count < world.cores ? world.count : world.cores;

	return busy ? (double)busy / world.count / (1 + world.stretch * (busy - 1)) : 1;
}

/* Up to now: jobs that were through in the meantime left their core then. */
static void advance(uint64_t now)
{
	while (world.count) {
		double share = speed(), end;
		unsigned first = 0;

		for (unsigned i = 1; i < world.count; i++)
			if (world.jobs[i]->left < world.jobs[first]->left)
				first = i;
		end = (double)world.since + world.jobs[first]->left / share;
		for (unsigned i = 0; end > (double)now && i < world.count; i++)
			world.jobs[i]->left -= (double)(now - world.since) * share;
		if (end > (double)now)
			break;
		for (unsigned i = 0; i < world.count; i++)
			if (i != first)
				world.jobs[i]->left -= (end - (double)world.since) * share;
		world.since = (uint64_t)end;
		world.jobs[first]->due = world.since;
		world.jobs[first] = world.jobs[--world.count];
	}
	world.since = now;
}

/* Have jobs another speed when one more, or one less than so many, is there? */
static bool matters(unsigned count)
{
	return world.stretch > 0 || count > world.cores;
}

/* Call with the lock held. */
static void share_core(struct job *job)
{
	if (world.count == JOBS)
		rounds_fail("more than %d threads on the simulated cores", JOBS);
	world.jobs[world.count++] = job;
	if (matters(world.count))
		pthread_cond_broadcast(&world.changed);
	while (!job->due) {
		double wait = job->left / speed();
		struct timespec until = time_of(world.since + (uint64_t)ceil(wait));

		pthread_cond_timedwait(&world.changed, &world.lock, &until);
		advance(mapping_cores_now());
	}
	if (matters(world.count + 1))
		pthread_cond_broadcast(&world.changed);
}

/* In turn. Call with the lock held. */
static void have_core(struct job *job, uint64_t ns)
{
	uint64_t ticket = world.arrived++;

	while (world.served != ticket || world.count == world.cores)
		pthread_cond_wait(&world.changed, &world.lock);
	world.served++;
	world.count++;
	job->due = mapping_cores_now() + (uint64_t)((double)ns * (1 + world.stretch * (world.count - 1)));
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.lock);
	mapping_cores_sleep(job->due);
	pthread_mutex_lock(&world.lock);
	world.count--;
	pthread_cond_broadcast(&world.changed);
}

void mapping_cores_work(uint64_t ns)
{
	uint64_t began = mapping_cores_now();
	struct job job = { .left = (double)ns };

	pthread_mutex_lock(&world.lock);
	if (world.permits) {
		have_core(&job, ns);
	} else {
		advance(mapping_cores_now());
		share_core(&job);
	}
	world.due_ns += (double)(job.due - began);
	world.took_ns += (double)(mapping_cores_now() - began);
	pthread_mutex_unlock(&world.lock);
}
