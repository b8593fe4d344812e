/* SPDX-License-Identifier: MIT */
/*
 * Granulometry on two devices (PACCO, section 5.2, fig. 20): the time of an image over the opening N behind which the
 * second device goes on, predicted and measured; the N that --split auto chooses; against one device.
 */
#include "apps/common/app.h"
#include "apps/granulometry/cost.h"
#include "apps/granulometry/results.h"
#include "benchmarks/apps/granulometry_run.h"
#include "benchmarks/apps/granulometry_timed.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPENINGS = 100, ROUNDS = 31, PAPER = 27 }; /* PAPER: its speed-up, in tenths */

struct point {
	uint32_t split;
	double predicted_s, measured_s;
	double rounds[ROUNDS];
};

static struct {
	const char *driver;
	const char *json; /* a file; NULL: none */
	struct sieve sieve;
	char selectors[GRANULOMETRY_PARTS][64];
	double unit_s;    /* of the timed driver */
	double reading_s; /* -c; below 0: it was not given */
	unsigned rounds, splits[OPENINGS], count;
	bool quick;
	struct cost cost;              /* s of an erosion or dilation */
	uint32_t chosen;               /* --split auto */
	struct point points[OPENINGS]; /* count of them */
	struct point alone, one;       /* one device: with overlap, an image at a time */
	double others;                 /* of the machine's time, what other processes took */
} bench = { .driver = "timed",
	.sieve = { .images = { .side = 512, .openings = 40 } },
	.unit_s = 200e-6,
	.reading_s = -1,
	.rounds = 3 };

/* -- devices -- */

/* On which the parts run; one GPU has both. False: there are none. */
static bool open_devices(void)
{
	static const struct {
		const char *driver, *selectors[GRANULOMETRY_PARTS];
	} drivers[] = { { "timed", { "pstk:gpu:0", "pstk:gpu:1" } },
		{ "pocl", { "pocl:cpu:0/1of2", "pocl:cpu:0/2of2" } }, { "gpu", { ":gpu:0", ":gpu:1" } } };
	struct pstk_device_info info;

	for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		if (strcmp(bench.driver, drivers[i].driver) != 0)
			continue;
		if (i == 0 && !timed_start(FAKE_CL_DRIVER, bench.unit_s))
			return false;
		for (unsigned d = 0; d < GRANULOMETRY_PARTS; d++) {
			bool there = !pstk_device_find(drivers[i].selectors[d], &info, NULL, 0);

			if (!there && (d == 0 || strcmp(bench.driver, "gpu") != 0))
				return false;
			snprintf(bench.selectors[d], sizeof bench.selectors[d], "%s",
				drivers[i].selectors[there ? d : 0]);
			bench.sieve.devices[d] = bench.selectors[d];
		}
		return true;
	}
	return false;
}

/* -- what is predicted -- */

/* With which the model, (c + all) / max(c, the slower part), gives the paper's speed-up, or the most that it can. */
static double paper_reading(void)
{
	const uint32_t openings = bench.sieve.images.openings;
	double best = cost_period(&bench.cost, cost_split(&bench.cost, openings), openings);
	double all = bench.cost.first * (double)cost_first(openings);

	return fmin(fmax(PAPER / 10.0 * best - all, 0), best);
}

/* The timed driver's unit is known; --split auto measures it there, too. */
static void know_times(void)
{
	bool timed = !strcmp(bench.driver, "timed");

	bench.chosen = sieve_auto(&bench.sieve, bench.sieve.unit_ns);
	for (unsigned d = 0; d < GRANULOMETRY_PARTS && timed; d++)
		bench.sieve.unit_ns[d] = bench.unit_s * 1e9;
	bench.cost = (struct cost){ bench.sieve.unit_ns[0] * 1e-9, bench.sieve.unit_ns[1] * 1e-9,
		granulometry_is_together(bench.sieve.devices) };
	if (bench.reading_s >= 0)
		bench.sieve.reading_s = bench.reading_s;
	else if (timed)
		bench.sieve.reading_s = paper_reading();
}

