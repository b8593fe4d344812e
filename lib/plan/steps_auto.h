/* SPDX-License-Identifier: MIT */
/*
 * Steps, auto (PSTK_STEPS_AUTO): how many a firing gets where neither the program nor a FIFO says it.
 *
 * An actor that fires q times in an iteration, of one step each, gets m q steps. Then it fires once in an iteration of
 * m, and all windows of a FIFO are equal. m is the least with which each such firing moves PS_STEPS_WORTH bytes, or
 * what the budget of the depths leaves. If not even m = 1 fits, each gets a part of that, at least one step. The budget
 * is for what comes on top of single steps, which can't be smaller.
 *
 * Actors that keep their steps:
 *   - of a cycle, because the delay tokens of the cycle are for windows of one step;
 *   - with a control port, and all that fire when they do or when a dynamic port is on: a control token decides about
 *     one firing;
 *   - Kahn actors;
 *   - with several ports of which one declares nothing, and those beside such an actor: more steps would not move more
 *     at that port.
 */
#ifndef PENSTOCK_STEPS_AUTO_H
#define PENSTOCK_STEPS_AUTO_H

#include "lib/model/network.h"

enum { PS_STEPS_WORTH = 16384 };

/* After ps_steps_settle(), with net->lock held: chooses steps, and settles again. -ENOMEM: nothing is chosen. */
int ps_steps_auto(struct pstk_network *);

#endif
