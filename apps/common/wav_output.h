/* SPDX-License-Identifier: MIT */
/* RIFF WAVE files with PCM of 16 or 24 bits or 32-bit floats, written in order. */
#ifndef COMMON_WAV_OUTPUT_H
#define COMMON_WAV_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "actors/common/message.h"
#include "actors/common/writer.h"

enum { WAV_FMT = 40, WAV_CHUNK = 4096 };

/* A frame has a sample of each channel. */
struct wav_format {
	uint32_t rate; /* frames a second */
	uint32_t channels;
	uint32_t bytes; /* of a sample: 2, 3, 4 (floats) */
	uint32_t frame; /* bytes of a frame */
	bool is_float;
	/* the fmt chunk as it was read: so an output is of the same kind, channels at the same places */
	unsigned char fmt[WAV_FMT];
	uint32_t fmt_size;
};

/* PCM of 16 bits. */
struct wav_format wav_format_pcm16(uint32_t rate, uint32_t channels);

/* Writing thread only, but for writer.stopped and its wake pipe. */
struct wav_output {
	struct ps_writer writer;
	struct wav_format format;
	uint64_t expected; /* frames; UINT64_MAX: unknown */
	uint64_t frames;   /* written */
	uint64_t clipped;  /* samples that were beyond what PCM can have */
	bool begun;        /* its header is written */
	unsigned char *chunk;
	char label[PS_LABEL_SIZE];
};

/* Would that be a name for --output? NULL, "-", what ends in .wav, and what exists and is no regular file. 0, or what
 * to exit with; said then. */
int wav_output_check_name(const char *name);

/* expected: frames that will come; UINT64_MAX: unknown. "-" is stdout. 0, or what to exit with; said then.
 * wav_output_close() follows. */
int wav_output_open(
	struct wav_output *, const char *path, const struct wav_format *format, uint64_t expected);

/* May a header say that there are n frames more than now? Else it says that the length is unknown. */
bool wav_output_has_room(const struct wav_output *, uint64_t n);

/* 0 or a negative errno. */
int wav_output_write(struct wav_output *, const float *samples, size_t n);

/* Says in the header how many frames there are, and gives the file its name. As wav_output_write(). */
int wav_output_complete(struct wav_output *);

/* Of a pipe or a device: its header says another length than came. */
bool wav_output_header_is_wrong(const struct wav_output *);

void wav_output_close(struct wav_output *);

#endif
