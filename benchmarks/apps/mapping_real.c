/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "benchmarks/apps/mapping_real.h"
#include "benchmarks/apps/mapping_rows.h"
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/peers/hop_tbb.h"
#include "benchmarks/peers/mapping_tbb.h"

#include <penstock/actors.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 2, IN = 0, OUT = 1, LARGE_WIDTH = 1280, LARGE_HEIGHT = 720 };

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static struct rounds_options options_of(const struct mapping_how *how)
{
	return (struct rounds_options){
		.program = "mapping", .rounds = how->rounds, .seconds = how->seconds, .mode = ROUNDS_TABLES
	};
}

/* -- gauss and median -- */

struct run {
	uint64_t frames, hash;
};

struct way {
	const char *configuration; /* NULL: no pipeline, a team */
	unsigned depth, tokens;
};

static int source_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f);

	motion_source(pstk_fifo_write_start(f, 0), index);
	pstk_fifo_write_end(f, 0);
	return index + 1 == run->frames ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));

	run->hash += motion_sink(pstk_fifo_read_start(f, 0), pstk_firing_index(f));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int fire_filter(struct pstk_firing *f, void (*filter)(uint8_t *frame, const uint8_t *in))
{
	const uint8_t *in = pstk_fifo_read_start(f, IN);
	uint8_t *out = pstk_fifo_write_start(f, OUT);

	filter(out, in);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int gauss_fire(struct pstk_firing *f)
{
	return fire_filter(f, motion_gauss);
}

static int median_fire(struct pstk_firing *f)
{
	return fire_filter(f, motion_median);
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned first, unsigned count,
	int (*fire)(struct pstk_firing *), void *arg)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = &ports[first], .port_count = count, .fire = fire,
			.stateless = !arg),
		arg);
}

static uint64_t run_network(const void *arg, uint64_t frames)
{
	const struct way *way = arg;
	struct run run = { .frames = frames };
	struct pstk_network *net = pstk_network_create("real");
	struct pstk_frame_size size = { motion_width(), motion_height() };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *row[4];

	row[0] = add(net, "source", OUT, 1, source_fire, &run);
	row[1] = motion_is_light() ? pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size)
	                           : add(net, "gauss", IN, 2, gauss_fire, NULL);
	row[2] = motion_is_light() ? pstk_network_add(net, "median", pstk_median5_type(), &size)
	                           : add(net, "median", IN, 2, median_fire, NULL);
	row[3] = add(net, "sink", IN, 1, sink_fire, &run);
	spec.rate = 1;
	spec.depth = way->depth;
	spec.token_size = motion_frame_bytes();
	for (unsigned i = 0; i < 3; i++)
		pstk_connect(row[i], "out", row[i + 1], "in", &spec);
	if (way->configuration)
		pstk_pipeline_add(net, "pipeline", row + 1, 2,
			PSTK_PIPELINE(.configuration = way->configuration, .cores = CORES));
	pstk_network_set_threads(net, CORES);
	rounds_run_network(net);
	return run.hash;
}

static uint64_t run_serial(const void *arg, uint64_t frames)
{
	uint8_t *memory = rounds_alloc(3 * motion_frame_bytes());
	uint64_t hash = 0;

	(void)arg;
	for (uint64_t i = 0; i < frames; i++) {
		motion_source(memory, i);
		motion_gauss(memory + motion_frame_bytes(), memory);
		motion_median(memory + 2 * motion_frame_bytes(), memory + motion_frame_bytes());
		hash += motion_sink(memory + 2 * motion_frame_bytes(), i);
	}
	free(memory);
	return hash;
}

#ifdef HOP_TBB
static uint64_t run_tbb(const void *arg, uint64_t frames)
{
	return mapping_tbb_run(frames, ((const struct way *)arg)->tokens, CORES);
}
#endif

static void measure_frames(const struct mapping_how *how)
{
	static const struct way ways[] = { { .configuration = "CPU-CG:00:1" },
		{ .configuration = "CPU-CG:00:2" }, { .configuration = "CPU-CG:00:3" } };
	static const struct way teams[] = { { .depth = 2 }, { .depth = 4 } };
	struct rounds_options o = options_of(how);
	struct rounds_table t = { .unit = "frames/s", .scale = 1, .least = 1 };
	char title[80];
	struct rounds_variant *v;

	snprintf(title, sizeof title, "gauss and median, %s, %ux%u", motion_name(), motion_width(),
		motion_height());
	t.title = title;
	v = rounds_add(&t, run_serial, NULL, "serial");
	v->one_thread = true;
	v->versus = "serial";
	v = rounds_add(&t, run_network, &teams[0], "team 2, depth 2");
	v->versus = "team";
	rounds_add(&t, run_network, &teams[1], "team 2, depth 4");
#ifdef HOP_TBB
	static const struct way tokens[] = { { .tokens = 2 }, { .tokens = 4 } };

	v = rounds_add(&t, run_tbb, &tokens[0], "oneTBB pipeline, 2 tokens");
	v->versus = "oneTBB";
	rounds_add(&t, run_tbb, &tokens[1], "oneTBB pipeline, 4 tokens");
#endif
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		rounds_add(&t, run_network, &ways[i], "pipeline, %s", ways[i].configuration);
	rounds_run(&o, &t);
}

