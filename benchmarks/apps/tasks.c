/* SPDX-License-Identifier: MIT */
/*
 * Networks of tasks on the tests' driver, whose transfers and kernels take time by the clock: measured periods over
 * those that the plan simulates. The random ones are those of tests/random/check_random_tasks, slowed down so that only
 * devices and links count; the reconvergent one is run with the slack of its short way, and without.
 */
#include "benchmarks/common/number.h"
#include "tests/fake_cl/fake_cl.h"
#include "tests/random/tasks.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a long run less of a short one the begin and the end of a run are no part. */
enum { GENERATED = 40, SHORT = 20, LONG = 60, RUNS_MOST = 100, NETWORKS = 1000 };

#define SHORTEST 1e-3 /* s: of a shorter period the driver's calls are a part */

struct row {
	uint64_t seed;
	double simulated, ratio; /* s; measured over it */
};

struct periods {
	double measured, simulated;
};

/* Ratios; within_90, worst: how far from 1. */
struct random_figures {
	double median, least, most, within_90, worst;
	uint64_t worst_seed;
};

static struct {
	const char *json; /* a file; NULL: none */
	uint64_t seed;
	unsigned networks, count, runs;
	struct row rows[NETWORKS];
	struct random_figures random;
	struct periods with, without; /* slack */
} bench = { .seed = 1, .networks = 20, .runs = 3 };

static void give_up(const char *what, const char *why, uint64_t seed)
{
	fprintf(stderr, "tasks: %s, seed %" PRIu64 ": %s\n", what, seed, why);
	exit(1);
}

/* Makes the network that the data say, whose sources fire so often. */
typedef void make_network(const void *data, unsigned firings, struct tasks_net *);

static double run_once(make_network *make, const void *data, unsigned firings, double *simulated)
{
	static struct tasks_net t;
	const struct fake_cl *fake;
	const char *wrong;
	char settings[200];
	double seconds;

	make(data, firings, &t);
	tasks_settings(&t, settings, sizeof settings);
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	if (!fake)
		give_up("driver", "it is not there", t.net.seed);
	fake->reset();
	if (fake->configure(settings))
		give_up("driver", settings, t.net.seed);
	wrong = tasks_time(&t, &seconds, simulated);
	fake->settle();
	if (wrong || fake->violation_count())
		give_up("network", wrong ? wrong : fake->violation(0), t.net.seed);
	return seconds;
}

/* Of several runs: other processes only make one longer. */
static double least_of(make_network *make, const void *data, unsigned firings)
{
	double least = 0, simulated;

	for (unsigned i = 0; i < bench.runs; i++) {
		double seconds = run_once(make, data, firings, &simulated);

		if (!i || seconds < least)
			least = seconds;
	}
	return least;
}

/* What the firings cost that the longer run has more. measured 0: too short to be measured. */
static struct periods measure(make_network *make, const void *data)
{
	struct periods p = { 0 };

	run_once(make, data, 1, &p.simulated); /* a device is measured once */
	if (p.simulated >= SHORTEST)
		p.measured = (least_of(make, data, LONG) - least_of(make, data, SHORT)) / (LONG - SHORT);
	return p;
}

static void make_random(const void *seed, unsigned firings, struct tasks_net *t)
{
	tasks_make(t, *(const uint64_t *)seed, GENERATED);
	tasks_slow_down(t, firings);
}

static void make_reconvergent(const void *slack, unsigned firings, struct tasks_net *t)
{
	tasks_reconvergent(t, *(const bool *)slack, firings);
}

/* -- random ones -- */

/* How far the measured period is from the simulated one, whichever is longer. */
static double off(const struct row *row)
{
	return fabs(row->ratio - 1);
}

static int by_ratio(const void *a, const void *b)
{
	double x = ((const struct row *)a)->ratio, y = ((const struct row *)b)->ratio;

	return (x > y) - (x < y);
}

static int by_distance(const void *a, const void *b)
{
	double x = off(a), y = off(b);

	return (x > y) - (x < y);
}

static void summarize(void)
{
	struct random_figures *r = &bench.random;
	const struct row *last = &bench.rows[bench.count - 1];

	qsort(bench.rows, bench.count, sizeof *bench.rows, by_ratio);
	r->median = bench.rows[bench.count / 2].ratio;
	r->least = bench.rows[0].ratio;
	r->most = last->ratio;
	qsort(bench.rows, bench.count, sizeof *bench.rows, by_distance);
	r->within_90 = off(&bench.rows[(unsigned)((bench.count - 1) * 0.9 + 0.5)]);
	r->worst = off(last);
	r->worst_seed = last->seed;
	printf("%u networks, measured / simulated period: median %.3f, %.3f to %.3f; 90 %% are within %.1f "
	       "%% of it, "
	       "the worst is %.1f %% off (seed %" PRIu64 ")\n",
		bench.count, r->median, r->least, r->most, r->within_90 * 100, r->worst * 100, r->worst_seed);
}

