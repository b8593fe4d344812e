/* SPDX-License-Identifier: MIT */
/* A network in Graphviz's language. */
#ifndef PENSTOCK_COMMAND_DOT_H
#define PENSTOCK_COMMAND_DOT_H

#include "apps/penstock/paint.h"

/* paint: colours of a run; NULL: without. What goes wrong in writing is in the stream. */
void dot_print(const struct pstk_network *, const struct paint *, FILE *);

/* A text in quotes: what Graphviz would take for something else is escaped. */
void dot_text(FILE *, const char *text);

#endif
