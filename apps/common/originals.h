/* SPDX-License-Identifier: MIT */
/* Originals: the files that a program reads, for one whose outputs have names that it makes itself: none of them may be
 * one of these. */
#ifndef COMMON_ORIGINALS_H
#define COMMON_ORIGINALS_H

#include <stdbool.h>
#include <stddef.h>

struct original;

/* Zeroed: there are none. */
struct originals {
	struct original *list;
	size_t count, room;
};

/* Adds the file of this name, or those of a name with a number in it (p%03d.png), as far as there are any. NULL is
 * allowed. 0, or what to exit with; said then. */
int originals_add(struct originals *, const char *name);

/* Is the file of this name one of them, under whatever name? */
bool originals_have(const struct originals *, const char *name);

void originals_free(struct originals *);

#endif
