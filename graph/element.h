/* SPDX-License-Identifier: MIT */
/* Element: numbers of a graph file as the bytes of tokens and arguments. */
#ifndef PENSTOCK_GRAPH_ELEMENT_H
#define PENSTOCK_GRAPH_ELEMENT_H

#include "graph/graph.h"
#include "lib/base/number.h"

/* A value, or a list of them, as elements of this type ("u8", "f32", "cf32", ..; of cf32 and cf64 two numbers each).
 * NULL: a problem, which is told. */
const void *ps_element_read(struct pstk_graph *, const struct ps_node *, const char *type, size_t *bytes);

/* Such a number among the bytes of elements as text; of cf32 and cf64: half of one. */
void ps_element_number(const char *type, const void *from, char text[PS_NUMBER_TEXT]);

/* Does a text say such a number as the bytes have? */
bool ps_element_is(const char *type, const char *text, const void *bytes);

/* The bytes of one number of an element; 0: there is no such type, or it is NULL. */
size_t ps_element_step(const char *type);

/* The bytes of an element; 0: there is no such type, or it is NULL. */
size_t ps_element_size(const char *type);

#endif
