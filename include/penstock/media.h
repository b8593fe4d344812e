/* SPDX-License-Identifier: MIT */
/*
 * Video in and out, of libpenstock-media.
 *
 *   - A frame is width x height bytes of 8-bit grey (0 black, 255 white), row after row without padding. Any size from
 *     1x1 to 32768x32768. One frame is one token.
 *   - Inputs and outputs are the caller's. One thread at a time uses each of them. An actor borrows it until
 *     pstk_network_destroy(); the caller closes it after that.
 *   - What needs FFmpeg or libpng says so in a build without it.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
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
 * -- Input ------------------------------------------------------------------------------------------------------------
 *
 *	path         read as
 *	NULL         the synthetic scene: people walking through a still street, without end, the same each time
 *	NAME.gray    raw frames; width and height are needed
 *	-            stdin, a file or a pipe: Y4M, or what FFmpeg recognises by its content
 *	else         Y4M (told by its first bytes), or whatever FFmpeg reads: files, URLs, numbered pictures
 *	             (p%03d.png, the first one from 0 to 4, unless there is a file of this very name)
 *
 * Files that were cut off
 *   A cut is an error where the format says where the file ends: raw, Y4M, AVI, Matroska, WebM, MP4, MOV, Ogg, GIF, PNG
 *   and JPEG pictures, Motion JPEG. MPEG, transport streams, FLV, DV and raw streams of other codecs don't say it for
 *   sure: there a cut may pass as the end.
 *
 * Colour
 *   Colour becomes grey as in FFmpeg's pixel format "gray": luma, stretched to 0..255 unless it is full range.
 *
 * Formats
 *   - Y4M is 8 bits deep: 420, 411, 422, 444, 444alpha, mono.
 *   - With FFmpeg the best video stream is taken. The reading thread decodes it.
 *   - Theora's frames that only repeat the frame before are left out, as FFmpeg does.
 */
