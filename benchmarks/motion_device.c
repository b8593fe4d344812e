/* SPDX-License-Identifier: MIT */
/*
 * Motion detection on an OpenCL device by the library, a thread per actor or a team, against the hand-written pipeline with the same
 * kernels (limit/motion_opencl.h), in turn. Prints frames a second, the ratio to the hand-written variant with the highest
 * median in the same round, what of the cores' time a frame takes, and how long a firing of a device actor.
 *
 * Usage: motion_device [-s WxH] [-r RATES] [-d DEPTHS] [-T TEAMS] [-m MEMORIES] [-n ROUNDS] [-f FRAMES]
 * Lists with commas: -r 1,4,8,16 -d 2,4 -T 0,1,2 (threads of the team; 0: a thread per actor) -m svm,map
 */
#include "benchmarks/limit/motion_opencl.h"

#include <penstock/actors.h>
#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RING = 64, THRESHOLD = 20, LIST_MAX = 8, ROUNDS_MAX = 101, RATE_MAX = 32 };

struct list {
	unsigned values[LIST_MAX], count;
};

struct bench {
	uint32_t w, h;
	unsigned rounds;
	uint64_t frames; /* a round */
	struct list rates, depths, teams;
	struct cl_direct cl;
	const char *device;
	const char *memories[LIST_MAX];
	unsigned memory_count;
	uint8_t *ring, *maps, *expected;
};

enum { WAYS_MAX = 64 };

/* Hand-written variants: the best of them is the limit. */
static const struct {
	enum motion_memory memory;
	uint32_t windows;
	enum motion_queues queues;
	bool two_threads;
} hands[] = {
	{ MOTION_COARSE, 4, MOTION_QUEUE_A_STAGE, true },
	{ MOTION_COARSE, 4, MOTION_QUEUE_A_STAGE, false },
	{ MOTION_FINE, 4, MOTION_QUEUE_A_STAGE, true },
	{ MOTION_FINE, 4, MOTION_ONE_QUEUE, true },
	{ MOTION_FINE, 4, MOTION_ONE_QUEUE, false },
	{ MOTION_FINE, 2, MOTION_ONE_QUEUE, true },
};
enum { HANDS = sizeof hands / sizeof *hands, DEVICE_ACTORS = 3 };

/* What a run has cost. */
struct cost {
	double fps;
	double cpu_us; /* of all cores for one frame: tells on a busy machine, too */
	double sleeps; /* times that a thread went to sleep, a frame */
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The process's so far; fps: nothing yet. */
static struct cost cost_now(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (struct cost){ .cpu_us = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
		                        (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
		.sleeps = (double)u.ru_nvcsw };
}

/* What came in between, for a frame of so many that took so many seconds. */
static struct cost cost_since(struct cost begin, struct cost end, double frames, double seconds)
{
	return (struct cost){ .fps = frames / seconds,
		.cpu_us = (end.cpu_us - begin.cpu_us) / frames,
		.sleeps = (end.sleeps - begin.sleeps) / frames };
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof *values, compare);
	return values[n / 2];
}

/* -- the library ---------------------------------------------------------------------------------------------------- */

/* What source and sink share; times and costs are those of the first and the last firing. */
struct run {
	const struct bench *bench;
	uint32_t rate;
	uint64_t windows;
	double begin, end;
	struct cost before, after;
};

static size_t window_bytes(const struct run *run)
{
	return (size_t)run->bench->w * run->bench->h * run->rate;
}

static int source_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	if (i == 0) {
		run->before = cost_now();
		run->begin = now_s();
	}
	memcpy(pstk_fifo_write_start(f, 0), run->bench->ring + i % (RING / run->rate) * window_bytes(run),
		window_bytes(run));
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->windows ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	memcpy(run->bench->maps + i % (RING / run->rate) * window_bytes(run), pstk_fifo_read_start(f, 0),
		window_bytes(run));
	pstk_fifo_read_end(f, 0);
	if (i + 1 == run->windows) {
		run->end = now_s();
		run->after = cost_now();
	}
	return PSTK_AGAIN;
}

enum { SOURCE, GAUSS, THRES, MED, SINK, ACTORS };

