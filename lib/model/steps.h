/* SPDX-License-Identifier: MIT */
/*
 * Steps: how many a firing has, and the rates of FIFOs that follow from what ports declare (declare.h).
 *
 * Steps are those of pstk_actor_set_steps(), else of the first declaring port whose FIFO was given a multiple of its
 * rate, else those that PSTK_STEPS_AUTO has chosen (lib/plan/steps_auto.h), else 1. A FIFO's end has the rate that was
 * given, else steps x what its port declares, else that of the other readers of its output, else the other end's.
 */
#ifndef PENSTOCK_STEPS_H
#define PENSTOCK_STEPS_H

#include "lib/model/network.h"

/* Sets the actors' steps and the FIFOs' rates and histories, with net->lock held. What does not fit stays as it was. */
void ps_steps_settle(struct pstk_network *);

/* What a FIFO at this port was given for this end; 0: nothing. */
uint32_t ps_steps_given(const struct pstk_actor *, unsigned port);

/* start(), when they are settled: records a problem for all that does not fit. Calls every rates() again. */
void ps_steps_check(struct pstk_network *);

#endif
