/* SPDX-License-Identifier: MIT */
/*
 * Staged: a source of sized frames, the stages of a pipeline, a sink. Tests run the same frames in several
 * configurations, on the cores and with a device, and compare what came out.
 */
#ifndef PENSTOCK_ACTORS_CHECK_STAGED_H
#define PENSTOCK_ACTORS_CHECK_STAGED_H

#include "penstock/pipeline.h"
#include "penstock/vision.h"

#include "tests/common/common.h"

#include <stdio.h>

enum { STAGED_STAGES = 16 };

/* Tokens, one behind the other. */
struct staged_tokens {
	size_t bytes; /* of one */
	size_t count;
	unsigned char *data; /* the caller's; of a run's output staged_free()'s */
};

/* Adds the stages and connects them with each other. Returns how many there are. */
typedef unsigned (*staged_build)(struct pstk_network *, const void *data, struct pstk_actor **stages);

struct staged_run {
	staged_build build;
	const void *data;
	struct staged_tokens in,
		out;               /* into the port "in" of the first stage, out of `port` of the last one */
	const char *port;          /* NULL: "out" */
	uint32_t rate;             /* tokens of an item; 0: 1 */
	const char *device;        /* NULL: the cores alone */
	const char *configuration; /* NULL: adaptive */
	uint32_t cores;            /* 0: all */
};

/* Runs it, and asserts that all is well. out: its data are staged_free()'s. */
void staged_go(struct staged_run *);
void staged_free(struct staged_run *);

/* The error with which it ends, and its text. */
int staged_fail(struct staged_run *, char *error, size_t size);

/* Runs it on the cores alone in each configuration of one and two cores, and asserts that `same` finds each token that
 * comes out equal to those of the first one. out: those. */
void staged_cores(struct staged_run *, bool (*same)(const void *a, const void *b));

/* PoCL's devices, by number: its usual one, the one whose kernels run in the calling thread, and a half. Returns a
 * selector; NULL: it says that there is none. A test each, which is a process of its own. */
enum { STAGED_DEVICES = 3 };
const char *staged_device(unsigned number);

/*
 * Runs it with a device in configurations of one and two cores: all masks, grains and numbers of threads, or of `share`
 * behind one another a random one (test_share()). Asserts that tokens that come out without the device are the `same`
 * as those of one thread on one core, and those with it `near`.
 */
void staged_configurations(const struct staged_run *, const char *device, unsigned share,
	bool (*same)(const void *a, const void *b), bool (*near)(const void *a, const void *b));

/* Runs it once more, with the shortest vectors, and asserts the same. */
void staged_shortest(const struct staged_run *, bool (*same)(const void *a, const void *b));

/* Are two sized tokens equal, but for what is not defined? bytes: of a pixel. */
bool staged_same(const void *a, const void *b, size_t bytes);

/* A sized token: a frame of bytes that it copies; the caller frees it. */
unsigned char *staged_frame(const uint8_t *pixels, uint32_t width, uint32_t height, size_t token_bytes);

/* A file of tests/data, to be read. */
FILE *staged_open(const char *name);

/* A picture of 8-bit grey, read from a PGM file of tests/data; the caller frees it. */
uint8_t *staged_read_pgm(const char *name, uint32_t *width, uint32_t *height);

#endif
