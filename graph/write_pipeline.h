/* SPDX-License-Identifier: MIT */
/* A pipeline as an entry of the section `pipelines`. */
#ifndef PENSTOCK_GRAPH_WRITE_PIPELINE_H
#define PENSTOCK_GRAPH_WRITE_PIPELINE_H

#include "graph/pipelines.h"
#include "graph/writer.h"

/* What of it has no key in a file; NULL: nothing. */
const char *ps_write_pipeline_fault(const struct pstk_pipeline *);

/* pipe: what the file says of it; NULL: the program has made it. */
void ps_write_pipeline(struct ps_writer *, const struct pstk_pipeline *, const struct ps_pipe *pipe);

#endif
