/* SPDX-License-Identifier: MIT */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>

int ps_outline_init(struct ps_outline *o, const struct ps_flow *f, bool overlap)
{
	int err;

	*o = (struct ps_outline){ .flow = f, .overlap = overlap };
	err = ps_routes_init(&o->routes, f->machine);
	if (err)
		return err;
	o->schedule = ps_memory_zalloc(f->actor_count, sizeof *o->schedule);
	o->scheduled = ps_memory_zalloc(f->actor_count, sizeof *o->scheduled);
	o->latency = ps_memory_zalloc(f->actor_count, sizeof *o->latency);
	o->feeds = ps_memory_zalloc(f->reader_count, sizeof *o->feeds);
	o->costs = ps_memory_zalloc(f->reader_count, sizeof *o->costs);
	o->slack = ps_memory_zalloc(f->reader_count, sizeof *o->slack);
	o->memory = ps_memory_zalloc(f->machine->place_count, sizeof *o->memory);
	return o->schedule && o->scheduled && o->latency && o->feeds && o->costs && o->slack && o->memory
	               ? 0
	               : -ENOMEM;
}

void ps_outline_fini(struct ps_outline *o)
{
	ps_routes_fini(&o->routes);
	ps_memory_free(o->schedule);
	ps_memory_free(o->scheduled);
	ps_memory_free(o->buffers);
	ps_memory_free(o->feeds);
	ps_memory_free(o->costs);
	ps_memory_free(o->latency);
	ps_memory_free(o->slack);
	ps_memory_free(o->slow.actors);
	ps_memory_free(o->memory);
	ps_memory_free(o->loads);
}
