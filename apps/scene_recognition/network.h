/* SPDX-License-Identifier: MIT */
/* Scene recognition as a network: source, gradients, words, sink; or, to train, descriptors in place of words. The two
 * in the middle are a pipeline. */
#ifndef SCENE_RECOGNITION_NETWORK_H
#define SCENE_RECOGNITION_NETWORK_H

#include "apps/scene_recognition/results.h"
#include "apps/scene_recognition/training.h"

/* All that a run of the program needs. */
struct scene {
	struct options options;
	float *vocabulary, *weights;
	uint32_t words; /* of the vocabulary */
	struct results results;
	struct training training;
};

/* As struct staged_program has it. */
int scene_build(struct scene *, struct staged *);

#endif
