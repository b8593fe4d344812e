/* SPDX-License-Identifier: MIT */
/*
 * Frames a second of the hand-written OpenCL pipeline (motion_opencl.h) in its variants, each as a ratio to a serial loop
 * over the C kernels in the same round. Every variant's maps are compared with the loop's before it is measured. The
 * fastest variant of a rate is the limit.
 *
 * Usage: opencl_limit [-s WxH] [-r RATES] [-k WINDOWS] [-m MEMORIES] [-q QUEUES] [-t THREADS] [-g GROUPS] [-n ROUNDS]
 * Each is a list with commas: -r 1,4 -k 2,4 -m fine,coarse,mapped,staged -q one,stages,cores -t 1,2 -g 0,1
 */
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/probe.h"
#include "benchmarks/limit/motion_opencl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	RING = 64,
	THRESHOLD = 20,
	LIST_MAX = 8,
	VARIANTS_MAX = 256,
	ROUNDS_MAX = 101,
	RATE_MAX = 32,
	SIDE_MAX = 16384
};

struct list {
	unsigned values[LIST_MAX];
	unsigned count;
};

struct variant {
	struct motion_options options;
	struct motion *motion;
	double fps[ROUNDS_MAX], ratio[ROUNDS_MAX];
	double cpu[ROUNDS_MAX]; /* us of all cores for one frame: tells on a busy machine too */
};

struct bench {
	uint32_t w, h;
	unsigned rounds;
	uint64_t frames_a_round;
	struct list rates, windows, memories, queues, threads, groups;
	struct cl_direct cl;
	uint8_t *frames; /* RING of them, rounded up to whole windows by repetition */
	uint8_t *maps, *expected, *scratch;
	double serial[ROUNDS_MAX], serial_cpu[ROUNDS_MAX]; /* frames a second, us a frame */
	struct variant variants[VARIANTS_MAX];
	unsigned count;
};

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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

/* What one core does without any library: the same work in a plain loop. */
static void serial(const struct bench *b, uint8_t *maps, uint64_t count)
{
	size_t bytes = (size_t)b->w * b->h;
	uint8_t *in = b->scratch, *before = in + bytes, *now = before + bytes, *moved = now + bytes,
		*out = moved + bytes;

	memset(before, 0, bytes);
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *swap = before;

		memcpy(in, b->frames + i % RING * bytes, bytes);
		ps_gauss5x5_frame(now, in, b->w, b->h);
		ps_threshold_bytes(moved, now, before, THRESHOLD, bytes);
		ps_median5_frame(out, moved, b->w, b->h);
		memcpy(maps + i % RING * bytes, out, bytes);
		before = now;
		now = swap;
	}
}

/* Ends the program if a variant's maps are not the loop's. Two rounds of the ring, so that every window is used again. */
static void verify(const struct bench *b, const struct variant *v)
{
	size_t bytes = (size_t)b->w * b->h;
	uint32_t rate = v->options.rate;

	memset(b->maps, 1, RING * bytes);
	motion_run(v->motion, b->frames, RING / rate, b->maps, RING / rate, 2 * RING / rate);
	if (!memcmp(b->maps, b->expected, RING * bytes))
		return;
	fprintf(stderr, "rate %u, %u windows, %s, %s: the maps are wrong\n", rate, v->options.windows,
		motion_memory_names[v->options.memory], motion_queues_names[v->options.queues]);
	exit(1);
}

static void add_variants(struct bench *b, uint32_t rate)
{
	const struct list *l[] = { &b->windows, &b->memories, &b->queues, &b->threads, &b->groups };
	unsigned all = 1;

	b->count = 0;
	for (unsigned i = 0; i < 5; i++)
		all *= l[i]->count;
	for (unsigned n = 0; n < all && b->count < VARIANTS_MAX; n++) {
		unsigned pick[5], rest = n;
		struct variant *v = &b->variants[b->count];

		for (unsigned i = 0; i < 5; i++) {
			pick[i] = l[i]->values[rest % l[i]->count];
			rest /= l[i]->count;
		}
		v->options = (struct motion_options){ .w = b->w,
			.h = b->h,
			.rate = rate,
			.threshold = THRESHOLD,
			.windows = pick[0],
			.memory = (enum motion_memory)pick[1],
			.queues = (enum motion_queues)pick[2],
			.two_threads = pick[3] == 2,
			.groups = pick[4] };
		if (motion_can(&b->cl, &v->options))
			b->count++;
	}
}

