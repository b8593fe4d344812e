/* SPDX-License-Identifier: MIT */
/* Rates: a text file with a line for each fifth of a second of a run: how many items were done, how fast, and how its
 * pipeline was mapped: --rates. A NULL object takes everything and does nothing. */
#ifndef COMMON_RATES_H
#define COMMON_RATES_H

#include <penstock/penstock.h>

#include <stdint.h>

struct rates;

/* Opens it, so that a name that can't be written is known before the run. path is borrowed; NULL: *rates is NULL and
 * that is all. unit: what items are, "frames". 0, or what to exit with; said then. */
int rates_open(struct rates **, const char *path, const char *unit);

/* So many are done, so many ns behind the start: a line for what was done since the last call. */
void rates_add(struct rates *, const struct pstk_network *, uint64_t count, uint64_t ns);

/* Gives it its name, and frees it. 0, or what to exit with; said then. */
int rates_complete(struct rates *);

/* Frees it and removes what was begun. */
void rates_drop(struct rates *);

#endif
