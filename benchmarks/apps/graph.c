/* SPDX-License-Identifier: MIT */
/*
 * Networks from graph files: what it takes to load one, against the same calls by hand, and whether it runs as fast.
 *
 * Loading: chains of the actor repeat. "by calls" is pstk_network_add() and pstk_connect() for each actor; "from a
 * file" reads the file, opens the plug-in that has the type, and makes these calls. Nothing runs. A figure is of one
 * actor with its FIFO: it is the same for ten times as many where loading is linear.
 *
 * Running: motion detection with the library's filters, built by calls or from a file; source and sink are the
 * program's in both. The time is that of benchmarks/motion; of the file without what loading it takes.
 *
 * Why it is fair: the same types, FIFOs and settings; outputs are compared.
 *
 * Usage: graph [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "benchmarks/common/rounds.h"

#include <penstock/actors.h>
#include <penstock/graph.h>

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *const plugins[] = { PLUGIN, NULL };

/* A file that the program writes, and removes at its end. */
static char path[] = "/tmp/penstock-graph-XXXXXX";

static FILE *rewrite(void)
{
	FILE *file = fopen(path, "w");

	if (!file)
		rounds_fail("%s can't be written", path);
	return file;
}

static struct pstk_graph *load(void)
{
	struct pstk_graph *g = pstk_graph_load(path, PSTK_GRAPH(.plugins = plugins, .unfinished = true));

	if (!pstk_graph_network(g))
		rounds_fail("%s", pstk_graph_problem(g, 0));
	return g;
}

/* -- loading -- */

static unsigned actors; /* of a chain */

static void write_chain(void)
{
	FILE *file = rewrite();

	fprintf(file, "network: chain\nactors:\n");
	for (unsigned i = 0; i < actors; i++)
		fprintf(file, "  a%u: {type: repeat, times: 1}\n", i);
	fprintf(file, "run: {team: 0}\nfifos:\n");
	for (unsigned i = 1; i < actors; i++)
		fprintf(file, "  - {from: a%u.out, to: a%u.in, rate: 4, token: f32}\n", i - 1, i);
	if (fclose(file))
		rounds_fail("%s can't be written", path);
}

/* What is compared. */
static uint64_t size_of(const struct pstk_network *net)
{
	return pstk_network_actor_count(net) + pstk_network_fifo_bytes(net);
}

static uint64_t run_load(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	(void)arg;
	for (; items; items -= actors) {
		struct pstk_graph *g = load();

		sum += size_of(pstk_graph_network(g));
		pstk_graph_destroy(g);
	}
	return sum;
}

static struct pstk_network *build(void)
{
	const struct pstk_repeat_arg once = { .times = 1 };
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor **all = rounds_alloc(actors * sizeof(*all));
	char name[16];

	pstk_network_set_threads(net, 0);
	for (unsigned i = 0; i < actors; i++) {
		snprintf(name, sizeof name, "a%u", i);
		all[i] = pstk_network_add(net, name, pstk_repeat_type(), (void *)(uintptr_t)&once);
	}
	for (unsigned i = 1; i < actors; i++)
		pstk_connect(all[i - 1], "out", all[i], "in", PSTK_FIFO(.rate = 4, .token_size = 4));
	free(all);
	if (pstk_network_problem(net, 0))
		rounds_fail("%s", pstk_network_problem(net, 0));
	return net;
}

static uint64_t run_build(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	(void)arg;
	for (; items; items -= actors) {
		struct pstk_network *net = build();

		sum += size_of(net);
		pstk_network_destroy(net);
	}
	return sum;
}

static void measure_loading(const struct rounds_options *o, unsigned count)
{
	static struct rounds_table table;
	char title[80];

	actors = count;
	snprintf(title, sizeof title, "building a chain of %u actors", actors);
	table = (struct rounds_table){ .title = title,
		.unit = "ns an actor",
		.scale = 1,
		.times = true,
		.least = actors,
		.family = "building a chain",
		.sweep = "actors",
		.at = actors };
	rounds_add(&table, run_build, NULL, "by calls")->versus = "calls";
	rounds_add(&table, run_load, NULL, "from a file");
	if (rounds_has_chosen(o, &table))
		write_chain();
	rounds_run(o, &table);
}

