/* SPDX-License-Identifier: MIT */
/* What the tests of I/Q signals in and out share. */
#ifndef PENSTOCK_ACTORS_CHECK_IQ_H
#define PENSTOCK_ACTORS_CHECK_IQ_H

#include "actors/common/check_files.h"
#include "penstock/iq.h"

/* Opens, expects success. */
struct pstk_iq_input *iq_open(const struct pstk_iq_input_spec *);
/* Opens, expects this error and text. */
void iq_refuses(const struct pstk_iq_input_spec *, int err, const char *text);

/* Reads all of it, in blocks of random sizes up to `most`, and closes it: the samples must be those in
 * the bytes, which are put together here from each float's bits. */
void iq_expect(const struct pstk_iq_input_spec *, const unsigned char *bytes, size_t samples, size_t most);

/* n samples of the bytes apart, whatever the machine's order of bytes is. */
void iq_split(const unsigned char *bytes, float *re, float *im, size_t n);

/* Opens, writes the n samples of the bytes in blocks of random sizes, completes and closes. */
void iq_write(const struct pstk_iq_output_spec *, const unsigned char *bytes, size_t n);

/* What is in a file must be these bytes. */
void iq_expect_file(const char *name, const void *bytes, size_t size);

#endif
