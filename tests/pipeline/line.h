/* SPDX-License-Identifier: MIT */
/*
 * Lines: count, some stages, collect, with the stages as a pipeline. Tokens are those of tests/common/simple.h, which
 * each stage passes on; collect finds each one that is missing, doubled or out of order.
 */
#ifndef PENSTOCK_TESTS_LINE_H
#define PENSTOCK_TESTS_LINE_H

#include "tests/common/simple.h"

#include <penstock/pipeline.h>

enum { LINE_STAGES = 16 };

struct line_stage {
	int (*act)(struct pstk_firing *, struct line_stage *); /* before it passes tokens on; NULL: nothing */
	void *data;                                            /* act()'s */
	int init_err, finish_err;
	unsigned inits, finishes; /* calls */
	unsigned order;           /* of its init() among all, from 1; then of its finish() */
	_Atomic uint64_t firings;
	struct line *of;
};

struct line {
	struct pstk_network *net;
	struct simple_count count;
	struct simple_collect collect;
	struct line_stage at[LINE_STAGES];
	struct pstk_actor *first, *last, *stages[LINE_STAGES];
	struct pstk_fifo *fifos[LINE_STAGES + 1];
	struct pstk_pipeline *pipeline;
	unsigned stage_count, calls; /* of init() and finish() of stages */
};

/* Stateless, ports in and out; arg: struct line_stage, or NULL. */
const struct pstk_actor_type *line_type(void);

/* Builds all but the pipeline. Actors: "count", "stage0" .., "collect". The caller destroys line->net. */
void line_begin(struct line *, unsigned stages, uint64_t tokens, uint32_t rate);
/* Stages of another type, such as line_type() with a kernel. */
void line_begin_with(
	struct line *, const struct pstk_actor_type *, unsigned stages, uint64_t tokens, uint32_t rate);
/* The pipeline, "line". NULL: it is refused. */
struct pstk_pipeline *line_make(struct line *, const struct pstk_pipeline_spec *);
/* The run ends well, and each token has arrived. */
void line_run(struct line *);

#endif
