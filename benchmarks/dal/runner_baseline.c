/* SPDX-License-Identifier: MIT */
/*
 * The baseline as a runner. how: the switches that differ from the paper's settings, or from best effort.
 *
 * A switch at a time is changed from the paper's settings, to tell what it costs. Best effort is tried at
 * many rates, capacities and waits, pinned and not, so that it is the best that a runtime with a thread per
 * process can do.
 */
#include "benchmarks/dal/baseline.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/dal/files.h"
#include "benchmarks/dal/runner.h"

const enum rounds_role runner_role = ROUNDS_BASELINE;

static const char paper[] = "DAL, paper's settings", best[] = "DAL, best effort";

enum {
	BEST = 1,
	UNPINNED = 2,
	NO_COPYING = 4,
	SPIN = 8,
	DEFERRED = 16,
	CONDITION = 32,
	NO_WAIT = 64,
	THROUGH_HOST = 128
};

static const struct runner_way motion[] = {
	{ paper, NULL, 1, 2, true, 0 },
	{ paper, NULL, 4, 2, true, 0 },
	{ paper, NULL, 8, 2, true, 0 },
	{ paper, "not pinned", 1, 2, true, UNPINNED },
	{ paper, "no copying", 1, 2, true, NO_COPYING },
	{ paper, "spin", 1, 2, true, SPIN },
	{ paper, "deferred wake", 1, 2, true, DEFERRED },
	{ paper, "capacity x8", 1, 16, true, 0 },
	{ best, NULL, 1, 2, true, BEST },
	{ best, NULL, 1, 4, true, BEST },
	{ best, NULL, 1, 8, true, BEST },
	{ best, NULL, 1, 16, true, BEST },
	{ best, NULL, 4, 2, true, BEST },
	{ best, NULL, 4, 4, true, BEST },
	{ best, NULL, 4, 8, true, BEST },
	{ best, NULL, 8, 2, true, BEST },
	{ best, NULL, 8, 4, true, BEST },
	{ best, "condition", 1, 4, true, BEST | CONDITION },
	{ best, "condition", 1, 8, true, BEST | CONDITION },
	{ best, "condition", 4, 2, true, BEST | CONDITION },
	{ best, "condition", 4, 4, true, BEST | CONDITION },
	{ best, "spin", 1, 8, true, BEST | SPIN },
	{ best, "spin", 4, 4, true, BEST | SPIN },
	{ best, "not pinned", 1, 8, true, BEST | UNPINNED },
	{ best, "not pinned", 1, 16, true, BEST | UNPINNED },
	{ best, "not pinned", 4, 4, true, BEST | UNPINNED },
	{ best, "not pinned, condition", 1, 8, true, BEST | UNPINNED | CONDITION },
};

static const struct runner_way motion_device[] = {
	{ paper, NULL, 1, 2, true, 0 },
	{ paper, NULL, 4, 2, true, 0 },
	{ paper, NULL, 8, 2, true, 0 },
	{ paper, NULL, 16, 2, true, 0 },
	{ paper, NULL, 32, 2, true, 0 },
	{ paper, "not pinned", 1, 2, true, UNPINNED },
	{ paper, "no copying", 1, 2, true, NO_COPYING },
	{ paper, "deferred wake", 1, 2, true, DEFERRED },
	{ paper, "capacity x8", 1, 16, true, 0 },
	{ paper, "no wait per firing", 1, 2, true, NO_WAIT },
	{ paper, "through the host", 1, 2, true, THROUGH_HOST },
	{ best, NULL, 1, 2, true, BEST },
	{ best, NULL, 1, 4, true, BEST },
	{ best, NULL, 1, 8, true, BEST },
	{ best, NULL, 4, 2, true, BEST },
	{ best, NULL, 4, 4, true, BEST },
	{ best, NULL, 8, 2, true, BEST },
	{ best, NULL, 8, 4, true, BEST },
	{ best, NULL, 16, 2, true, BEST },
	{ best, NULL, 16, 4, true, BEST },
	{ best, NULL, 32, 2, true, BEST },
	{ best, NULL, 32, 4, true, BEST },
	{ best, "condition", 4, 4, true, BEST | CONDITION },
	{ best, "condition", 8, 4, true, BEST | CONDITION },
	{ best, "not pinned", 4, 4, true, BEST | UNPINNED },
	{ best, "not pinned", 8, 4, true, BEST | UNPINNED },
};

