/* SPDX-License-Identifier: MIT */
/* A video input inside: what the formats share. Reading thread only, but for reader.stopped and its wake
 * pipe. */
#ifndef PS_VIDEO_INPUT_H
#define PS_VIDEO_INPUT_H

#include "actors/common/media.h"
#include "actors/common/message.h"
#include "actors/common/reader.h"
#include "actors/common/times.h"

#include <stdatomic.h>

struct ps_scaler;
struct pstk_video_input;

/* A format. read() gives the next frame (1), the end (0) or a negative errno with its text in input->error. Where there
 * are times it puts each frame's.
 */
struct ps_input_format {
	int (*read)(struct pstk_video_input *, unsigned char *frame);
	void (*close)(struct pstk_video_input *);
};

struct pstk_video_input {
	const struct ps_input_format *format;
	void *data; /* the format's own */
	struct ps_reader reader;
	struct pstk_video_info info; /* as the reader of this input sees it */
	uint32_t width, height;      /* of the frames that format->read() gives */
	bool made;                   /* the scene: nothing is read */
	bool limited;                /* Y4M: its luma is 16..235 */
	struct ps_times *times;      /* of its frames; NULL: they have a constant rate */
	unsigned audio_streams;      /* that are beside the video */
	struct ps_scaler *scaler;    /* NULL: none */
	unsigned char *unscaled;
	uint64_t limit, frames;
	int failed;        /* the error that sticks */
	atomic_bool taken; /* an actor of a network that has begun reads it; any thread */
	char label[PS_LABEL_SIZE];
	char error[PSTK_VIDEO_ERROR_SIZE];
};

/* Keeps a message that starts with the input's label; returns err. */
int ps_input_fail(struct pstk_video_input *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* "truncated" and what says so (-ENODATA), and that --frames takes what is there, if there is any: so many frames,
 * called `which`. */
int ps_input_truncated(struct pstk_video_input *, uint64_t frames, const char *which, const char *format, ...)
	PSTK_PRINTF(4, 5);

/* May reading wait for a pipe, a device or the network? Not so the scene and regular files. */
bool ps_input_waits(const struct pstk_video_input *);

/* May another frame come? False: the last one that was asked for has been read. */
bool ps_input_has_more(const struct pstk_video_input *);

/* Each opens one format: sets format, data, width, height and the rate. The reader stands at the first byte.
 */
int ps_input_open_raw(struct pstk_video_input *, const struct pstk_video_input_spec *);
int ps_input_open_y4m(struct pstk_video_input *);
int ps_input_open_scene(struct pstk_video_input *, const struct pstk_video_input_spec *);
/* Scales by itself: width and height are those of spec, if it has any. */
int ps_input_open_ffmpeg(struct pstk_video_input *, const struct pstk_video_input_spec *);

/* Does a file end before its own structure does? `format` is FFmpeg's name of it. A pipe has been read to its end. */
enum ps_cut { PS_CUT_UNKNOWN, PS_CUT_NO, PS_CUT_YES };
enum ps_cut ps_reader_cut(const struct ps_reader *, const char *format);

/* Of what FFmpeg has looked at and can't open: is it an MP4, or of its kin, that ends before its index does? */
bool ps_reader_lacks_index(const struct ps_reader *);

/* Grey of one size to grey of another. limited: 16..235 becomes 0..255 as well. -ENOTSUP without FFmpeg. */
int ps_scaler_create(struct ps_scaler **, uint32_t width, uint32_t height, bool limited, uint32_t to_width,
	uint32_t to_height);
int ps_scaler_run(struct ps_scaler *, const unsigned char *from, unsigned char *to);
void ps_scaler_destroy(struct ps_scaler *);

#endif
