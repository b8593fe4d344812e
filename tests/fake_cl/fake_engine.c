/* SPDX-License-Identifier: MIT */
/*
 * Time as the setting timed=1 has it. A device has an engine for kernels and one for each direction of transfers, or
 * one for both. An engine does one command at a time, in the order in which they become ready, and each takes its time
 * by the clock; meanwhile its worker sleeps.
 *
 * The account is kept in due times, not in times at which a worker woke: a command begins when the last of these was
 * due: its submission, the command before it in its queue, the events it waits for, the engine's command before it. So
 * what the timer or the scheduler is late is made up for by the next sleep, and does not add up.
 */
#include "tests/fake_cl/fake.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

uint64_t fake_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void fake_engine_thread(void)
{
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* ns, instead of 50,000 */
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (ns <= fake_clock())
		return;
	pthread_mutex_unlock(&fake.lock);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	pthread_mutex_lock(&fake.lock);
}

/* Parts of a device compute side by side, and share its way to the host. */
static struct fake_engine *engine_of(struct fake_command *c)
{
	cl_device_id device = c->queue->device;
	enum fake_engine_kind kind = c->engine;

	if (kind == FAKE_ENGINE_NONE || (kind != FAKE_ENGINE_KERNEL && !c->moved))
		return NULL;
	while (kind != FAKE_ENGINE_KERNEL && device->parent)
		device = device->parent;
	if (kind == FAKE_ENGINE_TO_HOST && !fake.settings.full)
		kind = FAKE_ENGINE_TO_DEVICE;
	return &device->engines[kind];
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t ready(const struct fake_command *c)
{
	uint64_t time = later(c->since, c->queue->ended);

	for (cl_uint i = 0; i < c->wait_count; i++)
		time = later(time, c->waits[i]->ended);
	return time;
}

static uint64_t duration(struct fake_command *c)
{
	if (c->native)
		return 0; /* until it has returned */
	if (c->engine == FAKE_ENGINE_KERNEL)
		return fake_launch_time(c);
	return (uint64_t)((fake.settings.latency + (double)c->moved / fake.settings.rate) * 1e9);
}

void fake_engine_begin(struct fake_command *c)
{
	struct fake_engine *engine;

	if (!fake.settings.timed)
		return;
	c->start = c->due = ready(c);
	engine = engine_of(c);
	if (!engine)
		return;
	while (engine->busy)
		pthread_cond_wait(&fake.changed, &fake.lock);
	c->start = later(c->start, engine->free);
	c->due = c->start + duration(c);
	engine->free = c->due;
	engine->busy = c->native;
	sleep_until(c->start);
	if (c->native)
		c->since = fake_clock();
}

void fake_engine_end(struct fake_command *c)
{
	struct fake_engine *engine;

	if (!fake.settings.timed)
		return;
	engine = engine_of(c);
	if (engine && c->native) {
		engine->free = c->due = c->start + (fake_clock() - c->since);
		engine->busy = false;
		pthread_cond_broadcast(&fake.changed);
	}
	sleep_until(c->due);
}
