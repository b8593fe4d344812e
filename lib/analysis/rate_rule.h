/* SPDX-License-Identifier: MIT */
/*
 * Rate rule: the rules of networks whose FIFOs move other numbers of tokens at their ends. The plan has found
 * repetitions and rooms (lib/plan/rates.h); here a broken rule becomes a verdict.
 */
#ifndef PENSTOCK_RATE_RULE_H
#define PENSTOCK_RATE_RULE_H

#include "lib/analysis/state.h"

#include <stdio.h>

/* R0: the balance equations have a solution. 0, -EDEADLK. */
int ps_analysis_balance(struct ps_analysis *);

/* R1, when clocks are known: an actor whose ticks a control value decides fires a whole number of times at each of
 * them. 0, -EDEADLK. */
int ps_analysis_whole_ticks(struct ps_analysis *);

/* R2 and R3 of what was executed. 0, 1 (too long to look at; the verdict says so), -EDEADLK, -ENOMEM. */
int ps_analysis_rooms(struct ps_analysis *);

/* Repetitions, and which FIFOs have grown and why; nothing where all FIFOs have one rate. */
void ps_analysis_print_rates(const struct ps_analysis *, FILE *);

#endif
