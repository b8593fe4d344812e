/* SPDX-License-Identifier: MIT */
/* A video output inside: what the formats share. Writing thread only, but for writer.stopped and its wake
 * pipe. */
#ifndef PS_VIDEO_OUTPUT_H
#define PS_VIDEO_OUTPUT_H

#include "actors/common/media.h"
#include "actors/common/message.h"
#include "actors/common/times.h"
#include "actors/common/writer.h"

#include <stdatomic.h>

struct pstk_video_output;

/* A format. Each returns 0 or a negative errno with its text in output->error. */
struct ps_output_format {
	int (*write)(struct pstk_video_output *, const unsigned char *map, const unsigned char *frame);
	int (*repeat)(struct pstk_video_output *);   /* the last frame once more; NULL: frames have no time */
	int (*complete)(struct pstk_video_output *); /* what comes after the last frame; may be NULL */
	void (*close)(struct pstk_video_output *);
};

struct pstk_video_output {
	const struct ps_output_format *format;
	void *data; /* the format's own */
	struct ps_writer writer;
	struct pstk_video_output_spec spec; /* its path is not kept: label */
	struct ps_times_reader times;       /* of the frames; times.times is NULL: a constant rate */
	bool timed;                         /* the format gives each frame the time of its own */
	uint64_t frames;                    /* that were to be written */
	uint64_t slots;                     /* that are in the file */
	uint64_t repeated, left_out;
	bool loses_audio;
	int failed; /* the error that sticks */
	bool completed;
	atomic_bool taken; /* an actor of a network that has begun writes it; any thread */
	char label[PS_LABEL_SIZE];
	char error[PSTK_VIDEO_ERROR_SIZE];
};

/* Keeps a message that starts with the output's label; returns err. */
int ps_output_fail(struct pstk_video_output *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* Each opens one format. The writer is open and empty. */
int ps_output_open_raw(struct pstk_video_output *);
int ps_output_open_y4m(struct pstk_video_output *);
int ps_output_open_png(struct pstk_video_output *);
int ps_output_open_ffmpeg(struct pstk_video_output *, const char *path);

/* Does a container of this name exist? -EINVAL (the ending is unknown) or -ENOTSUP (no FFmpeg), with a
 * text. */
int ps_output_check_ffmpeg(struct pstk_video_output *, const char *path);

/* Motion painted red over the picture: n pixels of three bytes, or three planes of n bytes of Y'CbCr, limited
 * range. */
void ps_overlay_rgb(unsigned char *rgb, const unsigned char *map, const unsigned char *frame, size_t n);
void ps_overlay_ycc(unsigned char *planes, const unsigned char *map, const unsigned char *frame, size_t n);

/*
 * Thumbnails: a bounded number of evenly spaced frames of a stream of unknown length.
 */
struct ps_sheet;

/* channels: bytes of a pixel, 1 or 3. NULL: out of memory. */
struct ps_sheet *ps_sheet_create(uint32_t width, uint32_t height, unsigned channels);
/* Would frame n be kept? Then put() it. In order of n. */
bool ps_sheet_wants(const struct ps_sheet *, uint64_t n);
void ps_sheet_put(struct ps_sheet *, const unsigned char *pixels);
/* The sheet's size, and its pixels, which the caller frees: of a frame that was the only one itself. NULL: out of
 * memory. */
unsigned char *ps_sheet_make(const struct ps_sheet *, uint32_t *width, uint32_t *height);
void ps_sheet_destroy(struct ps_sheet *);

#endif
