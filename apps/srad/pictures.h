/* SPDX-License-Identifier: MIT */
/* Pictures: the sink, and what it writes: PGM files, one behind the other in one file, or a video. */
#ifndef SRAD_PICTURES_H
#define SRAD_PICTURES_H

#include <limits.h>
#include <penstock/media.h>

#include "actors/common/message.h"
#include "actors/common/writer.h"
#include "apps/common/originals.h"
#include "apps/common/staged.h"

struct pictures {
	const char *path; /* NULL: no output */
	enum { PICTURES_NUMBERED, PICTURES_STREAM, PICTURES_VIDEO } kind;
	struct pstk_frame_size largest;
	uint32_t rate_num, rate_den; /* of a video */
	uint64_t count;              /* so far; the sink's thread */
	struct ps_writer writer;     /* of a stream, or of the picture that is being written */
	bool open;                   /* the writer, or the video */
	struct pstk_video_output *video;
	char name[PATH_MAX];       /* of a numbered file */
	struct originals inputs;   /* .. which is none of these */
	char label[PS_LABEL_SIZE]; /* for messages */
};

/* What the output is. 0, or what to exit with; said then. pictures_close() follows. */
int pictures_init(struct pictures *, const struct staged *);

/* Adds the sink: port in. arg is borrowed. */
struct pstk_actor *pictures_add(struct pictures *, struct pstk_network *);

/* Opens the output, if it is a FIFO or if it is none. As above. */
int pictures_open(struct pictures *, bool fifos);

/* Gives it its name. As above. */
int pictures_complete(struct pictures *);

void pictures_close(struct pictures *);

#endif
