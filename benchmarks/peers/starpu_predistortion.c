/* SPDX-License-Identifier: MIT */
/*
 * Predistortion by StarPU on two workers of the processor.
 *
 * codelets a branch  a codelet for each actor; of filters only those that are active are submitted
 * codelets a block   a block's filters and adder are one task, and may run beside those of other blocks: what
 *                    they remember is set aside before, in order
 * merged codelets    the same, and source, polynomial and setting aside are one task: StarPU takes
 *                    microseconds for each, and a block stays in a core's cache
 *
 * A handle is a block's samples before or after the polynomial, or its sum. The filters read what the
 * adder "writes", so that it comes after as many of them as there are; it reads the set of branches, as all
 * do, which lies with the samples before the polynomial. The main thread submits, so that there are three
 * threads.
 *
 * Usage: starpu_predistortion [-a ACTIVE] [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/peers/peer.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/peers/predistortion_ring.h"
#include "benchmarks/peers/starpu_run.h"

enum { TOKENS_MOST = 8, BRANCHES = HAMMERSTEIN_BRANCHES };

/* The run, which codelets reach by itself: a task's argument is its token's number, and its branch. */
static struct predistortion_ring ring;
static uint64_t hash; /* the sink's */

struct handles {
	starpu_data_handle_t in[TOKENS_MOST], powers[TOKENS_MOST], sum[TOKENS_MOST], past[BRANCHES], all_past,
		sink;
};

static void source(void *buffers[], void *token)
{
	(void)buffers;
	predistortion_ring_source(&ring, (uintptr_t)token);
}

static void polynomial(void *buffers[], void *token)
{
	(void)buffers;
	predistortion_ring_polynomial(&ring, (uintptr_t)token);
}

static void filter(void *buffers[], void *token_and_branch)
{
	uintptr_t number = (uintptr_t)token_and_branch;

	(void)buffers;
	predistortion_ring_filter(&ring, number / BRANCHES, (unsigned)(number % BRANCHES));
}

static void past(void *buffers[], void *token)
{
	(void)buffers;
	predistortion_ring_past(&ring, (uintptr_t)token);
}

static void add_up(void *buffers[], void *token)
{
	(void)buffers;
	predistortion_ring_add(&ring, (uintptr_t)token);
}

static void filter_all(void *buffers[], void *token)
{
	(void)buffers;
	predistortion_ring_filters(&ring, (uintptr_t)token);
	predistortion_ring_add(&ring, (uintptr_t)token);
}

static void before_filters(void *buffers[], void *token)
{
	source(buffers, token);
	polynomial(buffers, token);
	past(buffers, token);
}

static void sink(void *buffers[], void *token)
{
	(void)buffers;
	hash += predistortion_ring_sink(&ring, (uintptr_t)token);
}

static struct starpu_codelet source_codelet = {
	.cpu_funcs = { source }, .nbuffers = 1, .modes = { STARPU_W }, .name = "source"
};
static struct starpu_codelet polynomial_codelet = {
	.cpu_funcs = { polynomial }, .nbuffers = 2, .modes = { STARPU_R, STARPU_W }, .name = "polynomial"
};
static struct starpu_codelet filter_codelet = {
	.cpu_funcs = { filter }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "filter"
};
static struct starpu_codelet past_codelet = {
	.cpu_funcs = { past }, .nbuffers = 3, .modes = { STARPU_R, STARPU_RW, STARPU_RW }, .name = "past"
};
static struct starpu_codelet add_codelet = {
	.cpu_funcs = { add_up }, .nbuffers = 3, .modes = { STARPU_R, STARPU_RW, STARPU_W }, .name = "adder"
};
static struct starpu_codelet filters_codelet = { .cpu_funcs = { filter_all },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_RW, STARPU_W },
	.name = "filters" };
static struct starpu_codelet before_codelet = { .cpu_funcs = { before_filters },
	.nbuffers = 3,
	.modes = { STARPU_W, STARPU_W, STARPU_RW },
	.name = "before filters" };
static struct starpu_codelet sink_codelet = {
	.cpu_funcs = { sink }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "sink"
};

static void open_handles(struct handles *h)
{
	size_t bytes = ring.block * sizeof(float);

	for (uint32_t i = 0; i < ring.tokens; i++) {
		h->in[i] = starpu_run_register(ring.slots[i].in.re, bytes);
		h->powers[i] = starpu_run_register(ring.slots[i].powers[0].re, bytes);
		h->sum[i] = starpu_run_register(ring.slots[i].sum.re, bytes);
	}
	for (unsigned b = 0; b < BRANCHES; b++)
		h->past[b] = starpu_run_register(&ring.past[b], sizeof ring.past[b]);
	h->all_past = starpu_run_register(&ring.past, sizeof ring.past);
	h->sink = starpu_run_register(&hash, sizeof hash);
}

