/* SPDX-License-Identifier: MIT */
/*
 * Repetition: the joules of what is too short for a counter.
 *
 * A chip's counters move about once a millisecond. What takes less than 20 ms can't be metered alone: a tick more or
 * less would be 5 % of it. So the caller repeats it until 50 ms are over, and splits the joules by time.
 */
#ifndef PENSTOCK_ENERGY_REPETITION_H
#define PENSTOCK_ENERGY_REPETITION_H

#include "penstock/energy.h"

enum { PS_ENERGY_REPETITIONS = 100000 };

/* How often to run, in a row, what takes so many seconds. 1: it is long enough. PS_ENERGY_REPETITIONS at most, also
 * where the time is 0 or not known (NAN). */
unsigned ps_energy_repetitions(double seconds);

/*
 * The joules of each stage in one of so many repetitions, whose stages took so many seconds, one after the other, and
 * all of which took the joules of `total`. Cores, device and rest are each split by time: PSTK_ENERGY_SPLIT.
 * -EINVAL: no repetition, no stage, a negative or infinite time, no time at all.
 */
int ps_energy_split(const struct pstk_joules *total, unsigned repetitions, const double *seconds,
	unsigned count, struct pstk_joules *stages);

#endif
