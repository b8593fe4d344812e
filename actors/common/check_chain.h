/* SPDX-License-Identifier: MIT */
/* Runs a row of actors as a pipeline, between a source and a sink for each of its outputs. */
#ifndef PENSTOCK_ACTORS_CHECK_CHAIN_H
#define PENSTOCK_ACTORS_CHECK_CHAIN_H

#include "tests/common/common.h"

#include <penstock/penstock.h>
#include <penstock/pipeline.h>

enum { CHAIN_STAGES = 3, CHAIN_OUTS = 4, CHAIN_MASK = 16 };

/* A stream into it, or out of it. */
struct chain_end {
	unsigned stage;
	const char *port;
	size_t token_size, count, next; /* next: those that were given, or that came */
	unsigned char *tokens;          /* an output's: chain_free() frees them */
};

struct chain {
	struct pstk_network *net;
	struct pstk_actor *stages[CHAIN_STAGES];
	struct chain_end in, outs[CHAIN_OUTS];
	unsigned stage_count, out_count;
};

/* Fills stages, in, outs, and connects stages with each other, in a network that is there. */
typedef void (*chain_build)(struct chain *, const void *data);

/* Runs it, asserts that all is well and that each output has as many tokens as the input. */
void chain_run(struct chain *, chain_build, const void *data, const struct pstk_pipeline_spec *);
void chain_free(struct chain *);

/* Token i of an output; -1: of the input. */
const void *chain_token(const struct chain *, int out, size_t i);

/* The number-th configuration of so many cores and stages, those without the device first: coarse grain of 1 .. cores +
 * 1 threads, then medium grain, if there is one. stages: up to CHAIN_MASK. mask: those that may be on a device. False:
 * there are not so many. */
bool chain_configuration(
	char text[32], unsigned number, unsigned cores, unsigned stages, unsigned mask, bool medium);

#endif
