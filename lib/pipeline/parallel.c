/* SPDX-License-Identifier: MIT */
/* Parallel: the loops of stages. */
#include "lib/pipeline/carriage.h"

#include <errno.h>

int pstk_parallel_for(struct pstk_firing *firing, size_t count, size_t grain,
	void (*body)(void *data, size_t from, size_t to), void *data)
{
	struct ps_carrier *carrier = ps_carrier_current;

	if (!firing || !body)
		return -EINVAL;
	/* A helper is in another carrier's stage, and runs its own loop alone: the crew is claimed. A loop that was
	 * too short for the crew has not claimed it, but what its body calls runs alone, too. */
	if (ps_is_stage(firing->actor) && carrier && !carrier->in_loop &&
		carrier->of->conductor.phase.setting.configuration.medium_grain) {
		carrier->in_loop = true;
		ps_crew_run(carrier->of->crew, firing, count, grain, body, data);
		carrier->in_loop = false;
	} else if (count) {
		body(data, 0, count);
	}
	return 0;
}
