/* SPDX-License-Identifier: MIT */
/*
 * Far: moves that are asked for in another process than the actor's own.
 *
 *	the process that asks                         the actor's own process
 *	its move is open, and in no list
 *	ASK: actor, place, firing     ----------->    a move as any other, which notes the asking rank
 *	                                              carries it out, or cancels it
 *	answers its own               <-----------    ANSWER: what it has come to
 *
 * A script, asked for before the start, is there in all processes. So none asks; all are answered. It is known by its
 * actor, its firing, and its place among those. An ask that finds too many moves open is answered with -EBUSY.
 *
 * The remote thread tells and hears. What may not be told yet (ps_remote_tell()) waits in the move. The network's own
 * part is done (ps_remote_done()) only when nothing waits.
 */
#ifndef PENSTOCK_FAR_H
#define PENSTOCK_FAR_H

#include "lib/move/moving.h"
#include "lib/remote/remote.h"

/* Kinds of messages (ps_remote_tell()) from here on are of moves. */
enum { PS_FAR_KIND = 32 };

/* start(), before the remote thread runs. */
void ps_far_join(struct pstk_network *, struct ps_remote *, uint32_t rank, uint32_t ranks);

/* Any thread. As pstk_actor_migrate(), of an actor that is away: the number, or -EBUSY, -ECANCELED. */
int ps_far_ask(struct pstk_actor *, unsigned place, uint64_t firing);

/* The remote thread: tells what waits. Does nothing wait any more? */
bool ps_far_look(struct pstk_network *);

/* The remote thread: a message of moves has come. */
void ps_far_hear(struct pstk_network *, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size);

#endif
