/* SPDX-License-Identifier: MIT */
#include "actors/common/strips.h"

#include <string.h>

/* On a CPU a strip is a work-item: long, but short enough that each core has two. Other devices have a
 * group for it. */
void ps_strips_work_size(bool cpu, unsigned units, size_t rate, size_t *global, size_t *local)
{
	enum { STRIP = 1024, GROUP = 64, PER_CORE = 2, SHORTEST = 256 };
	size_t strips = (rate + STRIP - 1) / STRIP, most = (rate + SHORTEST - 1) / SHORTEST;
	size_t wanted = PER_CORE * (size_t)units;

	wanted = wanted < most ? wanted : most;
	*local = cpu ? 1 : GROUP;
	*global = (strips < wanted ? wanted : strips) * *local;
}

int ps_strips_set_work_size(struct pstk_actor *self, unsigned port)
{
	struct pstk_device_info device = { .compute_units = 1 };
	size_t local, global;

	pstk_actor_device(self, &device); /* on the cores any size will do */
	ps_strips_work_size(strstr(device.selector, ":cpu:"), device.compute_units,
		pstk_actor_port_rate(self, port), &global, &local);
	return pstk_actor_set_work_size(self, 1, &global, &local);
}
