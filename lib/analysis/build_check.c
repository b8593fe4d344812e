/* SPDX-License-Identifier: MIT */
/* Build check: what start() and the analyser look at before anything else: is the network complete? */
#include "lib/analysis/build_check.h"
#include "lib/model/error.h"
#include "lib/model/fold.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/model/steps.h"
#include "lib/model/type.h"
#include "lib/plan/concurrency.h"
#include "lib/plan/settle.h"

#include <errno.h>

static void check_params(const struct pstk_actor *a)
{
	for (unsigned k = 0; k < a->type.param_count; k++)
		if (!a->param_set[k])
			ps_network_problem(a->network, -EINVAL,
				"'%s' (%s): parameter '%s' has no default: set it", a->name, a->type.name,
				a->type.params[k].name);
}

static void check_actor(struct pstk_actor *a)
{
	if (!a->type.fire && !a->backend && !a->map_refused && !ps_actor_away(a))
		ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): its type has a form for devices only: map it to one", a->name,
			a->type.name);
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (!a->ports[p].fifo && !a->ports[p].broken)
			ps_network_problem(a->network, -EINVAL, "'%s' (%s): %s '%s' is not connected",
				a->name, a->type.name, ps_port_kind_name(a->type.ports[p].kind),
				a->type.ports[p].name);
	check_params(a);
	if (!ps_is_pipeline(a)) /* else ps_pipeline_check() says what to do */
		ps_concurrency_check(a);
	if (!ps_actor_away(a))
		ps_place_check(a);
}

int ps_network_check(struct pstk_network *net)
{
	if (!net->actor_count && !net->problem_total)
		ps_network_problem(net, -EINVAL, "network '%s' has no actors", net->name);
	ps_plan_settle(net);
	for (unsigned i = 0; i < net->actor_count; i++)
		check_actor(net->actors[i]);
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next) {
		for (unsigned k = 0; k < p->stage_count; k++)
			check_params(p->stages[k]);
		ps_fold_check(p);
	}
	ps_steps_check(net); /* behind parameters that are missing: rates() may follow from them */
	return ps_network_err(net);
}
