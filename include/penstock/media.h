/* SPDX-License-Identifier: MIT */
/*
 * Video in and out, of libpenstock-media. Units, errors and contexts as in penstock.h. A frame is width x
 * height bytes of 8-bit grey (0 black, 255 white), row after row without padding; one frame is one token. Any
 * size from 1x1 to 32768x32768. Inputs and outputs are the caller's: each is used by one thread at a time, an
 * actor borrows it until the network's destroy, and the caller closes it after that.
 *
 * What needs FFmpeg or libpng says so when this build is without.
 */
#ifndef PENSTOCK_MEDIA_H
#define PENSTOCK_MEDIA_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text buffer of this size holds every error of this header. */
#define PSTK_VIDEO_ERROR_SIZE 256

/*
 * Input.
 *
 *	path         read as
 *	NULL         the synthetic scene: people walking through a still street, without end, the same each time
 *	NAME.gray    raw frames; width and height are needed
 *	-            stdin, a file or a pipe: Y4M, or what FFmpeg recognises by its content
 *	else         Y4M (told by its first bytes), or whatever FFmpeg reads: files, URLs, numbered pictures
 *	             (p%03d.png, unless there is a file of this very name)
 *
 * A file that was cut off is an error where the format says where it ends: raw, Y4M, AVI, Matroska, WebM, MP4,
 * MOV, Ogg, GIF, PNG and JPEG pictures, Motion JPEG. MPEG, transport streams, FLV, DV and raw streams of other
 * codecs don't say it for sure: there a cut may pass as the end. Theora's frames that only repeat the one before
 * are left out, as FFmpeg does.
 *
 * Colour becomes grey as FFmpeg's pixel format "gray" has it: luma, stretched to 0..255 unless it is full
 * range. Y4M is 8 bits deep: 420, 411, 422, 444, 444alpha, mono. With FFmpeg the best video stream is taken,
 * decoded in the reading thread.
 */
struct pstk_video_input_spec {
	uint32_t struct_size; /* sizeof(struct pstk_video_input_spec) of the program */
	const char *path;
	uint32_t width, height; /* pixels; NAME.gray: of a frame; else: scaled to (needs FFmpeg); both 0:
	                           as the input is */
	uint32_t scene_width, scene_height; /* pixels, at least 5x5; with path NULL */
	uint64_t frames;                    /* the stream ends after so many; 0: where the input ends */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_VIDEO_INPUT(.path = "clip.avi"). C only. */
#define PSTK_VIDEO_INPUT(...)                   \
	(&(const struct pstk_video_input_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_video_input_spec), __VA_ARGS__ })

static inline struct pstk_video_input_spec pstk_video_input_spec_init(void)
{
	struct pstk_video_input_spec spec = { (uint32_t)sizeof(struct pstk_video_input_spec), NULL, 0, 0, 0,
		0, 0 };

	return spec;
}

struct pstk_video_info {
	uint32_t width, height; /* pixels */
	uint32_t rate_num,
		rate_den; /* frames per second, as a fraction; 25/1 when the input doesn't say. Of irregular
	                                times a usual rate, or their mean */
};

struct pstk_video_input;

/* Any thread. Opens an input and reads its header; may block, on a pipe. *input is NULL after a failure, and
 * `error` (size bytes; may be NULL) has one line with the path and the cause. Errors: -EINVAL (not a video,
 * no size, wrong size), -ENOTSUP (this build or this format can't), -ENODATA (empty, or cut off before the first
 * frame), -EPROTO (a Y4M header without end, data that can't be decoded, what FFmpeg can't open), -EISDIR,
 * -ENOMEM, or open()'s. */
PSTK_PUBLIC int pstk_video_input_open(
	struct pstk_video_input **input, const struct pstk_video_input_spec *, char *error, size_t size);

/* Any thread. */
PSTK_PUBLIC int pstk_video_input_get_info(const struct pstk_video_input *, struct pstk_video_info *);

/* One thread at a time. Reads the next frame: 1; 0: the end, or stopped. Errors, which stick: -ENODATA (the
 * input ended without any frame, or within one), -EPROTO (the frame size changed, or the data are damaged),
 * or read()'s. */
PSTK_PUBLIC int pstk_video_input_read(struct pstk_video_input *, void *frame);

/* Any thread, at any time until close: ends the stream, also while a read waits for a pipe. */
PSTK_PUBLIC void pstk_video_input_stop(struct pstk_video_input *);

/* The reading thread. One line with the path and the cause of the failed read; "" when there is none. */
PSTK_PUBLIC const char *pstk_video_input_error(const struct pstk_video_input *);

PSTK_PUBLIC void pstk_video_input_close(struct pstk_video_input *);

/* ANY. Port out. arg: struct pstk_video_input *, borrowed. Ends with the input, whatever the rate. The start of
 * a second one with the same input, in this network or another, fails (-EBUSY) until the first one's network
 * has ended. Under a team it keeps a thread of its own, as reading may wait. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_source_type(void);

/* ANY. The type for this input: one of the same name that leaves its firings to the team, where reading waits
 * for nobody (the scene, a regular file), so that a frame costs no wake-up; else, and of NULL,
 * pstk_video_source_type(). */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_source_type_for(const struct pstk_video_input *);

