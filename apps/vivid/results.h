/* SPDX-License-Identifier: MIT */
/* Results: the sink, and what it writes: lines, a video, the stages' tokens. */
#ifndef VIVID_RESULTS_H
#define VIVID_RESULTS_H

#include <penstock/media.h>

#include "apps/common/originals.h"
#include "apps/common/staged.h"
#include "apps/vivid/options.h"

struct whole;

/* Ports of the sink: the first one, those of --dump, that of a video. */
enum results_port { RESULTS_DIST, RESULTS_VALUE, RESULTS_INDEX, RESULTS_HIST, RESULTS_FRAME, RESULTS_PORTS };

struct results {
	const struct options *options;
	const char *path; /* NULL: no output */
	bool is_video, dumps;
	struct pstk_frame_size largest;
	uint32_t rate_num, rate_den; /* of a video */
	uint64_t frames;             /* so far */
	struct whole *lines;         /* once it is open, and a text */
	struct pstk_video_output *video;
	struct pstk_port ports[RESULTS_PORTS]; /* those that the sink has */
	unsigned port_count;
	uint8_t *map;          /* of a video: what is painted */
	char *name;            /* of a file of --dump; room for it */
	struct originals read; /* .. which is none of these */
};

/* What the output is, and which ports the sink has. 0, or what to exit with; said then. results_close() follows. */
int results_init(struct results *, const struct options *, const struct staged *);

/* Adds the sink; its ports are named dist, value, index, hist, frame. arg is borrowed. */
struct pstk_actor *results_add(struct results *, struct pstk_network *);

/* Opens the output, if it is a FIFO or if it is none. As results_init(). */
int results_open(struct results *, bool fifos);

/* Gives it its name. As above. */
int results_complete(struct results *);

void results_close(struct results *);

#endif
