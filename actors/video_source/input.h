/* SPDX-License-Identifier: MIT */
/* A video input inside: what the formats share. Reading thread only, but for reader.stopped and its wake
 * pipe. */
#ifndef PS_VIDEO_INPUT_H
#define PS_VIDEO_INPUT_H

#include "actors/media.h"

#include <stdatomic.h>
#include <sys/types.h>

#define PS_READER_BUFFER 65536u

/* A file, pipe or terminal that is read in order, and whose waiting another thread can end. */
struct ps_reader {
	int fd; /* -1: none */
	int wake[2];
	bool regular;
	int64_t base; /* of a regular file: where it began when it was opened, which on stdin is not always 0 */
	int64_t taken; /* bytes read in order, and the first of them */
	unsigned char head[12];
	atomic_bool stopped; /* any thread */
	unsigned char *buffer;
	size_t start, end; /* what the buffer holds */
};

struct ps_scaler;
struct pstk_video_input;

/* A format. read() gives the next frame (1), the end (0) or a negative errno with its text in input->error.
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
	bool limited;                /* Y4M: its luma is 16..235 */
	struct ps_scaler *scaler;    /* NULL: none */
	unsigned char *unscaled;
	uint64_t limit, frames;
	int failed; /* the error that sticks */
	char label[PS_LABEL_SIZE];
	char error[PSTK_VIDEO_ERROR_SIZE];
};

/* Keeps a message that starts with the input's label; returns err. */
int ps_input_fail(struct pstk_video_input *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* May another frame come? False: the last one that was asked for has been read. */
bool ps_input_has_more(const struct pstk_video_input *);

/* Each opens one format: sets format, data, width, height and the rate. The reader stands at the first byte.
 */
int ps_input_open_raw(struct pstk_video_input *, const struct pstk_video_input_spec *);
int ps_input_open_y4m(struct pstk_video_input *);
int ps_input_open_scene(struct pstk_video_input *, const struct pstk_video_input_spec *);
/* Scales by itself: width and height are those of spec, if it has any. */
int ps_input_open_ffmpeg(struct pstk_video_input *, const struct pstk_video_input_spec *);

/* "-" is stdin. 0 or a negative errno. */
int ps_reader_open(struct ps_reader *, const char *path);
void ps_reader_init(struct ps_reader *);
void ps_reader_close(struct ps_reader *);
/* Wakes a read that waits; all later ones fail with -ECANCELED. */
void ps_reader_stop(struct ps_reader *);
/* Up to n bytes without waiting for all of them; 0: the end. */
ssize_t ps_reader_some(struct ps_reader *, void *to, size_t n);
/* n bytes, fewer only at the end. to NULL: skips them. */
ssize_t ps_reader_full(struct ps_reader *, void *to, size_t n);
/* Do the next bytes equal these n (at most 64)? Takes nothing. Also: *any, is there any byte at all? */
int ps_reader_starts_with(struct ps_reader *, const char *bytes, size_t n, bool *any);
/* A line without its newline: its length; -EPROTO: it is longer than size - 1 or has no newline; -ENODATA:
 * the end. */
ssize_t ps_reader_line(struct ps_reader *, char *line, size_t size);

/* Bytes of a regular file, from where it began; a seek within it. A negative errno: -ESPIPE for what is none. */
int64_t ps_reader_size(const struct ps_reader *);
int64_t ps_reader_seek(struct ps_reader *, int64_t offset, int whence);

/* Does a file end before its own structure does? `format` is FFmpeg's name of it. A pipe has been read to its end. */
enum ps_cut { PS_CUT_UNKNOWN, PS_CUT_NO, PS_CUT_YES };
enum ps_cut ps_reader_cut(const struct ps_reader *, const char *format);

/* Grey of one size to grey of another. limited: 16..235 becomes 0..255 as well. -ENOTSUP without FFmpeg. */
int ps_scaler_create(struct ps_scaler **, uint32_t width, uint32_t height, bool limited, uint32_t to_width,
	uint32_t to_height);
int ps_scaler_run(struct ps_scaler *, const unsigned char *from, unsigned char *to);
void ps_scaler_destroy(struct ps_scaler *);

#endif
