/* SPDX-License-Identifier: MIT */
/*
 * What it costs to look at a network while it runs: motion detection with light kernels, traced, with latencies, and
 * with neither.
 *
 * The time is from the start to when the sink has ended: writing the file comes later, and is not in it. The trace has
 * little memory, which is used again and again, so that all of the run is recorded. Of latencies a thousand windows a
 * second are followed, as penstock run does it.
 *
 * Why it is fair: the same network with the same settings; outputs are compared.
 *
 * Usage: observed [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "benchmarks/common/rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { MEMORY = 1 << 20 };

static struct rounds_cost cost;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t run(const struct motion_way *way, uint64_t items, bool traced, bool latency)
{
	struct motion_run run = { .frames = items };
	double begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	struct pstk_network *net = motion_build(way, &run);

	if (traced)
		pstk_network_set_trace(net, "/dev/null", MEMORY, PSTK_TRACE_LAST);
	if (latency)
		pstk_network_set_latency(net, PSTK_LATENCY_NS);
	rounds_run_borrowed(net);
	pstk_network_destroy(net);
	cost = (struct rounds_cost){ .seconds = run.ended - begin,
		.cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu };
	return run.hash;
}

static uint64_t run_plain(const void *arg, uint64_t items)
{
	return run(arg, items, false, false);
}

static uint64_t run_traced(const void *arg, uint64_t items)
{
	return run(arg, items, true, false);
}

static uint64_t run_late(const void *arg, uint64_t items)
{
	return run(arg, items, false, true);
}

/* The log is to say nothing of what is lost: that is meant. */
static void no_log(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data;
	(void)topic;
	if (level == PSTK_LOG_ERROR)
		fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv)
{
	static const struct motion_way ways[] = { { 2, 4, 2 }, { 2, 1, 4 }, { 0, 4, 8 } };
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = 4 };
	struct rounds_options o = rounds_parse(argc, argv, "S:", motion_option,
		"  -S WxH      size of a frame (320x240)\n\nFrames a second of motion detection whose "
		"threads are traced, whose windows are followed, and of the same without.\n");
	char title[80], name[48];

	pstk_set_log(no_log, NULL);
	motion_open();
	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32 ", observed", motion_name(),
		motion_width(), motion_height());
	table.title = title;
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct rounds_variant *v;

		if (ways[i].team)
			snprintf(name, sizeof name, "team %u, r %" PRIu32, ways[i].team, ways[i].rate);
		else
			snprintf(name, sizeof name, "threads, r %" PRIu32, ways[i].rate);
		v = rounds_add(&table, run_plain, &ways[i], "%s", name);
		v->cost = &cost;
		v->versus = v->name;
		v->role = ROUNDS_LIMIT;
		rounds_add(&table, run_traced, &ways[i], "%s, traced", name)->cost = &cost;
		rounds_add(&table, run_late, &ways[i], "%s, latency", name)->cost = &cost;
	}
	rounds_run(&o, &table);
	motion_close();
	return 0;
}