/* Streams are always copied. */
static const struct runner_way predistortion[] = {
	{ paper, NULL, 16384, 2, true, 0 },
	{ paper, NULL, 32768, 2, true, 0 },
	{ paper, NULL, 65536, 2, true, 0 },
	{ paper, "not pinned", 65536, 2, true, UNPINNED },
	{ paper, "spin", 65536, 2, true, SPIN },
	{ paper, "deferred wake", 65536, 2, true, DEFERRED },
	{ paper, "capacity x8", 65536, 16, true, 0 },
	{ best, NULL, 4096, 4, true, BEST },
	{ best, NULL, 8192, 4, true, BEST },
	{ best, NULL, 16384, 2, true, BEST },
	{ best, NULL, 16384, 4, true, BEST },
	{ best, NULL, 32768, 1, true, BEST },
	{ best, NULL, 32768, 2, true, BEST },
	{ best, NULL, 65536, 1, true, BEST },
	{ best, NULL, 65536, 2, true, BEST },
	{ best, "condition", 16384, 4, true, BEST | CONDITION },
	{ best, "condition", 32768, 2, true, BEST | CONDITION },
	{ best, "condition", 65536, 2, true, BEST | CONDITION },
	{ best, "spin", 32768, 2, true, BEST | SPIN },
	{ best, "not pinned", 16384, 4, true, BEST | UNPINNED },
	{ best, "not pinned", 32768, 2, true, BEST | UNPINNED },
	{ best, "not pinned", 65536, 2, true, BEST | UNPINNED },
};

const struct runner_ways runner_ways[RUNNER_APPS] = { [RUNNER_MOTION] = RUNNER_WAYS(motion),
	[RUNNER_MOTION_DEVICE] = RUNNER_WAYS(motion_device),
	[RUNNER_PREDISTORTION] = RUNNER_WAYS(predistortion) };

static struct baseline_options options_of(unsigned how)
{
	struct baseline_options o = how & BEST ? baseline_best() : baseline_paper();

	/* the network's file says the size */
	o.capacity = 1;
	if (how & UNPINNED)
		o.pinned = false;
	if (how & NO_COPYING)
		o.copying = false;
	if (how & SPIN)
		o.wait = BASELINE_SPIN;
	if (how & DEFERRED)
		o.wait = BASELINE_DEFERRED;
	if (how & CONDITION)
		o.wait = BASELINE_CONDITION;
	if (how & NO_WAIT)
		o.wait_per_firing = false;
	if (how & THROUGH_HOST)
		o.by_location = false;
	return o;
}

size_t runner_run(const struct runner_way *way, const struct runner_job *job, struct rounds_cost *cost)
{
	struct device_moment begin = device_now(), end;
	struct baseline_options options = options_of(way->how);
	char text[400];
	struct baseline *b = baseline_create(
		job->network, job->mapping, job->processes, job->count, &options, text, sizeof text);
	size_t bytes;

	files_remove(job->network);
	files_remove(job->mapping);
	if (!b)
		rounds_fail("%s", text);
	if (baseline_run(b))
		rounds_fail("%s", baseline_error(b));
	end = device_now();
	*cost = (struct rounds_cost){ .seconds = end.seconds - begin.seconds,
		.cpu = (end.cpu_us - begin.cpu_us) * 1e-6,
		.switches = (long)(end.sleeps - begin.sleeps) };
	bytes = baseline_memory(b);
	baseline_destroy(b);
	return bytes;
}
