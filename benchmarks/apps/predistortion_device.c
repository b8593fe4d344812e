/* SPDX-License-Identifier: MIT */
/*
 * Predistortion on an OpenCL device by the library, a thread per actor or a team, against a hand-written
 * program with the same kernels, one an actor (limit/predistortion_opencl.h), in turn (device_bench.h). Ten
 * branches of ten taps; source and sink copy between memory of the host's and their windows. Prints
 * millions of samples a second; costs are those of a block.
 *
 * All of what comes out is compared: on the device bit by bit, and with the actors in C, which may round
 * otherwise.
 *
 * The library's memory is new in each run, the hand-written program's is not. What a start adds, most of
 * it because each page is touched for the first time, was 11 ms with 10 branches of 65536 samples, a sixth
 * of a run of 64 blocks: so a run is 1024 blocks.
 *
 * Usage: predistortion_device [-b BLOCKS] [-a ACTIVE] [-d DEPTHS] [-i DEPTHS] [-T TEAMS] [-m MEMORIES]
 *        [-n ROUNDS] [-S SAMPLES] [-k TEXT]
 * Lists with commas: -b 4096,16384,65536 (samples) -a 2,6,10,0 (branches that are on; 0: 2 to 10 by chance,
 * others every 65536 samples) -d 2,4 (the host's FIFOs) -i 1,2 (those on the device) -T 0,1,2 (threads of
 * the team; 0: a thread per actor) -m svm,map,copy -S 16777216 (a run, instead of 1024 blocks)
 */
#include "benchmarks/common/device_bench.h"
#include "benchmarks/common/number.h"
#include "benchmarks/limit/predistortion_opencl.h"

#include <penstock/actors.h>
#include <penstock/penstock.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RING = 8 * 65536,
	PERIOD = 65536,
	SETS = 16,
	LARGEST = 65536,
	RUN = 1024,
	DEPTH_MAX = 1024,
	TEAM_MAX = 1024
};
/* Of so many samples, and any multiple, the last RING are the same. */
enum { CYCLE = SETS * PERIOD };

struct bench {
	unsigned rounds;
	uint64_t samples; /* a run; 0: RUN blocks */
	struct device_list blocks, active, depths, inner, teams;
	const char *memories[DEVICE_BENCH_LIST];
	unsigned memory_count;
	struct cl_direct cl;
	struct rounds_options driver;
	const char *device;
	struct dpd_model model;
	struct pstk_polynomial_branch branches[DPD_BRANCHES];
	struct dpd_samples in;
};

/* Constant while anything is measured. */
static struct bench bench = { .rounds = 7,
	.samples = 0,
	.blocks = { { 4096, 16384, 65536 }, 3 },
	.active = { { 2, 6, 10, 0 }, 4 },
	.depths = { { 4 }, 1 },
	.inner = { { 2 }, 1 },
	.teams = { { 0 }, 1 },
	.memories = { "svm", "map" },
	.memory_count = 2 };

/* What is being measured: constant while it is, but for what comes out. */
static struct dpd_run job;
static uint32_t block;
static struct dpd_samples expected; /* re NULL: not yet known */
static uint32_t sets[SETS];

static void fail(const char *why, const char *more)
{
	fprintf(stderr, "predistortion_device: %s%s\n", why, more);
	exit(1);
}

/* The last RING samples. */
static void verify(const char *who)
{
	if (memcmp(job.out.re, expected.re, RING * sizeof(float)) ||
		memcmp(job.out.im, expected.im, RING * sizeof(float)))
		fail(who, ": the samples are wrong");
}

/* -- the library -- */

/* One way to run it. */
struct way {
	uint32_t depth, inner; /* of the host's FIFOs, of those on the device */
	unsigned team;
	const char *memory;
	bool cores;
};

/* The moments of the first and the last firing. */
static struct device_moment begin, end;

static int source_fire(struct pstk_firing *f)
{
	uint64_t i = pstk_firing_index(f);
	size_t at = i % job.in_blocks * block;

	if (i == 0)
		begin = device_now();
	memcpy(pstk_fifo_write_start(f, 0), job.in.re + at, block * sizeof(float));
	memcpy(pstk_fifo_write_start(f, 1), job.in.im + at, block * sizeof(float));
	pstk_fifo_write_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return i + 1 == job.blocks ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	uint64_t i = pstk_firing_index(f);
	size_t at = i % job.out_blocks * block;

	memcpy(job.out.re + at, pstk_fifo_read_start(f, 0), block * sizeof(float));
	memcpy(job.out.im + at, pstk_fifo_read_start(f, 1), block * sizeof(float));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	if (i + 1 == job.blocks)
		end = device_now();
	return PSTK_AGAIN;
}

