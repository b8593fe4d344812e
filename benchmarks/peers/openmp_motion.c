/* SPDX-License-Identifier: MIT */
/*
 * Motion detection by OpenMP's tasks, on two threads: a task for each actor and token, of one or several
 * frames. What a task reads and writes is said by depend clauses; one thread makes the tasks and takes part
 * when it has made them all, or when as many wait as the runtime likes. The buffers of so many tokens are
 * used in turn, which the clauses see to.
 *
 * Usage: openmp_motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/peers/motion_ring.h"
#include "benchmarks/peers/peer.h"

#include <stdlib.h>

struct way {
	uint32_t tokens, batch;
};

/* A byte for each buffer, for depend clauses, which go by addresses. */
struct marks {
	char *frames, *gauss, *moved, *clean;
	char sink;
};

static void make_tasks(const struct motion_ring *ring, struct marks *marks, uint64_t token, uint64_t *hash)
{
	size_t i = token % ring->tokens, g = token % (ring->tokens + 1),
	       before = (token + ring->tokens) % (ring->tokens + 1);
	char *frames = marks->frames + i, *gauss = marks->gauss + g, *last = marks->gauss + before,
	     *moved = marks->moved + i, *clean = marks->clean + i, *sink = &marks->sink;

#pragma omp task depend(out : *frames)
	motion_ring_source(ring, token);
#pragma omp task depend(in : *frames) depend(out : *gauss)
	motion_ring_gauss(ring, token);
#pragma omp task depend(in : *gauss, *last) depend(out : *moved)
	motion_ring_threshold(ring, token);
#pragma omp task depend(in : *moved) depend(out : *clean)
	motion_ring_median(ring, token);
#pragma omp task depend(in : *clean) depend(inout : *sink)
	*hash += motion_ring_sink(ring, token);
	(void)sink;
}

static uint64_t run(const void *arg, uint64_t frames)
{
	const struct way *way = arg;
	uint32_t n = way->tokens;
	char *memory = peer_alloc(4 * (size_t)n + 1);
	struct marks marks = { memory, memory + 3 * n, memory + n, memory + 2 * n, 0 };
	struct motion_ring ring;
	uint64_t hash = 0;

	motion_ring_open(&ring, n, way->batch);
#pragma omp parallel num_threads(PEER_THREADS)
#pragma omp single
	for (uint64_t token = 0; token < frames / way->batch; token++)
		make_tasks(&ring, &marks, token, &hash);
	motion_ring_close(&ring);
	free(memory);
	return hash;
}

static void add(void)
{
	static const struct way ways[] = { { 8, 1 }, { 16, 1 }, { 32, 1 }, { 64, 1 }, { 4, 4 }, { 8, 4 },
		{ 16, 4 }, { 2, 8 }, { 8, 8 }, { 2, 16 }, { 4, 8 }, { 4, 16 } };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		peer_add(run, &ways[i], "tasks, tokens %u, r %u", ways[i].tokens, ways[i].batch);
}

int main(int argc, char **argv)
{
	return peer_motion(argc, argv, add);
}
