/* SPDX-License-Identifier: MIT */
/*
 * Predistortion by OpenMP's tasks, on two threads.
 *
 * branches  a task for each actor and block, of filters only those that are active.
 * blocks    a block's filters and adder are one task, and may run beside those of other blocks: what they
 *           remember is set aside before, in order.
 *
 * What a task reads and writes is said by depend clauses. The adder "writes" what the filters read, and so
 * comes after as many of them as there are; it reads the set of branches, as all do, which lies with `in`.
 *
 * Usage: openmp_predistortion [-a ACTIVE] [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/peers/peer.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/peers/predistortion_ring.h"

enum { TOKENS_MOST = 8 };

/* A run. The marks are for depend clauses, which go by addresses. */
struct run {
	struct predistortion_ring ring;
	uint64_t hash; /* the sink's */
	char in[TOKENS_MOST], powers[TOKENS_MOST], sum[TOKENS_MOST], past[HAMMERSTEIN_BRANCHES], sink;
};

static void make_branches(struct run *run, uint64_t token, char *powers)
{
	for (unsigned b = 0; b < HAMMERSTEIN_BRANCHES; b++) {
		char *past = &run->past[b];

		if (!(predistortion_ring_set(&run->ring, token) >> b & 1))
			continue;
#pragma omp task depend(in : *powers) depend(inout : *past)
		predistortion_ring_filter(&run->ring, token, b);
		(void)past;
	}
}

static void make_tasks(struct run *run, uint64_t token, bool branches)
{
	size_t i = token % run->ring.tokens;
	char *in = &run->in[i], *powers = &run->powers[i], *sum = &run->sum[i], *past = run->past,
	     *sink = &run->sink;

#pragma omp task depend(out : *in)
	predistortion_ring_source(&run->ring, token);
#pragma omp task depend(in : *in) depend(out : *powers)
	predistortion_ring_polynomial(&run->ring, token);
	if (branches) {
		make_branches(run, token, powers);
#pragma omp task depend(in : *in) depend(inout : *powers) depend(out : *sum)
		predistortion_ring_add(&run->ring, token);
	} else {
#pragma omp task depend(inout : *powers, *past)
		predistortion_ring_past(&run->ring, token);
#pragma omp task depend(in : *in, *powers) depend(out : *sum)
		{
			predistortion_ring_filters(&run->ring, token);
			predistortion_ring_add(&run->ring, token);
		}
	}
#pragma omp task depend(in : *sum) depend(inout : *sink)
	run->hash += predistortion_ring_sink(&run->ring, token);
	(void)past;
	(void)sink;
}

static uint64_t run_all(const struct predistortion_way *way, uint64_t tokens, bool branches)
{
	struct run run = { .hash = 0 };

	predistortion_ring_open(&run.ring, way->depth, way->block);
#pragma omp parallel num_threads(PEER_THREADS)
#pragma omp single
	for (uint64_t token = 0; token < tokens; token++)
		make_tasks(&run, token, branches);
	predistortion_ring_close(&run.ring);
	return run.hash;
}

static uint64_t run_branches(const void *arg, uint64_t samples)
{
	const struct predistortion_way *way = arg;

	return run_all(way, samples / way->block, true);
}

static uint64_t run_blocks(const void *arg, uint64_t samples)
{
	const struct predistortion_way *way = arg;

	return run_all(way, samples / way->block, false);
}

static void add(void)
{
	static const struct predistortion_way ways[] = { { 2, 4096, 4 }, { 2, 8192, 4 }, { 2, 16384, 2 },
		{ 2, 16384, 4 }, { 2, 16384, 8 }, { 2, 32768, 2 }, { 2, 32768, 4 } };
	const size_t count = sizeof ways / sizeof *ways;

	for (const struct predistortion_way *w = ways; w < ways + count; w++)
		peer_add(run_branches, w, "tasks by branch, block %u, tokens %u", w->block, w->depth);
	for (const struct predistortion_way *w = ways; w < ways + count; w++)
		peer_add(run_blocks, w, "tasks by block, block %u, tokens %u", w->block, w->depth);
}

int main(int argc, char **argv)
{
	return peer_predistortion(argc, argv, add);
}