static void measure(struct bench *b, uint32_t rate)
{
	uint64_t windows = b->frames_a_round / rate;

	for (unsigned i = 0; i < b->count; i++) {
		b->variants[i].motion = motion_init(&b->cl, &b->variants[i].options);
		verify(b, &b->variants[i]);
	}
	for (unsigned round = 0; round < b->rounds; round++) {
		double begin = now_s(CLOCK_MONOTONIC), begin_cpu = now_s(CLOCK_PROCESS_CPUTIME_ID), base;

		serial(b, b->maps, b->frames_a_round);
		base = b->serial[round] = (double)b->frames_a_round / (now_s(CLOCK_MONOTONIC) - begin);
		b->serial_cpu[round] =
			(now_s(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu) * 1e6 / (double)b->frames_a_round;
		for (unsigned i = 0; i < b->count; i++) {
			struct variant *v = &b->variants[i];

			double cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);

			begin = now_s(CLOCK_MONOTONIC);
			motion_run(v->motion, b->frames, RING / rate, b->maps, RING / rate, windows);
			v->fps[round] = (double)(windows * rate) / (now_s(CLOCK_MONOTONIC) - begin);
			v->cpu[round] =
				(now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / (double)(windows * rate);
			v->ratio[round] = v->fps[round] / base;
		}
	}
	for (unsigned i = 0; i < b->count; i++)
		motion_free(b->variants[i].motion);
}

static void print(struct bench *b, uint32_t rate)
{
	double base = median(b->serial, b->rounds), best = 0;
	unsigned limit = 0;

	for (unsigned i = 0; i < b->count; i++) {
		struct variant *v = &b->variants[i];
		double ratio = median(v->ratio, b->rounds);

		printf("%4u %8s %8s %8u %8u %7u %8.1f %10.0f %8.2f\n", rate,
			motion_memory_names[v->options.memory], motion_queues_names[v->options.queues],
			v->options.windows, v->options.two_threads ? 2 : 1, v->options.groups,
			median(v->cpu, b->rounds), median(v->fps, b->rounds), ratio);
		if (ratio > best) {
			best = ratio;
			limit = i;
		}
	}
	if (!b->count)
		return;
	const struct motion_options *o = &b->variants[limit].options;

	printf("limit of rate %u: %s, %s, %u windows, %u threads, %u groups: %.2f x serial (%.0f frames/s, "
	       "%.1f cpu us)\n",
		rate, motion_memory_names[o->memory], motion_queues_names[o->queues], o->windows,
		o->two_threads ? 2 : 1, o->groups, best, base, median(b->serial_cpu, b->rounds));
	fflush(stdout);
}

static bool parse_numbers(struct list *list, const char *text, unsigned least, unsigned most)
{
	return number_list(text, least, most, list->values, LIST_MAX, &list->count);
}

static bool parse_names(struct list *list, char *text, const char *const *names, unsigned count)
{
	list->count = 0;
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		unsigned i = 0;

		while (i < count && strcmp(word, names[i]) != 0)
			i++;
		if (i == count || list->count == LIST_MAX)
			return false;
		list->values[list->count++] = i;
	}
	return list->count > 0;
}

static bool option(struct bench *b, int letter, char *text)
{
	switch (letter) {
	case 's':
		return number_size(text, SIDE_MAX, &b->w, &b->h);
	case 'r':
		if (!parse_numbers(&b->rates, text, 1, RATE_MAX))
			return false;
		for (unsigned i = 0; i < b->rates.count; i++)
			if (RING % b->rates.values[i])
				return false;
		return true;
	case 'k':
		return parse_numbers(&b->windows, text, 2, MOTION_WINDOWS_MAX);
	case 'm':
		return parse_names(&b->memories, text, motion_memory_names, MOTION_MEMORIES);
	case 'q':
		return parse_names(&b->queues, text, motion_queues_names, MOTION_QUEUES);
	case 't':
		return parse_numbers(&b->threads, text, 1, 2);
	case 'g':
		return parse_numbers(&b->groups, text, 0, SIDE_MAX);
	case 'n':
		return number_unsigned(text, 1, ROUNDS_MAX, &b->rounds);
	default:
		return false;
	}
}

