/* SPDX-License-Identifier: MIT */
/* A text file that gets its name when it is whole. */
#ifndef COMMON_WHOLE_H
#define COMMON_WHOLE_H

#include <stdio.h>

struct whole;

/* Opens a file beside PATH (a device or FIFO: itself), so that a name that can't be written is known before
 * the run. path is borrowed until the end. 0, or what to exit with; said then, and *whole is NULL. */
int whole_open(struct whole **, const char *path);

/* To be written to; what goes wrong there may be left for whole_complete(). */
FILE *whole_file(struct whole *);

/* Flushes it, gives it its name and frees it: 0, or what to exit with, which is said if something went wrong.
 */
int whole_complete(struct whole *);

/* .. two of them: if something goes wrong, neither gets its name. As whole_complete(). */
int whole_complete_both(struct whole *first, struct whole *second);

/* Frees it and removes what was begun. */
void whole_drop(struct whole *);

#endif
