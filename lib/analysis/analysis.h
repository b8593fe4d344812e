/* SPDX-License-Identifier: MIT */
/* Analysis: can a network deadlock, or grow? state.h has the rules and the words. */
#ifndef PENSTOCK_ANALYSIS_H
#define PENSTOCK_ANALYSIS_H

#include "lib/analysis/state.h"

/* The verdict of a network that has passed the BUILD checks: 0, 1, -EDEADLK, or -ENOMEM. The analysis
 * may be looked at until the end, which is to be called in any case. */
int ps_analysis_run(struct ps_analysis *, struct pstk_network *, struct pstk_verdict *);
void ps_analysis_fini(struct ps_analysis *);

/* start(): refuses what is to be refused. 0, -EDEADLK or -ENOMEM, which is the network's error then. */
int ps_analysis_start(struct pstk_network *);

#endif
