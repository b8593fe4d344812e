/* SPDX-License-Identifier: MIT */
/* Inputs: files of images, of one size or each with its own, read one after the other. */
#ifndef COMMON_INPUTS_H
#define COMMON_INPUTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/common/size.h"

struct input;

/* Reading thread only, but for what lock guards. */
struct inputs {
	const char *const *paths; /* borrowed */
	unsigned count;
	bool each;        /* each input has its own size */
	struct size size; /* of all images; depth 1 but of raw files. each: no side of any is larger */
	struct size now;  /* of the image that was read last */
	uint64_t number;  /* of that image in its input, from 0 */
	bool scaled;      /* the size was given: pictures and videos are made to fit */
	uint64_t passes;  /* still to come, this one included */
	unsigned at;
	struct input *list;          /* count of them */
	bool waits;                  /* one of them is no regular file */
	uint32_t rate_num, rate_den; /* of the first video; 0: there is none */
	bool looked;                 /* all were looked at: their sizes are known */
	bool empty;                  /* the input that is read has given no image yet */
	char error[512];             /* why the last call failed */
	pthread_mutex_t lock;
	bool stopped, has_lock; /* stopped: guarded by lock, and so is whether list[at] is open */
};

/* Looks at all of them: are they there, are their sizes one? What is no regular file stays open, the others are opened
 * when it is their turn. size: width 0: as the first image is; each: as each input's are. passes: how often they are
 * gone through, at least 1. 0, or what to exit with; said then. In both cases inputs_close() follows. */
int inputs_open(struct inputs *, const char *const *paths, unsigned count, const struct size *size, bool each,
	uint64_t passes);

/* The size of the images of an input, from 0; `each`: its own. */
const struct size *inputs_size(const struct inputs *, unsigned index);

/* The rate of the first input that is a video, frames per second as a fraction; 25/1: there is none. */
void inputs_get_rate(const struct inputs *, uint32_t *num, uint32_t *den);

/* The next image, 8-bit grey, of size `now`: 1; 0: the end, or stopped; else a negative errno, and error says why.
 * Allocates what decoders need. */
int inputs_read(struct inputs *, uint8_t *grey);

/* Ends the stream, also while a read waits. Any thread, until inputs_close(). */
void inputs_stop(struct inputs *);

void inputs_close(struct inputs *);

#endif
