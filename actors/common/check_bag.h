/* SPDX-License-Identifier: MIT */
/* What the actors of bags of words should give, in double precision, from the definitions alone; frames. */
#ifndef PENSTOCK_ACTORS_CHECK_BAG_H
#define PENSTOCK_ACTORS_CHECK_BAG_H

#include "actors/common/check_stream.h"
#include "penstock/vision.h"

/* A vocabulary, weights, frames. bag_end() frees all. */
struct bag {
	uint32_t width, height, words, classes; /* of the largest frame */
	float *vocabulary, *weights;
	size_t frames;
	unsigned char *in, *magnitude, *bin; /* tokens; the latter two are expected of `in` */
};

/* Random ones: frames of sizes up to the largest one; the first two frames have it, and the second one grey. */
void bag_begin(struct bag *, struct test_rng *, uint32_t width, uint32_t height, uint32_t words,
	uint32_t classes, size_t frames);
void bag_end(struct bag *);

/* Bytes of a token, and of what a frame has in it. */
enum bag_kind { BAG_IN, BAG_MAGNITUDE, BAG_BIN, BAG_DESCRIPTORS, BAG_HIST, BAG_SCORES, BAG_KINDS };
size_t bag_token(const struct bag *, enum bag_kind);
size_t bag_bytes(const struct bag *, enum bag_kind, const void *token);

/* For stream_run(); data: struct bag. */
struct pstk_actor *bag_add_gradients(struct pstk_network *, const void *data);
struct pstk_actor *bag_add_descriptors(struct pstk_network *, const void *data);
struct pstk_actor *bag_add_words(struct pstk_network *, const void *data);

/* The definitions, as plain loops in double precision: of a frame w pixels wide and h high. The benchmarks measure
 * them, too. nearest: the first word that is nearest to each patch; returns how many patches there are. */
void bag_plain_gradients(double *magnitude, uint8_t *bin, const uint8_t *in, size_t w, size_t h);
size_t bag_plain_words(uint32_t *nearest, const float *magnitude, const uint8_t *bin, size_t w, size_t h,
	const float *vocabulary, uint32_t words);

/* Fail the test unless the tokens are what a stage makes of these: magnitudes and descriptors to 1e-5, bins exactly, a
 * patch in that of the words that are nearest to 1e-5 of the distance; scores to 1e-4. */
void bag_check_gradients(const void *in, const void *magnitude, const void *bin);
void bag_check_descriptors(const void *magnitude, const void *bin, const void *descriptors);
void bag_check_words(
	const struct bag *, const void *magnitude, const void *bin, const void *hist, const void *scores);

#endif
