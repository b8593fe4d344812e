/* SPDX-License-Identifier: MIT */
/* Inputs: the stages of the video applications, with frames and what the stages before have made of them. */
#ifndef PENSTOCK_BENCHMARKS_VIDEO_INPUTS_H
#define PENSTOCK_BENCHMARKS_VIDEO_INPUTS_H

#include "benchmarks/apps/video_stage.h"

struct video_launch;

#define VIDEO_LAMBDA 0.5F

struct video_subject {
	char title[80];
	struct video_stage stage;
	void (*plain)(const void *data); /* the tests' loops; NULL: they have none of their own for it */
	const void *data;
	struct video_launch *launch; /* its kernel; NULL: not measured by itself */
	bool on_device;              /* has a form for devices */
};

/* All but SRAD's loop. wanted: the frames' size; 0: each application's own. They last as long as the process. */
const struct video_subject *const *video_subjects(const struct pstk_frame_size *wanted, unsigned *count);
/* Adds those of an application to a list; returns how many there are then. */
unsigned video_add_vivid(const struct video_subject **, unsigned count, const struct pstk_frame_size *);
unsigned video_add_srad(const struct video_subject **, unsigned count, const struct pstk_frame_size *);
unsigned video_add_tracking(const struct video_subject **, unsigned count, const struct pstk_frame_size *);
unsigned video_add_scene(const struct video_subject **, unsigned count, const struct pstk_frame_size *);

const struct video_subject *video_srad_loop(const struct pstk_frame_size *, unsigned iterations);

/* One more, zeroed but for its title. */
struct video_subject *video_new(const char *title, const struct pstk_frame_size *);
/* A zeroed token of a frame, and its size in it. data: bytes behind the head. */
void *video_token(const struct pstk_frame_size *, size_t data);
/* Corners on noise. */
void video_draw(uint8_t *frame, const struct pstk_frame_size *);

static inline struct video_port video_port(const char *name, size_t data, const void *tokens)
{
	return (struct video_port){ name, pstk_sized_bytes(data), data, tokens, 1 };
}

#endif
