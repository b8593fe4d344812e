/* SPDX-License-Identifier: MIT */
#include "lib/analysis.h"
#include "lib/error.h"
#include "lib/log.h"
#include "lib/memory.h"
#include "lib/sharing.h"
#include "lib/type.h"
#include "lib/verdict.h"

#include <errno.h>
#include <string.h>

/* Nothing is refused. */
static int conclude(struct ps_analysis *an)
{
	const struct pstk_actor *a = an->unproven;
	struct pstk_verdict *v = an->verdict;
	unsigned others = an->kahn_count + an->unknown_count - 1;

	if (!a) {
		ps_verdict_reason(v, "%s, and %s",
			an->dynamic_count ? "both ends of every FIFO are on at the same times (R1)"
					  : "no rate depends on data (R1)",
			!an->loops ? "there is no cycle (R2)"
			: an->dynamic_count
				? "every cycle that can be on has delay tokens for a first firing (R2)"
				: "every cycle has delay tokens for a first firing (R2)");
		return 0;
	}
	if (a->type.kahn) {
		ps_verdict_reason(v, "'%s' (%s) is a kahn actor, which reads and writes when it likes",
			a->name, a->type.name);
		ps_verdict_remedy(v, "only a network without kahn actors can be proven");
	} else {
		ps_verdict_reason(v, "'%s' (%s) does not declare its control values", a->name, a->type.name);
		ps_verdict_remedy(v, "set control_values in the type of '%s'", a->name);
	}
	if (others)
		ps_verdict_reason(
			v, "%s (and %u more such actor%s)", v->reason, others, others > 1 ? "s" : "");
	return 1;
}

int ps_analysis_run(struct ps_analysis *an, struct pstk_network *net, struct pstk_verdict *verdict)
{
	int err;

	*an = (struct ps_analysis){ .net = net, .verdict = verdict };
	verdict->bytes = pstk_network_fifo_bytes(net);
	verdict->shared_bytes = ps_sharing_bytes(net);
	err = ps_analysis_control(an);
	if (!err)
		err = ps_analysis_clocks(an);
	if (!err)
		err = ps_analysis_cycles(an);
	if (!err)
		err = conclude(an);
	return verdict->result = err;
}

void ps_analysis_fini(struct ps_analysis *an)
{
	for (unsigned i = 0; i < an->dynamic_count; i++) {
		ps_memory_free(an->dynamics[i].terms);
		ps_memory_free(an->dynamics[i].bits);
	}
	ps_memory_free(an->dynamics);
	ps_memory_free(an->dynamic_of);
	ps_memory_free(an->groups);
	ps_memory_free(an->sets);
	ps_memory_free(an->clocks);
	ps_memory_free(an->cycle);
	ps_graph_fini(&an->graph);
}

int ps_analysis_start(struct pstk_network *net)
{
	struct pstk_verdict v = { .struct_size = sizeof v };
	struct ps_analysis an;
	int err = ps_analysis_run(&an, net, &v);

	ps_analysis_fini(&an);
	net->verdict = v; /* for the detector: what it finds may be what was refused */
	if (err == -ENOMEM)
		return ps_network_fail(net, err, "network '%s': out of memory for its analysis", net->name);
	if (err != -EDEADLK)
		return 0;
	if (net->flags & PSTK_UNCHECKED) {
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: started unchecked: %s: %s; to mend it: %s",
			net->name, ps_verdict_rule(v.rule), v.reason, v.remedy);
		return 0;
	}
	return ps_network_fail(net, err, "%s: %s; to mend it: %s (pstk_network_check() says more)",
		ps_verdict_rule(v.rule), v.reason, v.remedy);
}

/* A network that start() would refuse for its problems: says them. Those that come with the whole
 * network's check are taken back, because what is missing may still be built. true: there are some. */
static bool has_problems(struct pstk_network *net, FILE *report, struct pstk_verdict *v)
{
	struct ps_problem_mark mark = ps_network_mark(net);
	bool any = ps_network_check(net) != 0;

	if (any) {
		ps_verdict_reason(v, "%s", pstk_network_error(net));
		if (report) {
			fprintf(report,
				"network '%s': not complete or not right, so there is nothing to check:\n",
				net->name);
			for (unsigned i = 0; pstk_network_problem(net, i); i++)
				fprintf(report, "  %s\n", pstk_network_problem(net, i));
		}
	}
	ps_network_rewind(net, mark);
	return any;
}

static int check(struct pstk_network *net, FILE *report, struct pstk_verdict *v)
{
	struct ps_analysis an;
	int result, err = 0;

	if (has_problems(net, report, v))
		return v->result = -EINVAL;
	result = ps_analysis_run(&an, net, v);
	if (result == -ENOMEM)
		ps_verdict_reason(v, "out of memory for the analysis");
	else if (report)
		err = ps_verdict_print(&an, report);
	ps_analysis_fini(&an);
	return err ? err : result;
}

int pstk_network_check(struct pstk_network *net, FILE *report, struct pstk_verdict *verdict)
{
	struct pstk_verdict v = { .struct_size = sizeof v };
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (verdict && !ps_struct_fits(verdict, verdict->struct_size, sizeof *verdict))
		return -EINVAL;
	err = check(net, report, &v);
	if (verdict) {
		v.struct_size = verdict->struct_size;
		memcpy(verdict, &v, v.struct_size < sizeof v ? v.struct_size : sizeof v);
	}
	return err;
}
