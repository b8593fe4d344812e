/* SPDX-License-Identifier: MIT */
/* Training: what its experiments tell, and what they cost. The conductor says which one is next. */
#ifndef PENSTOCK_TRAINING_H
#define PENSTOCK_TRAINING_H

#include "lib/pipeline/conductor.h"

static inline double ps_seconds(uint64_t ns)
{
	return 1e-9 * (double)ns;
}

/* So many items tell their times, and, by a counter that moves now and then, their joules. seconds: of an item; 0: not
 * known yet. */
unsigned ps_training_times(const struct ps_conductor *, double seconds);

/* Threads side by side that have carried no item yet: what a round of them tells does not count. */
bool ps_training_warms_up(const struct ps_conductor *);

/* T_CG(1), as far as it is known; T_CG(n) of n threads that don't hinder each other. */
double ps_training_item_seconds(const struct ps_conductor *);
double ps_training_ideal_side(const struct ps_conductor *, unsigned n);

/* Of ns threads waited too long for input, or for room behind. */
bool ps_training_waited(uint64_t waited_ns, uint64_t ns);

/* What a phase has cost, whatever it tells. */
void ps_training_count_cost(struct ps_conductor *, const struct ps_phase_end *);

/* What an experiment tells. false: the same one once more. */
bool ps_training_take(struct ps_conductor *, const struct ps_phase_end *);

#endif