static void build(struct pstk_network *net, struct run *run, uint32_t depth, struct pstk_actor *a[ACTORS])
{
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
			       in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_frame_size size = { run->bench->w, run->bench->h };
	struct pstk_threshold_arg threshold = { THRESHOLD };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init(), outer;

	a[SOURCE] = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = source_fire), run);
	a[GAUSS] = pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size);
	a[THRES] = pstk_network_add(net, "thres", pstk_threshold_type(), &threshold);
	a[MED] = pstk_network_add(net, "med", pstk_median5_type(), &size);
	a[SINK] = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = sink_fire), run);
	for (unsigned i = GAUSS; i <= MED; i++)
		pstk_actor_map(a[i], run->bench->device);
	spec.rate = run->rate;
	spec.token_size = (size_t)run->bench->w * run->bench->h;
	outer = spec;
	outer.depth = depth;
	pstk_connect(a[SOURCE], "out", a[GAUSS], "in", &outer);
	pstk_connect(a[GAUSS], "out", a[THRES], "now", &spec);
	spec.delay = 1;
	pstk_connect(a[GAUSS], "out", a[THRES], "before", &spec);
	spec.delay = 0;
	pstk_connect(a[THRES], "out", a[MED], "in", &spec);
	pstk_connect(a[MED], "out", a[SINK], "in", &outer);
}

/* One way to run it. */
struct way {
	uint32_t depth;
	unsigned team;
	const char *memory;
};

/* *firing_us: what a firing of a device actor took its thread. Ends the program on an error. */
static struct cost run_library(const struct bench *b, uint32_t rate, const struct way *way, double *firing_us)
{
	struct pstk_network *net = pstk_network_create("motion");
	struct run run = { .bench = b, .rate = rate, .windows = b->frames / rate };
	struct pstk_actor *a[ACTORS];
	struct pstk_actor_stats stats;

	setenv("PENSTOCK_MEMORY", way->memory, 1);
	pstk_network_set_threads(net, way->team);
	build(net, &run, way->depth, a);
	if (pstk_network_run(net)) {
		fprintf(stderr, "motion_device: %s\n", pstk_network_error(net));
		exit(1);
	}
	*firing_us = 0;
	for (unsigned i = GAUSS; i <= MED; i++) {
		pstk_actor_get_stats(a[i], &stats);
		*firing_us += (double)stats.fire_ns / 1e3 / (double)stats.firings / DEVICE_ACTORS;
	}
	pstk_network_destroy(net);
	return cost_since(run.before, run.after, (double)(run.windows * rate), run.end - run.begin);
}

/* -- the hand-written one ------------------------------------------------------------------------------------------- */

static struct motion_options hand_options(const struct bench *b, uint32_t rate, unsigned i)
{
	return (struct motion_options){ .w = b->w,
		.h = b->h,
		.rate = rate,
		.threshold = THRESHOLD,
		.windows = hands[i].windows,
		.memory = hands[i].memory,
		.queues = hands[i].queues,
		.two_threads = hands[i].two_threads };
}

static void verify(const struct bench *b, const char *who, uint32_t rate)
{
	if (!memcmp(b->maps, b->expected, (size_t)RING * b->w * b->h))
		return;
	fprintf(stderr, "motion_device: %s at rate %" PRIu32 ": the maps are wrong\n", who, rate);
	exit(1);
}

static struct cost run_hand(const struct bench *b, struct motion *motion, uint32_t rate)
{
	uint64_t windows = b->frames / rate;
	struct cost before = cost_now();
	double begin = now_s(), end;

	motion_run(motion, b->ring, RING / rate, b->maps, RING / rate, windows);
	end = now_s();
	return cost_since(before, cost_now(), (double)(windows * rate), end - begin);
}

/* -- rounds --------------------------------------------------------------------------------------------------------- */

struct column {
	struct way way; /* of the library's */
	double fps[ROUNDS_MAX], ratio[ROUNDS_MAX], cpu_us[ROUNDS_MAX], sleeps[ROUNDS_MAX],
		firing_us[ROUNDS_MAX];
};

/* What is measured at one rate. */
struct table {
	struct motion *motions[HANDS]; /* NULL: the device can't */
	struct column hand[HANDS], library[WAYS_MAX];
	unsigned columns; /* of library */
};