static uint8_t *memory_of(size_t bytes)
{
	uint8_t *memory = malloc(bytes);
	uint32_t seed = 1;

	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		memory[i] = (uint8_t)(seed >> 24);
	}
	return memory;
}

static void run(struct bench *b)
{
	size_t bytes = (size_t)b->w * b->h;

	b->frames_a_round = 200000000 / bytes / RING * RING; /* about a tenth of a second */
	b->frames_a_round = b->frames_a_round ? b->frames_a_round : RING;
	b->frames = memory_of(RING * bytes);
	b->maps = memory_of(RING * bytes);
	b->expected = memory_of(RING * bytes);
	b->scratch = memory_of(5 * bytes);
	serial(b, b->expected, 2 * RING);
	printf("%s, %" PRIu32 "x%" PRIu32 ", medians of %u rounds\n%4s %8s %8s %8s %8s %7s %8s %10s %8s\n",
		b->cl.name, b->w, b->h, b->rounds, "rate", "memory", "queues", "windows", "threads", "groups",
		"cpu us", "frames/s", "x serial");
	for (unsigned i = 0; i < b->rates.count; i++) {
		add_variants(b, b->rates.values[i]);
		measure(b, b->rates.values[i]);
		print(b, b->rates.values[i]);
	}
	free(b->frames);
	free(b->maps);
	free(b->expected);
	free(b->scratch);
}

static void say_help(const char *program)
{
	printf("usage: %s [OPTION].., lists with commas\n"
	       "  -s WxH      size of a frame (320x240)\n"
	       "  -r RATES    frames in a window; they divide %d (1,4,8,16)\n"
	       "  -k WINDOWS  windows in flight (2,4)\n"
	       "  -m MEMORIES how frames come to the device: fine, coarse, mapped, staged (all)\n"
	       "  -q QUEUES   one, stages (one for each stage) or cores (all)\n"
	       "  -t THREADS  of the host, 1 or 2 (both)\n"
	       "  -g GROUPS   work-groups of a kernel; 0: as the kernel says (0)\n"
	       "  -n ROUNDS   rounds (7)\n\n"
	       "Motion detection on the first OpenCL device by hand. Columns: the options; cpu us, "
	       "microseconds of\n"
	       "all cores for a frame; frames/s; x serial, times as fast as a loop over the kernels in C on "
	       "one core\n"
	       "in the same round. The fastest variant of a rate is its limit.\n",
		program, RING);
}

int main(int argc, char **argv)
{
	static struct bench b = { .w = 320,
		.h = 240,
		.rounds = 7,
		.rates = { { 1, 4, 8, 16 }, 4 },
		.windows = { { 2, 4 }, 2 },
		.memories = { { MOTION_FINE, MOTION_COARSE, MOTION_MAPPED, MOTION_STAGED }, 4 },
		.queues = { { MOTION_ONE_QUEUE, MOTION_QUEUE_A_STAGE, MOTION_QUEUE_A_CORE }, 3 },
		.threads = { { 1, 2 }, 2 },
		.groups = { { 0 }, 1 } };
	int letter;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		say_help(argv[0]);
		return 0;
	}
	while ((letter = getopt(argc, argv, "s:r:k:m:q:t:g:n:")) != -1)
		if (!option(&b, letter, optarg)) {
			fprintf(stderr,
				"usage: %s [-s WxH] [-r RATES] [-k WINDOWS] [-m fine,coarse,mapped,staged] "
				"[-q one,stages,cores] [-t 1,2] [-g GROUPS] [-n ROUNDS]; rates divide %d\n",
				argv[0], RING);
			return 2;
		}
	if (!cl_direct_open(&b.cl)) {
		fprintf(stderr, "%s: there is no OpenCL device\n", argv[0]);
		return 1;
	}
	probe_print("before");
	run(&b);
	probe_print("after");
	cl_direct_close(&b.cl);
	return 0;
}
