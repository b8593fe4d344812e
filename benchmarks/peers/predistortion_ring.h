/* SPDX-License-Identifier: MIT */
/*
 * Buffers for predistortion with so many tokens in flight, a token being a block of samples; made once, used
 * again and again. A token's place is its number modulo the tokens in flight, which holds where a token
 * is let in only when the one that many before it has left the sink.
 *
 * Filters remember samples of the block before. Either a branch's filter takes one token after the other
 * (filter), or what each of a token's filters needs is set aside in order (past), which is quick, and then
 * filters of several tokens may run side by side (filters).
 */
#ifndef PENSTOCK_BENCHMARKS_PEERS_PREDISTORTION_RING_H
#define PENSTOCK_BENCHMARKS_PEERS_PREDISTORTION_RING_H

#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A token's place. */
struct predistortion_slot {
	uint32_t set; /* of active branches; the source's */
	struct hammerstein_signal in, sum;
	struct hammerstein_signal powers[HAMMERSTEIN_BRANCHES], filtered[HAMMERSTEIN_BRANCHES];
	struct hammerstein_past past[HAMMERSTEIN_BRANCHES];
};

struct predistortion_ring {
	uint32_t tokens, block;
	struct predistortion_slot *slots;
	struct hammerstein_past past[HAMMERSTEIN_BRANCHES]; /* of a branch: its filter's, or past()'s */
	float *memory;
};

void predistortion_ring_open(struct predistortion_ring *, uint32_t tokens, uint32_t block);
void predistortion_ring_close(struct predistortion_ring *);

/* The set of a token's active branches, for any token, and where it lies. */
uint32_t predistortion_ring_set(const struct predistortion_ring *, uint64_t token);
struct predistortion_slot *predistortion_ring_slot(const struct predistortion_ring *, uint64_t token);

/* The actors on a token. */
void predistortion_ring_source(const struct predistortion_ring *, uint64_t token);
void predistortion_ring_polynomial(const struct predistortion_ring *, uint64_t token);
void predistortion_ring_filter(struct predistortion_ring *, uint64_t token, unsigned branch);
void predistortion_ring_past(struct predistortion_ring *, uint64_t token);
void predistortion_ring_filters(const struct predistortion_ring *, uint64_t token);
void predistortion_ring_add(const struct predistortion_ring *, uint64_t token);
uint64_t predistortion_ring_sink(const struct predistortion_ring *, uint64_t token);

#ifdef __cplusplus
}
#endif

#endif
