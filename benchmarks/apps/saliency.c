/* SPDX-License-Identifier: MIT */
/*
 * Saliency (PACCO, section 5.3): table 2, the seconds of each step; a team against one thread; the library against the
 * same kernels by hand; two devices, each with a part of the steps against each with every second frame; figs. 22, 23.
 */
#include "config.h"

#include "apps/saliency/split.h"
#include "benchmarks/apps/saliency_figures.h"
#include "benchmarks/apps/saliency_filters.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/limit/saliency_opencl.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 31, FRAMES_MAX = 100000, SIDE_MAX = 4096, TEAM = 2 };

static const struct device {
	const char *name, *platform, *selector, *parts[2];
	cl_device_type type;
} drivers[] = {
	{ "pocl", "Portable Computing Language", "pocl:cpu:0", { "pocl:cpu:0/1of2", "pocl:cpu:0/2of2" },
		CL_DEVICE_TYPE_CPU },
	{ "gpu", "", ":gpu:0", { ":gpu:0", ":gpu:1" }, CL_DEVICE_TYPE_GPU },
};

static const struct device *device = &drivers[0];
static const char *json; /* a file; NULL: none */
static struct saliency_figures bench = { .rounds = 5,
	.frames = 16,
	.sizes = { { .frames = { .width = 512, .height = 512 } },
		{ .frames = { .width = 720, .height = 576 } } },
	.count = SALIENCY_SIZES };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, unsigned n)
{
	double sorted[ROUNDS];

	memcpy(sorted, values, n * sizeof *values);
	qsort(sorted, n, sizeof *sorted, compare);
	return sorted[n / 2];
}

static double median_ratio(const double *a, const double *b, unsigned n)
{
	double ratios[ROUNDS];

	for (unsigned i = 0; i < n; i++)
		ratios[i] = a[i] / b[i];
	return median(ratios, n);
}

static struct saliency_way way_of(const char *selector, unsigned team)
{
	return (struct saliency_way){ .places = { { selector, NULL }, STEP_SUM },
		.team = team,
		.count = bench.frames,
		.first = SALIENCY_RING };
}

/* -- table 2, the team -- */

static void measure_cores(struct saliency_size *f)
{
	struct saliency_way way = way_of(NULL, 1);
	struct saliency_ran ran;

	way.in_turn = true;
	saliency_run(&f->frames, &way, &ran);
	memcpy(f->cores, ran.steps, sizeof f->cores);
}

static void measure_team(struct saliency_size *f)
{
	double one[ROUNDS], team[ROUNDS];
	struct saliency_ran ran;

	for (unsigned r = 0; r < bench.rounds; r++)
		for (unsigned k = 0; k < 2; k++) {
			bool first = (k + r) % 2 == 0;
			struct saliency_way way = way_of(NULL, first ? 1 : TEAM);

			saliency_run(&f->frames, &way, &ran);
			(first ? one : team)[r] = ran.seconds;
			if (ran.apart > 0)
				rounds_fail("%s: a team's maps are not those of one thread", f->name);
		}
	f->one = median(one, bench.rounds);
	f->team = median(team, bench.rounds);
	f->team_ratio = median_ratio(one, team, bench.rounds);
}

/* -- by hand -- */

static struct saliency_hand *open_hand(const struct saliency_size *f, unsigned lanes)
{
	struct saliency_hand *hand =
		saliency_hand_open(device->platform, device->type, f->frames.width, f->frames.height, lanes);

	if (!hand)
		rounds_fail("by hand: there is no device of driver '%s'", device->name);
	return hand;
}

static double run_hand(struct saliency_size *f, unsigned lanes)
{
	struct saliency_hand *hand = open_hand(f, lanes);
	struct saliency_watch watch;
	double seconds;

	saliency_watch_open(&watch, &f->frames, bench.frames);
	seconds = saliency_hand_run(hand, &(const struct saliency_hand_run){ f->frames.frames, SALIENCY_RING,
						  bench.frames, SALIENCY_RING, saliency_watch_take, &watch });
	if (!watch.equal || !watch.in_order)
		rounds_fail("%s: a map by hand is wrong", f->name);
	f->apart = fmax(f->apart, watch.apart);
	saliency_watch_close(&watch);
	saliency_hand_close(hand);
	return seconds;
}

static double run_library(struct saliency_size *f)
{
	struct saliency_way way = way_of(device->selector, 0);
	struct saliency_ran ran;

	way.trace =
		f == &bench.sizes[bench.count - 1] && device->type == CL_DEVICE_TYPE_GPU ? bench.trace : NULL;
	saliency_run(&f->frames, &way, &ran);
	f->apart = fmax(f->apart, ran.apart);
	return ran.seconds;
}

