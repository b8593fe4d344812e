/* SPDX-License-Identifier: MIT */
/* Pipelines: what the section `pipelines` says, as pipelines of the network. */
#ifndef PENSTOCK_GRAPH_PIPELINES_H
#define PENSTOCK_GRAPH_PIPELINES_H

#include "graph/graph.h"

#include <penstock/pipeline.h>

/* A key besides name and stages: where its value is in a spec. */
struct ps_pipe_key {
	const char *name;
	enum { PS_PIPE_TEXT, PS_PIPE_COUNT, PS_PIPE_NUMBER, PS_PIPE_WORD, PS_PIPE_SWITCH } kind;
	size_t at;
	const char *unit;         /* of a number, for messages */
	const char *const *words; /* by number; ends with NULL */
	uint32_t most;            /* of a count */
};

enum { PS_PIPE_KEYS = 16 };
extern const struct ps_pipe_key ps_pipe_keys[PS_PIPE_KEYS];

/* A pipeline that a file has made. */
struct ps_pipe {
	const struct ps_node *node;
	struct pstk_pipeline *pipeline;
	struct pstk_pipeline_spec spec; /* as it was told at first; strings are the graph's */
	struct ps_pipe *next;
};

/* Once all actors are connected, mapped, and have their moves and times. */
void ps_pipelines_read(struct pstk_graph *);

/* What the file says of a pipeline; NULL: the program has made it. */
const struct ps_pipe *ps_pipeline_of_file(const struct pstk_graph *, const struct pstk_pipeline *);

#endif
