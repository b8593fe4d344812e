/* SPDX-License-Identifier: MIT */
#include "lib/observe/stages.h"
#include "lib/opencl/row.h"
#include "lib/pipeline/carriage.h"

/* What it is told now: "CP-CG:101:4", "baseline", "adaptive". */
static void print_aim(const struct pstk_pipeline *p, FILE *out)
{
	char text[PSTK_CONFIGURATION_TEXT] = "";
	struct ps_aim aim;

	pthread_mutex_lock(&p->run->lock);
	aim = p->run->task ? p->run->conductor.aim : p->run->aim;
	pthread_mutex_unlock(&p->run->lock);
	if (aim.kind == PS_AIM_FIXED)
		pstk_configuration_print(&aim.fixed, p->stage_count, text, sizeof text);
	fputs(aim.kind == PS_AIM_FIXED ? text : aim.kind == PS_AIM_BASELINE ? "baseline" : "adaptive", out);
}

void ps_stages_print_place(const struct pstk_pipeline *p, FILE *out)
{
	const struct pstk_device_info *info = ps_row_device(p);

	fputs("cores", out);
	if (info)
		fprintf(out, " and %s (%s; %s, driver %s)", info->selector, info->name, info->platform,
			info->driver);
	if (!p->run) /* it was refused */
		return;
	fputs(", ", out);
	print_aim(p, out);
	fprintf(out, ", %u items in flight", p->spec.in_flight);
}

void ps_stages_print(const struct pstk_pipeline *p, int name, int type, FILE *out)
{
	for (unsigned k = 0; k < p->stage_count; k++)
		fprintf(out, "    %*s  %-*s  %s\n", name, p->stages[k]->name, type, p->stages[k]->type.name,
			p->device_ok >> k & 1 ? "core, device" : "core");
}

bool ps_stages_on_device(const struct pstk_pipeline *p)
{
	return p->run && ps_carriage_items(p->run, true);
}

unsigned ps_stages_threads(const struct pstk_pipeline *p)
{
	unsigned takers = p->run ? atomic_load(&p->run->takers) : 0;

	return takers ? takers : 1;
}

/* ns; 0: it has not fired there. */
static uint64_t latest(const struct ps_carriage *c, unsigned stage)
{
	uint64_t ns = 0;

	for (unsigned i = 0; c->carriers && i < c->carrier_count && !ns; i++) {
		ns = atomic_load_explicit(&c->carriers[i].core_ns[stage], memory_order_relaxed);
		if (!ns)
			ns = atomic_load_explicit(&c->carriers[i].loop_ns[stage], memory_order_relaxed);
	}
	return ns;
}

const struct pstk_actor *ps_stages_longest(const struct pstk_pipeline *p, double *share)
{
	uint64_t all = 0, most = 0;
	unsigned longest = 0;

	for (unsigned k = 0; p->run && k < p->stage_count; k++) {
		uint64_t ns = latest(p->run, k);

		all += ns;
		if (ns > most) {
			most = ns;
			longest = k;
		}
	}
	*share = all ? (double)most / (double)all : 0;
	return all ? p->stages[longest] : NULL;
}

void ps_stages_say(const struct pstk_pipeline *p, struct ps_text *t)
{
	const struct ps_carriage *c = p->run;
	const char *before = " of ";

	for (unsigned i = 0; c && c->carriers && i < c->carrier_count; i++) {
		unsigned at = atomic_load_explicit(&c->carriers[i].at, memory_order_relaxed);

		if (!at)
			continue;
		ps_text_add(t, "%s%.64s%s", before, p->stages[(at - 1) % PS_STAGES_MAX]->name,
			at > PS_STAGES_MAX ? " on the device" : "");
		before = ", ";
	}
}

bool ps_stages_on_team(const struct pstk_pipeline *p)
{
	const struct ps_carriage *c = p->run;

	for (unsigned i = 0; c && c->carriers && i < c->carrier_count; i++)
		if (atomic_load_explicit(&c->carriers[i].lent, memory_order_relaxed))
			return true;
	return false;
}

void ps_stages_print_reports(const struct pstk_network *net, FILE *out)
{
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (p->run && p->run->task && !ps_actor_away(p->actor))
			pstk_pipeline_print(p, out);
}
