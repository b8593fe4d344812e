/* SPDX-License-Identifier: MIT */
/* Held: what a process would write to stderr, until it is known whether another one has said the same. */
#ifndef PENSTOCK_COMMAND_HELD_H
#define PENSTOCK_COMMAND_HELD_H

#include <stdbool.h>
#include <stdio.h>

/* Zero at first. */
struct held {
	FILE *file;  /* what is held; NULL: nothing */
	int written; /* what stderr was */
	bool on;
};

/* From now on it is held, behind what is held already, unless that is not possible. Of the whole process: while one
 * thread runs. */
void held_begin(struct held *);

/* No more is held. */
void held_end(struct held *);

/* Gives what is held away, for free(); NULL: nothing. */
char *held_take(struct held *);

#endif
