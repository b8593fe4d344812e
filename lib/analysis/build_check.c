/* SPDX-License-Identifier: MIT */
/* Build check: what start() and the analyser look at before anything else: is the network complete? */
#include "lib/analysis/build_check.h"
#include "lib/firing/backend.h"
#include "lib/model/error.h"
#include "lib/model/steps.h"
#include "lib/model/type.h"
#include "lib/plan/concurrency.h"
#include "lib/plan/settle.h"

#include <errno.h>

/* What devices can't do yet. */
static void check_rates(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	if (!ps_backend_of(f))
		return;
	if (l->write_rate != l->read_rate)
		ps_network_problem(f->src->network, -EINVAL,
			PS_CONNECTION
			" writes %u and reads %u: a FIFO at a device has one rate so far: map both actors to "
			"the cores, or put one between them that repacks the tokens",
			PS_CONNECTION_ARGS(f), l->write_rate, l->read_rate);
	if (l->history || l->tail)
		ps_network_problem(f->src->network, -EINVAL,
			PS_CONNECTION
			" has a history of %u and a tail of %u tokens: a FIFO at a device has none "
			"so far: map both actors to the cores",
			PS_CONNECTION_ARGS(f), l->history, l->tail);
}

int ps_network_check(struct pstk_network *net)
{
	if (!net->actor_count && !net->problem_total)
		ps_network_problem(net, -EINVAL, "network '%s' has no actors", net->name);
	ps_plan_settle(net);
	ps_steps_check(net);
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		if (!a->type.fire && !a->backend && !a->map_refused)
			ps_network_problem(net, -EINVAL,
				"'%s' (%s): its type has no fire(), only a form for devices: map it with "
				"pstk_actor_map()",
				a->name, a->type.name);
		for (unsigned p = 0; p < a->type.port_count; p++)
			if (!a->ports[p].fifo && !a->ports[p].broken)
				ps_network_problem(net, -EINVAL, "'%s' (%s): %s '%s' is not connected",
					a->name, a->type.name, ps_port_kind_name(a->type.ports[p].kind),
					a->type.ports[p].name);
		for (unsigned k = 0; k < a->type.param_count; k++)
			if (!a->param_set[k])
				ps_network_problem(net, -EINVAL,
					"'%s' (%s): parameter '%s' has no default: set it", a->name,
					a->type.name, a->type.params[k].name);
		ps_concurrency_check(a);
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		check_rates(net->fifos[i]);
	return ps_network_err(net);
}