struct pstk_video_input_spec {
	uint32_t struct_size; /* sizeof(struct pstk_video_input_spec) of the program */
	const char *path;
	/* pixels. Of NAME.gray: the size of a frame. Else: frames are scaled to this size (needs FFmpeg); both 0: as
	 * the input is */
	uint32_t width, height;
	uint32_t scene_width, scene_height; /* pixels, at least 5x5; with path NULL */
	uint64_t frames;                    /* the stream ends after so many; 0: where the input ends */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_VIDEO_INPUT(.path = "clip.avi"). C only. */
#define PSTK_VIDEO_INPUT(...)                   \
	(&(const struct pstk_video_input_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_video_input_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_video_input_spec pstk_video_input_spec_init(void)
{
	struct pstk_video_input_spec spec = { (uint32_t)sizeof(struct pstk_video_input_spec), NULL, 0, 0, 0,
		0, 0 };

	return spec;
}

struct pstk_video_info {
	uint32_t width, height; /* pixels */
	/* frames per second, as a fraction; 25/1 when the input doesn't say. Of irregular times: a usual rate, or their
	 * mean */
	uint32_t rate_num, rate_den;
};

struct pstk_video_input;

/*
 * Opens an input and reads its header; may block, on a pipe. Context: any thread.
 *
 * input: gets the input; NULL after a failure.
 * error: gets one line with the path and the cause, at most size bytes; NULL: no text.
 * Errors:
 *   -EINVAL: not a video, no size, or a wrong size
 *   -ENOTSUP: this build or this format can't do it
 *   -ENODATA: empty, or cut off before the first frame
 *   -EPROTO: a Y4M header without end, data that can't be decoded, or what FFmpeg can't open
 *   -EISDIR
 *   -ENOMEM
 *   else those of open()
 */
PSTK_PUBLIC int pstk_video_input_open(
	struct pstk_video_input **input, const struct pstk_video_input_spec *, char *error, size_t size);

/* Tells size and rate of an input. Context: any thread. */
PSTK_PUBLIC int pstk_video_input_get_info(const struct pstk_video_input *, struct pstk_video_info *);

/*
 * Reads the next frame. Context: one thread at a time.
 *
 * Returns 1; 0: the end, or stopped.
 * Errors, which stick:
 *   -ENODATA: the input ended without any frame, or within one
 *   -EPROTO: the frame size changed, or the data are damaged
 *   else those of read()
 */
PSTK_PUBLIC int pstk_video_input_read(struct pstk_video_input *, void *frame);

/* Ends the stream, also while a read waits for a pipe. Context: any thread, at any time until close. */
PSTK_PUBLIC void pstk_video_input_stop(struct pstk_video_input *);

/* Returns one line with the path and the cause of the failed read; "" when there is none. Context: the reading
 * thread. */
PSTK_PUBLIC const char *pstk_video_input_error(const struct pstk_video_input *);

/* Closes an input and frees it. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_video_input_close(struct pstk_video_input *);

/*
 * The type of a source of frames. Context: ANY.
 *
 * Port: out. arg: struct pstk_video_input *, borrowed.
 * The actor ends with its input, whatever the rate. Under a team it keeps a thread of its own, because reading may
 * wait. pstk_network_start() fails with -EBUSY for a second source with the same input, in this network or another,
 * until the network of the first one has ended.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_source_type(void);

/*
 * The type of a source for this input. Context: ANY.
 *
 * Where reading never waits (the scene, a regular file) it is a type of the same name that leaves its firings to the
 * team, so that a frame costs no wake-up. Else, and for NULL, it is pstk_video_source_type().
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_source_type_for(const struct pstk_video_input *);

/*
 * -- Output -----------------------------------------------------------------------------------------------------------
 *
 *	path         written as
 *	NAME.gray    raw frames; also `-` (stdout) and a name without an ending (/dev/null)
 *	NAME.y4m     Y4M: Cmono, with overlay C444
 *	NAME.png     a contact sheet of up to 12 frames, evenly spaced, larger ones made to fit 320x240; needs libpng. A
 *	             frame that is the only one keeps its size
 *	else         the container that FFmpeg writes for this ending, with its usual codec
 *
 * Regular files
 *   A regular file is written under a new name of its own, PATH.NUMBERS.part. pstk_video_output_complete() renames it
 *   to PATH, or to where PATH leads if it is a link, also if nothing is there yet. Without that call the file is
 *   removed. What was there before is replaced, not written to. Its permission bits are copied when the output is
 *   opened, but nothing else.
 *
 * Other files
 *   Devices, FIFOs, stdout and the names of open descriptors (/dev/stdout, /dev/fd/N) are written directly. A program
 *   that writes to pipes ignores SIGPIPE: then a closed pipe is -EPIPE.
 *
 * Theora (.ogv)
 *   Frames are at least 18 pixels wide.
 *
 * Time stamps
 *   An output that is given the input of its frames (times) keeps their time stamps, from the first frame, which is at
 *   0, to the end of the last one:
 *   - A container that has a time for each frame (MP4, MOV, Matroska, WebM, GIF, FLV, transport streams ..) gets them
 *     as they are, to its precision.
 *   - In Y4M, AVI and others of a constant rate frames are repeated, and frames that come too early are left out. So
 *     each is shown when it should be, to the time of one frame.
 *   - Raw frames and contact sheets have no time.
 *   The audio of an input is not written.
 */
struct pstk_video_output_spec {
	uint32_t struct_size; /* sizeof(struct pstk_video_output_spec) of the program */
	const char *path;
	uint32_t width, height;      /* pixels */
	uint32_t rate_num, rate_den; /* frames per second, as a fraction; both 0: 25/1 */
	bool overlay;                /* the picture with motion painted red; not for raw frames */
	/* The input of the frames: frame n that is written was made of frame n of this input and gets its time, see
	 * above. Open the output before the input's first frame is read; close both in any order. NULL: a constant
	 * rate. */
	struct pstk_video_input *times;
	/* It is only looked at whether the output can be opened: no file is made, and what is written goes nowhere. */
	bool dry;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_VIDEO_OUTPUT(...)                   \
	(&(const struct pstk_video_output_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_video_output_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_video_output_spec pstk_video_output_spec_init(void)
{
	struct pstk_video_output_spec spec = { (uint32_t)sizeof(struct pstk_video_output_spec), NULL, 0, 0, 0,
		0, false, NULL, false };

	return spec;
}

struct pstk_video_output;

/* What the writing thread has done so far. */
struct pstk_video_output_info {
	uint64_t frames; /* written */
	uint64_t
		repeated; /* so many more are in the file, to keep the input's time stamps at a constant rate */
	uint64_t left_out; /* so many of `frames` are not in the file, for the same reason */
	bool loses_audio;  /* the input has sound, and this is a video without it */
};

/*
 * Opens an output; may block, on a FIFO. Context: any thread.
 *
 * output: gets the output; NULL after a failure.
 * error: gets one line with the path and the cause, at most size bytes; NULL: no text.
 * Errors:
 *   -EINVAL: overlay with raw frames, a wrong size or rate (of a container also a rate below 1/1000 or above 1000000),
 *            or an unknown ending
 *   -EBUSY: frames of `times` have been read already
 *   -EPROTO: the container's header can't be written, to a FIFO for example
 *   -ENOTSUP: this build can't do it
 *   -EISDIR
 *   -ENOMEM
 *   else those of open()
 */
PSTK_PUBLIC int pstk_video_output_open(
	struct pstk_video_output **output, const struct pstk_video_output_spec *, char *error, size_t size);

/* Tells what was written. Context: the writing thread, or after it has ended. Errors: -EINVAL: NULL. */
PSTK_PUBLIC int pstk_video_output_get_info(const struct pstk_video_output *, struct pstk_video_output_info *);

/*
 * Writes one frame. Context: one thread at a time.
 *
 * map: bytes of 0 or 255.
 * frame: with overlay the picture that the map belongs to; else NULL.
 * Errors, which stick:
 *   -ECANCELED: the output was stopped
 *   -EPROTO: the codec failed, or the frame comes so late that a million would be repeated
 *   -EINVAL: `times` has not read so many frames
 *   else those of write()
 */
PSTK_PUBLIC int pstk_video_output_write(struct pstk_video_output *, const void *map, const void *frame);

/*
 * Ends the file after the last frame and gives it its name. Context: one thread at a time.
 *
 * Errors: those of pstk_video_output_write(), and
 *   -ENODATA: no frame was written
 */
PSTK_PUBLIC int pstk_video_output_complete(struct pstk_video_output *);

/* Makes writing and completing fail, also while they wait for a pipe. Context: any thread, at any time until close. */
PSTK_PUBLIC void pstk_video_output_stop(struct pstk_video_output *);

/* Returns one line with the path and the cause of the failure; "" when there is none. Context: the writing thread. */
PSTK_PUBLIC const char *pstk_video_output_error(const struct pstk_video_output *);

/* Closes an output and frees it; a file that was not completed is removed. Context: after pstk_network_destroy() of its
 * network. */
PSTK_PUBLIC void pstk_video_output_close(struct pstk_video_output *);

/* The arg of both sinks, borrowed: the outputs that get each frame, in this order. */
struct pstk_video_sink_arg {
	struct pstk_video_output *const *outputs;
	unsigned count; /* 0: frames are swallowed */
};

/*
 * The type of a sink of maps. Context: ANY.
 *
 * Port: map. arg: struct pstk_video_sink_arg *, or NULL for no output.
 * At the end of the network the actor completes its outputs, unless the network failed or was aborted. Under a team it
 * keeps a thread of its own, because writing may wait.
 * pstk_network_start() fails
 *   -EBUSY: for a second sink with one of these outputs, in this network or another, until the network of the first one
 *           has ended
 *   -EINVAL: with an output that is complete
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_sink_type(void);

/* The type of a sink for outputs with overlay; else as pstk_video_sink_type(). Ports: map, frame. Context: ANY. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_overlay_type(void);

/*
 * The types of sinks for these outputs. Context: ANY.
 *
 * If none of the outputs is a pipe, a socket or a terminal, which would make the actor wait, they are types of the same
 * names that leave their firings to the team; so also for NULL. Else they are pstk_video_sink_type() and
 * pstk_video_overlay_type().
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_sink_type_for(const struct pstk_video_sink_arg *);
PSTK_PUBLIC const struct pstk_actor_type *pstk_video_overlay_type_for(const struct pstk_video_sink_arg *);

#ifdef __cplusplus
}
#endif

#endif
