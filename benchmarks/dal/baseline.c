/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline.h"
#include "benchmarks/dal/baseline_build.h"
#include "benchmarks/dal/baseline_cl.h"
#include "dal/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct baseline_options baseline_paper(void)
{
	return (struct baseline_options){ .copying = true,
		.pinned = true,
		.capacity = 1,
		.wait_per_firing = true,
		.by_location = true,
		.wait = BASELINE_CONDITION };
}

struct baseline_options baseline_best(void)
{
	return (struct baseline_options){
		.pinned = true, .capacity = 4, .by_location = true, .wait = BASELINE_DEFERRED
	};
}

struct baseline *baseline_create(const char *process_network, const char *mapping,
	const struct pstk_dal_process *processes, unsigned count, const struct baseline_options *options,
	char *text, size_t size)
{
	struct baseline_build build = { .processes = processes, .count = count, .text = text, .size = size };
	struct baseline *b = calloc(1, sizeof *b);

	if (!b || pthread_mutex_init(&b->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&b->opened, NULL))
		goto no_condition;
	b->options = *options;
	if (!options->capacity || !process_network || (count && !processes)) {
		snprintf(
			text, size, "baseline_create() needs a file, processes and a capacity of at least 1");
		goto wrong;
	}
	if (ps_dal_read(&b->description, process_network, mapping, text, size))
		goto wrong;
	build.b = b;
	build.d = b->description;
	if (!baseline_build(&build))
		return b;
wrong:
	baseline_destroy(b);
	return NULL;
no_condition:
	pthread_mutex_destroy(&b->lock);
no_lock:
	free(b);
	snprintf(text, size, "out of memory");
	return NULL;
}

/* In the order of the file; how many have begun to be theirs. */
static unsigned init_all(struct baseline *b)
{
	unsigned done = 0;

	while (done < b->process_count && !atomic_load(&b->failed)) {
		struct baseline_process *p = &b->processes[done];

		if (p->dal.init)
			p->dal.init(&p->dal);
		if (p->err)
			break;
		done++;
	}
	return done;
}

static void finish_all(struct baseline *b, unsigned count)
{
	while (count--) {
		struct baseline_process *p = &b->processes[count];

		p->phase = BASELINE_FINISH;
		/* what happened in fire has been told */
		p->err = 0;
		if (p->dal.finish)
			p->dal.finish(&p->dal);
	}
}

static int start_thread(struct baseline_process *p)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (!err && p->core >= 0) {
		cpu_set_t cores;

		CPU_ZERO(&cores);
		CPU_SET(p->core, &cores);
		err = pthread_attr_setaffinity_np(&attr, sizeof cores, &cores);
	}
	if (!err)
		err = pthread_create(&p->thread, &attr, baseline_process_main, p);
	pthread_attr_destroy(&attr);
	if (err)
		baseline_fail(p->owner, -err, "process '%s': its thread cannot be started: %s%s", p->name,
			strerror(err), err == EAGAIN ? " (ulimit -u says how many there may be)" : "");
	return err;
}

static void run_threads(struct baseline *b)
{
	unsigned started = 0;

	while (started < b->process_count && !start_thread(&b->processes[started]))
		started++;
	pthread_mutex_lock(&b->lock);
	b->gate = started == b->process_count ? 1 : -1;
	pthread_cond_broadcast(&b->opened);
	pthread_mutex_unlock(&b->lock);
	while (started--)
		pthread_join(b->processes[started].thread, NULL);
}

int baseline_run(struct baseline *b)
{
	unsigned ready;

	if (b->has_run)
		return baseline_fail(b, -EINVAL, "baseline_run() for the second time: create another one");
	b->has_run = true;
	ready = init_all(b);
	if (ready == b->process_count)
		run_threads(b);
	finish_all(b, ready);
	for (unsigned i = 0; i < b->process_count; i++) {
		ps_dal_forget(&b->processes[i].checkpoints);
		ps_dal_scratch_free(&b->processes[i].scratch);
	}
	return b->err;
}

const char *baseline_error(const struct baseline *b)
{
	return b->error;
}

size_t baseline_memory(const struct baseline *b)
{
	return b->memory;
}

/* Those in which a device has failed: what is queued there may stay for ever, and use all of it. */
static pthread_mutex_t abandoned_lock = PTHREAD_MUTEX_INITIALIZER;
static struct baseline *abandoned; /* guarded by abandoned_lock */

static void abandon(struct baseline *b)
{
	pthread_mutex_lock(&abandoned_lock);
	b->next_abandoned = abandoned;
	abandoned = b;
	pthread_mutex_unlock(&abandoned_lock);
}

void baseline_destroy(struct baseline *b)
{
	if (!b)
		return;
	if (atomic_load(&b->device_failed)) {
		abandon(b);
		return;
	}
	for (unsigned i = 0; i < b->process_count; i++) {
		struct baseline_process *p = &b->processes[i];

		for (unsigned k = 0; k < p->port_count; k++)
			free(p->ports[k].own);
		baseline_cl_free_device(p);
		free(p->ports);
		free(p->state);
	}
	for (unsigned i = 0; i < b->channels_made; i++) {
		baseline_cl_free_memory(&b->channels[i]);
		baseline_channel_fini(&b->channels[i]);
	}
	baseline_cl_free_all(b);
	free(b->channels);
	free(b->processes);
	ps_dal_free(b->description);
	pthread_cond_destroy(&b->opened);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