static uint32_t choose(void *data, uint64_t index)
{
	(void)data;
	return job.sets[index % job.set_count];
}

/* Both parts of a signal; port names are "re" and "im" with something behind. */
static void connect_signal(
	struct pstk_actor *src, const char *out, struct pstk_actor *dst, const char *in, uint32_t depth)
{
	static const char *const parts[] = { "re", "im" };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	spec.rate = block;
	spec.depth = depth;
	spec.token_size = sizeof(float);
	for (unsigned part = 0; part < 2; part++) {
		char from[16], to[16];

		snprintf(from, sizeof from, "%s%s", parts[part], out);
		snprintf(to, sizeof to, "%s%s", parts[part], in);
		pstk_connect(src, from, dst, to, &spec);
	}
}

static void connect_control(struct pstk_network *net, struct pstk_configuration *c, struct pstk_actor *poly,
	struct pstk_actor *adder)
{
	struct pstk_actor *conf = pstk_configuration_add(net, "conf", c);
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	spec.rate = 1;
	spec.depth = 16; /* the polynomial takes its tokens some windows earlier than the adder */
	spec.token_size = sizeof(uint32_t);
	pstk_connect(conf, "out", poly, "active", &spec);
	pstk_connect(conf, "out", adder, "active", &spec);
}

enum { POLYNOMIAL = DPD_BRANCHES, ADDER, ACTORS };

static void build(struct pstk_network *net, struct pstk_configuration *conf, const struct way *way,
	struct pstk_actor *a[ACTORS])
{
	static const struct pstk_port out[] = { { .name = "re", .kind = PSTK_OUTPUT },
		{ .name = "im", .kind = PSTK_OUTPUT } };
	static const struct pstk_port in[] = { { .name = "re", .kind = PSTK_INPUT },
		{ .name = "im", .kind = PSTK_INPUT } };
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = out, .port_count = 2, .fire = source_fire), NULL);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in, .port_count = 2, .fire = sink_fire), NULL);

	a[POLYNOMIAL] = pstk_polynomial_add(net, "poly", bench.branches, DPD_BRANCHES, true);
	a[ADDER] = pstk_adder_add(net, "adder", DPD_BRANCHES, bench.model.constant, true);
	connect_control(net, conf, a[POLYNOMIAL], a[ADDER]);
	connect_signal(source, "", a[POLYNOMIAL], "", way->depth);
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		char name[16], branch[8];

		snprintf(name, sizeof name, "fir%u", b + 1);
		snprintf(branch, sizeof branch, "%u", b + 1);
		a[b] = pstk_fir_add(net, name, bench.model.taps[b], DPD_TAPS);
		connect_signal(a[POLYNOMIAL], branch, a[b], "", way->inner);
		connect_signal(a[b], "_out", a[ADDER], branch, way->inner);
	}
	connect_signal(a[ADDER], "", sink, "", way->depth);
	for (unsigned i = 0; i < ACTORS && !way->cores; i++)
		pstk_actor_map(a[i], bench.device);
}

static double firing_us(struct pstk_actor *const a[ACTORS])
{
	struct pstk_actor_stats stats;
	double ns = 0, firings = 0;

	for (unsigned i = 0; i < ACTORS; i++) {
		pstk_actor_get_stats(a[i], &stats);
		ns += (double)stats.fire_ns;
		firings += (double)stats.firings;
	}
	return ns / 1e3 / firings;
}

/* Of a block, but for the rate: samples a second. */
static struct device_cost costs(void)
{
	struct device_cost cost = device_cost_between(&begin, &end, (double)job.blocks);

	cost.rate *= block;
	return cost;
}

/* Ends the program on an error. */
static struct device_cost run_library(const void *arg)
{
	const struct way *way = arg;
	struct pstk_network *net;
	struct pstk_configuration *conf = pstk_configuration_create(
		PSTK_CONFIGURATION(.period = (uint32_t)job.period, .choose = choose));
	struct pstk_actor *a[ACTORS];
	struct device_cost cost;

