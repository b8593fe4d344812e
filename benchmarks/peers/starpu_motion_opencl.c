/* SPDX-License-Identifier: MIT */
/*
 * Motion detection by StarPU on an OpenCL device, with the kernels and work sizes of the library's actors:
 * the table of benchmarks/motion_device, which has the library and the pipelines by hand.
 *
 * a codelet an actor  three tasks a token, asynchronous
 * one codelet         one task a token, which enqueues all three kernels
 *
 * Source and sink are tasks for a worker of the processor ("1 core"), or the main thread's work, which then
 * asks StarPU for the buffers. StarPU 1.3 gives a device buffers of its own, and copies to and from these: it
 * prefetches what the main thread has filled, and writes results through to the host's memory.
 *
 * Pipeline 4: the device's worker has so many tasks enqueued and polls, which on a device that is the
 * processor itself takes from the kernels' time. 0: it waits for each task, asleep. (STARPU_OPENCL_PIPELINE,
 * which is 2 by default.)
 *
 * Usage: starpu_motion_opencl [-S WxH] [-r FRAMES] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-v] [-q]
 */
#include "benchmarks/common/device_bench.h"
#include "benchmarks/common/number.h"
#include "benchmarks/limit/motion_opencl.h"
#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/starpu_opencl.h"

#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 64, THRESHOLD = 20, MOST = 16384 };

/* Constant while anything runs, but for what the sink fills. */
static struct {
	uint32_t w, h;
	struct cl_direct cl;
	uint8_t *frames, *expected; /* RING of them, again and again */
	uint8_t *maps;              /* the sink's */
	struct rounds_cost cost;    /* of the last run */
	uint32_t batch;             /* only this one; 0: all */
} bench = { .w = 320, .h = 240 };

struct way {
	uint32_t tokens, batch;
	unsigned cores, tasks;
	bool fused;
};

struct slot {
	uint8_t *in, *out;
	starpu_data_handle_t frames, moved, clean;
};

/* The run, which codelets reach by themselves: a task's argument is its token's number. */
static struct {
	const struct way *way;
	size_t bytes;    /* of a token */
	uint8_t *before; /* the token before the first: zeros */
	struct slot slots[STARPU_OPENCL_TOKENS];
	starpu_data_handle_t blurred[STARPU_OPENCL_TOKENS + 1], order;
} now;

/* -- source and sink -- */

static void fill(uint64_t token)
{
	memcpy(now.slots[token % now.way->tokens].in,
		bench.frames + token % (RING / now.way->batch) * now.bytes, now.bytes);
}

static void take(uint64_t token)
{
	memcpy(bench.maps + token % (RING / now.way->batch) * now.bytes,
		now.slots[token % now.way->tokens].out, now.bytes);
}

static void source(void *buffers[], void *token)
{
	(void)buffers;
	fill((uintptr_t)token);
}

static void sink(void *buffers[], void *token)
{
	(void)buffers;
	take((uintptr_t)token);
}

static struct starpu_codelet source_codelet = {
	.cpu_funcs = { source }, .nbuffers = 1, .modes = { STARPU_W }, .name = "source"
};
static struct starpu_codelet sink_codelet = {
	.cpu_funcs = { sink }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "sink"
};

/* -- a run -- */

static starpu_data_handle_t register_bytes(void *at)
{
	starpu_data_handle_t handle;

	starpu_vector_data_register(
		&handle, at ? STARPU_MAIN_RAM : -1, (uintptr_t)at, (uint32_t)now.bytes, 1);
	return handle;
}

static void *host_memory(void)
{
	void *memory;

	if (starpu_malloc(&memory, now.bytes))
		peer_fail("out of memory");
	memset(memory, 0, now.bytes);
	return memory;
}

static void open_buffers(void)
{
	uint32_t tokens = now.way->tokens;

	for (uint32_t i = 0; i < tokens; i++) {
		struct slot *s = &now.slots[i];

		s->in = host_memory();
		s->out = host_memory();
		s->frames = register_bytes(s->in);
		s->clean = register_bytes(s->out);
		starpu_data_set_wt_mask(s->clean, 1 << STARPU_MAIN_RAM);
		s->moved = register_bytes(NULL);
		now.blurred[i] = register_bytes(NULL);
	}
	now.before = host_memory();
	now.blurred[tokens] = register_bytes(now.before);
	starpu_variable_data_register(&now.order, STARPU_MAIN_RAM, (uintptr_t)&now.way, sizeof now.way);
}

static void close_buffers(void)
{
	uint32_t tokens = now.way->tokens;

	for (uint32_t i = 0; i < tokens; i++) {
		struct slot *s = &now.slots[i];

		starpu_data_unregister(s->frames);
		starpu_data_unregister(s->clean);
		starpu_data_unregister_no_coherency(s->moved);
		starpu_data_unregister_no_coherency(now.blurred[i]);
		starpu_free(s->in);
		starpu_free(s->out);
	}
	starpu_data_unregister_no_coherency(now.blurred[tokens]);
	starpu_data_unregister(now.order);
	starpu_free(now.before);
}

