/* SPDX-License-Identifier: MIT */
/* Memory of a FIFO: where its windows lie in it, and what must be there around them. Only of lib/fifo. */
#ifndef PENSTOCK_FIFO_MEMORY_H
#define PENSTOCK_FIFO_MEMORY_H

#include "lib/fifo/fifo.h"

/* Where the next window to start lies. The end's owner, or before the start. */
void ps_fifo_find_at(struct ps_fifo_end *);

/* Write window w. */
unsigned char *ps_fifo_write_window(const struct ps_fifo *, uint64_t w);

/* What must be in the memory before write w may be seen: zeros behind its valid tokens, and what has a second place
 * there, too. window: where it lies; NULL: where ps_fifo_write_window() says. The publisher of the writer's end. */
void ps_fifo_complete(struct ps_fifo *, unsigned char *window, uint64_t w, uint32_t valid);

/* Read window j when `written` tokens are all: with zeros behind the last token. Returns where it lies. The taker of
 * the reader's end. */
const void *ps_fifo_finish_window(struct ps_fifo *, unsigned char *window, uint64_t j, uint64_t written);

#endif