static void measure_hand(struct saliency_size *f)
{
	enum { LIBRARY, WAYS = 1 + SALIENCY_HAND_LANES }; /* by hand: so many lanes */
	double all[WAYS][ROUNDS], best = INFINITY;

	for (unsigned r = 0; r < bench.rounds; r++)
		for (unsigned k = 0; k < WAYS; k++) {
			unsigned way = (k + r) % WAYS;

			all[way][r] = way == LIBRARY ? run_library(f) : run_hand(f, way);
		}
	for (unsigned lanes = 1; lanes < WAYS; lanes++)
		if (median(all[lanes], bench.rounds) < best) {
			best = median(all[lanes], bench.rounds);
			f->lanes = lanes;
		}
	f->library = median(all[LIBRARY], bench.rounds);
	f->by_hand = best;
	f->hand_ratio = median_ratio(all[f->lanes], all[LIBRARY], bench.rounds);
	if (f->apart > SALIENCY_TOLERANCE)
		rounds_fail("%s: maps are %.3g of the largest value apart", f->name, f->apart);
}

static void measure_device(struct saliency_size *f)
{
	struct saliency_hand *hand = open_hand(f, 1);

	saliency_hand_steps(hand, f->frames.frames, f->device);
	saliency_hand_close(hand);
	measure_hand(f);
}

/* -- two devices -- */

/* What places have to do, the lesser by the greater. */
static double loads_of(const struct split *split, const struct places *places)
{
	uint64_t ns[2] = { 0 };

	for (unsigned i = 0; i < STEPS; i++)
		ns[place_of(places, i)] += split->ns[place_of(places, i)][i];
	return ns[0] < ns[1] ? (double)ns[0] / (double)ns[1] : (double)ns[1] / (double)ns[0];
}

static double loads_dealt(const struct split *split)
{
	uint64_t ns[2] = { 0 };

	for (unsigned place = 0; place < 2; place++)
		for (unsigned i = 0; i < STEPS; i++)
			ns[place] += split->ns[place][i];
	return ns[0] < ns[1] ? (double)ns[0] / (double)ns[1] : (double)ns[1] / (double)ns[0];
}

static void measure_two(struct saliency_size *f)
{
	const struct pstk_window_arg arg = { { f->frames.width, f->frames.height }, NULL };
	struct saliency_way way = way_of(NULL, 0);
	struct split split = { 0 };

	memcpy(way.places.selectors, device->parts, sizeof way.places.selectors);
	way.count = 2 * way.count - SALIENCY_RING; /* of timed frames two thirds more, and an even number */
	if (split_choose(&split, &way.places, &arg, true))
		exit(1);
	bench.two.after = step_names[way.places.split];
	bench.two.loads[SALIENCY_SPLIT] = loads_of(&split, &way.places);
	bench.two.loads[SALIENCY_DEALT] = loads_dealt(&split);
	saliency_run(&f->frames, &way, &bench.two.ran[SALIENCY_SPLIT]);
	way.dealt = true;
	saliency_run(&f->frames, &way, &bench.two.ran[SALIENCY_DEALT]);
}

/* In a process of its own, because a process has one set of drivers. False: the driver is not there. */
static bool run_timed(int to)
{
	bool there = saliency_timed_open(FAKE_CL_DRIVER);

	for (unsigned way = 0; there && way < TIMED_WAYS; way++)
		saliency_timed_run(way, 3 * bench.frames,
			way == TIMED_PAPER && device->type == CL_DEVICE_TYPE_CPU ? bench.trace : NULL,
			&bench.timed[way]);
	return there && write(to, bench.timed, sizeof bench.timed) == (ssize_t)sizeof bench.timed;
}

static void measure_timed(void)
{
	int ends[2], status = 0;
	pid_t child;

	fflush(NULL);
	if (pipe(ends) || (child = fork()) < 0)
		rounds_fail("no process for the timed driver");
	if (!child)
		_exit(run_timed(ends[1]) ? 0 : 1);
	close(ends[1]);
	if (read(ends[0], bench.timed, sizeof bench.timed) != (ssize_t)sizeof bench.timed ||
		waitpid(child, &status, 0) != child || status)
		snprintf(bench.no_timed, sizeof bench.no_timed,
			"the driver tests/fake_cl is not there, or a run on it has failed");
	close(ends[0]);
}

