/* SPDX-License-Identifier: MIT */
/* Document: the graph file and the files that it includes, put together section by section. */
#ifndef PENSTOCK_GRAPH_DOCUMENT_H
#define PENSTOCK_GRAPH_DOCUMENT_H

#include "graph/graph.h"

/* Files that include each other; more are an error. */
enum { PS_DOCUMENT_FILES = 64 };

/* Reads all files, puts parameters in, and sorts the rest into the graph's sections. */
void ps_document_read(struct pstk_graph *, const struct pstk_graph_spec *);

/* An entry of a section by its name; NULL: there is none. Once all files are read. */
struct ps_entry *ps_document_find(const struct ps_section *, const char *name);

/* The graph has no actor of this name: a problem. */
void ps_document_no_actor(struct pstk_graph *, const struct ps_node *at, const char *name);

#endif
