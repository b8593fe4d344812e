/* SPDX-License-Identifier: MIT */
/* Bundles: which FIFOs between the same two actors use one pair of counters (lib/fifo/bundle.h). */
#ifndef PENSTOCK_BUNDLES_H
#define PENSTOCK_BUNDLES_H

#include "lib/model/network.h"

/* start(), when all FIFOs have their memory, before any task that takes windows has its terms. -ENOMEM. */
int ps_bundles_tie(struct pstk_network *);

/* Any time. The FIFOs of its bundle; 1: it is in none, or not yet. */
unsigned ps_bundles_count(const struct pstk_fifo *);

/* Any time. Of a FIFO in no bundle, beside others of the same two actors: why it is in none with the first of these.
 * NULL: there are no others, or it is in one, or bundles are not tied yet. */
const char *ps_bundles_refused(const struct pstk_fifo *);

/* false: each FIFO has its own counters. Only tests change it. */
extern bool ps_bundles_wanted;

#endif
