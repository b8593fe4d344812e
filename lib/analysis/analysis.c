/* SPDX-License-Identifier: MIT */
#include "lib/analysis/analysis.h"
#include "lib/analysis/build_check.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/control_values.h"
#include "lib/analysis/cycle_rule.h"
#include "lib/analysis/explain_clash.h"
#include "lib/analysis/rate_rule.h"
#include "lib/analysis/verdict.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/plan/rates.h"
#include "lib/plan/sharing.h"

#include <errno.h>
#include <string.h>

static bool is_kahn(const struct ps_analysis *an, const struct pstk_actor *a)
{
	(void)an;
	return a->type.kahn;
}

static bool is_undeclared(const struct ps_analysis *an, const struct pstk_actor *a)
{
	return a->control_port != PS_NO_PORT && an->dynamics[an->dynamic_of[a->index]].unknown;
}

/* "'a' (t), 'b' (t) and 3 more": the actors of which it is true. */
static void name_actors(const struct ps_analysis *an,
	bool (*which)(const struct ps_analysis *, const struct pstk_actor *), unsigned count, bool types,
	struct ps_text *t)
{
	enum { MOST = 4 };
	unsigned named = 0;

	for (unsigned i = 0; i < an->net->actor_count && named < count; i++) {
		const struct pstk_actor *a = an->net->actors[i];

		if (!which(an, a))
			continue;
		if (named)
			ps_text_add(t, named + 1 == count || named == MOST ? " and " : ", ");
		if (named == MOST && count - named > 1) {
			ps_text_add(t, "%u more", count - named);
			return;
		}
		ps_text_add(t, types ? "'%s' (%s)" : "'%s'", a->name, a->type.name);
		named++;
	}
}

/* Nothing is refused, but there are actors of which nothing is known. */
static void doubt(const struct ps_analysis *an)
{
	bool kahns = an->kahn_count > 1, unknowns = an->unknown_count > 1;
	char kahn[200], unknown[200], names[120];
	struct ps_text k = ps_text(kahn, sizeof kahn), u = ps_text(unknown, sizeof unknown),
		       n = ps_text(names, sizeof names);

	name_actors(an, is_kahn, an->kahn_count, true, &k);
	name_actors(an, is_undeclared, an->unknown_count, true, &u);
	name_actors(an, is_undeclared, an->unknown_count, false, &n);
	if (an->kahn_count)
		ps_verdict_reason(an->verdict, "%s %s", kahn,
			kahns ? "are kahn actors, which read and write when they like"
			      : "is a kahn actor, which reads and writes when it likes");
	if (an->unknown_count)
		ps_verdict_reason(an->verdict, "%s%s%s %s control values", an->verdict->reason,
			an->kahn_count ? "; " : "", unknown,
			unknowns ? "do not declare their" : "does not declare its");
	if (an->kahn_count)
		ps_verdict_remedy(an->verdict, "only a network without kahn actors can be proven");
	else
		ps_verdict_remedy(
			an->verdict, "set control_values in the type%s of %s", unknowns ? "s" : "", names);
}

/* Nothing is refused. */
static int conclude(struct ps_analysis *an)
{
	const struct ps_rates *r = ps_rates_of(an->net);

	if (an->kahn_count || an->unknown_count) {
		doubt(an);
		return 1;
	}
	ps_verdict_reason(an->verdict, "%s%s, and %s", r->several ? "the rates balance (R0), " : "",
		an->dynamic_count ? "both ends of every FIFO are on at the same times (R1)"
				  : "no rate depends on data (R1)",
		!an->loops          ? "there is no cycle (R2)"
		: r->several        ? "every cycle has delay tokens for an iteration (R2)"
		: an->dynamic_count ? "every cycle that can be on has delay tokens for a first firing (R2)"
				    : "every cycle has delay tokens for a first firing (R2)");
	return 0;
}

/* R1, with the verdict if it is broken. */
static int check_clocks(struct ps_analysis *an)
{
	int err = ps_analysis_clocks(an);

	if (an->clash)
		return ps_analysis_clash(an, an->clash);
	if (an->self_dependence)
		return ps_analysis_depends_on_itself(an, an->self_dependence);
	return err;
}

int ps_analysis_run(struct ps_analysis *an, struct pstk_network *net, struct pstk_verdict *verdict)
{
	int err;

	*an = (struct ps_analysis){ .net = net, .verdict = verdict };
	verdict->bytes = pstk_network_fifo_bytes(net);
	verdict->shared_bytes = ps_sharing_bytes(net);
	err = ps_analysis_control(an);
	if (!err)
		err = ps_analysis_balance(an);
	if (!err)
		err = check_clocks(an);
	if (!err)
		err = ps_analysis_whole_ticks(an);
	if (!err)
		err = ps_analysis_cycles(an);
	if (!err)
		err = ps_analysis_rooms(an);
	if (!err)
		err = conclude(an);
	return verdict->result = err;
}

void ps_analysis_fini(struct ps_analysis *an)
{
	for (unsigned i = 0; i < an->dynamic_count; i++) {
		ps_memory_free(an->dynamics[i].terms);
		ps_memory_free(an->dynamics[i].bits);
		ps_memory_free(an->dynamics[i].decided);
	}
	ps_memory_free(an->dynamics);
	ps_memory_free(an->dynamic_of);
	ps_memory_free(an->groups);
	ps_memory_free(an->sets);
	ps_memory_free(an->clocks);
	ps_memory_free(an->way);
	ps_memory_free(an->cycle);
	ps_graph_fini(&an->graph);
}

/* Gives the actors what control() has decided, whatever the verdict is. */
static void keep_decisions(struct ps_analysis *an)
{
	for (unsigned i = 0; i < an->dynamic_count; i++) {
		struct ps_dynamic *d = &an->dynamics[i];

		d->actor->decided = d->decided;
		d->actor->decided_count = d->decided_count;
		d->decided = NULL;
	}
}

int ps_analysis_start(struct pstk_network *net)
{
	struct pstk_verdict v = { .struct_size = sizeof v };
	struct ps_analysis an;
	int err = ps_analysis_run(&an, net, &v);

	if (err != -ENOMEM)
		keep_decisions(&an);
	ps_analysis_fini(&an);
	net->verdict = v; /* for the detector: a deadlock that it finds may be the one that was refused */
	if (err == -ENOMEM)
		return ps_network_fail(net, err, "network '%s': out of memory for its analysis", net->name);
	if (err != -EDEADLK)
		return 0;
	if (net->flags & PSTK_UNCHECKED) {
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: started unchecked: %s: %s; to fix it: %s",
			net->name, ps_verdict_rule(&v), v.reason, v.remedy);
		return 0;
	}
	return ps_network_fail(net, err, "%s: %s; to fix it: %s (the verdict says more)", ps_verdict_rule(&v),
		v.reason, v.remedy);
}

/* Reports the problems for which start() would refuse the network. true: there are some. Those that the check of the
 * whole network adds are taken back, because what is missing may still be built. */
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
	char text[PS_TEXT_SIZE];

	if (err)
		return err;
	if (verdict && !ps_struct_fits(&ps_struct_verdict, verdict, text)) {
		/* no fault of the network, so no problem of it */
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "pstk_network_check: '%s': %s", net->name, text);
		return -EINVAL;
	}
	err = check(net, report, &v);
	if (verdict) {
		v.struct_size = verdict->struct_size;
		memcpy(verdict, &v, v.struct_size < sizeof v ? v.struct_size : sizeof v);
	}
	return err;
}
