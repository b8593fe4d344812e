/* SPDX-License-Identifier: MIT */
/* libpenstock-dal as a runner. how: the team, 0: a thread per actor. */
#include "benchmarks/dal/files.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/dal/runner.h"

const enum rounds_role runner_role = ROUNDS_LIBRARY;

static const char threads[] = "DAL on Penstock, threads", team[] = "DAL on Penstock, team 2";

/* Source and sink are kahn actors and have threads beside a team. */
static const struct runner_way motion[] = {
	{ threads, NULL, 1, 2, false, 0 },
	{ threads, "pinned", 1, 2, true, 0 },
	{ threads, NULL, 1, 8, false, 0 },
	{ threads, NULL, 4, 2, false, 0 },
	{ threads, NULL, 8, 2, false, 0 },
	{ team, NULL, 1, 2, false, 2 },
	{ team, NULL, 1, 4, false, 2 },
	{ team, NULL, 4, 2, false, 2 },
	{ team, NULL, 8, 2, false, 2 },
};

static const struct runner_way motion_device[] = {
	{ threads, NULL, 1, 2, false, 0 },
	{ threads, NULL, 1, 4, false, 0 },
	{ threads, NULL, 4, 2, false, 0 },
	{ threads, NULL, 4, 4, false, 0 },
	{ threads, NULL, 8, 2, false, 0 },
	{ threads, NULL, 8, 4, false, 0 },
	{ threads, NULL, 16, 2, false, 0 },
	{ threads, NULL, 16, 4, false, 0 },
	{ threads, NULL, 32, 2, false, 0 },
	{ threads, NULL, 32, 4, false, 0 },
};

/* All of its processes are kahn actors: a team would have no actor to fire. */
static const struct runner_way predistortion[] = {
	{ threads, NULL, 16384, 2, false, 0 },
	{ threads, NULL, 16384, 4, false, 0 },
	{ threads, NULL, 32768, 2, false, 0 },
	{ threads, NULL, 65536, 2, false, 0 },
	{ threads, "pinned", 65536, 2, true, 0 },
};

const struct runner_ways runner_ways[RUNNER_APPS] = { [RUNNER_MOTION] = RUNNER_WAYS(motion),
	[RUNNER_MOTION_DEVICE] = RUNNER_WAYS(motion_device),
	[RUNNER_PREDISTORTION] = RUNNER_WAYS(predistortion) };

size_t runner_run(const struct runner_way *way, const struct runner_job *job, struct rounds_cost *cost)
{
	struct device_moment begin = device_now(), end;
	struct pstk_network *net = pstk_network_create("DAL");
	int err = pstk_dal_build(net, job->network, job->mapping, job->processes, job->count);
	size_t bytes;

	files_remove(job->network);
	files_remove(job->mapping);
	if (err)
		rounds_fail("%s", pstk_network_error(net));
	pstk_network_set_threads(net, way->how);
	if (pstk_network_run(net))
		rounds_fail("%s", pstk_network_error(net));
	end = device_now();
	*cost = (struct rounds_cost){ .seconds = end.seconds - begin.seconds,
		.cpu = (end.cpu_us - begin.cpu_us) * 1e-6,
		.switches = (long)(end.sleeps - begin.sleeps) };
	bytes = pstk_network_fifo_bytes(net);
	pstk_network_destroy(net);
	return bytes;
}
