/* SPDX-License-Identifier: MIT */
#include "lib/energy/repetition.h"

#include <math.h>

static const double enough = 0.020, wanted = 0.050;

unsigned ps_energy_repetitions(double seconds)
{
	double times = wanted / seconds;
	unsigned whole;

	if (seconds >= enough)
		return 1;
	if (!(seconds > 0 && times < PS_ENERGY_REPETITIONS))
		return PS_ENERGY_REPETITIONS;
	whole = (unsigned)times;
	return whole < times ? whole + 1 : whole;
}

int ps_energy_split(const struct pstk_joules *total, unsigned repetitions, const double *seconds,
	unsigned count, struct pstk_joules *stages)
{
	double all = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!(seconds[i] >= 0))
			return -EINVAL;
		all += seconds[i];
	}
	if (!repetitions || !(all > 0 && isfinite(all)))
		return -EINVAL;
	for (unsigned i = 0; i < count; i++) {
		double share = seconds[i] / all / repetitions;

		stages[i] = (struct pstk_joules){ share * total->cores, share * total->device,
			share * total->rest };
	}
	return 0;
}
