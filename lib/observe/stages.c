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

/* Of firings on a device there is no time on the cores: then there is none of a firing. */
static void print_stage_stats(
	const struct pstk_pipeline *p, const struct pstk_actor *stage, int name, FILE *out)
{
	struct pstk_actor_stats s;
	bool cores_only = !p->run || !atomic_load(&p->run->on_device);
	double us_a_firing;

	pstk_actor_get_stats(stage, &s);
	us_a_firing = s.firings ? 1e-3 / (double)s.firings : 0;
	fprintf(out, "    %*s %9llu", name, stage->name, (unsigned long long)s.firings);
	if (cores_only)
		fprintf(out, "  %12.3f  %12.3f", (double)s.fire_ns * us_a_firing,
			(double)pstk_actor_cpu_ns(stage) * us_a_firing);
	else
		fprintf(out, "  %12s  %12s", "-", "-");
	fprintf(out, "  %12.6f  %12s\n", (double)s.fire_ns / 1e9, "-");
}

void ps_stages_print_stats(const struct pstk_pipeline *p, int name, FILE *out)
{
	for (unsigned k = 0; k < p->stage_count; k++)
		print_stage_stats(p, p->stages[k], name, out);
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

void ps_stages_print_reports(const struct pstk_network *net, FILE *out)
{
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (p->run && p->run->task && !ps_actor_away(p->actor))
			pstk_pipeline_print(p, out);
}