static uint32_t best_split(bool measured)
{
	const struct point *best = bench.points;

	for (const struct point *p = best; p < bench.points + bench.count; p++)
		if (measured ? p->measured_s < best->measured_s : p->predicted_s < best->predicted_s)
			best = p;
	return best->split;
}

static const struct point *point_of(uint32_t split)
{
	const struct point *p = bench.points;

	while (p < bench.points + bench.count && p->split != split)
		p++;
	return p < bench.points + bench.count ? p : &bench.alone;
}

/* -- measuring -- */

static void add_point(uint32_t split)
{
	unsigned at = 0;

	if (!split || split >= bench.sieve.images.openings)
		return;
	while (at < bench.count && bench.points[at].split < split)
		at++;
	if (at < bench.count && bench.points[at].split == split)
		return;
	memmove(bench.points + at + 1, bench.points + at, (bench.count++ - at) * sizeof *bench.points);
	bench.points[at] = (struct point){ .split = split };
}

/* All, or those of -N, or some, close to each other where the least is; and in any case the best as predicted and that
 * of --split auto. */
static void choose_points(unsigned given)
{
	const uint32_t openings = bench.sieve.images.openings, best = cost_split(&bench.cost, openings);

	for (unsigned i = 0; i < given; i++)
		add_point(bench.splits[i]);
	for (uint32_t n = 1; n < openings && !given; n++)
		if (!bench.quick || n % (openings / 5 + 1) == 1 || n == openings - 1 ||
			(n + 2 >= best && n <= best + 2))
			add_point(n);
	add_point(best);
	add_point(bench.chosen);
}

