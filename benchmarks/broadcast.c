/* SPDX-License-Identifier: MIT */
/*
 * What readers that share one buffer save: a broadcast of frames to several readers, and motion detection on the
 * cores, with shared buffers and with a copy a reader (PENSTOCK_SHARE=0), in turn. Prints frames a second and their
 * ratio, medians.
 *
 * Usage: broadcast [-s WxH] [-r RATE] [-k READERS] [-n ROUNDS] [-f FRAMES]
 */
#include <penstock/actors.h>
#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 101, READERS_MAX = 64, LINE = 64, THRESHOLD = 20 };

struct bench {
	uint32_t w, h, rate;
	unsigned readers, rounds;
	uint64_t windows;
};

/* What the actors of a run share; each counter is its own actor's. */
struct run {
	const struct bench *bench;
	uint64_t wrong[READERS_MAX], sum;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t window_bytes(const struct bench *b)
{
	return (size_t)b->w * b->h * b->rate;
}

/* Frames of one grey, another one in each window. */
static int source_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	memset(pstk_fifo_write_start(f, 0), (uint8_t)(i * 37), window_bytes(run->bench));
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->bench->windows ? PSTK_DONE : PSTK_AGAIN;
}

struct reader {
	struct run *run;
	unsigned number;
};

/* Looks at each cache line. */
static int reader_fire(struct pstk_firing *f)
{
	const struct reader *r = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0), expected = (uint8_t)(pstk_firing_index(f) * 37);
	uint64_t wrong = 0;

	for (size_t i = 0; i < window_bytes(r->run->bench); i += LINE)
		wrong += in[i] != expected;
	r->run->wrong[r->number] += wrong;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int sum_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0);

	for (size_t i = 0; i < window_bytes(run->bench); i += LINE)
		run->sum = run->sum * 31 + in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port out_port = { .name = "out", .kind = PSTK_OUTPUT },
			      in_port = { .name = "in", .kind = PSTK_INPUT };

static struct pstk_actor *add_source(struct pstk_network *net, struct run *run)
{
	return pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out_port, .port_count = 1, .fire = source_fire),
		run);
}

static void build_broadcast(struct pstk_network *net, struct run *run)
{
	static struct reader readers[READERS_MAX];
	const struct bench *b = run->bench;
	struct pstk_actor *source = add_source(net, run);

	for (unsigned i = 0; i < b->readers; i++) {
		char name[24];

		snprintf(name, sizeof name, "reader%u", i);
		readers[i] = (struct reader){ run, i };
		pstk_connect(source, "out",
			pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "reader", .ports = &in_port, .port_count = 1,
					.fire = reader_fire),
				&readers[i]),
			"in", PSTK_FIFO(.rate = b->rate, .token_size = (size_t)b->w * b->h));
	}
}

static void build_motion(struct pstk_network *net, struct run *run)
{
	const struct bench *b = run->bench;
	struct pstk_frame_size size = { b->w, b->h };
	struct pstk_threshold_arg threshold = { THRESHOLD };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *source = add_source(net, run),
			  *gauss = pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size),
			  *thres = pstk_network_add(net, "thres", pstk_threshold_type(), &threshold),
			  *med = pstk_network_add(net, "med", pstk_median5_type(), &size),
			  *sink = pstk_network_add(net, "sink",
				  PSTK_ACTOR_TYPE(.name = "sink", .ports = &in_port, .port_count = 1,
					  .fire = sum_fire),
				  run);

	spec.rate = b->rate;
	spec.token_size = (size_t)b->w * b->h;
	pstk_connect(source, "out", gauss, "in", &spec);
	pstk_connect(gauss, "out", thres, "now", &spec);
	pstk_connect(thres, "out", med, "in", &spec);
	pstk_connect(med, "out", sink, "in", &spec);
	spec.delay = 1;
	pstk_connect(gauss, "out", thres, "before", &spec);
}

struct way {
	double fps[ROUNDS_MAX];
	uint64_t sum;
	size_t bytes;
};

/* Ends the program on an error. */
static void run_once(const struct bench *b, void (*build)(struct pstk_network *, struct run *), bool share,
	struct way *way, unsigned round)
{
	struct pstk_network *net = pstk_network_create("broadcast");
	struct run run = { .bench = b };
	double begin;

	setenv("PENSTOCK_SHARE", share ? "1" : "0", 1);
	build(net, &run);
	way->bytes = pstk_network_shared_bytes(net);
	begin = now_s();
	if (pstk_network_run(net)) {
		fprintf(stderr, "broadcast: %s\n", pstk_network_error(net));
		exit(1);
	}
	way->fps[round] = (double)(b->windows * b->rate) / (now_s() - begin);
	pstk_network_destroy(net);
	way->sum = run.sum;
	for (unsigned i = 0; i < b->readers; i++)
		if (run.wrong[i]) {
			fprintf(stderr, "broadcast: reader %u saw %" PRIu64 " wrong bytes\n", i,
				run.wrong[i]);
			exit(1);
		}
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

static void measure(
	const struct bench *b, const char *name, void (*build)(struct pstk_network *, struct run *))
{
	static struct way ways[2]; /* copies, shared */
	static double ratios[ROUNDS_MAX];

	for (unsigned round = 0; round < b->rounds; round++) {
		for (unsigned k = 0; k < 2; k++)
			run_once(b, build, (k + round) % 2, &ways[(k + round) % 2], round);
		if (ways[0].sum != ways[1].sum) {
			fprintf(stderr, "broadcast: %s: the results differ\n", name);
			exit(1);
		}
		ratios[round] = ways[1].fps[round] / ways[0].fps[round];
	}
	printf("%-18s rate %" PRIu32 "  copies %9.0f frames/s %7.3f MB  shared %9.0f frames/s %7.3f MB", name,
		b->rate, median(ways[0].fps, b->rounds), (double)ways[0].bytes / 1e6,
		median(ways[1].fps, b->rounds), (double)ways[1].bytes / 1e6);
	printf("  x%.2f", median(ratios, b->rounds));
	printf(" (%.2f to %.2f)\n", ratios[0], ratios[b->rounds - 1]);
}

static void usage(void)
{
	fputs("usage: broadcast [-s WxH] [-r RATE] [-k READERS] [-n ROUNDS] [-f FRAMES]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct bench b = { .w = 320, .h = 240, .rate = 1, .readers = 4, .rounds = 11 };
	uint64_t frames = 4000;
	char name[32];
	int option;

	while ((option = getopt(argc, argv, "s:r:k:n:f:")) != -1) {
		bool good = option == 's'   ? sscanf(optarg, "%" SCNu32 "x%" SCNu32, &b.w, &b.h) == 2
		            : option == 'r' ? sscanf(optarg, "%" SCNu32, &b.rate) == 1
		            : option == 'k' ? sscanf(optarg, "%u", &b.readers) == 1
		            : option == 'n' ? sscanf(optarg, "%u", &b.rounds) == 1
		            : option == 'f' ? sscanf(optarg, "%" SCNu64, &frames) == 1
		                            : false;

		if (!good)
			usage();
	}
	if (optind != argc || !b.w || !b.h || !b.rate || !b.readers || b.readers > READERS_MAX || !b.rounds ||
		b.rounds > ROUNDS_MAX || frames < b.rate)
		usage();
	b.windows = frames / b.rate;
	snprintf(name, sizeof name, "%u readers", b.readers);
	measure(&b, name, build_broadcast);
	measure(&b, "motion detection", build_motion);
	return 0;
}