static void open_table(const struct bench *b, struct table *t, uint32_t rate)
{
	memset(t, 0, sizeof *t);
	for (unsigned i = 0; i < HANDS; i++) {
		struct motion_options options = hand_options(b, rate, i);

		if (motion_can(&b->cl, &options))
			t->motions[i] = motion_init(&b->cl, &options);
	}
	for (unsigned d = 0; d < b->depths.count; d++)
		for (unsigned n = 0; n < b->teams.count; n++)
			for (unsigned m = 0; m < b->memory_count && t->columns < WAYS_MAX; m++)
				t->library[t->columns++].way = (struct way){ .depth = b->depths.values[d],
					.team = b->teams.values[n],
					.memory = b->memories[m] };
}

/* Each variant once, beginning with another one in each round. */
static void measure_round(const struct bench *b, struct table *t, uint32_t rate, unsigned round)
{
	for (unsigned k = 0; k < HANDS + t->columns; k++) {
		unsigned i = (k + round) % (HANDS + t->columns);
		struct column *c = i < HANDS ? &t->hand[i] : &t->library[i - HANDS];

		struct cost cost;

		if (i >= HANDS)
			cost = run_library(b, rate, &c->way, &c->firing_us[round]);
		else if (t->motions[i])
			cost = run_hand(b, t->motions[i], rate);
		else
			continue;
		c->fps[round] = cost.fps;
		c->cpu_us[round] = cost.cpu_us;
		c->sleeps[round] = cost.sleeps;
		verify(b, i < HANDS ? "the hand-written pipeline" : "the library", rate);
	}
}

/* The hand-written variant with the highest median is the limit; each round is compared with it. */
static unsigned find_limit(const struct bench *b, const struct table *t)
{
	double values[ROUNDS_MAX], best = 0;
	unsigned limit = 0;

	for (unsigned i = 0; i < HANDS; i++) {
		double fps;

		memcpy(values, t->hand[i].fps, sizeof values);
		fps = median(values, b->rounds);
		if (fps > best) {
			best = fps;
			limit = i;
		}
	}
	return limit;
}

static void print_cost(const struct bench *b, struct column *c)
{
	printf(" %9.0f  %6.1f cpu us %5.2f sleeps", median(c->fps, b->rounds), median(c->cpu_us, b->rounds),
		median(c->sleeps, b->rounds));
}

static void print_table(const struct bench *b, struct table *t, uint32_t rate)
{
	unsigned limit = find_limit(b, t);

	for (unsigned i = 0; i < t->columns; i++)
		for (unsigned round = 0; round < b->rounds; round++)
			t->library[i].ratio[round] = t->library[i].fps[round] / t->hand[limit].fps[round];
	for (unsigned i = 0; i < HANDS; i++)
		if (t->motions[i]) {
			printf("%4" PRIu32 "  by hand, %-6s %" PRIu32 " windows, %-6s %d thread%s", rate,
				motion_memory_names[hands[i].memory], hands[i].windows,
				motion_queues_names[hands[i].queues], hands[i].two_threads ? 2 : 1,
				hands[i].two_threads ? "s" : " ");
			print_cost(b, &t->hand[i]);
			puts(i == limit ? "  the limit" : "");
		}
	for (unsigned i = 0; i < t->columns; i++) {
		struct column *c = &t->library[i];

		printf("%4" PRIu32 "  library, %-4s device depth %" PRIu32 ", %s of %u  ", rate,
			c->way.memory, c->way.depth, c->way.team ? "team   " : "threads",
			c->way.team ? c->way.team : ACTORS);
		print_cost(b, c);
		printf("  %5.2f of the limit, %.1f us a device firing\n", median(c->ratio, b->rounds),
			median(c->firing_us, b->rounds));
	}
	fflush(stdout);
}

static void measure(struct bench *b, uint32_t rate)
{
	static struct table table;

	open_table(b, &table, rate);
	for (unsigned round = 0; round < b->rounds; round++)
		measure_round(b, &table, rate, round);
	print_table(b, &table, rate);
	for (unsigned i = 0; i < HANDS; i++)
		motion_free(table.motions[i]);
}

