/* SPDX-License-Identifier: MIT */
/*
 * Motion detection on an OpenCL device by the library, a thread per actor or a team, against the
 * hand-written pipeline with the same kernels (limit/motion_opencl.h), in turn (device_bench.h). Prints
 * frames a second, what of the cores' time a frame takes, how often a thread sleeps for it, and how long a
 * firing of a device actor takes its thread.
 *
 * Usage: motion_device [-s WxH] [-r RATES] [-d DEPTHS] [-i DEPTHS] [-T TEAMS] [-m MEMORIES] [-n ROUNDS]
 *                      [-f FRAMES] [-k TEXT]
 * Lists with commas: -r 1,4,8,16 -d 2,4 (the host's FIFOs) -i 2,4 (those on the device) -T 0,1,2 (threads of
 * the team; 0: a thread per actor) -m svm,map,copy. By hand there are as many windows everywhere.
 */
#include "benchmarks/common/device_bench.h"
#include "benchmarks/common/number.h"
#include "benchmarks/limit/motion_opencl.h"

#include <penstock/actors.h>
#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING = 64, THRESHOLD = 20, RATE_MAX = 32, SIDE_MAX = 1 << 14, DEPTH_MAX = 1024, TEAM_MAX = 1024 };

struct bench {
	uint32_t w, h;
	unsigned rounds;
	uint64_t frames; /* a round */
	struct device_list rates, depths, inner, teams;
	struct cl_direct cl;
	struct rounds_options driver;
	const char *device;
	const char *memories[DEVICE_BENCH_LIST];
	unsigned memory_count;
	uint8_t *ring, *maps, *expected;
};

/* Constant while anything is measured. */
static struct bench bench = { .w = 320,
	.h = 240,
	.rounds = 7,
	.frames = 16384, /* so many that new memory's first use, milliseconds, doesn't count */
	.rates = { { 1, 4, 8, 16 }, 4 },
	.depths = { { 2, 4 }, 2 },
	.inner = { { 2 }, 1 },
	.teams = { { 0 }, 1 },
	.memories = { "svm", "map", "copy" },
	.memory_count = 3 };

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

static void verify(const char *who, uint32_t rate)
{
	if (!memcmp(bench.maps, bench.expected, (size_t)RING * bench.w * bench.h))
		return;
	fprintf(stderr, "motion_device: %s at rate %" PRIu32 ": the maps are wrong\n", who, rate);
	exit(1);
}

/* -- the library -- */

/* One way to run it. */
struct way {
	uint32_t rate, depth, inner; /* of the host's FIFOs, of those on the device */
	unsigned team;
	const char *memory;
};

/* What source and sink share: the moments of the first and the last firing. */
struct run {
	uint32_t rate;
	uint64_t windows;
	struct device_moment begin, end;
};

static size_t window_bytes(const struct run *run)
{
	return (size_t)bench.w * bench.h * run->rate;
}

static int source_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	if (i == 0)
		run->begin = device_now();
	memcpy(pstk_fifo_write_start(f, 0), bench.ring + i % (RING / run->rate) * window_bytes(run),
		window_bytes(run));
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->windows ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	memcpy(bench.maps + i % (RING / run->rate) * window_bytes(run), pstk_fifo_read_start(f, 0),
		window_bytes(run));
	pstk_fifo_read_end(f, 0);
	if (i + 1 == run->windows)
		run->end = device_now();
	return PSTK_AGAIN;
}

enum { SOURCE, GAUSS, THRES, MED, SINK, ACTORS };

static void build(
	struct pstk_network *net, struct run *run, const struct way *way, struct pstk_actor *a[ACTORS])
{
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
			       in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_frame_size size = { bench.w, bench.h };
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
		pstk_actor_map(a[i], bench.device);
	spec.rate = run->rate;
	spec.token_size = (size_t)bench.w * bench.h;
	outer = spec;
	outer.depth = way->depth;
	spec.depth = way->inner;
	pstk_connect(a[SOURCE], "out", a[GAUSS], "in", &outer);
	pstk_connect(a[GAUSS], "out", a[THRES], "now", &spec);
	spec.delay = 1;
	pstk_connect(a[GAUSS], "out", a[THRES], "before", &spec);
	spec.delay = 0;
	pstk_connect(a[THRES], "out", a[MED], "in", &spec);
	pstk_connect(a[MED], "out", a[SINK], "in", &outer);
}

/* Ends the program on an error. */
static struct device_cost run_library(const void *arg)
{
	const struct way *way = arg;
	struct pstk_network *net;
	struct run run = { .rate = way->rate, .windows = bench.frames / way->rate };
	struct pstk_actor *a[ACTORS];
	struct pstk_actor_stats stats;
	struct device_cost cost;

