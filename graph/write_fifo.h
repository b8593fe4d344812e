/* SPDX-License-Identifier: MIT */
/* Write FIFO: a FIFO of the network as an entry of `fifos`. */
#ifndef PENSTOCK_GRAPH_WRITE_FIFO_H
#define PENSTOCK_GRAPH_WRITE_FIFO_H

#include "graph/writer.h"
#include "penstock/penstock.h"

/* pstk_fifo_get_info(), with the ends as they were connected: of a pipeline its stages. */
int ps_fifo_ends(const struct pstk_fifo *, struct pstk_fifo_info *);

/* token: what its `token` was; NULL: it had none. 0, or a negative errno of the library. */
int ps_write_fifo(struct ps_writer *, const struct pstk_fifo *, const char *token);

#endif
