/* SPDX-License-Identifier: MIT */
/* Runs an image actor in a network of its own: a source for each input, a sink that keeps what comes out. */
#ifndef PENSTOCK_ACTORS_CHECK_FRAMES_H
#define PENSTOCK_ACTORS_CHECK_FRAMES_H

#include "penstock/actors.h"
#include "tests/common/common.h"

enum { FRAME_INPUTS = 2 };

struct frame_stream {
	uint8_t *tokens; /* a source's, or room for the sink's */
	size_t count;    /* a source's tokens; the tokens that came to the sink */
	size_t room;     /* sink only: tokens that fit */
	size_t next;     /* source only */
	size_t token_size;
	uint32_t rate, delay;
};

/* Give a stream's tokens, and take them; arg: struct frame_stream. */
int frame_source_fire(struct pstk_firing *);
int frame_sink_fire(struct pstk_firing *);

struct frame_run {
	const struct pstk_actor_type *type;
	void *arg;
	struct frame_stream in[FRAME_INPUTS], out;
	const char *device; /* of the actor, or moving_device(); NULL: the cores */
	char error[512];
};

/* One token size and rate everywhere, and memory for `count` tokens out. */
void frame_run_init(
	struct frame_run *, const struct pstk_actor_type *, void *arg, size_t token_size, uint32_t rate);

/* Returns pstk_network_run()'s result; error is the network's. */
int frame_run(struct frame_run *);

/* count random tokens; the first ones hold only 0, only 255, and only the two of them. */
uint8_t *frame_tokens(struct test_rng *, size_t token_size, size_t count);

/* The filters' definitions, pixel by pixel. */
typedef void (*frame_expect)(uint8_t *dst, const uint8_t *src, int w, int h);
void frame_expect_gauss5x5(uint8_t *dst, const uint8_t *src, int w, int h);
void frame_expect_median5(uint8_t *dst, const uint8_t *src, int w, int h);

/* The filters' common test: many sizes, rates and partly filled windows against expect(), in a network. */
void frame_check_filter(const struct pstk_actor_type *, frame_expect);

/* The same while it moves; memory: one of moving_memories. */
void frame_check_moves(const struct pstk_actor_type *, frame_expect, const char *memory);

/* The filters' other common test: wrong token sizes, rates and parameters are refused. */
void frame_check_refusals(const struct pstk_actor_type *);

#endif
