/* SPDX-License-Identifier: MIT */
/* What the actors of ViVid should give, in double precision, from the definitions alone; frames, and vectors of
 * tests/data/vivid. */
#ifndef PENSTOCK_ACTORS_CHECK_VIVID_H
#define PENSTOCK_ACTORS_CHECK_VIVID_H

#include "actors/common/check_stream.h"
#include "penstock/vision.h"

/* Filters, a classifier, frames. vivid_end() frees all. */
struct vivid {
	uint32_t width, height, filters, rows; /* of the largest frame */
	float *filter, *classifier;
	size_t frames;
	unsigned char *in, *value, *index, *hist; /* tokens; what is expected, in single precision */
};

/* Random ones: frames of sizes up to the largest one. */
void vivid_begin(struct vivid *, struct test_rng *, uint32_t width, uint32_t height, uint32_t filters,
	uint32_t rows, size_t frames);
/* One frame, and the vectors' filters and classifier: as tests/data/README.md says. */
void vivid_begin_vectors(struct vivid *);
void vivid_end(struct vivid *);

/* Bytes of a token, and of what a frame has in it. */
enum vivid_kind { VIVID_IN, VIVID_VALUE, VIVID_INDEX, VIVID_HIST, VIVID_DIST, VIVID_KINDS };
size_t vivid_token(const struct vivid *, enum vivid_kind);
size_t vivid_bytes(const struct vivid *, enum vivid_kind, const void *token);

/* For stream_run(); data: struct vivid. */
struct pstk_actor *vivid_add_filters(struct pstk_network *, const void *data);
struct pstk_actor *vivid_add_histogram(struct pstk_network *, const void *data);
struct pstk_actor *vivid_add_classify(struct pstk_network *, const void *data);

/* The definitions, as plain loops in double precision: of a frame w pixels wide and h high, or of so many cells. The
 * benchmarks measure them, too. */
void vivid_plain_filters(double *value, uint8_t *index, const uint8_t *in, size_t w, size_t h,
	const float *filter, uint32_t filters);
void vivid_plain_histogram(
	double *hist, const float *value, const uint8_t *index, size_t w, size_t h, uint32_t filters);
void vivid_plain_classify(double *dist, const float *hist, size_t cells, const float *classifier,
	uint32_t rows, uint32_t filters);

/* Fail the test unless the tokens are what a stage makes of these: values and histograms to 1e-3, distances to 1e-5
 * of themselves, sizes as those of the frame. */
void vivid_check_filters(const struct vivid *, const void *in, const void *value, const void *index);
void vivid_check_histogram(const struct vivid *, const void *value, const void *index, const void *hist);
void vivid_check_classify(const struct vivid *, const void *hist, const void *dist);

/* Floats of a file of tests/data/vivid, `count` of them; bytes behind `skip` of them. The caller frees them. */
float *vivid_floats(const char *name, size_t count);
unsigned char *vivid_file(const char *name, size_t skip, size_t count);

#endif
