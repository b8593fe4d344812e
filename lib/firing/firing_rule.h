/* SPDX-License-Identifier: MIT */
/*
 * Firing rule: its terms are the FIFO ends of an actor's data ports; it holds where a window is at each term that is
 * on. Of plain memory, counters tell any thread; for the taker (firing.h) they are exact.
 */
#ifndef PENSTOCK_FIRING_RULE_H
#define PENSTOCK_FIRING_RULE_H

#include "lib/firing/task.h"
#include "lib/model/type.h"

/* All FIFO ends but the control port's. Returns how many, and lists them if there is a list. */
unsigned ps_rule_list(const struct pstk_actor *, struct ps_rule_term *terms);

static inline struct ps_fifo_end *ps_term_end(const struct ps_rule_term *g)
{
	return g->writer ? &g->fifo->fifo.writer : &g->fifo->fifo.reader;
}

/* Any thread, a hint. Might a window be there, or the end? Where a device is, or a control token, taking tells. */
static inline bool ps_term_open(const struct ps_rule_term *g)
{
	const struct ps_fifo *f = &g->fifo->fifo;

	return g->writer ? ps_fifo_may_write(f) : ps_fifo_may_read(f);
}

/* Any thread. Is this port on in the next firing? A guess while the taker is deciding. */
static inline bool ps_term_is_on(const struct ps_task *t, const struct ps_rule_term *g)
{
	return !g->dynamic || ps_task_has(t, g->port);
}

/* Is a whole window there? */
static inline bool ps_term_has_whole(const struct ps_rule_term *g)
{
	return g->writer ? ps_fifo_may_write(&g->fifo->fifo) : ps_fifo_has_whole(&g->fifo->fifo);
}

/* Any thread, a hint. Is one at each port that is on in the next firing? */
static inline bool ps_rule_have_whole(const struct ps_task *t)
{
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		if (ps_term_is_on(t, g) && !ps_term_has_whole(g))
			return false;
	return true;
}

/* Below so many bytes of windows moving them from cache to cache takes no longer than what else a firing moves. */
enum { PS_RULE_FEW_BYTES = 4096 };

/* Bytes of the windows of a firing in which all ports are on. */
size_t ps_rule_bytes(const struct ps_task *);

/* Any thread, a hint. Bytes of the next firing's input windows, those that this thread has published less those of
 * others: in whose cache is what it works on? */
int64_t ps_rule_own_bytes(const struct ps_task *);

/* Any thread, a hint. Has another member of the team published an input window of the next firing, and this thread
 * none? */
bool ps_rule_are_anothers(const struct ps_task *);

/* Any thread, a hint. Is there an input window that this thread has published? */
bool ps_rule_hold_mine(const struct ps_task *);

/* Any thread, a hint. Is there a window that a reader of its outputs has not taken yet? */
bool ps_rule_have_unread(const struct ps_task *);

#endif
