/* SPDX-License-Identifier: MIT */
/*
 * Polyphase: a filter with real taps between two rates, stateless. It computes what this does, without the zeros: put
 * interpolation - 1 zeros behind each sample, filter, keep each decimation-th value from the first on.
 */
#ifndef PENSTOCK_ACTORS_POLYPHASE_H
#define PENSTOCK_ACTORS_POLYPHASE_H

#include "actors/common/taps.h"

struct ps_polyphase {
	const char *type;                   /* its name */
	bool complex_samples;               /* tokens are cf32, else f32 */
	uint32_t interpolation, decimation; /* at least 1 */
	struct ps_taps taps;                /* borrowed during the call */
};

/* BUILD. Adds it: ports in, out. NULL, and the network has the problem: -ENOMEM, or those of pstk_network_add(). */
struct pstk_actor *ps_polyphase_add(struct pstk_network *, const char *name, const struct ps_polyphase *);

/* What the actor's fire() calls, for what computes the same without a network: n outputs. filter: the actor's arg; x:
 * the oldest sample of the history. */
void ps_polyphase_run(const void *filter, float *out, const float *x, size_t n);

#endif