static bool parse(struct list *list, char *text)
{
	list->count = 0;
	for (char *word = strtok(text, ","); word && list->count < LIST_MAX; word = strtok(NULL, ","))
		list->values[list->count++] = (unsigned)strtoul(word, NULL, 10);
	for (unsigned i = 0; i < list->count; i++)
		if (!list->values[i])
			return false;
	return list->count > 0;
}

/* Team sizes: 0 is one. */
static bool parse_teams(struct list *list, char *text)
{
	parse(list, text);
	return list->count > 0;
}

static bool parse_memories(struct bench *b, char *text)
{
	b->memory_count = 0;
	for (char *word = strtok(text, ","); word && b->memory_count < LIST_MAX; word = strtok(NULL, ","))
		b->memories[b->memory_count++] = word;
	return b->memory_count > 0;
}

static bool option(struct bench *b, int letter, char *text)
{
	struct list one;

	switch (letter) {
	case 's':
		return sscanf(text, "%" SCNu32 "x%" SCNu32, &b->w, &b->h) == 2 && b->w && b->h;
	case 'r':
		if (!parse(&b->rates, text))
			return false;
		for (unsigned i = 0; i < b->rates.count; i++)
			if (b->rates.values[i] > RATE_MAX || RING % b->rates.values[i])
				return false;
		return true;
	case 'd':
		return parse(&b->depths, text);
	case 'T':
		return parse_teams(&b->teams, text);
	case 'm':
		return parse_memories(b, text);
	case 'n':
		b->rounds = parse(&one, text) && one.values[0] <= ROUNDS_MAX ? one.values[0] : 0;
		return b->rounds;
	case 'f':
		b->frames = parse(&one, text) ? (uint64_t)one.values[0] / RING * RING : 0;
		return b->frames;
	default:
		return false;
	}
}

/* What is to come out, from the C actors. */
static void prepare(struct bench *b)
{
	size_t bytes = (size_t)RING * b->w * b->h;
	const char *device = b->device;
	uint64_t frames = b->frames;
	uint32_t seed = 1;
	struct way way = { .depth = 2, .memory = "" };
	double ignored;

	b->ring = malloc(bytes);
	b->maps = malloc(bytes);
	b->expected = malloc(bytes);
	if (!b->ring || !b->maps || !b->expected) {
		fputs("motion_device: out of memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		b->ring[i] = (uint8_t)(seed >> 24);
	}
	b->device = NULL;     /* the cores */
	b->frames = 2 * RING; /* the second time around, the first frame has one before it */
	run_library(b, 1, &way, &ignored);
	memcpy(b->expected, b->maps, bytes);
	b->device = device;
	b->frames = frames;
}

int main(int argc, char **argv)
{
	static struct bench b = { .w = 320,
		.h = 240,
		.rounds = 7,
		.frames = 4096,
		.rates = { { 1, 4, 8, 16 }, 4 },
		.depths = { { 2, 4 }, 2 },
		.teams = { { 0 }, 1 },
		.memories = { "svm", "map", "copy" },
		.memory_count = 3 };
	struct pstk_device_info info;
	int letter;

	while ((letter = getopt(argc, argv, "s:r:d:T:m:n:f:")) != -1)
		if (!option(&b, letter, optarg)) {
			fprintf(stderr,
				"usage: %s [-s WxH] [-r RATES] [-d DEPTHS] [-T TEAMS] [-m MEMORIES] "
				"[-n ROUNDS] [-f FRAMES]; rates divide %d\n",
				argv[0], RING);
			return 2;
		}
	if (!cl_direct_open(&b.cl) || pstk_devices(&info, 1) < 1) {
		fprintf(stderr, "%s: there is no OpenCL device\n", argv[0]);
		return 1;
	}
	b.device = info.selector;
	prepare(&b);
	printf("%s (%s), %" PRIu32 "x%" PRIu32 ", frames/s, medians of %u rounds of %" PRIu64 " frames\n",
		b.device, info.name, b.w, b.h, b.rounds, b.frames);
	for (unsigned i = 0; i < b.rates.count; i++)
		measure(&b, b.rates.values[i]);
	free(b.ring);
	free(b.maps);
	free(b.expected);
	cl_direct_close(&b.cl);
	return 0;
}