	setenv("PENSTOCK_MEMORY", way->memory, 1);
	net = pstk_network_create("predistortion");
	pstk_network_set_threads(net, way->team);
	build(net, conf, way, a);
	if (pstk_network_run(net))
		fail("", pstk_network_error(net));
	rounds_channels(pstk_network_fifo_bytes(net), pstk_network_allocated_bytes(net));
	cost = costs();
	cost.firing_us = firing_us(a);
	pstk_network_destroy(net);
	pstk_configuration_destroy(conf);
	if (!way->cores)
		verify("the library");
	return cost;
}

/* -- by hand -- */

static struct device_cost run_hand(const void *arg)
{
	struct dpd *const *dpd = arg;

	begin = device_now();
	dpd_run(*dpd, &job);
	end = device_now();
	verify("the hand-written program");
	return costs();
}

/* Is it what the actors in C make, but for rounding? */
static void compare_with_cores(const struct dpd_samples *cores)
{
	float largest = 0, worst = 0;

	for (size_t i = 0; i < RING; i++) {
		float re = fabsf(cores->re[i] - job.out.re[i]), im = fabsf(cores->im[i] - job.out.im[i]);

		largest = fmaxf(largest, fmaxf(fabsf(cores->re[i]), fabsf(cores->im[i])));
		worst = fmaxf(worst, fmaxf(re, im));
	}
	if (!(worst <= 1e-5f * largest))
		fail("the hand-written program", ": the samples are not those of the actors in C");
}

/* What is to come out: by hand, after it has been compared. */
static void make_expected(struct dpd *dpd)
{
	static const struct way cores = { .depth = 2, .inner = 2, .memory = "", .cores = true };
	static float re[RING], im[RING], cores_re[RING], cores_im[RING];
	const struct dpd_samples of_cores = { cores_re, cores_im };
	uint64_t blocks = job.blocks;

	job.blocks = CYCLE / block;
	run_library(&cores);
	memcpy(cores_re, job.out.re, sizeof cores_re);
	memcpy(cores_im, job.out.im, sizeof cores_im);
	dpd_run(dpd, &job);
	compare_with_cores(&of_cores);
	memcpy(re, job.out.re, sizeof re);
	memcpy(im, job.out.im, sizeof im);
	expected = (struct dpd_samples){ re, im };
	job.blocks = blocks;
}

/* -- all of one block size and number of branches -- */

enum { HANDS = 4 };

static struct device_column columns[DEVICE_BENCH_COLUMNS];
static struct way ways[DEVICE_BENCH_COLUMNS];
static struct dpd *by_hand[HANDS];

static struct dpd_options hand_options(unsigned i)
{
	return (struct dpd_options){ .block = block, .fine = i & 1, .queue_per_actor = i & 2 };
}

static void add_hand(unsigned *count, unsigned i, const char *what)
{
	struct dpd_options o = hand_options(i);
	struct device_column *c = &columns[*count];

	if (!dpd_can(&bench.cl, &o))
		return;
	*c = (struct device_column){ .run = run_hand, .arg = &by_hand[i], .by_hand = true };
	snprintf(c->name, sizeof c->name, "%s  by hand, %s, %s", what, o.fine ? "fine" : "coarse",
		o.queue_per_actor ? "a queue an actor" : "one queue");
	++*count;
}

static void add_way(unsigned *count, const struct way *way, const char *what)
{
	struct device_column *c = &columns[*count];

	if (*count == DEVICE_BENCH_COLUMNS)
		return;
	ways[*count] = *way;
	*c = (struct device_column){ .run = run_library, .arg = &ways[*count] };
	snprintf(c->name, sizeof c->name, "%s  library, %s, depths %u, %u, %s %u", what, way->memory,
		way->depth, way->inner, way->team ? "team of" : "threads,",
		way->team ? way->team : ACTORS + 3);
	++*count;
}

static void add_ways(unsigned *count, const char *what)
{
	for (unsigned d = 0; d < bench.depths.count; d++)
		for (unsigned i = 0; i < bench.inner.count; i++)
			for (unsigned t = 0; t < bench.teams.count; t++)
				for (unsigned m = 0; m < bench.memory_count; m++)
					add_way(count,
						&(struct way){ .depth = bench.depths.values[d],
							.inner = bench.inner.values[i],
							.team = bench.teams.values[t],
							.memory = bench.memories[m] },
						what);
}

