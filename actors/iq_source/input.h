/* SPDX-License-Identifier: MIT */
/* An I/Q input inside. Reading thread only, but for reader.stopped and its wake pipe. */
#ifndef PENSTOCK_IQ_INPUT_H
#define PENSTOCK_IQ_INPUT_H

#include <penstock/iq.h>

#include "actors/common/cf32.h"
#include "actors/common/message.h"
#include "actors/common/reader.h"

#include <stdatomic.h>

struct ps_ofdm;

/* How a file holds samples. */
struct ps_iq_format {
	const char *name;
	unsigned bytes; /* of a sample */
};

struct pstk_iq_input {
	const struct ps_iq_format *format;
	struct ps_reader reader;
	struct ps_ofdm *signal; /* the generated one; NULL: the reader */
	uint32_t *chunk;        /* what was read, PS_CF32_CHUNK samples; NULL with signal */
	char *file;             /* what the reader reads; constant once open; NULL: stdin, or none */
	struct pstk_iq_info info;
	uint64_t left; /* samples that may still be read; UINT64_MAX: as many as come */
	uint64_t samples, not_finite;
	double squared_peak;
	atomic_bool taken; /* an actor of a network that has begun reads it; any thread */
	bool begun;        /* a source has taken samples of it; the reading thread, and wait() */
	int failed;        /* the error that sticks */
	char label[PS_LABEL_SIZE];
	char error[PSTK_IQ_ERROR_SIZE];
};

/* Keeps a message that starts with the input's label; returns err. */
int ps_iq_input_fail(struct pstk_iq_input *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* NULL: there is no such format. */
const struct ps_iq_format *ps_iq_format_find(const char *name);

/* Errors speak of this path from now on. */
void ps_iq_input_name(struct pstk_iq_input *, const char *path);

/* Opens the reader, and remembers the file's path. 0 or a negative errno, without a text. */
int ps_iq_input_open_file(struct pstk_iq_input *, const char *path);

/* As pstk_iq_input_read(), any n. */
int64_t ps_iq_input_take(struct pstk_iq_input *, float *re, float *im, size_t n);

/* May another sample come? False: the last one that was asked for, or that a file has, was read. */
bool ps_iq_input_has_more(const struct pstk_iq_input *);

/* The bytes of a regular file that are samples: all but the first and last ones. Sets left and what the
 * info knows. */
int ps_iq_input_bounds(struct pstk_iq_input *, uint64_t header, uint64_t trailing);

/* The reader stands at a recording's first sample, or a negative errno with its text in input->error. */
int ps_iq_input_open_sigmf(struct pstk_iq_input *, const char *path);

#endif
