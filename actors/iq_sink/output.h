/* SPDX-License-Identifier: MIT */
/* An I/Q output inside. Writing thread only, but for writer.stopped and its wake pipe. */
#ifndef PENSTOCK_IQ_OUTPUT_H
#define PENSTOCK_IQ_OUTPUT_H

#include <penstock/iq.h>

#include "actors/common/cf32.h"
#include "actors/common/message.h"
#include "actors/common/writer.h"

#include <stdatomic.h>

struct pstk_iq_output {
	struct ps_writer writer; /* of the samples */
	struct ps_writer meta;   /* of a recording's meta file; its fd is -1: none */
	uint32_t *chunk;         /* what is written, PS_CF32_CHUNK samples */
	int failed;              /* the error that sticks */
	bool completed;
	uint64_t not_finite;
	atomic_bool taken; /* an actor of a network that has begun writes it; any thread */
	char label[PS_LABEL_SIZE];
	char error[PSTK_IQ_ERROR_SIZE];
};

/* Keeps a message that starts with the output's label; returns err. */
int ps_iq_output_fail(struct pstk_iq_output *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* As pstk_iq_output_write(), any n. */
int ps_iq_output_put(struct pstk_iq_output *, const float *re, const float *im, size_t n);

/* Opens both files of a recording and writes the meta file, or a negative errno with its text in
 * output->error. */
int ps_iq_output_open_sigmf(struct pstk_iq_output *, const struct pstk_iq_output_spec *);

#endif
