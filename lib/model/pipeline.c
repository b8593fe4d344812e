/* SPDX-License-Identifier: MIT */
#include "lib/model/pipeline.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void ps_pipeline_free(struct pstk_pipeline *p)
{
	if (!p)
		return;
	ps_memory_free((void *)p->spec.device);
	ps_memory_free((void *)p->spec.configuration);
	ps_memory_free((void *)p->spec.meter);
	ps_memory_free(p->border);
	ps_memory_free(p->inner);
	ps_memory_free(p);
}

bool ps_pipeline_refuses(const struct pstk_actor *a, const char *call)
{
	bool connects = !strcmp(call, "pstk_connect");
	char what[PS_NAME_MAX + 32];

	if (!a->pipeline)
		return false;
	snprintf(what, sizeof what, ps_is_stage(a) ? "a stage of pipeline '%s'" : "a pipeline",
		a->pipeline->actor->name);
	ps_network_problem(a->network, -EINVAL, "%s: '%s' (%s) is %s: %s", call, a->name, a->type.name, what,
		connects ? "connect its stages before pstk_pipeline_add()"
			 : "what fires it, and where, is said in pstk_pipeline_add()");
	return true;
}

uint32_t ps_pipeline_windows(const struct pstk_fifo *f)
{
	uint32_t src = ps_is_pipeline(f->src) ? f->src->pipeline->spec.in_flight : 0,
		 dst = ps_is_pipeline(f->dst) ? f->dst->pipeline->spec.in_flight : 0;

	return src > dst ? src : dst;
}
