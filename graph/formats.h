/* SPDX-License-Identifier: MIT */
/* Formats: sizes of frames, which travel along FIFOs from the actors that know them to those that must. */
#ifndef PENSTOCK_GRAPH_FORMATS_H
#define PENSTOCK_GRAPH_FORMATS_H

#include "graph/graph.h"

/* "gray8 320x240", or "gray8" of a size that comes in. false: it is none of these, which is told. */
bool ps_format_read(struct pstk_graph *, const struct ps_node *, struct pstk_plugin_format *);

/* Must the writers of its inputs be added before it? */
bool ps_format_is_wanted(const struct ps_entry *);

/* Is a format known of what this FIFO brings? Once its writer is added. */
bool ps_format_is_brought(const struct ps_link *);

/* Sets e->in to what its inputs get, and e->misses. */
void ps_format_gather(struct ps_entry *e);

/* Is its format not known because an actor in front of it could not be added? That is a problem already. */
bool ps_format_is_missing(const struct ps_entry *);

/* Gives such parameters of an actor the size of e->in, or e->in what the graph gives. false: it is not known, which is
 * told. */
bool ps_format_fill(struct pstk_graph *, struct ps_entry *e, struct pstk_actor *);

/* The same of a kernel: are the sizes of all its ports known? */
bool ps_format_settle(struct pstk_graph *, const struct ps_entry *);

/* Is it none, or one that can be handed on? */
bool ps_format_is_usable(const struct pstk_plugin_format *);

/* The format of an end of this port. */
struct pstk_plugin_format ps_format_of(const struct ps_entry *, const char *port, bool output);

/* Do both ends agree? Then a token size that is not given is that of a frame. false: they don't, a problem. */
bool ps_format_connect(struct pstk_graph *, const struct ps_link *, size_t *token_size);

#endif