void mapping_real_coarse(const struct mapping_how *how)
{
	motion_open();
	measure_frames(how);
	motion_close();
	motion_option('H', NULL);
	motion_open();
	measure_frames(how);
	motion_close();
}

/* -- one large frame -- */

static uint8_t *large; /* the frame that all runs filter */

static void make_large(void)
{
	uint32_t seed = 1;

	large = rounds_alloc((size_t)LARGE_WIDTH * LARGE_HEIGHT);
	for (size_t i = 0; i < (size_t)LARGE_WIDTH * LARGE_HEIGHT; i++) {
		seed = seed * 1664525 + 1013904223;
		large[i] = (uint8_t)(seed >> 24);
	}
}

static struct mapping_rows rows_into(uint8_t *to)
{
	return (struct mapping_rows){ .to = to, .from = large, .width = LARGE_WIDTH, .height = LARGE_HEIGHT };
}

static uint64_t hash_of(const uint8_t *frame, uint64_t index)
{
	return rounds_hash_at(rounds_hash(frame, (size_t)LARGE_WIDTH * LARGE_HEIGHT), index);
}

static int rows_fire(struct pstk_firing *f)
{
	const uint8_t *in = pstk_fifo_read_start(f, IN);
	struct mapping_rows rows = rows_into(pstk_fifo_write_start(f, OUT));

	(void)in; /* its number: all frames are alike, and none is copied */
	pstk_parallel_for(f, rows.height, 0, mapping_rows_filter, &rows);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int number_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));

	*(uint64_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 == run->frames ? PSTK_DONE : PSTK_AGAIN;
}

static int large_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));

	run->hash += hash_of(pstk_fifo_read_start(f, 0), pstk_firing_index(f));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static uint64_t run_large(const void *configuration, uint64_t frames)
{
	struct run run = { .frames = frames };
	struct pstk_network *net = pstk_network_create("large");
	struct pstk_actor *row[3] = { add(net, "source", OUT, 1, number_fire, &run),
		add(net, "filter", IN, 2, rows_fire, NULL), add(net, "sink", IN, 1, large_fire, &run) };

	pstk_connect(row[0], "out", row[1], "in", PSTK_FIFO(.token_size = sizeof(uint64_t), .rate = 1));
	pstk_connect(row[1], "out", row[2], "in",
		PSTK_FIFO(.token_size = (size_t)LARGE_WIDTH * LARGE_HEIGHT, .rate = 1));
	pstk_pipeline_add(net, "pipeline", row + 1, 1,
		PSTK_PIPELINE(.configuration = configuration, .cores = CORES, .in_flight = 2));
	rounds_run_network(net);
	return run.hash;
}

static uint64_t run_openmp(const void *threads, uint64_t frames)
{
	uint8_t *to = rounds_alloc((size_t)LARGE_WIDTH * LARGE_HEIGHT);
	struct mapping_rows rows = rows_into(to);
	uint64_t hash = 0;

	for (uint64_t i = 0; i < frames; i++) {
		if (threads)
			mapping_rows_openmp(&rows, *(const unsigned *)threads);
		else
			mapping_rows_filter(&rows, 0, rows.height);
		hash += hash_of(to, i);
	}
	free(to);
	return hash;
}

void mapping_real_medium(const struct mapping_how *how)
{
	static const unsigned threads = CORES;
	struct rounds_options o = options_of(how);
	struct rounds_table t = {
		.title = "rows of a frame of 1280x720", .unit = "frames/s", .scale = 1, .least = 1
	};
	struct mapping_rows none = { .height = 0 };
	struct rounds_variant *v;

	make_large();
	v = rounds_add(&t, run_openmp, NULL, "serial");
	v->one_thread = true;
	v->versus = "serial";
	if (mapping_rows_openmp(&none, CORES)) {
		v = rounds_add(&t, run_openmp, &threads, "OpenMP, parallel for, %u threads", threads);
		v->versus = "OpenMP";
	}
	rounds_add(&t, run_large, "CPU-MG:0:3", "pipeline, CPU-MG:0:3");
	rounds_add(&t, run_large, "CPU-CG:0:2", "pipeline, CPU-CG:0:2");
	rounds_run(&o, &t);
	free(large);
}
