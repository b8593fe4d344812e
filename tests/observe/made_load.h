/* SPDX-License-Identifier: MIT */
/* A load that is made up: of a network that has run, with its limits and counts; 10 s, 1000 looks, 4 cores. */
#ifndef PENSTOCK_TESTS_MADE_LOAD_H
#define PENSTOCK_TESTS_MADE_LOAD_H

#include "lib/observe/causes.h"

/* Nothing is busy or waits; each FIFO is half full; 100 firings each. */
void made_load(struct ps_load *, const struct pstk_network *);

/* So busy, so much of a core. */
void made_load_busy(struct ps_load *, const char *actor, double busy, double cores);

/* Of the FIFO with this reader. */
void made_load_waits(struct ps_load *, const char *reader, double writer_waits, double reader_waits);

/* Expects this as the first cause; frees the load. */
void made_load_expect(
	struct ps_load *, enum pstk_cause_kind, double gain, const char *evidence, const char *advice);

#endif