static void close_handles(struct handles *h)
{
	for (uint32_t i = 0; i < ring.tokens; i++) {
		starpu_data_unregister(h->in[i]);
		starpu_data_unregister(h->powers[i]);
		starpu_data_unregister(h->sum[i]);
	}
	for (unsigned b = 0; b < BRANCHES; b++)
		starpu_data_unregister(h->past[b]);
	starpu_data_unregister(h->all_past);
	starpu_data_unregister(h->sink);
}

static void submit_first(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens;

	starpu_run_submit(&(struct starpu_run_task){ &source_codelet, { h->in[i] }, token });
	starpu_run_submit(
		&(struct starpu_run_task){ &polynomial_codelet, { h->in[i], h->powers[i] }, token });
}

static void submit_branches(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens;
	uint32_t set = predistortion_ring_set(&ring, token);

	submit_first(h, token);
	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1)
			starpu_run_submit(&(struct starpu_run_task){
				&filter_codelet, { h->powers[i], h->past[b] }, token * BRANCHES + b });
	starpu_run_submit(
		&(struct starpu_run_task){ &add_codelet, { h->in[i], h->powers[i], h->sum[i] }, token });
}

static void submit_block(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens;

	submit_first(h, token);
	starpu_run_submit(
		&(struct starpu_run_task){ &past_codelet, { h->in[i], h->powers[i], h->all_past }, token });
	starpu_run_submit(
		&(struct starpu_run_task){ &filters_codelet, { h->in[i], h->powers[i], h->sum[i] }, token });
}

static void submit_merged(struct handles *h, uint64_t token)
{
	size_t i = token % ring.tokens;

	starpu_run_submit(
		&(struct starpu_run_task){ &before_codelet, { h->in[i], h->powers[i], h->all_past }, token });
	starpu_run_submit(
		&(struct starpu_run_task){ &filters_codelet, { h->in[i], h->powers[i], h->sum[i] }, token });
}

static uint64_t run(const struct predistortion_way *way, uint64_t tokens,
	void (*submit_most)(struct handles *, uint64_t token))
{
	struct handles h;

	hash = 0;
	predistortion_ring_open(&ring, way->depth, way->block);
	starpu_run_begin();
	open_handles(&h);
	for (uint64_t token = 0; token < tokens; token++) {
		size_t i = token % ring.tokens;

		submit_most(&h, token);
		starpu_run_submit(&(struct starpu_run_task){ &sink_codelet, { h.sum[i], h.sink }, token });
	}
	starpu_task_wait_for_all();
	close_handles(&h);
	starpu_run_end();
	predistortion_ring_close(&ring);
	return hash;
}

static uint64_t run_branches(const void *arg, uint64_t samples)
{
	const struct predistortion_way *way = arg;

	return run(way, samples / way->block, submit_branches);
}

static uint64_t run_blocks(const void *arg, uint64_t samples)
{
	const struct predistortion_way *way = arg;

	return run(way, samples / way->block, submit_block);
}

static uint64_t run_merged(const void *arg, uint64_t samples)
{
	const struct predistortion_way *way = arg;

	return run(way, samples / way->block, submit_merged);
}

static void add(void)
{
	static const struct predistortion_way ways[] = { { 2, 8192, 4 }, { 2, 16384, 2 }, { 2, 16384, 4 },
		{ 2, 16384, 8 }, { 2, 32768, 2 }, { 2, 32768, 4 }, { 2, 65536, 2 } };
	const size_t count = sizeof ways / sizeof *ways;

	for (const struct predistortion_way *w = ways; w < ways + count; w++)
		peer_add(run_branches, w, "codelets a branch, block %u, tokens %u", w->block, w->depth);
	for (const struct predistortion_way *w = ways; w < ways + count; w++)
		peer_add(run_blocks, w, "codelets a block, block %u, tokens %u", w->block, w->depth);
	for (const struct predistortion_way *w = ways; w < ways + count; w++)
		peer_add(run_merged, w, "merged codelets, block %u, tokens %u", w->block, w->depth);
}

int main(int argc, char **argv)
{
	int status;

	starpu_run_open();
	status = peer_predistortion(argc, argv, add);
	starpu_run_close();
	return status;
}
