/* SPDX-License-Identifier: MIT */
#include "actors/strips.h"

#include <string.h>

/* On a CPU a strip is a work-item: long, but short enough that each core has two. Other devices have a
 * group for it. */
int ps_strips_set_work_size(struct pstk_actor *self, unsigned port)
{
	enum { STRIP = 1024, GROUP = 64, PER_CORE = 2, SHORTEST = 256 };
	struct pstk_device_info device = { .compute_units = 1 };
	size_t rate = pstk_actor_port_rate(self, port), strips, wanted, most, local, global;

	pstk_actor_device(self, &device); /* on the cores any size will do */
	local = strstr(device.selector, ":cpu:") ? 1 : GROUP;
	strips = (rate + STRIP - 1) / STRIP;
	most = (rate + SHORTEST - 1) / SHORTEST;
	wanted = PER_CORE * (size_t)device.compute_units;
	wanted = wanted < most ? wanted : most;
	global = (strips < wanted ? wanted : strips) * local;
	return pstk_actor_set_work_size(self, 1, &global, &local);
}
