/* SPDX-License-Identifier: MIT */
/* ViVid as a network: source, filters, histogram, classify, sink; the three in the middle are a pipeline. */
#ifndef VIVID_NETWORK_H
#define VIVID_NETWORK_H

#include "apps/vivid/results.h"

/* All that a run of the program needs. */
struct vivid {
	struct options options;
	float *filters, *classifier;
	struct results results;
};

/* As struct staged_program has it. */
int vivid_build(struct vivid *, struct staged *);

#endif