/*
 * Output.
 *
 *	path         written as
 *	NAME.gray    raw frames; also `-` (stdout) and a name without an ending (/dev/null)
 *	NAME.y4m     Y4M: Cmono, with overlay C444
 *	NAME.png     a contact sheet of up to 12 frames, evenly spaced, larger ones made to fit 320x240; needs libpng
 *	else         the container that FFmpeg writes for this ending, with its usual codec
 *
 * A regular file is written under a new name of its own, PATH.NUMBERS.part, which pstk_video_output_complete()
 * renames to PATH, or to where PATH leads if it is a link, also if nothing is there yet; without that it is
 * removed. What was there before is replaced, not written to: its permission bits are copied when the output
 * is opened, but nothing else. Devices, FIFOs, stdout and the names of open descriptors (/dev/stdout,
 * /dev/fd/N) are written directly. Of Theora (.ogv) frames are at least 18 pixels wide. A program that writes
 * to pipes ignores SIGPIPE: then a closed pipe is -EPIPE.
 *
 * An output that is given the input of its frames (times) keeps their time stamps, from the first frame, which is at 0, to
 * the end of the last one: as they are where the container has a time for each frame (MP4, MOV, Matroska, WebM, GIF, FLV,
 * transport streams ..), to its precision; else, in Y4M, AVI and others of a constant rate, a frame is repeated, and one
 * that comes too early left out, so that each is shown when it should be, to a frame's time. Raw frames and contact sheets
 * have no time. The audio of an input is not written.
 */
struct pstk_video_output_spec {
	uint32_t struct_size; /* sizeof(struct pstk_video_output_spec) of the program */
	const char *path;
	uint32_t width, height;      /* pixels */
	uint32_t rate_num, rate_den; /* frames per second, as a fraction; both 0: 25/1 */
	bool overlay;                /* the picture with motion painted red: not raw */
	/* frame n that is written was made of frame n of this input, and gets its time: see above. The output is opened
	 * before the input's first frame is read; both are closed in any order. NULL: a constant rate */
	struct pstk_video_input *times;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_VIDEO_OUTPUT(...)                   \
	(&(const struct pstk_video_output_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_video_output_spec), __VA_ARGS__ })

static inline struct pstk_video_output_spec pstk_video_output_spec_init(void)
{
	struct pstk_video_output_spec spec = { (uint32_t)sizeof(struct pstk_video_output_spec), NULL, 0, 0, 0,
		0, false, NULL };

	return spec;
}

struct pstk_video_output;

/* Of the writing thread's work so far. */
struct pstk_video_output_info {
	uint64_t frames; /* written */
	uint64_t
		repeated; /* so many more are in the file, to keep the input's time stamps at a constant rate */
	uint64_t left_out; /* so many of them are not, for the same reason */
	bool loses_audio;  /* the input has sound, and this is a video without it */
};

/* Any thread. Opens an output; may block, on a FIFO. *output is NULL after a failure, and `error` (size
 * bytes; may be NULL) has one line with the path and the cause. Errors: -EINVAL (overlay with raw, wrong size
 * or rate, of a container also below 1/1000 or above 1000000, an ending that nobody knows), -EBUSY (frames of
 * `times` have been read), -EPROTO (the container's header can't be written, to a FIFO for example), -ENOTSUP
 * (this build can't), -EISDIR, -ENOMEM, or open()'s. */
PSTK_PUBLIC int pstk_video_output_open(
	struct pstk_video_output **output, const struct pstk_video_output_spec *, char *error, size_t size);

/* The writing thread, or after it has ended. -EINVAL: NULL. */
PSTK_PUBLIC int pstk_video_output_get_info(const struct pstk_video_output *, struct pstk_video_output_info *);

/* One thread at a time. Writes one frame: a map (0 or 255), with overlay also the picture that it belongs to
 * (else NULL). Errors stick: write()'s, -ECANCELED (stopped), -EPROTO (the codec failed, or a frame comes so late that a
 * million would be repeated), -EINVAL (`times` has not read so many frames). */
PSTK_PUBLIC int pstk_video_output_write(struct pstk_video_output *, const void *map, const void *frame);

/* As pstk_video_output_write(); also -ENODATA (no frame was written). The last frame was written: ends the file
 * and gives it its name. */
PSTK_PUBLIC int pstk_video_output_complete(struct pstk_video_output *);

/* Any thread, at any time until close: writing and completing fail, also while it waits for a pipe. */
PSTK_PUBLIC void pstk_video_output_stop(struct pstk_video_output *);

/* The writing thread. One line with the path and the cause of the failure; "" when there is none. */
PSTK_PUBLIC const char *pstk_video_output_error(const struct pstk_video_output *);

/* Frees it; a file that was not completed is removed. */
PSTK_PUBLIC void pstk_video_output_close(struct pstk_video_output *);

/* The arg of both sinks, borrowed: the outputs that get each frame, in this order. */
struct pstk_video_sink_arg {
	struct pstk_video_output *const *outputs;
	unsigned count; /* 0: frames are swallowed */
};

/* ANY. Port map. arg: struct pstk_video_sink_arg *, or NULL for no output. At the end of the network it
 * completes its outputs, unless the network failed or was aborted. The start of a second one with one of these
 * outputs, in this network or another, fails (-EBUSY) until the first one's network has ended; with an output
 * that is complete it fails, too (-EINVAL). Under a team it keeps a thread of its own, as writing may
 * wait. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_sink_type(void);

/* ANY. Ports map, frame. As pstk_video_sink_type(), for outputs with overlay. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_overlay_type(void);

/* ANY. The types for these outputs: those of the same names that leave their firings to the team, if none of
 * the outputs is a pipe, a socket or a terminal, which would make it wait (also of NULL); else
 * pstk_video_sink_type() and pstk_video_overlay_type(). */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_sink_type_for(const struct pstk_video_sink_arg *);
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_overlay_type_for(const struct pstk_video_sink_arg *);

#ifdef __cplusplus
}
#endif

#endif