	setenv("PENSTOCK_MEMORY", way->memory, 1);
	net = pstk_network_create("motion");
	pstk_network_set_threads(net, way->team);
	build(net, &run, way, a);
	if (pstk_network_run(net)) {
		fprintf(stderr, "motion_device: %s\n", pstk_network_error(net));
		exit(1);
	}
	cost = device_cost_between(&run.begin, &run.end, (double)(run.windows * run.rate));
	for (unsigned i = GAUSS; i <= MED; i++) {
		pstk_actor_get_stats(a[i], &stats);
		cost.firing_us += (double)stats.fire_ns / 1e3 / (double)stats.firings / DEVICE_ACTORS;
	}
	rounds_channels(pstk_network_fifo_bytes(net), pstk_network_allocated_bytes(net));
	pstk_network_destroy(net);
	if (bench.expected)
		verify("the library", way->rate);
	return cost;
}

/* -- the hand-written one -- */

struct hand {
	struct motion *motion;
	uint32_t rate;
};

static struct motion_options hand_options(uint32_t rate, unsigned i)
{
	return (struct motion_options){ .w = bench.w,
		.h = bench.h,
		.rate = rate,
		.threshold = THRESHOLD,
		.windows = hands[i].windows,
		.memory = hands[i].memory,
		.queues = hands[i].queues,
		.two_threads = hands[i].two_threads };
}

static struct device_cost run_hand(const void *arg)
{
	const struct hand *hand = arg;
	uint32_t rate = hand->rate;
	uint64_t windows = bench.frames / rate;
	struct device_moment begin = device_now(), end;

	motion_run(hand->motion, bench.ring, RING / rate, bench.maps, RING / rate, windows);
	end = device_now();
	verify("the hand-written pipeline", rate);
	return device_cost_between(&begin, &end, (double)(windows * rate));
}

/* -- all of one rate -- */

static struct device_column columns[DEVICE_BENCH_COLUMNS];
static struct way ways[DEVICE_BENCH_COLUMNS];
static struct hand by_hand[HANDS];

static void add_hand(unsigned *count, uint32_t rate, unsigned i)
{
	struct motion_options o = hand_options(rate, i);
	struct device_column *c = &columns[*count];

	by_hand[i] = (struct hand){ .rate = rate };
	if (!motion_can(&bench.cl, &o))
		return;
	*c = (struct device_column){ .run = run_hand, .arg = &by_hand[i], .by_hand = true };
	snprintf(c->name, sizeof c->name,
		"rate %2" PRIu32 "  by hand, %s, %" PRIu32 " windows, %s, %d thread%s", rate,
		motion_memory_names[o.memory], o.windows, motion_queues_names[o.queues],
		o.two_threads ? 2 : 1, o.two_threads ? "s" : "");
	++*count;
}

static void add_way(unsigned *count, const struct way *way)
{
	struct device_column *c = &columns[*count];

	if (*count == DEVICE_BENCH_COLUMNS)
		return;
	ways[*count] = *way;
	*c = (struct device_column){ .run = run_library, .arg = &ways[*count] };
	snprintf(c->name, sizeof c->name,
		"rate %2" PRIu32 "  library, %s, device depth %" PRIu32 ", depth %" PRIu32 ", %s %u",
		way->rate, way->memory, way->depth, way->inner, way->team ? "team of" : "threads,",
		way->team ? way->team : ACTORS);
	++*count;
}

static void add_ways(unsigned *count, uint32_t rate, uint32_t depth, uint32_t inner)
{
	for (unsigned t = 0; t < bench.teams.count; t++)
		for (unsigned m = 0; m < bench.memory_count; m++)
			add_way(count, &(struct way){ .rate = rate,
					       .depth = depth,
					       .inner = inner,
					       .team = bench.teams.values[t],
					       .memory = bench.memories[m] });
}

static void set_frames(uint64_t frames)
{
	bench.frames = frames;
}

static struct device_table new_table(void)
{
	static char title[64];

	snprintf(title, sizeof title, "motion detection on a device, %" PRIu32 "x%" PRIu32, bench.w, bench.h);
	return (struct device_table){ .options = &bench.driver,
		.title = title,
		.unit = "frames/s",
		.scale = 1,
		.least = MOTION_DEVICE_LEAST,
		.cost_items = 1,
		.set_items = set_frames };
}

static struct device_table table_of(uint32_t rate)
{
	struct device_table table = new_table();
	static char number[12], point[16];

	snprintf(number, sizeof number, "%" PRIu32, rate);
	snprintf(point, sizeof point, "r %" PRIu32, rate);
	table.point = point;
	table.again[0] = "-r";
	table.again[1] = number;
	return table;
}

/* How many there are. */
static unsigned add_columns(uint32_t rate)
{
	unsigned count = 0;

	for (unsigned i = 0; i < HANDS; i++)
		add_hand(&count, rate, i);
	for (unsigned d = 0; d < bench.depths.count; d++)
		for (unsigned i = 0; i < bench.inner.count; i++)
			add_ways(&count, rate, bench.depths.values[d], bench.inner.values[i]);
	return count;
}

static void measure(uint32_t rate)
{
	struct device_table table = table_of(rate);
	unsigned count = add_columns(rate);

	for (unsigned i = 0; i < HANDS; i++) {
		struct motion_options o = hand_options(rate, i);

		if (motion_can(&bench.cl, &o))
			by_hand[i].motion = motion_init(&bench.cl, &o);
	}
	device_bench(&table, columns, count, bench.rounds);
	for (unsigned i = 0; i < HANDS; i++)
		motion_free(by_hand[i].motion);
}