static void run(struct point *p, unsigned round, bool in_turn)
{
	struct sieve sieve = bench.sieve;
	struct sieved result;

	sieve.split = p->split;
	result = sieve_run(&sieve, in_turn);
	p->rounds[round] = result.period_s;
	p->predicted_s = in_turn ? sieve.reading_s + bench.cost.first * (double)cost_first(p->split)
	                         : result.predicted_s;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void settle(struct point *p)
{
	qsort(p->rounds, bench.rounds, sizeof *p->rounds, compare);
	p->measured_s = p->rounds[bench.rounds / 2];
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All of them in turn, in each round. */
static void measure(void)
{
	double machine = rounds_machine_seconds(), own = seconds(CLOCK_PROCESS_CPUTIME_ID),
	       begin = seconds(CLOCK_MONOTONIC), wall;

	bench.alone.split = bench.one.split = bench.sieve.images.openings;
	for (unsigned r = 0; r < bench.rounds; r++) {
		run(&bench.one, r, true);
		run(&bench.alone, r, false);
		for (unsigned i = 0; i < bench.count; i++)
			run(&bench.points[i], r, false);
	}
	settle(&bench.one);
	settle(&bench.alone);
	for (unsigned i = 0; i < bench.count; i++)
		settle(&bench.points[i]);
	wall = seconds(CLOCK_MONOTONIC) - begin;
	own = seconds(CLOCK_PROCESS_CPUTIME_ID) - own;
	machine = rounds_machine_seconds() - machine;
	bench.others = fmax(machine - own, 0) / (wall * (double)sysconf(_SC_NPROCESSORS_ONLN));
}

/* -- what is told -- */

/* Of the device that is one, image after image, to the best of two. */
static double speedup(bool measured)
{
	const struct point *best = point_of(best_split(measured));

	return measured ? bench.one.measured_s / best->measured_s : bench.one.predicted_s / best->predicted_s;
}

static double against_alone(void)
{
	return bench.alone.measured_s / point_of(best_split(true))->measured_s;
}

/* How near the chosen split comes to the best one. */
static double auto_ratio(void)
{
	return point_of(best_split(true))->measured_s / point_of(bench.chosen)->measured_s;
}

static void print_point(const char *name, const struct point *p)
{
	printf("%-24s %9.3f %9.3f %7.3f\n", name, p->predicted_s * 1e3, p->measured_s * 1e3,
		p->measured_s / p->predicted_s);
}

static void print(void)
{
	const struct squares *images = &bench.sieve.images;
	char name[32];

	printf("granulometry on %s: images of %u x %u pixels, %u openings, %.3f ms to read one; ms an image, "
	       "medians of %u rounds of %llu images\n",
		bench.driver, images->side, images->side, images->openings, bench.sieve.reading_s * 1e3,
		bench.rounds, (unsigned long long)bench.sieve.count);
	printf("%-24s %9s %9s %7s\n", "N", "predicted", "measured", "ratio");
	for (unsigned i = 0; i < bench.count; i++) {
		snprintf(name, sizeof name, "%u", bench.points[i].split);
		print_point(name, &bench.points[i]);
	}
	print_point("one device", &bench.alone);
	print_point("one, image after image", &bench.one);
	printf("best N: predicted %u, measured %u; --split auto: %u, %.3f times as fast as the best\n",
		best_split(false), best_split(true), bench.chosen, auto_ratio());
	printf("as fast as one device, image after image: predicted %.2f times, measured %.2f (paper %.1f)\n",
		speedup(false), speedup(true), PAPER / 10.0);
	printf("as fast as one device: %.2f times\n", against_alone());
	if (bench.others > 0.05)
		printf("not a quiet machine: other processes took %.0f %% of it\n", bench.others * 100);
}

/* Fig. 17, of the first image. */
static void write_curve(FILE *file)
{
	const struct squares *images = &bench.sieve.images;
	uint64_t counts[OPENINGS + 1];
	uint32_t length;

	squares_counts(images, 0, counts);
	length = results_length(counts, images->openings);
	fprintf(file, "\t\"curve\": {\"G\": [");
	for (uint32_t n = 0; n < length; n++)
		fprintf(file, "%s%llu", n ? ", " : "", (unsigned long long)counts[n]);
	fprintf(file, "], \"PS\": [");
	for (uint32_t n = 0; n + 1 < length; n++)
		fprintf(file, "%s%llu", n ? ", " : "", (unsigned long long)(counts[n] - counts[n + 1]));
	fprintf(file, "], \"main\": %u}\n", results_main(counts, length));
}

static void write_json(FILE *file)
{
	fprintf(file,
		"{\n\t\"figure\": 20, \"driver\": \"%s\", \"openings\": %u, \"side\": %u, \"images\": %llu, "
		"\"rounds\": %u, \"reading_s\": %.9g,\n\t\"points\": [\n",
		bench.driver, bench.sieve.images.openings, bench.sieve.images.side,
		(unsigned long long)bench.sieve.count, bench.rounds, bench.sieve.reading_s);
	for (unsigned i = 0; i < bench.count; i++)
		fprintf(file, "\t\t{\"n\": %u, \"predicted_s\": %.9g, \"measured_s\": %.9g}%s\n",
			bench.points[i].split, bench.points[i].predicted_s, bench.points[i].measured_s,
			i + 1 < bench.count ? "," : "");
	fprintf(file,
		"\t],\n\t\"best\": {\"predicted\": %u, \"measured\": %u, \"auto\": %u, \"auto_ratio\": "
		"%.4f},\n",
		best_split(false), best_split(true), bench.chosen, auto_ratio());
	fprintf(file,
		"\t\"speedup\": {\"predicted\": %.4f, \"measured\": %.4f, \"paper\": %.1f, "
		"\"against_alone\": "
		"%.4f},\n",
		speedup(false), speedup(true), PAPER / 10.0, against_alone());
	fprintf(file, "\t\"one_s\": %.9g, \"alone_s\": %.9g, \"others\": %.3f,\n", bench.one.measured_s,
		bench.alone.measured_s, bench.others);
	write_curve(file);
	fprintf(file, "}\n");
}

static void save(void)
{
	FILE *file = bench.json ? fopen(bench.json, "w") : NULL;

	if (!bench.json)
		return;
	if (file)
		write_json(file);
	if (!file || ferror(file) | fclose(file)) {
		perror(bench.json);
		exit(1);
	}
}

/* -- options -- */

static const char help[] =
	"Usage: granulometry [OPTION]...\n"
	"  -d DRIVER   timed: a driver whose erosions and dilations take time by the clock;\n"
	"              pocl, its device in two halves; gpu (timed)\n"
	"  -m COUNT    openings, 2 to 100 (40)\n"
	"  -s SIDE     of an image, pixels (512)\n"
	"  -N SPLITS   behind which opening the second device goes on, with commas (all)\n"
	"  -u SECONDS  timed: an erosion or dilation (2e-4)\n"
	"  -c SECONDS  to read an image, without a core (timed: as the paper's speed-up needs; else 0)\n"
	"  -n ROUNDS   in which everything is run in turn (3)\n"
	"  -f IMAGES   of a run, of which about the first third is not timed (timed: 12, else 48)\n"
	"  -j FILE     the figures as JSON\n"
	"  -q          quick: fewer splits, of fewer images\n"
	"  -h          this\n"
	"\n"
	"Predicted: the planner's period, of the times of an erosion or dilation (timed: -u, else measured) "
	"and\n"
	"of reading. All counts are compared with those that are known of squares.\n";

static void refuse(const char *what)
{
	fprintf(stderr, "granulometry: %s\n%s", what, help);
	exit(2);
}

static bool set_number(int c, const char *text, unsigned *given)
{
	switch (c) {
	case 'm':
		return number_unsigned(text, 2, OPENINGS, &bench.sieve.images.openings);
	case 's':
		return number_unsigned(text, 1, 1u << 15, &bench.sieve.images.side);
	case 'N':
		return number_list(text, 1, OPENINGS - 1, bench.splits, OPENINGS, given);
	case 'u':
		return number_real(text, 1e-9, 10, &bench.unit_s);
	case 'c':
		return number_real(text, 0, 100, &bench.reading_s);
	case 'f':
		return number_whole(text, 4, 1u << 20, &bench.sieve.count);
	default:
		return number_unsigned(text, 1, ROUNDS, &bench.rounds);
	}
}

/* How many splits were given. */
static unsigned parse(int argc, char **argv)
{
	unsigned given = 0;

	for (int c; (c = getopt(argc, argv, "d:m:s:N:u:c:n:f:j:qh")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (c == '?')
			exit(2);
		if (c == 'd')
			bench.driver = optarg;
		else if (c == 'j')
			bench.json = optarg;
		else if (c == 'q')
			bench.quick = true;
		else if (!set_number(c, optarg, &given))
			refuse("not a number of this option");
	}
	if (optind < argc)
		refuse("there are only options");
	if (strcmp(bench.driver, "timed") != 0 && strcmp(bench.driver, "pocl") != 0 &&
		strcmp(bench.driver, "gpu") != 0)
		refuse("-d is timed, pocl or gpu");
	if (bench.sieve.images.side < squares_least_side(bench.sieve.images.openings))
		refuse("-s: a square that -m openings leave something of needs a side of 2 m + 1 at least");
	for (unsigned i = 0; i < given; i++)
		if (bench.splits[i] >= bench.sieve.images.openings)
			refuse("-N: there is nothing behind the last opening");
	return given;
}

/* On the timed driver each takes the same time. The first third is not timed. At the start images come in pairs, as
 * FIFOs have two windows: an even number of times between them is looked at. */
static void choose_images(void)
{
	struct sieve *sieve = &bench.sieve;

	if (!sieve->count && !strcmp(bench.driver, "timed"))
		sieve->count = bench.quick ? 9 : 12;
	else if (!sieve->count)
		sieve->count = bench.quick ? 24 : 48;
	sieve->first = sieve->count / 3;
	sieve->first -= (sieve->count - 1 - sieve->first) % 2;
}

int main(int argc, char **argv)
{
	unsigned given = parse(argc, argv);

	choose_images();
	if (!open_devices()) {
		printf("granulometry: not here: driver '%s' has no devices for it\n", bench.driver);
		return 0;
	}
	know_times();
	choose_points(given);
	measure();
	print();
	save();
	return 0;
}
