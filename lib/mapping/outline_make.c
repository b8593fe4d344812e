/* SPDX-License-Identifier: MIT */
#include "lib/mapping/outline.h"

int ps_outline_make(struct ps_outline *o, const struct ps_flow *f, bool overlap)
{
	static int (*const steps[])(struct ps_outline *) = { ps_outline_schedule, ps_outline_buffers,
		ps_outline_cycles, ps_outline_depths, ps_outline_merge, ps_outline_loads };
	int err;

	err = ps_outline_init(o, f, overlap);
	for (unsigned i = 0; !err && i < sizeof steps / sizeof *steps; i++)
		err = steps[i](o);
	return err;
}
