/* SPDX-License-Identifier: MIT */
/* Inputs: files of images of one size, read one after the other. */
#ifndef GRANULOMETRY_INPUTS_H
#define GRANULOMETRY_INPUTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/granulometry/size.h"

struct input;

/* Reading thread only, but for what lock guards. */
struct inputs {
	const char *const *paths; /* borrowed */
	unsigned count;
	struct size size; /* of all images; depth 1 but of raw files */
	bool scaled;      /* the size was given: pictures and videos are made to fit */
	uint64_t passes;  /* still to come, this one included */
	unsigned at;
	struct input *list; /* count of them */
	bool waits;         /* one of them is no regular file */
	bool empty;         /* the input that is read has given no image yet */
	char error[512];    /* why the last call failed */
	pthread_mutex_t lock;
	bool stopped, has_lock; /* stopped: guarded by lock, and so is whether list[at] is open */
};

/* Looks at all of them: are they there, are their sizes one? What is no regular file stays open, the others are opened
 * when it is their turn. size: width 0: as the first image is. passes: how often they are gone through, at least 1. 0,
 * or what to exit with; said then. In both cases inputs_close() follows. */
int inputs_open(
	struct inputs *, const char *const *paths, unsigned count, const struct size *size, uint64_t passes);

/* The next image, 8-bit grey: 1; 0: the end, or stopped; else a negative errno, and error says why. Allocates what
 * decoders need. */
int inputs_read(struct inputs *, uint8_t *grey);

/* Ends the stream, also while a read waits. Any thread, until inputs_close(). */
void inputs_stop(struct inputs *);

void inputs_close(struct inputs *);

#endif
