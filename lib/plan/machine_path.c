/* SPDX-License-Identifier: MIT */
/* Machine path: the cycles that windows take through an actor as planned (<penstock/plan.h>, "Migration"). */
#include "lib/plan/machine_plan.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>

/* The actor's number; actor_count: there is none. */
static unsigned find(const struct pstk_plan *p, const char *actor)
{
	unsigned i = 0;

	while (i < p->actor_count && strcmp(p->actors[i].name, actor) != 0)
		i++;
	return i;
}

/* Do its own windows come back to an actor, over any FIFOs? -ELOOP, 0, -ENOMEM. */
static int look_for_cycle(const struct pstk_plan *p, unsigned actor)
{
	bool *behind = ps_memory_zalloc(p->actor_count, sizeof *behind), more = true;
	int err = 0;

	if (!behind)
		return -ENOMEM;
	while (more) {
		more = false;
		for (unsigned i = 0; i < p->fifo_count; i++) {
			const struct ps_planned_edge *e = &p->edges[i];

			if ((e->from != actor && !behind[e->from]) || behind[e->to])
				continue;
			behind[e->to] = more = true;
		}
	}
	if (behind[actor])
		err = -ELOOP;
	ps_memory_free(behind);
	return err;
}

int pstk_plan_get_path(const struct pstk_plan *p, const char *actor, struct pstk_path *path)
{
	const struct ps_planned_edge *in = NULL, *out = NULL;
	unsigned number;
	int err;

	if (!p || p->result || !actor || !path)
		return -EINVAL;
	number = find(p, actor);
	if (number == p->actor_count)
		return -ENOENT;
	for (unsigned i = 0; i < p->fifo_count; i++) {
		const struct ps_planned_edge *e = &p->edges[i];

		if ((e->to == number && in) || (e->from == number && out))
			return -ENOTSUP;
		in = e->to == number ? e : in;
		out = e->from == number ? e : out;
	}
	if (!in || !out)
		return -ENOTSUP;
	err = look_for_cycle(p, number);
	if (err)
		return err;
	if (in->cost + out->cost > PSTK_PATH_BUFFERS)
		return -EOVERFLOW;
	*path = (struct pstk_path){ .buffers = (uint32_t)(in->cost + out->cost),
		.before = (uint32_t)in->cost };
	return 0;
}