static void measure_random(void)
{
	static struct tasks_net t;

	for (uint64_t seed = bench.seed; bench.count < bench.networks; seed++) {
		struct row *row = &bench.rows[bench.count];
		struct periods p;

		if (!tasks_make(&t, seed, GENERATED))
			continue;
		p = measure(make_random, &seed);
		if (p.measured <= 0)
			continue;
		*row = (struct row){ seed, p.simulated, p.measured / p.simulated };
		printf("seed %" PRIu64 "%s%s: simulated %.3f ms, measured %.3f of that\n", seed,
			t.no_overlap ? ", no overlap" : "", t.half ? ", half duplex" : "", p.simulated * 1e3,
			row->ratio);
		fflush(stdout);
		bench.count++;
	}
	summarize();
}

/* -- the reconvergent one -- */

static void measure_reconvergent(void)
{
	static const bool with = true, without = false;

	bench.with = measure(make_reconvergent, &with);
	bench.without = measure(make_reconvergent, &without);
	printf("reconvergent: with its slack %.3f ms (simulated %.3f), without %.3f ms (%.3f): %.2f times as "
	       "fast\n",
		bench.with.measured * 1e3, bench.with.simulated * 1e3, bench.without.measured * 1e3,
		bench.without.simulated * 1e3, bench.without.measured / bench.with.measured);
}

static void write_json(FILE *file)
{
	const struct random_figures *r = &bench.random;

	fprintf(file, "{\n");
	if (bench.count)
		fprintf(file,
			"\t\"random\": {\"networks\": %u, \"first_seed\": %" PRIu64
			", \"median\": %.6g, \"least\": %.6g, \"most\": %.6g, \"within_90\": %.6g, "
			"\"worst\": %.6g, \"worst_seed\": %" PRIu64 "},\n",
			bench.count, bench.seed, r->median, r->least, r->most, r->within_90, r->worst,
			r->worst_seed);
	fprintf(file,
		"\t\"reconvergent\": {\"with_s\": %.9g, \"without_s\": %.9g, \"planned_with_s\": %.9g, "
		"\"planned_without_s\": %.9g, \"ratio\": %.6g}\n}\n",
		bench.with.measured, bench.without.measured, bench.with.simulated, bench.without.simulated,
		bench.without.measured / bench.with.measured);
}

static void save(void)
{
	FILE *file = bench.json ? fopen(bench.json, "w") : NULL;

	if (!bench.json)
		return;
	if (file)
		write_json(file);
	if (!file || fclose(file)) {
		perror(bench.json);
		exit(1);
	}
}

static const char help[] =
	"Usage: tasks [OPTION]...\n"
	"  -n NETWORKS  random ones; 200 for figures to quote (20)\n"
	"  -s SEED      of the first one (1)\n"
	"  -r           none of them\n"
	"  -t RUNS      of each length, whose least time counts; more on a busy machine (3)\n"
	"  -j FILE      the figures as JSON\n"
	"  -h           this\n"
	"\n"
	"Networks of tasks on a driver whose transfers and kernels take time by the clock: "
	"the periods of\n"
	"random ones, measured over simulated; and of one whose ways of different lengths "
	"meet, with the\n"
	"slack of the short way, and without it.\n";

static void parse(int argc, char **argv)
{
	bool good = true;

	for (int c; (c = getopt(argc, argv, "n:s:rt:j:h")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (c == 'n')
			good = good && number_unsigned(optarg, 1, NETWORKS, &bench.networks);
		else if (c == 's')
			good = good && number_whole(optarg, 0, UINT64_MAX, &bench.seed);
		else if (c == 't')
			good = good && number_unsigned(optarg, 1, RUNS_MOST, &bench.runs);
		else if (c == 'r')
			bench.networks = 0;
		else if (c == 'j')
			bench.json = optarg;
		else
			exit(2);
	}
	if (good && optind == argc)
		return;
	fprintf(stderr, "tasks: %s\n%s", good ? "there are only options" : "not a number of this option",
		help);
	exit(2);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (bench.networks)
		measure_random();
	measure_reconvergent();
	save();
	return 0;
}
