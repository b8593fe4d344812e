/* SPDX-License-Identifier: MIT */
/*
 * Tracking as a network.
 *	each    source -> pair -> preprocess -> features -> track -> sink       the three before the sink are a pipeline
 *	first   source -> preprocess -> features -> track -> sink               preprocess is one; positions go round at
 *	                                                                        track
 */
#ifndef TRACKING_NETWORK_H
#define TRACKING_NETWORK_H

#include "apps/tracking/options.h"
#include "apps/tracking/tracks.h"

/* All that a run of the program needs. */
struct tracking {
	struct options options;
	struct tracks tracks;
};

/* As struct staged_program has it. */
int tracking_build(struct tracking *, struct staged *);

#endif