static void submit(struct starpu_codelet *codelet, uint64_t token, const starpu_data_handle_t *handles)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	for (int i = 0; i < codelet->nbuffers; i++)
		task->handles[i] = handles[i];
	/* the number itself: nothing to copy */
	task->cl_arg = (void *)(uintptr_t)token;
	if (starpu_task_submit(task))
		peer_fail("StarPU takes no task");
}

#define SUBMIT(codelet, token, ...) submit(codelet, token, (const starpu_data_handle_t[]){ __VA_ARGS__ })

static void submit_device(uint64_t token)
{
	uint32_t tokens = now.way->tokens;
	struct slot *s = &now.slots[token % tokens];
	starpu_data_handle_t blurred = now.blurred[token % (tokens + 1)],
			     before = now.blurred[(token + tokens) % (tokens + 1)];

	if (now.way->fused) {
		SUBMIT(&starpu_opencl_all, token, s->frames, blurred, before, s->moved, s->clean);
		return;
	}
	SUBMIT(&starpu_opencl_gauss, token, s->frames, blurred);
	SUBMIT(&starpu_opencl_threshold, token, blurred, before, s->moved);
	SUBMIT(&starpu_opencl_median, token, s->moved, s->clean);
}

/* The tasks of all tokens, with not more of them waiting than there are buffers for, twice. */
static void run_tasks(uint64_t tokens)
{
	int most = (int)now.way->tokens * (now.way->fused ? 6 : 10);

	for (uint64_t token = 0; token < tokens; token++) {
		struct slot *s = &now.slots[token % now.way->tokens];

		SUBMIT(&source_codelet, token, s->frames);
		submit_device(token);
		SUBMIT(&sink_codelet, token, s->clean, now.order);
		if (starpu_task_nsubmitted() > most)
			starpu_task_wait_for_n_submitted((unsigned)most / 2);
	}
}

static void acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	if (starpu_data_acquire(handle, mode))
		peer_fail("StarPU doesn't let the main thread have a buffer");
}

static void drain(uint64_t token)
{
	starpu_data_handle_t clean = now.slots[token % now.way->tokens].clean;

	acquire(clean, STARPU_R);
	take(token);
	starpu_data_release(clean);
}

/* The main thread is source and sink, a token being drained when its buffers are needed. */
static void run_main(uint64_t tokens)
{
	uint64_t drained = 0;

	for (uint64_t token = 0; token < tokens; token++) {
		starpu_data_handle_t frames = now.slots[token % now.way->tokens].frames;

		if (token >= now.way->tokens)
			drain(drained++);
		acquire(frames, STARPU_W);
		fill(token);
		starpu_data_release(frames);
		starpu_data_prefetch_on_node(frames, starpu_opencl_node(), 1);
		submit_device(token);
	}
	while (drained < tokens)
		drain(drained++);
}

static struct rounds_cost cost_of(const struct device_cost *cost, uint64_t frames)
{
	return (struct rounds_cost){ .seconds = (double)frames / cost->rate,
		.cpu = cost->cpu_us * 1e-6 * (double)frames,
		.switches = (long)(cost->sleeps * (double)frames + 0.5) };
}

/* Byte by byte, so that there is no hash to compare. Ends the program. */
static void verify(void)
{
	if (memcmp(bench.maps, bench.expected, (size_t)RING * bench.w * bench.h))
		peer_fail("the maps are wrong");
}

/* What StarPU takes to start, and kernels to be built, doesn't count. */
static uint64_t run(const void *arg, uint64_t frames)
{
	const struct way *way = arg;
	struct device_moment begin, end;
	struct device_cost cost;

	now.way = way;
	now.bytes = (size_t)bench.w * bench.h * way->batch;
	memset(bench.maps, 0, (size_t)RING * bench.w * bench.h);
	starpu_opencl_open(&(struct starpu_opencl_options){ .w = bench.w,
				   .h = bench.h,
				   .tokens = way->tokens,
				   .batch = way->batch,
				   .threshold = THRESHOLD,
				   .cores = way->cores,
				   .tasks = way->tasks },
		bench.cl.is_cpu);
	open_buffers();
	begin = device_now();
	if (way->cores)
		run_tasks(frames / way->batch);
	else
		run_main(frames / way->batch);
	starpu_task_wait_for_all();
	end = device_now();
	close_buffers();
	starpu_opencl_close();
	cost = device_cost_between(&begin, &end, (double)frames);
	bench.cost = cost_of(&cost, frames);
	verify();
	return 0;
}

/* -- by hand, so that this table is of use alone; benchmarks/motion_device has more of them -- */

static const uint32_t batches[] = { 1, 4, 8, 16, 32 };
enum { BATCHES = sizeof batches / sizeof *batches };

static struct motion_options hand_options(uint32_t batch)
{
	return (struct motion_options){ .w = bench.w,
		.h = bench.h,
		.rate = batch,
		.threshold = THRESHOLD,
		.windows = 4,
		.memory = MOTION_FINE,
		.queues = MOTION_ONE_QUEUE };
}

