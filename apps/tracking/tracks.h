/* SPDX-License-Identifier: MIT */
/* Tracks: the sink, and what it writes: lines, or a video with arrows. */
#ifndef TRACKING_TRACKS_H
#define TRACKING_TRACKS_H

#include <penstock/media.h>
#include <penstock/vision.h>

#include "apps/common/staged.h"

struct whole;

struct tracks {
	const char *path; /* NULL: no output */
	bool is_video;
	struct pstk_frame_size largest;
	uint32_t rate_num, rate_den; /* of a video */
	uint64_t pairs, found;       /* so far; the sink's thread */
	struct whole *lines;         /* once it is open, and a text */
	struct pstk_video_output *video;
	uint8_t *map; /* of a video: what is painted */
};

/* What the output is. 0, or what to exit with; said then. tracks_close() follows. */
int tracks_init(struct tracks *, const struct staged *);

/* Adds the sink: port tracks, and of a video frame, which sees the one before, too. arg is borrowed. */
struct pstk_actor *tracks_add(struct tracks *, struct pstk_network *);

/* Opens the output, if it is a FIFO or if it is none. As above. */
int tracks_open(struct tracks *, bool fifos);

/* Gives it its name. As above. */
int tracks_complete(struct tracks *, const struct staged *);

void tracks_close(struct tracks *);

#endif
