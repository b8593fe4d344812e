/* SPDX-License-Identifier: MIT */
/* Cycle rule: rule R2, every cycle of FIFOs that are on holds delay tokens for a first firing. */
#ifndef PENSTOCK_CYCLE_RULE_H
#define PENSTOCK_CYCLE_RULE_H

#include "lib/analysis/state.h"

/* 0, -EDEADLK (the verdict is complete) or -ENOMEM. */
int ps_analysis_cycles(struct ps_analysis *);

#endif
