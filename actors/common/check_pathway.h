/* SPDX-License-Identifier: MIT */
/* What the steps of saliency should give, in double precision, from their definitions alone; and runs of an actor. */
#ifndef PENSTOCK_ACTORS_CHECK_PATHWAY_H
#define PENSTOCK_ACTORS_CHECK_PATHWAY_H

#include "actors/common/check_stream.h"
#include "penstock/saliency.h"

#include <complex.h>

enum { PATHWAY_MAPS = 24, PATHWAY_BANDS = 4 };

/* x, of w x h numbers, becomes its transform; by FFTW where there is one, else by the definition, row by row and column
 * by column. inverse: scaled by 1 / (w h). */
void pathway_dft(double complex *x, size_t w, size_t h, bool inverse);

/* The steps, each of one frame. P: the mean of the frame's squares, which the definition of a flat map needs. */
void pathway_window(double *to, const uint8_t *frame, size_t w, size_t h, const char *window, double *P);
double pathway_gabor(size_t w, size_t h, size_t x, size_t y, unsigned map); /* the filter at this pixel */
void pathway_interactions(double *to, const double *from, size_t pixels);
void pathway_normalize(double *map, size_t pixels, double flat); /* in place */

/* All of them: the saliency of a frame. */
void pathway_whole(double *to, const uint8_t *frame, size_t w, size_t h, const char *window);

/* An actor of a size, for stream_run(). */
struct pathway_actor {
	const struct pstk_actor_type *type;
	const void *arg;
};
struct pstk_actor *pathway_add(struct pstk_network *, const void *actor);

/* Runs it on count tokens of so many bytes. The caller frees the run. */
struct stream_run pathway_run(const struct pathway_actor *, const struct stream_way *, const void *tokens,
	size_t count, size_t in_bytes, size_t out_bytes);

/* One thread, one step, on the cores. */
struct stream_way pathway_plain(void);

/* Wrong sizes and token sizes are refused, of every type. */
void pathway_check_refusals(const struct pstk_actor_type *);

/* The actor between a source and a sink that end at once. */
struct pstk_network *pathway_alone(
	const struct pathway_actor *, size_t in_bytes, size_t out_bytes, const char *device);

/* Lets each allocation of init() fail once, on the cores: the start says -ENOMEM and that it is out of memory. Returns
 * how many there were. */
unsigned pathway_fail_allocations(const struct pathway_actor *, size_t in_bytes, size_t out_bytes);

/* Random floats, -1 .. 1; random bytes. The caller frees them. */
float *pathway_floats(struct test_rng *, size_t count);
uint8_t *pathway_bytes(struct test_rng *, size_t count);

#endif
