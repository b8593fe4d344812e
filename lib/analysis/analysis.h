/* SPDX-License-Identifier: MIT */
/* Analysis: can a network deadlock, or grow? state.h has the rules and the words. */
#ifndef PENSTOCK_ANALYSIS_H
#define PENSTOCK_ANALYSIS_H

#include "lib/analysis/state.h"

/* Gives the verdict on a network that has passed the BUILD checks: 0, 1, -EDEADLK, or -ENOMEM. The caller may read the
 * analysis until it calls the end, which it must in any case. */
int ps_analysis_run(struct ps_analysis *, struct pstk_network *, struct pstk_verdict *);
void ps_analysis_fini(struct ps_analysis *);

/* Refuses a network that breaks a rule. start(). 0; -EDEADLK or -ENOMEM, which is the network's error then. */
int ps_analysis_start(struct pstk_network *);

#endif
