/* SPDX-License-Identifier: MIT */
/* A network in Graphviz's language. */
#ifndef PENSTOCK_COMMAND_DOT_H
#define PENSTOCK_COMMAND_DOT_H

#include <penstock/penstock.h>

/* What goes wrong in writing is in the stream. */
void dot_print(const struct pstk_network *, FILE *);

#endif
