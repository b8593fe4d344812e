/* SPDX-License-Identifier: MIT */
/* Timeline moves: actors that have changed their place. */
#ifndef PENSTOCK_TIMELINE_MOVES_H
#define PENSTOCK_TIMELINE_MOVES_H

#include "lib/observe/timeline_file.h"

/*
 * Each move that has begun, as a span of a row that its actor has for its moves: from its first boundary until the
 * outputs of its first firing at the new place are there, or, where that is not known, until it was there. One that
 * has stayed has no length. These spans may overlap, and cross firings: so they are asynchronous ones.
 */
void ps_timeline_moves(struct ps_timeline_file *);

#endif