static void choose_sets(unsigned active)
{
	uint32_t seed = 7;

	job.set_count = active ? 1 : SETS;
	sets[0] = (UINT32_C(1) << active) - 1;
	for (unsigned s = 0; !active && s < SETS; s++) {
		unsigned wanted;

		seed = seed * 1664525 + 1013904223;
		wanted = 2 + (seed >> 16) % (DPD_BRANCHES - 1);
		for (sets[s] = 0; (unsigned)__builtin_popcount(sets[s]) < wanted;) {
			seed = seed * 1664525 + 1013904223;
			sets[s] |= UINT32_C(1) << (seed >> 16) % DPD_BRANCHES;
		}
	}
}

static uint64_t blocks_of_a_run(void)
{
	if (bench.samples)
		return bench.samples / block;
	return RUN > CYCLE / block ? RUN : CYCLE / block;
}

static void set_samples(uint64_t samples)
{
	job.blocks = samples / block;
}

static struct device_table new_table(unsigned active)
{
	static char title[64];

	if (active)
		snprintf(title, sizeof title, "predistortion on a device, %u branches active", active);
	else
		snprintf(title, sizeof title, "predistortion on a device, random branches active");
	return (struct device_table){ .options = &bench.driver,
		.title = title,
		.unit = "Msamples/s",
		.scale = 1e6,
		.least = CYCLE,
		.cost_items = block,
		.set_items = set_samples };
}

static struct device_table table_of(unsigned active)
{
	struct device_table table = new_table(active);
	static char blocks[12], branches[12], point[20];

	snprintf(blocks, sizeof blocks, "%" PRIu32, block);
	snprintf(branches, sizeof branches, "%u", active);
	snprintf(point, sizeof point, "block %" PRIu32, block);
	table.point = point;
	table.again[0] = "-b";
	table.again[1] = blocks;
	table.again[2] = "-a";
	table.again[3] = branches;
	return table;
}

/* How many there are. */
static unsigned add_columns(unsigned active)
{
	unsigned count = 0;
	char what[32];

	snprintf(what, sizeof what, "%5" PRIu32 " %2u", block, active);
	for (unsigned i = 0; i < HANDS; i++)
		add_hand(&count, i, what);
	if (!count)
		fail("the device has no shared virtual memory", "");
	add_ways(&count, what);
	return count;
}

static void measure(unsigned active)
{
	struct device_table table = table_of(active);
	unsigned count = add_columns(active);

	job.in_blocks = job.out_blocks = RING / block;
	job.blocks = blocks_of_a_run();
	job.period = PERIOD / block;
	choose_sets(active);
	for (unsigned i = 0; i < HANDS; i++) {
		struct dpd_options o = hand_options(i);

		by_hand[i] = dpd_can(&bench.cl, &o) ? dpd_init(&bench.cl, &o, &bench.model) : NULL;
	}
	make_expected(*(struct dpd *const *)columns[0].arg);
	device_bench(&table, columns, count, bench.rounds);
	for (unsigned i = 0; i < HANDS; i++)
		dpd_free(by_hand[i]);
}

/* For each block size and number of branches. */
static void each(void (*what)(unsigned active))
{
	for (unsigned b = 0; b < bench.blocks.count; b++)
		for (unsigned a = 0; a < bench.active.count; a++) {
			block = bench.blocks.values[b];
			what(bench.active.values[a]);
		}
}

static void name_columns(unsigned active)
{
	struct device_table table = table_of(active);

	device_bench_name(&table, columns, add_columns(active));
}

static bool parse_memories(char *text)
{
	bench.memory_count = 0;
	for (char *word = strtok(text, ","); word && bench.memory_count < DEVICE_BENCH_LIST;
		word = strtok(NULL, ","))
		bench.memories[bench.memory_count++] = word;
	return bench.memory_count > 0;
}

static bool parse_blocks(const char *text)
{
	bool right = device_list_parse(&bench.blocks, text, 64, LARGEST);

	for (unsigned i = 0; right && i < bench.blocks.count; i++)
		right = LARGEST % bench.blocks.values[i] == 0;
	return right;
}

