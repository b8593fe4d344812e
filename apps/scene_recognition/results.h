/* SPDX-License-Identifier: MIT */
/* Results: the sink of a recognition, a line for each picture. */
#ifndef SCENE_RECOGNITION_RESULTS_H
#define SCENE_RECOGNITION_RESULTS_H

#include "apps/scene_recognition/options.h"

struct whole;

struct results {
	const struct options *options;
	const struct staged *run; /* where frames come from */
	const char *path;         /* NULL: no output */
	uint64_t frames;          /* so far */
	struct whole *lines;      /* once it is open */
};

void results_init(struct results *, const struct options *, const struct staged *);

/* Adds the sink; ports: hist, scores. arg is borrowed. */
struct pstk_actor *results_add(struct results *, struct pstk_network *);

/* Opens the output, if it is a FIFO or if it is none. 0, or what to exit with; said then. */
int results_open(struct results *, bool fifos);

/* Gives it its name. As above. */
int results_complete(struct results *);

void results_close(struct results *);

#endif
