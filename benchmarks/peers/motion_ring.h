/* SPDX-License-Identifier: MIT */
/*
 * Buffers for motion detection with so many tokens in flight, a token being `batch` frames; made once,
 * used again and again. A token's place is its number modulo the tokens in flight, which holds where a
 * token is let in only when the one that many before it has left the sink. Of gauss's frames one more token
 * is kept, because threshold reads the frame before its first.
 */
#ifndef PENSTOCK_BENCHMARKS_PEERS_MOTION_RING_H
#define PENSTOCK_BENCHMARKS_PEERS_MOTION_RING_H

#include "benchmarks/peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct motion_ring {
	uint32_t tokens, batch;
	size_t stride; /* bytes from one token to the next: not at one place of a page all */
	uint8_t *memory, *frames, *gauss, *moved, *clean;
};

void motion_ring_open(struct motion_ring *, uint32_t tokens, uint32_t batch);
void motion_ring_close(struct motion_ring *);

/* The actors on all frames of a token. */
void motion_ring_source(const struct motion_ring *, uint64_t token);
void motion_ring_gauss(const struct motion_ring *, uint64_t token);
void motion_ring_threshold(const struct motion_ring *, uint64_t token);
void motion_ring_median(const struct motion_ring *, uint64_t token);
uint64_t motion_ring_sink(const struct motion_ring *, uint64_t token);

#ifdef __cplusplus
}
#endif

#endif
