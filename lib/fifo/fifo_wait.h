/* SPDX-License-Identifier: MIT */
/* How the two ends of a FIFO wait for each other (fifo.h says why it is right). For fifo.c only. */
#ifndef PENSTOCK_FIFO_WAIT_H
#define PENSTOCK_FIFO_WAIT_H

#include "lib/fifo/fifo.h"

/* What the counters say; the end's owner. */
enum ps_fifo_state ps_fifo_write_state(const struct ps_fifo *);
enum ps_fifo_state ps_fifo_read_state(const struct ps_fifo *);

static inline atomic_uchar *ps_fifo_listens_of(struct ps_fifo_end *end)
{
	struct ps_fifo *f = end->fifo;

	return end == &f->writer ? &f->writer_listens : &f->reader_listens;
}

/* The counters have changed for the owner of `end`, who listens; patiently: it need not hear of each change.
 * No lock held. */
void ps_fifo_tell(struct ps_fifo *, struct ps_fifo_end *end, bool patiently);

/* The counters have changed for the owner of `end`; last: they won't again. No lock held. Both sides'
 * counters and words are sequentially consistent: of who publishes and who begins to listen one sees the
 * other. */
static inline void ps_fifo_changed(struct ps_fifo *f, struct ps_fifo_end *end, bool last)
{
	unsigned char listens = atomic_load(ps_fifo_listens_of(end));

	if (listens)
		ps_fifo_tell(f, end, listens == PS_LISTENS_PATIENT && !last);
}

#endif
