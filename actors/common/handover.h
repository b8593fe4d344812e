/* SPDX-License-Identifier: MIT */
/*
 * Handover: a window that an actor's thread lends to threads of the program, which copy tokens into it (push)
 * or out of it (pull). The callers copy with the lock held: the window goes back only when no caller is in it.
 */
#ifndef PENSTOCK_ACTORS_HANDOVER_H
#define PENSTOCK_ACTORS_HANDOVER_H

#include "penstock/actors.h"

#include <pthread.h>

enum ps_handover_way { PS_INTO_WINDOW, PS_OUT_OF_WINDOW };

struct ps_handover {
	enum ps_handover_way way; /* constant after create */
	pthread_mutex_t lock;
	pthread_cond_t lent;   /* a window was lent, or it is closed; CLOCK_MONOTONIC; the callers wait */
	pthread_cond_t moved;  /* all of the window was moved, or it is closed; the actor waits */
	unsigned char *window; /* guarded by lock; NULL: none with tokens left to move */
	size_t token_size;     /* guarded by lock */
	uint32_t count, next;  /* guarded by lock; the window's tokens, and how many of them were moved */
	bool owned;            /* guarded by lock; an actor has it */
	bool closed;           /* guarded by lock; never becomes false again */
};

void ps_handover_init(struct ps_handover *, enum ps_handover_way);
void ps_handover_destroy(struct ps_handover *);

/* BUILD. pstk_network_add() of the one actor that may have this handover; a second one is refused: -EBUSY. */
struct pstk_actor *ps_handover_add(struct ps_handover *, struct pstk_network *, const char *name,
	const struct pstk_actor_type *, void *arg);

/* ACTOR. Lends a window until all its tokens were moved or it is closed. Returns the tokens moved. */
uint32_t ps_handover_lend(struct ps_handover *, void *window, size_t token_size, uint32_t count);

/* ANY. Moves up to n tokens, waiting for windows for at most ns. Returns the tokens moved; -EPIPE if that is
 * none because the handover is closed; -EINVAL. */
int ps_handover_move(struct ps_handover *, void *tokens, size_t n, uint64_t ns);

/* ANY. Nothing is moved any more: wakes all threads that wait. */
void ps_handover_close(struct ps_handover *);

bool ps_handover_closed(struct ps_handover *);

#endif