/* Ends the program where -k has left nothing in. */
static void check_choice(void)
{
	for (unsigned i = 0; i < bench.rates.count; i++) {
		struct device_table table = table_of(bench.rates.values[i]);

		device_bench_name(&table, columns, add_columns(bench.rates.values[i]));
	}
	rounds_require_choice(&bench.driver);
}

static bool parse_memories(char *text)
{
	bench.memory_count = 0;
	for (char *word = strtok(text, ","); word && bench.memory_count < DEVICE_BENCH_LIST;
		word = strtok(NULL, ","))
		bench.memories[bench.memory_count++] = word;
	return bench.memory_count > 0;
}

static bool option(int letter, const char *arg)
{
	switch (letter) {
	case 's':
		return number_size(arg, SIDE_MAX, &bench.w, &bench.h);
	case 'r':
		if (!device_list_parse(&bench.rates, arg, 1, RATE_MAX))
			return false;
		for (unsigned i = 0; i < bench.rates.count; i++)
			if (RING % bench.rates.values[i])
				return false;
		return true;
	case 'd':
		return device_list_parse(&bench.depths, arg, 1, DEPTH_MAX);
	case 'i':
		return device_list_parse(&bench.inner, arg, 1, DEPTH_MAX);
	case 'T':
		return device_list_parse(&bench.teams, arg, 0, TEAM_MAX);
	case 'm':
		return parse_memories((char *)(uintptr_t)arg); /* one of main()'s */
	case 'n':
		return number_unsigned(arg, 1, DEVICE_BENCH_ROUNDS, &bench.rounds);
	case 'f':
		if (!number_whole(arg, RING, UINT32_MAX, &bench.frames))
			return false;
		bench.frames = bench.frames / RING * RING;
		return true;
	default:
		return false;
	}
}

/* What is to come out, from the C actors. */
static void prepare(void)
{
	size_t bytes = (size_t)RING * bench.w * bench.h;
	const struct way cores = { .rate = 1, .depth = 2, .inner = 2, .memory = "" };
	const char *device = bench.device;
	uint64_t frames = bench.frames;
	uint8_t *expected = malloc(bytes);
	uint32_t seed = 1;

	bench.ring = malloc(bytes);
	bench.maps = malloc(bytes);
	if (!bench.ring || !bench.maps || !expected) {
		fputs("motion_device: out of memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		bench.ring[i] = (uint8_t)(seed >> 24);
	}
	bench.device = NULL;     /* the cores */
	bench.frames = 2 * RING; /* the second time around, the first frame has one before it */
	run_library(&cores);
	memcpy(expected, bench.maps, bytes);
	bench.expected = expected;
	bench.device = device;
	bench.frames = frames;
}

int main(int argc, char **argv)
{
	struct pstk_device_info info;

	bench.driver = rounds_parse(argc, argv, "=s:r:d:i:T:m:n:f:", option,
		"  -s WxH      size of a frame (320x240)\n"
		"  -r RATES    frames in a window: 1, 2, 4, .. 32, with commas (1,4,8,16)\n"
		"  -d DEPTHS   windows of the FIFOs between host and device (2,4)\n"
		"  -i DEPTHS   of those on the device (2)\n"
		"  -T TEAMS    threads of the team; 0: one for each actor (0)\n"
		"  -m MEMORIES how windows come to the device: svm, map, copy (all)\n"
		"  -n ROUNDS   rounds (7)\n"
		"  -f FRAMES   of a run, a multiple of 64 (16384)\n\n"
		"Motion detection on the first OpenCL device, by the library and by hand with the same "
		"kernels.\n"
		"Columns: cores near or far, rounds in that state, variant, frames/s, microseconds of all "
		"cores and\n"
		"sleeps of threads for a frame, ratio to the fastest by hand (the limit) in the same round, "
		"and how\n"
		"long a firing of a device actor keeps its thread.\n");
	if (!cl_direct_open(&bench.cl) || pstk_devices(&info, 1) < 1) {
		if (bench.driver.mode == ROUNDS_LIST) {
			struct device_table table = new_table();

			device_bench_absent(&table, "there is no OpenCL device");
			return 0;
		}
		fprintf(stderr, "%s: there is no OpenCL device\n", argv[0]);
		return 1;
	}
	bench.device = info.selector;
	check_choice();
	prepare();
	if (bench.driver.mode == ROUNDS_TABLES)
		printf("%s (%s), %" PRIu32 "x%" PRIu32 ", frames/s, medians of %u rounds of %" PRIu64
		       " frames\n",
			bench.device, info.name, bench.w, bench.h, bench.rounds, bench.frames);
	for (unsigned i = 0; i < bench.rates.count; i++)
		measure(bench.rates.values[i]);
	free(bench.ring);
	free(bench.maps);
	free(bench.expected);
	cl_direct_close(&bench.cl);
	return 0;
}
