/* SPDX-License-Identifier: MIT */
/* Clips with time stamps of their own, written and read by FFmpeg's libraries alone. */
#ifndef PENSTOCK_ACTORS_CHECK_CLIP_H
#define PENSTOCK_ACTORS_CHECK_CLIP_H

#include "tests/common/common.h"

#include <stdint.h>

enum { CLIP_MOST = 256, CLIP_WIDTH = 64, CLIP_HEIGHT = 48 };

struct clip {
	const char *name;
	int64_t stamps[CLIP_MOST]; /* of frames, in 1/unit s */
	unsigned count;
	int64_t end; /* of the last one */
	int unit;
	bool audio; /* a stream of silence beside it, from 0 to the end of the last frame */
};

/* Frame n is all of this grey: those of neighbours differ by more than encoders make of them. */
unsigned char clip_grey(unsigned n);

/* A clip of 40 frames whose stamps grow by 20 to 170 ms, 3.68 s long. */
struct clip clip_irregular(const char *name, int unit);

/* Writes it: MPEG-2 into a transport stream, else Motion JPEG. */
void clip_write(const struct clip *);

/* What a container says, in seconds: where frames start, in order, and where the last one ends; 0: it doesn't say. */
struct clip_times {
	unsigned count;
	double starts[CLIP_MOST], end;
};
struct clip_times clip_read(const char *name);

/* The starts are those, from the first one on, each to the tolerance, and the end is. */
void clip_expect(const char *name, const struct clip_times *expected, double tolerance);

#endif