/* -- running -- */

static void write_motion(const struct motion_way *way)
{
	FILE *file = rewrite();

	fprintf(file,
		"network: motion\nactors:\n  gauss: {type: gauss5x5, width: %" PRIu32 ", height: %" PRIu32
		"}\n"
		"  thres: {type: threshold, threshold: %d}\n  median: {type: median5, width: %" PRIu32
		", height: %" PRIu32 "}\nfifos:\n"
		"  - {from: gauss.out, to: [thres.now, thres.before: {delay: 1}], rate: %" PRIu32
		", depth: %" PRIu32 ", token_size: %zu}\n"
		"  - {from: thres.out, to: median.in, rate: %" PRIu32 ", depth: %" PRIu32
		", token_size: %zu}\nrun: {team: %u}\n",
		motion_width(), motion_height(), MOTION_THRESHOLD, motion_width(), motion_height(), way->rate,
		way->depth, motion_frame_bytes(), way->rate, way->depth, motion_frame_bytes(), way->team);
	if (fclose(file))
		rounds_fail("%s can't be written", path);
}

/* Of the last run, without its loading. */
static struct rounds_cost cost;

static struct rounds_cost cost_now(void)
{
	struct timespec wall, cpu;
	struct rusage usage;

	clock_gettime(CLOCK_MONOTONIC, &wall);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	getrusage(RUSAGE_SELF, &usage);
	return (struct rounds_cost){ .seconds = (double)wall.tv_sec + (double)wall.tv_nsec * 1e-9,
		.cpu = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9,
		.switches = usage.ru_nvcsw };
}

static uint64_t run_motion(const void *arg, uint64_t items)
{
	const struct motion_way *way = arg;
	struct motion_run run = { .frames = items };
	struct pstk_graph *g = load();
	struct pstk_network *net = pstk_graph_network(g);
	const struct rounds_cost begin = cost_now();
	struct pstk_actor *ends[2];
	const struct pstk_fifo_spec *spec =
		PSTK_FIFO(.rate = way->rate, .depth = way->depth, .token_size = motion_frame_bytes());

	motion_add_ends(net, &run, ends);
	pstk_connect(ends[0], "out", pstk_network_actor(net, 0), "in", spec);
	pstk_connect(pstk_network_actor(net, 2), "out", ends[1], "in", spec);
	rounds_run_borrowed(net);
	pstk_graph_destroy(g);
	cost = cost_now();
	cost.seconds -= begin.seconds;
	cost.cpu -= begin.cpu;
	cost.switches -= begin.switches;
	return run.hash;
}

static void measure_running(const struct rounds_options *o)
{
	static const struct motion_way way = { .team = 2, .rate = 4, .depth = 4 };
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = 4 };
	struct rounds_variant *v;
	char title[80];

	motion_open();
	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32 ", from a graph file",
		motion_name(), motion_width(), motion_height());
	table.title = title;
	v = rounds_add(&table, motion_run_network, &way, "team 2, by calls");
	v->versus = "calls";
	v->role = ROUNDS_LIMIT;
	rounds_add(&table, run_motion, &way, "team 2, from a file")->cost = &cost;
	if (rounds_has_chosen(o, &table))
		write_motion(&way);
	rounds_run(o, &table);
	motion_close();
}

static void remove_file(void)
{
	unlink(path);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "S:", motion_option,
		"  -S WxH      size of a frame (320x240)\n\nNanoseconds for an actor of a network that is "
		"built, by calls or from a graph file; "
		"and motion\ndetection's frames a second by a network that was built so.\n");
	int file = mkstemp(path);

	if (file < 0 || close(file) || atexit(remove_file))
		rounds_fail("%s can't be written", path);
	measure_loading(&o, 1000);
	measure_loading(&o, 10000);
	measure_running(&o);
	return 0;
}
