/* SPDX-License-Identifier: MIT */
/*
 * Stages: a line of loops between several rates, without a system that runs them. A source copies a signal, each stage
 * reads what the one before it has written and some tokens before that, a sink hashes. A block is a number of
 * iterations: so many units of each stage that all of it is used up.
 *
 * A ring has room for so many blocks in flight, and one more, because a stage reads the end of the block before.
 * Blocks lie one behind the other; the end of the last place is copied in front of the first one. So a stage may run
 * on a block as soon as the stage before it has run on this block and all before it, beside any other.
 */
#ifndef PENSTOCK_BENCHMARKS_APPS_STAGES_H
#define PENSTOCK_BENCHMARKS_APPS_STAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pstk_network;
struct pstk_actor;

enum { STAGES_MOST = 4 };

struct stage {
	uint32_t units;             /* of an iteration */
	uint32_t in, out;           /* tokens of a unit */
	uint32_t history;           /* tokens in front of the new ones; at most those of an iteration */
	size_t in_bytes, out_bytes; /* of a token */
	void (*run)(const struct stage *, void *out, const void *in, size_t units); /* in: the oldest one */
	const void *arg;
};

struct stages {
	unsigned count;
	struct stage stage[STAGES_MOST];
	const void *signal; /* the source begins it anew where it ends */
	uint32_t signal_tokens;
	/* output tokens that have a hash of their own, whatever blocks are; an iteration has whole ones */
	uint32_t piece;
};

/* Tokens that an iteration takes. */
uint32_t stages_tokens(const struct stages *);

/* n tokens of the source, from its `first` on. */
void stages_source(const struct stages *, void *out, uint64_t first, size_t n);

/* The sum of the hashes of so many pieces of the output. */
uint64_t stages_sink(const struct stages *, const void *tokens, uint64_t first, size_t pieces);

struct stages_ring {
	const struct stages *stages;
	uint32_t places, iterations; /* of a block */
	unsigned char
		*memory[STAGES_MOST + 1]; /* what a stage reads, history in front; what the sink reads */
};

void stages_ring_open(struct stages_ring *, const struct stages *, uint32_t in_flight, uint32_t iterations);
void stages_ring_close(struct stages_ring *);

void stages_ring_source(const struct stages_ring *, uint64_t block);
void stages_ring_run(const struct stages_ring *, unsigned stage, uint64_t block);
uint64_t stages_ring_sink(const struct stages_ring *, uint64_t block);

/* All of it in one thread, block by block; of so many tokens of the source. */
uint64_t stages_run_serial(const struct stages *, uint32_t iterations, uint64_t tokens);

/* The same source and sink as actors with a port each, `out` and `in`. A step of the source is a token, one of the sink
 * a piece. The arg is borrowed. */
struct stages_run {
	const struct stages *stages;
	uint64_t tokens;
	uint64_t hash; /* the sink's */
};
struct pstk_actor *stages_source_add(struct pstk_network *, struct stages_run *);
struct pstk_actor *stages_sink_add(struct pstk_network *, struct stages_run *);

#ifdef __cplusplus
}
#endif

#endif