static bool option(int letter, const char *arg)
{
	switch (letter) {
	case 'b':
		return parse_blocks(arg);
	case 'a':
		return device_list_parse(&bench.active, arg, 0, DPD_BRANCHES);
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
	case 'S':
		if (!number_whole(arg, CYCLE, UINT32_MAX, &bench.samples))
			return false;
		bench.samples = bench.samples / CYCLE * CYCLE;
		return true;
	default:
		return false;
	}
}

/* A network that never runs, whose actors have the kernels' texts. */
static struct pstk_network *forms;
static struct pstk_configuration *forms_conf;

static void find_kernels(void)
{
	struct pstk_actor *a[ACTORS];

	forms = pstk_network_create("forms");
	forms_conf = pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .choose = choose));
	block = LARGEST;
	build(forms, forms_conf, &(const struct way){ .depth = 2, .inner = 2, .cores = true }, a);
	bench.model.polynomial = *pstk_actor_get_type(a[POLYNOMIAL])->kernel;
	bench.model.fir = *pstk_actor_get_type(a[0])->kernel;
	bench.model.adder = *pstk_actor_get_type(a[ADDER])->kernel;
}

static float random_float(uint32_t *seed, float largest)
{
	*seed = *seed * 1664525 + 1013904223;
	return ((float)(*seed >> 8) / 8388608.0f - 1) * largest;
}

static void prepare(void)
{
	static float in_re[RING], in_im[RING], out_re[RING], out_im[RING];
	uint32_t seed = 1;

	for (size_t i = 0; i < RING; i++) {
		in_re[i] = random_float(&seed, 0.5f);
		in_im[i] = random_float(&seed, 0.5f);
	}
	job = (struct dpd_run){ .in = { in_re, in_im }, .out = { out_re, out_im }, .sets = sets };
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		bench.branches[b] =
			(struct pstk_polynomial_branch){ .order = 1 + 2 * (b % 5), .conjugate = b >= 5 };
		for (unsigned t = 0; t < DPD_TAPS; t++)
			bench.model.taps[b][t] =
				(struct pstk_cf32){ random_float(&seed, 0.1f), random_float(&seed, 0.1f) };
	}
	bench.model.constant = (struct pstk_cf32){ 0.01f, -0.02f };
	find_kernels();
}

int main(int argc, char **argv)
{
	struct pstk_device_info info;

	bench.driver = rounds_parse(argc, argv, "=b:a:d:i:T:m:n:S:", option,
		"  -b BLOCKS   samples in a window, with commas; they divide 65536\n"
		"  -a ACTIVE   branches that are on, of ten; 0: 2 to 10 by chance, others every 65536 "
		"samples\n"
		"  -d DEPTHS   windows of the FIFOs between host and device\n"
		"  -i DEPTHS   of those on the device\n"
		"  -T TEAMS    threads of the team; 0: one for each actor\n"
		"  -m MEMORIES how windows come to the device: svm, map, copy\n"
		"  -n ROUNDS   rounds (7)\n"
		"  -S SAMPLES  of a run, 1048576 at least (1024 blocks)\n\n"
		"Predistortion on the first OpenCL device, by the library and by hand with the same "
		"kernels.\n"
		"Columns: cores near or far, rounds in that state, variant, millions of samples a second, "
		"microseconds\n"
		"of all cores and sleeps of threads for a block, ratio to the fastest by hand (the limit) in "
		"the same\n"
		"round, and how long a firing of a device actor keeps its thread.\n");
	if (!cl_direct_open(&bench.cl) || pstk_devices(&info, 1) < 1) {
		if (bench.driver.mode == ROUNDS_LIST) {
			struct device_table table = new_table(bench.active.values[0]);

			device_bench_absent(&table, "there is no OpenCL device");
			return 0;
		}
		fprintf(stderr, "%s: there is no OpenCL device\n", argv[0]);
		return 1;
	}
	bench.device = info.selector;
	each(name_columns);
	rounds_require_choice(&bench.driver);
	prepare();
	if (bench.driver.mode == ROUNDS_TABLES)
		printf("%s (%s), block, active, Msamples/s; cpu us and sleeps a block; medians of %u "
		       "rounds\n",
			bench.device, info.name, bench.rounds);
	each(measure);
	pstk_network_destroy(forms);
	pstk_configuration_destroy(forms_conf);
	cl_direct_close(&bench.cl);
	return 0;
}
