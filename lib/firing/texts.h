/* SPDX-License-Identifier: MIT */
/*
 * Texts: where a firing keeps its first wrong call, and what its actor says of an error.
 *
 * Where firings of an actor are side by side, or are of a stage, each has room for both. Of all others there are many
 * more than threads, and a thread that has found a wrong call goes on to its end with it: a network has as many rooms
 * as these have threads, and a firing takes one with its first wrong call. What their actors say is the actor's.
 */
#ifndef PENSTOCK_TEXTS_H
#define PENSTOCK_TEXTS_H

#include "lib/firing/task.h"

/* What a firing has for itself. */
struct ps_firing_texts {
	char misuse[PS_TEXT_SIZE], text[PS_TEXT_SIZE];
};

/* The firing's from now on; both are empty. */
void ps_texts_own(struct pstk_firing *, struct ps_firing_texts *);

/* start(), once the task has its firings. of_stage: no thread of its own fires them. -ENOMEM. */
int ps_texts_give(struct ps_task *, bool of_stage);
void ps_texts_take_back(struct ps_task *);

/* start(), when all tasks have their runners: rooms for so many threads. -ENOMEM. */
int ps_texts_prepare(struct pstk_network *, unsigned threads);
void ps_texts_free(struct pstk_network *);

/* The firing's thread. It is fired once more: its wrong call is forgotten. */
void ps_texts_forget(struct pstk_firing *);

/* The firing's thread. Where its first wrong call is to be written, PS_TEXT_SIZE bytes; NULL: there is no room, and the
 * firing says that. */
char *ps_texts_misuse(struct pstk_firing *);

#endif