/* -- what is here -- */

static void look(void)
{
	struct pstk_device_info info;
	char text[512];

#ifndef HAVE_KISSFFT
	snprintf(bench.no_cores, sizeof bench.no_cores,
		"this build has no kissfft, which transforms on the cores");
#endif
	if (pstk_device_find(device->selector, &info, text, sizeof text))
		snprintf(bench.no_device, sizeof bench.no_device, "%s", text);
	for (unsigned i = 0; i < 2; i++)
		if (pstk_device_find(device->parts[i], &info, text, sizeof text))
			snprintf(bench.no_two, sizeof bench.no_two, "%s", text);
#ifndef HAVE_CLFFT
	snprintf(bench.no_device, sizeof bench.no_device,
		"this build has no clFFT, which transforms on devices");
	memcpy(bench.no_two, bench.no_device, sizeof bench.no_two);
#endif
}

static void measure_size(struct saliency_size *s)
{
	saliency_frames_open(&s->frames, s->frames.width, s->frames.height);
	snprintf(s->name, sizeof s->name, "%ux%u", s->frames.width, s->frames.height);
	if (!*bench.no_cores) {
		measure_cores(s);
		measure_team(s);
	}
	if (!*bench.no_device)
		measure_device(s);
	saliency_figures_print_size(&bench, s);
	if (!*bench.no_two && s == &bench.sizes[bench.count - 1])
		measure_two(s);
	saliency_frames_close(&s->frames);
}

static void save(void)
{
	FILE *file = json ? fopen(json, "w") : NULL;

	if (json && !file)
		rounds_fail("%s: it can't be opened", json);
	if (!file)
		return;
	saliency_figures_write(&bench, file);
	if (fclose(file))
		rounds_fail("%s: it can't be written", json);
}

/* -- options -- */

static const char help[] =
	"Usage: saliency [OPTION]...\n"
	"  -d DRIVER   pocl, gpu (pocl)\n"
	"  -s WxH      this size alone (512x512 and 720x576)\n"
	"  -n ROUNDS   in which everything is run in turn (5)\n"
	"  -f FRAMES   of a run, of which the first three are not timed (16)\n"
	"  -q          quick: -n 3 -f 12\n"
	"  -j FILE     the figures as JSON\n"
	"  -F FILE     the 24 filters as a picture (PGM)\n"
	"  -T FILE     the timeline of a pipelined run, for https://ui.perfetto.dev; with -d pocl on "
	"devices\n"
	"              that take the paper's times\n"
	"  -h          this\n"
	"\n"
	"Table 2: one core by the library, one frame at a time; the device by its own clock. Lanes: queues "
	"by\n"
	"hand. Evenness: of the intervals between maps, the 10th by the 90th percentile. Loads: what both\n"
	"devices have to do, the lesser by the greater.\n";

static void refuse(const char *what)
{
	fprintf(stderr, "saliency: %s\n%s", what, help);
	exit(2);
}

static bool set_device(const char *text)
{
	for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++)
		if (!strcmp(text, drivers[i].name)) {
			device = &drivers[i];
			return true;
		}
	return false;
}

static bool set_value(int c, const char *text)
{
	switch (c) {
	case 'd':
		return set_device(text);
	case 's':
		bench.count = 1;
		return number_size(
			text, SIDE_MAX, &bench.sizes[0].frames.width, &bench.sizes[0].frames.height);
	case 'n':
		return number_unsigned(text, 1, ROUNDS, &bench.rounds);
	case 'f':
		return number_whole(text, SALIENCY_RING + 3, FRAMES_MAX, &bench.frames);
	case 'j':
		json = text;
		return true;
	case 'F':
		bench.filters = text;
		return true;
	default:
		bench.trace = text;
		return true;
	}
}

static void parse(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "d:s:n:f:qj:F:T:h")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (c == '?')
			exit(2);
		if (c == 'q') {
			bench.rounds = 3;
			bench.frames = 12;
		} else if (!set_value(c, optarg)) {
			refuse("not a value of this option");
		}
	}
	if (optind < argc)
		refuse("there are only options");
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	bench.driver = device->name;
	measure_timed();
	look();
	if (bench.filters)
		saliency_filters_write(bench.filters);
	for (unsigned i = 0; i < bench.count; i++)
		measure_size(&bench.sizes[i]);
	if (device->type == CL_DEVICE_TYPE_CPU ? *bench.no_timed : *bench.no_device)
		bench.trace = NULL;
	saliency_figures_print_two(&bench);
	save();
	return 0;
}
