/* SPDX-License-Identifier: MIT */
/*
 * Concurrency: how many firings of an actor can be in flight at once, and what says so.
 *
 * Of a stateless actor it is the least of
 *   - what was asked for (pstk_actor_set_concurrency()); if nothing was: one, under a team as many as can
 *     be;
 *   - the threads of the team, or one of them where it is pinned;
 *   - the windows that each of its FIFOs holds.
 * Of a stage it is the threads of its pipeline that carry items.
 * It is an upper bound: windows decide in the run. In a cycle, firing n + w needs what came of firing n if
 * there are w windows of delay tokens around it.
 */
#ifndef PENSTOCK_CONCURRENCY_H
#define PENSTOCK_CONCURRENCY_H

#include "lib/model/network.h"

enum { PS_LIMIT_TEXT = 700 };

/* Why there are no more firings of an actor in flight at once. */
enum ps_limit_kind {
	PS_LIMIT_STATE,  /* its type is not stateless */
	PS_LIMIT_DEVICE, /* it is on a device */
	PS_LIMIT_THREAD, /* it has a thread of its own, and no call has asked for more */
	PS_LIMIT_ASKED,  /* as many as were asked for */
	PS_LIMIT_PIN,    /* one thread of the team, that it is pinned to */
	PS_LIMIT_TEAM,   /* all threads of the team */
	PS_LIMIT_DEPTH,  /* the windows that `fifo` holds */
	PS_LIMIT_CARRIED /* a stage: the threads of its pipeline */
};

struct ps_limit {
	unsigned firings; /* at least 1 */
	enum ps_limit_kind kind;
	const struct pstk_fifo *fifo; /* NULL: it is about none */
};

/* Any time. How many firings of this actor may be in flight at once, at least 1; why: what limits them, or NULL. */
unsigned ps_concurrency_of(const struct pstk_actor *, struct ps_limit *why);

/* What limits, in a few words, into a buffer of PS_LIMIT_TEXT bytes; returns it. */
const char *ps_concurrency_text(const struct pstk_actor *, const struct ps_limit *, char *buffer);

/* BUILD. The concurrency that an actor was given, against where it runs and what its FIFOs hold; records
 * problems. */
void ps_concurrency_check(struct pstk_actor *);

/* BUILD. Records that an actor on a device can't have n firings side by side; -EINVAL. */
int ps_concurrency_refuse_device(struct pstk_actor *, unsigned n);

#endif