static uint64_t run_by_hand(const void *arg, uint64_t frames)
{
	const uint32_t *batch = arg;
	struct motion_options o = hand_options(*batch);
	struct motion *motion = motion_init(&bench.cl, &o);
	struct device_moment begin = device_now(), end;
	struct device_cost cost;

	motion_run(motion, bench.frames, RING / *batch, bench.maps, RING / *batch, frames / *batch);
	end = device_now();
	cost = device_cost_between(&begin, &end, (double)frames);
	bench.cost = cost_of(&cost, frames);
	motion_free(motion);
	verify();
	return 0;
}

/* -- the table -- */

/* Each with every batch. */
static const struct way ways[] = {
	{ .tokens = 4, .cores = 1, .tasks = 0 },
	{ .tokens = 8, .cores = 1, .tasks = 0 },
	{ .tokens = 8, .cores = 1, .tasks = 4 },
	{ .tokens = 4, .tasks = 0 },
	{ .tokens = 8, .tasks = 4 },
	{ .tokens = 4, .cores = 1, .tasks = 0, .fused = true },
	{ .tokens = 4, .tasks = 0, .fused = true },
	{ .tokens = 8, .tasks = 4, .fused = true },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void add_batch(struct rounds_table *table, uint32_t b)
{
	static struct way all[BATCHES][WAYS];
	struct motion_options hand = hand_options(batches[b]);
	struct rounds_variant *v;

	if (motion_can(&bench.cl, &hand)) {
		v = rounds_add(table, run_by_hand, &batches[b],
			"by hand, %s, 4 windows, %s, 1 thread, r %" PRIu32, motion_memory_names[hand.memory],
			motion_queues_names[hand.queues], batches[b]);
		v->role = ROUNDS_LIMIT;
		v->cost = &bench.cost;
		v->versus = batches[b] == 8 ? "by hand, r 8" : NULL; /* about its best */
	}
	for (unsigned i = 0; i < WAYS; i++) {
		struct way *w = &all[b][i];

		*w = ways[i];
		w->batch = batches[b];
		v = rounds_add(table, run, w, "StarPU, %s, %s, pipeline %u, tokens %u, r %" PRIu32,
			w->fused ? "one codelet" : "a codelet an actor", w->cores ? "1 core" : "main thread",
			w->tasks, w->tokens, w->batch);
		v->role = ROUNDS_PEER;
		v->cost = &bench.cost;
	}
}

static bool option(int c, const char *arg)
{
	if (c == 'r') {
		bool right = number_unsigned(arg, 1, MOTION_DEVICE_LEAST, &bench.batch);

		for (unsigned b = 0; right && b < BATCHES; b++)
			if (bench.batch == batches[b])
				return true;
		return false;
	}
	return c == 'S' && number_size(arg, MOST, &bench.w, &bench.h) &&
	       (uint64_t)bench.w * bench.h % STARPU_OPENCL_ALIGN == 0;
}

/* What is to come out, from the C kernels. */
static void prepare(void)
{
	size_t bytes = (size_t)bench.w * bench.h;
	uint8_t *blurred = peer_alloc((RING + 1) * bytes), *moved = blurred + RING * bytes;
	uint32_t seed = 1;

	bench.frames = peer_alloc(RING * bytes);
	bench.maps = peer_alloc(RING * bytes);
	bench.expected = peer_alloc(RING * bytes);
	for (size_t i = 0; i < RING * bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		bench.frames[i] = (uint8_t)(seed >> 24);
	}
	for (size_t i = 0; i < RING; i++)
		ps_gauss5x5_frame(blurred + i * bytes, bench.frames + i * bytes, bench.w, bench.h);
	for (size_t i = 0; i < RING; i++) {
		ps_threshold_bytes(moved, blurred + i * bytes, blurred + (i + RING - 1) % RING * bytes,
			THRESHOLD, bytes);
		ps_median5_frame(bench.expected + i * bytes, moved, bench.w, bench.h);
	}
	free(blurred);
}

int main(int argc, char **argv)
{
	static char title[64];
	static struct rounds_table table = {
		.title = title, .unit = "frames/s", .scale = 1, .least = MOTION_DEVICE_LEAST
	};
	struct rounds_options o = rounds_parse(argc, argv, "S:r:", option,
		"  -S WxH      size of a frame (320x240), a multiple of 128 pixels\n"
		"  -r FRAMES   in a token: 1, 4, 8, 16 or 32 (all of these)\n");
	bool found = cl_direct_open(&bench.cl);

	snprintf(title, sizeof title, "motion detection on a device, %" PRIu32 "x%" PRIu32, bench.w, bench.h);
	if (!found) {
		if (o.mode != ROUNDS_LIST)
			peer_fail("there is no OpenCL device");
		rounds_add(&table, run, NULL, "StarPU")->absent = "there is no OpenCL device";
	} else {
		prepare();
		for (uint32_t b = 0; b < BATCHES; b++)
			if (!bench.batch || bench.batch == batches[b])
				add_batch(&table, b);
	}
	rounds_run(&o, &table);
	if (found) {
		free(bench.frames);
		free(bench.maps);
		free(bench.expected);
		cl_direct_close(&bench.cl);
	}
	return 0;
}
