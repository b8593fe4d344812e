/* SPDX-License-Identifier: MIT */
/* How the two ends of a FIFO wait for each other; fifo.h says why it is right. Only for the files of this folder. */
#ifndef PENSTOCK_FIFO_WAIT_H
#define PENSTOCK_FIFO_WAIT_H

#include "lib/fifo/fifo.h"

static inline atomic_uchar *ps_fifo_listens_of(struct ps_fifo_end *end)
{
	struct ps_fifo *f = end->fifo;

	return end->writes ? &f->writer_listens : &f->reader_listens;
}

/* Notifies what the owner of `end` may sleep on beside the FIFO's own condition. No lock held. */
static inline void ps_fifo_notify(const struct ps_fifo_end *end)
{
	if (end->eventcount)
		ps_eventcount_notify(end->eventcount);
	if (end->listener)
		ps_eventcount_notify(end->listener);
}

/* Tells the owner of `end`, which listens, that the counters have changed. patiently: it need not be told of each
 * change. No lock held. */
void ps_fifo_tell(struct ps_fifo *, struct ps_fifo_end *end, bool patiently);

/* Called when the counters have changed for the owner of `end`; last: they will not change again. No lock held. The
 * counters and the listens words of both sides are sequentially consistent: of a side that publishes and a side that
 * begins to listen one sees the other. */
static inline void ps_fifo_changed(struct ps_fifo *f, struct ps_fifo_end *end, bool last)
{
	unsigned char listens = atomic_load(ps_fifo_listens_of(end));

	if (listens)
		ps_fifo_tell(f, end, listens == PS_LISTENS_PATIENT && !last);
}

#endif
