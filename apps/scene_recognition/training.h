/* SPDX-License-Identifier: MIT */
/* Training: pictures in folders, the sink that collects their descriptors, and the files that are made of them. */
#ifndef SCENE_RECOGNITION_TRAINING_H
#define SCENE_RECOGNITION_TRAINING_H

#include "apps/scene_recognition/options.h"

struct whole;

struct training {
	const struct options *options;
	const struct staged *run;
	char **classes,
		**paths; /* class_count, path_count; of folders and pictures, in the order of their names */
	unsigned class_count, path_count, *class_of; /* class_of: each picture's */
	float *descriptors;                          /* of all pictures so far */
	size_t count, room;                          /* descriptors */
	size_t *patches;                             /* of each frame */
	unsigned *frame_class, frames, frame_room;
	struct whole *vocabulary, *weights; /* once they are open */
	unsigned round;                     /* of learning; 0: not yet */
};

/* Looks for pictures: they become the inputs. 0, or what to exit with; said then. training_close() follows. */
int training_find(struct training *, const struct options *, struct staged_options *);

/* Adds the sink; port: descriptors. arg is borrowed. */
struct pstk_actor *training_add(struct training *, const struct staged *, struct pstk_network *);

/* Opens both files. As training_find(). */
int training_open(struct training *);

/* Learns, and writes both or none; none behind a signal. As above. */
int training_complete(struct training *);

void training_close(struct training *);

#endif
