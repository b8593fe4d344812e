/* SPDX-License-Identifier: MIT */
/* How busy the actors of a network were and how full its FIFOs, from a report of a run. */
#ifndef PENSTOCK_COMMAND_PAINT_H
#define PENSTOCK_COMMAND_PAINT_H

#include <penstock/penstock.h>

struct json_t;
struct paint;

/* Reads a report that `penstock run --report` wrote. 0, or what to exit with; said then. Also where the build can't. */
int paint_open(struct paint **, const char *path);
void paint_close(struct paint *);

/* The same of a report that is here; borrowed. NULL: no memory. */
struct paint *paint_of(struct json_t *report);

/* Is it of this network? Each actor and FIFO must be in it. 0, or what to exit with; said then. */
int paint_check(const struct paint *, const struct pstk_network *);

/* 0 to 1; -1: not in it. */
double paint_busy(const struct paint *, const struct pstk_actor *);
double paint_filled(const struct paint *, const struct pstk_fifo *);

/* Did it limit the run: was it the actor that was busy, the FIFO that held its ends up? */
bool paint_is_limit(const struct paint *, const struct pstk_actor *);
bool paint_holds_up(const struct paint *, const struct pstk_fifo *);

#endif
