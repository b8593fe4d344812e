/* SPDX-License-Identifier: MIT */
/*
 * Motion detection by StarPU on two workers of the processor: a handle for each buffer of one or several
 * frames, dependencies implicit: they follow from what tasks access, in the order of submission. The buffers
 * of so many tokens are used in turn and registered once.
 *
 * codelets  one for each actor
 * merged    source and gauss are one, threshold and median are one: StarPU takes microseconds for a task, and
 *           a frame stays in a core's cache
 *
 * The main thread submits while the workers compute, so that there are three threads.
 *
 * Usage: starpu_motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/peers/motion_ring.h"
#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/starpu_run.h"

enum { TOKENS_MOST = 16 };

struct way {
	uint32_t tokens, batch;
	bool merged;
};

/* The run, which codelets reach by itself: a task's argument is its token's number. */
static struct motion_ring ring;
static uint64_t hash; /* the sink's */

struct handles {
	starpu_data_handle_t frames[TOKENS_MOST], gauss[TOKENS_MOST + 1], moved[TOKENS_MOST],
		clean[TOKENS_MOST], sink;
};

static void source(void *buffers[], void *token)
{
	(void)buffers;
	motion_ring_source(&ring, (uintptr_t)token);
}

static void gauss(void *buffers[], void *token)
{
	(void)buffers;
	motion_ring_gauss(&ring, (uintptr_t)token);
}

static void threshold(void *buffers[], void *token)
{
	(void)buffers;
	motion_ring_threshold(&ring, (uintptr_t)token);
}

static void median(void *buffers[], void *token)
{
	(void)buffers;
	motion_ring_median(&ring, (uintptr_t)token);
}

static void sink(void *buffers[], void *token)
{
	(void)buffers;
	hash += motion_ring_sink(&ring, (uintptr_t)token);
}

static void source_gauss(void *buffers[], void *token)
{
	source(buffers, token);
	gauss(buffers, token);
}

static void threshold_median(void *buffers[], void *token)
{
	threshold(buffers, token);
	median(buffers, token);
}

static struct starpu_codelet source_codelet = {
	.cpu_funcs = { source }, .nbuffers = 1, .modes = { STARPU_W }, .name = "source"
};
static struct starpu_codelet gauss_codelet = {
	.cpu_funcs = { gauss }, .nbuffers = 2, .modes = { STARPU_R, STARPU_W }, .name = "gauss"
};
static struct starpu_codelet threshold_codelet = { .cpu_funcs = { threshold },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_R, STARPU_W },
	.name = "threshold" };
static struct starpu_codelet median_codelet = {
	.cpu_funcs = { median }, .nbuffers = 2, .modes = { STARPU_R, STARPU_W }, .name = "median"
};
static struct starpu_codelet sink_codelet = {
	.cpu_funcs = { sink }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "sink"
};

static struct starpu_codelet source_gauss_codelet = {
	.cpu_funcs = { source_gauss }, .nbuffers = 2, .modes = { STARPU_W, STARPU_W }, .name = "source, gauss"
};
static struct starpu_codelet threshold_median_codelet = { .cpu_funcs = { threshold_median },
	.nbuffers = 4,
	.modes = { STARPU_R, STARPU_R, STARPU_W, STARPU_W },
	.name = "threshold, median" };

static void open_handles(struct handles *h)
{
	for (uint32_t i = 0; i < ring.tokens; i++) {
		h->frames[i] = starpu_run_register(ring.frames + i * ring.stride, ring.stride);
		h->moved[i] = starpu_run_register(ring.moved + i * ring.stride, ring.stride);
		h->clean[i] = starpu_run_register(ring.clean + i * ring.stride, ring.stride);
	}
	for (uint32_t i = 0; i <= ring.tokens; i++)
		h->gauss[i] = starpu_run_register(ring.gauss + i * ring.stride, ring.stride);
	h->sink = starpu_run_register(&hash, sizeof hash);
}

static void close_handles(struct handles *h)
{
	for (uint32_t i = 0; i < ring.tokens; i++) {
		starpu_data_unregister(h->frames[i]);
		starpu_data_unregister(h->moved[i]);
		starpu_data_unregister(h->clean[i]);
	}
	for (uint32_t i = 0; i <= ring.tokens; i++)
		starpu_data_unregister(h->gauss[i]);
	starpu_data_unregister(h->sink);
}

static void submit_merged(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens, g = token % (ring.tokens + 1),
	       before = (token + ring.tokens) % (ring.tokens + 1);

	starpu_run_submit(
		&(struct starpu_run_task){ &source_gauss_codelet, { h->frames[i], h->gauss[g] }, token });
	starpu_run_submit(&(struct starpu_run_task){ &threshold_median_codelet,
		{ h->gauss[g], h->gauss[before], h->moved[i], h->clean[i] }, token });
	starpu_run_submit(&(struct starpu_run_task){ &sink_codelet, { h->clean[i], h->sink }, token });
}

static void submit(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens, g = token % (ring.tokens + 1),
	       before = (token + ring.tokens) % (ring.tokens + 1);

	starpu_run_submit(&(struct starpu_run_task){ &source_codelet, { h->frames[i] }, token });
	starpu_run_submit(&(struct starpu_run_task){ &gauss_codelet, { h->frames[i], h->gauss[g] }, token });
	starpu_run_submit(&(struct starpu_run_task){
		&threshold_codelet, { h->gauss[g], h->gauss[before], h->moved[i] }, token });
	starpu_run_submit(&(struct starpu_run_task){ &median_codelet, { h->moved[i], h->clean[i] }, token });
	starpu_run_submit(&(struct starpu_run_task){ &sink_codelet, { h->clean[i], h->sink }, token });
}

static uint64_t run(const void *arg, uint64_t frames)
{
	const struct way *way = arg;
	struct handles handles;

	hash = 0;
	motion_ring_open(&ring, way->tokens, way->batch);
	starpu_run_begin();
	open_handles(&handles);
	for (uint64_t token = 0; token < frames / way->batch; token++)
		(way->merged ? submit_merged : submit)(&handles, token);
	starpu_task_wait_for_all();
	close_handles(&handles);
	starpu_run_end();
	motion_ring_close(&ring);
	return hash;
}

static void add(void)
{
	static const struct way ways[] = { { 2, 1, 0 }, { 4, 1, 0 }, { 8, 1, 0 }, { 2, 4, 0 }, { 4, 4, 0 },
		{ 8, 4, 0 }, { 2, 8, 0 }, { 4, 8, 0 }, { 2, 16, 0 }, { 4, 1, 1 }, { 8, 1, 1 }, { 4, 2, 1 },
		{ 8, 2, 1 }, { 2, 4, 1 }, { 4, 4, 1 }, { 8, 4, 1 }, { 2, 8, 1 }, { 4, 8, 1 } };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		peer_add(run, &ways[i], "%s, tokens %u, r %u", ways[i].merged ? "merged" : "codelets",
			ways[i].tokens, ways[i].batch);
}

int main(int argc, char **argv)
{
	int status;

	starpu_run_open();
	status = peer_motion(argc, argv, add);
	starpu_run_close();
	return status;
}
