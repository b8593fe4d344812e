/* SPDX-License-Identifier: MIT */
/* What the tests of graphs share: the plug-ins of the build, what a graph has, what is wrong with it. */
#ifndef PENSTOCK_GRAPH_CHECK_LOAD_H
#define PENSTOCK_GRAPH_CHECK_LOAD_H

#include "penstock/graph.h"
#include "tests/common/common.h"
#include "tests/common/file.h"

/* All of the build, ends with NULL. */
extern const char *const load_plugins[];

/* The graph of a file g.yaml with this text, which must be good. */
struct pstk_graph *load_file(const char *text, const char *const *sets);

/* The same of a chain. */
struct pstk_graph *load_chain(const char *text, const char *const *sets);

/* Runs it, and destroys it. */
void load_run(struct pstk_graph *);

/* An actor by its name, the index-th FIFO. */
struct pstk_actor *load_actor(const struct pstk_graph *, const char *name);
struct pstk_fifo_info load_fifo(const struct pstk_graph *, unsigned index);

/* These are its problems, in order, without the folder of g.yaml: up to NULL, at most `most`. Destroys it. */
void load_expect(struct pstk_graph *, const char *const *problems, size_t most);

#endif
