/* SPDX-License-Identifier: MIT */
/* Report: what a pipeline has measured, chosen and done. */
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/opencl/row.h"
#include "lib/pipeline/carriage.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A report with all that it points to. */
struct report {
	struct pstk_pipeline_report is;
	struct ps_training training;
	struct pstk_pipeline_training latest[PS_TRAININGS_KEPT];
	struct pstk_pipeline_change changes[PS_CHANGES_KEPT];
	struct pstk_pipeline_candidate candidates[];
};

static void take_candidates(const struct ps_conductor *c, struct report *r)
{
	r->is.candidate_count = c->candidate_count;
	r->is.candidates = r->candidates;
	for (unsigned i = 0; i < c->candidate_count; i++) {
		r->candidates[i].predicted = c->candidates[i].prediction;
		r->candidates[i].measured = c->measured[i];
		if (c->candidate_count == 1 || (c->phase.kind == PS_PHASE_TRY && i >= c->candidate))
			r->candidates[i].measured = (struct pstk_prediction){ 0 };
	}
}

static void take_trainings(const struct ps_conductor *c, struct report *r)
{
	unsigned kept = c->trainings < PS_TRAININGS_KEPT ? c->trainings : PS_TRAININGS_KEPT;

	r->is.latest_count = kept;
	r->is.latest = r->latest;
	for (unsigned i = 0; i < kept; i++)
		r->latest[i] = c->log[(c->trainings - kept + i) % PS_TRAININGS_KEPT];
}

static void take_changes(const struct ps_conductor *c, struct report *r)
{
	uint64_t kept = c->change_count < PS_CHANGES_KEPT ? c->change_count : PS_CHANGES_KEPT;

	r->is.changes = c->change_count;
	r->is.change_count = (uint32_t)kept;
	r->is.latest_changes = r->changes;
	for (uint64_t i = 0; i < kept; i++)
		r->changes[i] = c->changes[(c->change_count - kept + i) % PS_CHANGES_KEPT];
}

/* The same measurements, in the report's own arrays. */
static void take_measurements(const struct ps_conductor *c, struct report *r)
{
	struct pstk_measurements m = ps_conductor_measurements(c);
	const struct ps_training *t = &r->training;

	r->training = *ps_conductor_latest(c);
	m.t_cg1 = t->t_cg1;
	m.t_cg = t->t_cg;
	m.t_g = m.t_g ? t->t_g : NULL;
	m.t_mg = m.t_mg ? t->t_mg : NULL;
	m.h2d = t->h2d;
	m.d2h = t->d2h;
	m.e_cg1 = m.e_cg1 ? t->e_cg1 : NULL;
	m.e_cg = m.e_cg ? t->e_cg : NULL;
	m.e_g = m.e_g ? t->e_g : NULL;
	m.e_mg = m.e_mg ? t->e_mg : NULL;
	r->is.measurements = m;
	r->is.has_measurements = t->there;
	/* measured are those of whole items: no meter counts the stages of one apart */
	if (t->there && m.e_cg1 && t->split)
		r->is.meter_flags = PSTK_ENERGY_SPLIT;
	r->is.estimated = t->estimated;
}

/* score() is for the thread that takes items: the limits alone. */
static bool meets(const struct ps_conductor *c, const struct pstk_prediction *p)
{
	const struct pstk_goal limits = {
		.struct_size = sizeof limits, .min_rate = c->goal.min_rate, .max_watts = c->goal.max_watts
	};
	struct pstk_candidate best;

	return pstk_mapper_choose(p, 1, &limits, &best, 1) == 1 && best.met;
}

/* What is NAN misses nothing. */
static struct pstk_pipeline_miss miss_of(const struct pstk_goal *limits, double rate, double watts)
{
	struct pstk_pipeline_miss miss = { 0 };

	if (rate < limits->min_rate)
		miss.rate = limits->min_rate - rate;
	if (limits->max_watts > 0 && watts > limits->max_watts)
		miss.watts = watts - limits->max_watts;
	return miss;
}

/* Behind what was predicted and measured. Windows that waited say nothing about the rate. */
static void take_limits(const struct ps_conductor *c, struct pstk_pipeline_report *r)
{
	bool counts = r->windows > r->starved + r->blocked;

	r->predicted_watts = r->predicted.rate * r->predicted.energy;
	r->watts = r->rate * r->energy;
	if (!isnan(r->predicted.rate))
		r->met = meets(c, &r->predicted);
	if (!isnan(r->predicted.rate) && !r->met) {
		r->predicted_miss = miss_of(&c->goal, r->predicted.rate, r->predicted_watts);
		/* the best one is the first */
		r->nearest = c->candidate_count && !meets(c, &c->candidates[0].prediction);
	}
	r->measured_miss = miss_of(&c->goal, counts ? r->rate : NAN, r->watts);
}

/* Call with the lock held. */
static void take_conductor(const struct ps_carriage *carriage, struct pstk_pipeline_report *r)
{
	const struct ps_conductor *c = &carriage->conductor;
	double lasts = 1e-9 * (double)(ps_setting_clock() - c->began_at);
	bool predicted = c->why == PSTK_WHY_ONLY || c->why == PSTK_WHY_PREDICTED || c->why == PSTK_WHY_TRIED;

	r->configuration = c->phase.setting.configuration;
	r->why = c->why;
	r->predicted = c->predicted;
	if (!predicted || !(c->predicted.rate > 0))
		r->predicted = (struct pstk_prediction){
			.configuration = r->configuration, .rate = NAN, .energy = NAN, .device_share = NAN
		};
	r->tries = c->why == PSTK_WHY_TRAINING && c->phase.kind == PS_PHASE_TRY;
	r->rate = c->monitor.windows ? c->monitor.rate : NAN;
	r->energy = c->monitor.windows ? c->monitor.joules : NAN;
	r->reference = c->monitor.reference > 0 ? c->monitor.reference : NAN;
	r->mean_rate = c->monitor.items > 0 ? c->monitor.items / c->monitor.seconds : NAN;
	r->mean_energy =
		c->monitor.metered_items > 0 ? c->monitor.all_joules / c->monitor.metered_items : NAN;
	r->windows = c->monitor.windows;
	r->starved = c->monitor.starved;
	r->blocked = c->monitor.blocked;
	r->trainings = c->trainings;
	r->pending = c->aim.kind == PS_AIM_ADAPTIVE && (c->pending || c->retrain);
	r->training_seconds = c->training_s;
	r->training_items = c->training_items;
	r->dt = c->dt;
	r->interval = c->interval;
	r->overhead = lasts > 0 && c->trainings ? c->overhead_s / lasts : 0;
	take_limits(c, r);
}

static const struct pstk_pipeline_report nothing = {
	.predicted = { .rate = NAN, .energy = NAN, .device_share = NAN },
	.rate = NAN,
	.energy = NAN,
	.reference = NAN,
	.predicted_watts = NAN,
	.watts = NAN,
	.mean_rate = NAN,
	.mean_energy = NAN,
};

static void take_stages(const struct ps_carriage *c, struct pstk_pipeline_stage_times *stages)
{
	for (unsigned k = 0; k < c->pipeline->stage_count; k++) {
		stages[k].device = ps_conductor_latest(&c->conductor)->t_g[k];
		for (unsigned i = 0; c->carriers && i < c->carrier_count; i++) {
			double core = 1e-9 * (double)atomic_load(&c->carriers[i].core_ns[k]),
			       loop = 1e-9 * (double)atomic_load(&c->carriers[i].loop_ns[k]),
			       device = 1e-9 * (double)atomic_load(&c->carriers[i].device_ns[k]);

			stages[k].core = core > 0 ? core : stages[k].core;
			stages[k].loop = loop > 0 ? loop : stages[k].loop;
			stages[k].device = stages[k].device > 0 ? stages[k].device : device;
		}
	}
}

struct pstk_pipeline_report *pstk_pipeline_get_report(const struct pstk_pipeline *p)
{
	struct ps_carriage *c = p ? p->run : NULL;
	struct pstk_pipeline_stage_times *stages =
		c ? ps_memory_zalloc(p->stage_count, sizeof *stages) : NULL;
	struct report *r =
		stages ? ps_memory_zalloc(1, sizeof *r + p->spec.candidates * sizeof *r->candidates) : NULL;

	if (!r) {
		ps_memory_free(stages);
		return NULL;
	}
	r->is = nothing;
	pthread_mutex_lock(&c->lock);
	r->is.min_rate = p->told.min_rate;
	r->is.max_watts = p->told.max_watts;
	if (c->task) {
		take_conductor(c, &r->is);
		take_candidates(&c->conductor, r);
		take_trainings(&c->conductor, r);
		take_changes(&c->conductor, r);
		take_measurements(&c->conductor, r);
		take_stages(c, stages);
		/* start() has made it before the task was set */
		ps_row_bytes(p->row, &r->is.bytes_to_device, &r->is.bytes_to_host);
		r->is.on_device = ps_carriage_items(c, true);
		r->is.on_cores = ps_carriage_items(c, false);
		r->is.has_run = r->is.on_device || r->is.on_cores;
	}
	pthread_mutex_unlock(&c->lock);
	r->is.stages = stages;
	r->is.stage_count = p->stage_count;
	r->is.meter = ps_energy_name(c->meter);
	r->is.meter_flags |= ps_energy_flags(c->meter);
	return &r->is;
}

void pstk_pipeline_free_report(struct pstk_pipeline_report *report)
{
	if (!report)
		return;
	ps_memory_free((void *)report->stages);
	ps_memory_free(report); /* it is the first member */
}

/*
 * In words.
 */

static const char *why_text(enum pstk_pipeline_why why, bool tries)
{
	static const char *const texts[] = { [PSTK_WHY_BEGINS] =
						     "nothing was measured yet, or nothing could be chosen",
		[PSTK_WHY_FIXED] = "it was given",
		[PSTK_WHY_BASELINE] = "the baseline, as measured",
		[PSTK_WHY_ONLY] = "no other one is possible",
		[PSTK_WHY_TRAINING] = "an experiment of a training",
		[PSTK_WHY_PREDICTED] = "predicted to be the best",
		[PSTK_WHY_TRIED] = "the best of the candidates" };

	return tries ? "a candidate that is tried" : texts[why];
}

/* In four digits, or all of those in front of the point: no exponent. */
enum { NUMBER = 40 };

static const char *number_text(double value, char text[static NUMBER])
{
	int digits = 0;
	size_t end;

	for (double v = value; value > 0 && v < 1000 && digits < 12; v *= 10)
		digits++;
	snprintf(text, NUMBER, "%.*f", digits, value < 1e30 ? value : 1e30);
	end = strlen(text);
	while (digits && text[end - 1] == '0')
		end--;
	text[end - (text[end - 1] == '.')] = 0;
	return text;
}

static const char *joules_text(double joules, char text[static NUMBER])
{
	static const char *const units[] = { "J", "mJ", "uJ", "nJ" };
	char number[NUMBER];
	unsigned unit = 0;

	for (; unit < 3 && joules > 0 && joules < 0.9995; unit++)
		joules *= 1000;
	snprintf(text, NUMBER, "%.30s %s", number_text(joules, number), units[unit]);
	return text;
}

static void put_rate(FILE *out, double rate, double energy)
{
	char text[NUMBER];

	fprintf(out, "%s items/s", number_text(rate, text));
	if (!isnan(energy))
		fprintf(out, ", %s an item", joules_text(energy, text));
}

static void put_watts(FILE *out, double watts)
{
	char text[NUMBER];

	if (!isnan(watts))
		fprintf(out, ", %s W", number_text(watts, text));
}

/* Whose rate it is, where the pipeline only waited. */
static const char *waits_text(const struct pstk_pipeline_report *r)
{
	if (!r->windows || r->starved + r->blocked < r->windows)
		return "";
	if (!r->blocked)
		return ": the source's rate, all windows waited for input";
	if (!r->starved)
		return ": the sink's rate, all windows waited for room behind";
	return ": the rate of source and sink, all windows waited for input or for room behind";
}

static void put_rates(FILE *out, const struct pstk_pipeline_report *r)
{
	if (!isnan(r->predicted.rate)) {
		fputs("  predicted  ", out);
		put_rate(out, r->predicted.rate, r->predicted.energy);
		put_watts(out, r->predicted_watts);
		fputc('\n', out);
	}
	if (!isnan(r->rate)) {
		fputs("  measured   ", out);
		put_rate(out, r->rate, r->energy);
		put_watts(out, r->watts);
		fprintf(out, "%s\n", waits_text(r));
	}
}

struct limit {
	const char *name, *unit, *side;
	double limit, predicted, measured;    /* what is reached */
	double predicted_miss, measured_miss; /* 0: it is met */
};

static void put_limit(FILE *out, const struct limit *l, bool met)
{
	char limit[NUMBER], reached[NUMBER], miss[NUMBER];

	if (!(l->predicted_miss > 0) && !(l->measured_miss > 0))
		return;
	fprintf(out, "  %-10s %s %s is missed: ", l->name, number_text(l->limit, limit), l->unit);
	if (l->predicted_miss > 0)
		fprintf(out, "predicted %s, %s %s", number_text(l->predicted, reached),
			number_text(l->predicted_miss, miss), l->side);
	if (l->measured_miss > 0)
		fprintf(out, "%smeasured %s, %s %s%s", l->predicted_miss > 0 ? "; " : "",
			number_text(l->measured, reached), number_text(l->measured_miss, miss), l->side,
			met ? ", although the prediction meets it" : "");
	fputc('\n', out);
}

static void put_limits(FILE *out, const struct pstk_pipeline_report *r)
{
	const struct limit limits[] = {
		{ "min_rate", "items/s", "below it", r->min_rate, r->predicted.rate, r->rate,
			r->predicted_miss.rate, r->measured_miss.rate },
		{ "max_watts", "W", "above it", r->max_watts, r->predicted_watts, r->watts,
			r->predicted_miss.watts, r->measured_miss.watts },
	};

	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
		put_limit(out, &limits[i], r->met);
	if (r->nearest)
		fputs("             no configuration is predicted to meet the limits: this one is the "
		      "nearest\n",
			out);
}

/* Of the column of stages. */
static int name_width(const struct pstk_pipeline *p)
{
	size_t width = strlen("stage");

	for (unsigned k = 0; k < p->stage_count; k++)
		width = strlen(p->stages[k]->name) > width ? strlen(p->stages[k]->name) : width;
	return (int)width;
}

static void put_stages(FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	char a[PS_TEXT_TIME], b[PS_TEXT_TIME], c[PS_TEXT_TIME];
	int width = name_width(p);

	fprintf(out, "  %-*s %10s %10s %10s\n", width, "stage", "one core", "all cores", "device");
	for (unsigned k = 0; k < r->stage_count; k++)
		fprintf(out, "  %-*s %10s %10s %10s%s\n", width, p->stages[k]->name,
			r->stages[k].core > 0 ? ps_text_time(1e9 * r->stages[k].core, a) : "-",
			r->stages[k].loop > 0 ? ps_text_time(1e9 * r->stages[k].loop, b) : "-",
			r->stages[k].device > 0 ? ps_text_time(1e9 * r->stages[k].device, c) : "-",
			p->spec.device && !(p->device_ok >> k & 1) ? "  it has no form for the device" : "");
}

static bool is_same(const struct pstk_configuration *a, const struct pstk_configuration *b)
{
	return a->mask == b->mask && a->threads == b->threads && a->medium_grain == b->medium_grain;
}

/* Does the configuration follow from them? Those of an earlier choice say nothing about one that was given. */
static bool has_candidates(const struct pstk_pipeline_report *r)
{
	return r->tries || r->why == PSTK_WHY_ONLY || r->why == PSTK_WHY_PREDICTED ||
	       r->why == PSTK_WHY_TRIED;
}

static void put_candidates(FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	char text[PSTK_CONFIGURATION_TEXT];

	for (unsigned i = 0; has_candidates(r) && i < r->candidate_count; i++) {
		const struct pstk_pipeline_candidate *c = &r->candidates[i];

		pstk_configuration_print(&c->predicted.configuration, p->stage_count, text, sizeof text);
		fprintf(out, "  %s %-18s predicted ", i ? "         " : "candidate", text);
		put_rate(out, c->predicted.rate, c->predicted.energy);
		if (c->measured.rate > 0) {
			fputs("; tried ", out);
			put_rate(out, c->measured.rate, c->measured.energy);
		}
		if (is_same(&c->predicted.configuration, &r->configuration))
			fputs(r->tries ? "  <- is tried" : "  <- chosen", out);
		fputc('\n', out);
	}
}

static void put_why(FILE *out, const struct pstk_pipeline_training *t)
{
	char was[NUMBER], is[NUMBER];

	if (t->why == PSTK_TRAINED_FIRST)
		fputs("the first", out);
	else if (t->why == PSTK_TRAINED_ASKED)
		fputs("as the program wanted", out);
	else if (isnan(t->rate_before))
		fputs("because the rate had changed", out);
	else
		fprintf(out, "because the rate was %s items/s, not %s", number_text(t->rate_before, is),
			number_text(t->rate_reference, was));
}

/* What the configuration reached that it has chosen, and what it has gained by it. */
static void put_gain(
	FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_training *t, bool latest)
{
	char text[PSTK_CONFIGURATION_TEXT], rate[NUMBER];

	if (!t->after.threads) {
		fputs(", given up", out);
		return;
	}
	pstk_configuration_print(&t->after, p->stage_count, text, sizeof text);
	fprintf(out, ",\n               then %s", text);
	if (isnan(t->rate_after))
		fputs(latest ? ", no window counts yet" : ", no window counted", out);
	else
		fprintf(out, ", %s items/s", number_text(t->rate_after, rate));
	if (isnan(t->rate_after) || !(t->rate_before > 0))
		return;
	pstk_configuration_print(&t->before, p->stage_count, text, sizeof text);
	fprintf(out, ", %.2f times what %s gave", t->rate_after / t->rate_before, text);
}

/* Each of the latest: when, why, for how many items, what it has gained. */
static void put_each_training(FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	char took[PS_TEXT_TIME];

	for (unsigned i = 0; i < r->latest_count; i++) {
		const struct pstk_pipeline_training *t = &r->latest[i];

		fprintf(out, "             at %.3f s, ", t->at);
		put_why(out, t);
		fprintf(out, ": %" PRIu64 " items, %s", t->items, ps_text_time(1e9 * t->seconds, took));
		put_gain(out, p, t, i + 1 == r->latest_count);
		fputc('\n', out);
	}
}

static void put_trainings(FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	char took[PS_TEXT_TIME], dt[PS_TEXT_TIME], interval[PS_TEXT_TIME];

	if (!r->trainings)
		return;
	fprintf(out, "  trainings  %u, of %" PRIu64 " items and %s; the latest has cost %s", r->trainings,
		r->training_items, ps_text_time(1e9 * r->training_seconds, took),
		ps_text_time(1e9 * r->dt, dt));
	if (isinf(r->interval))
		fputs(", max_overhead allows no other one\n", out);
	else
		fprintf(out, ", the next may begin %s behind it\n",
			ps_text_time(1e9 * r->interval, interval));
	put_each_training(out, p, r);
	if (r->estimated)
		fputs("             items came too slowly to measure threads side by side\n", out);
	if (r->pending)
		fputs("             another one is wanted, and not allowed yet\n", out);
	if (r->overhead > 0)
		fprintf(out, "             all but the first took %.2g %% of the time\n", 100 * r->overhead);
}

/*
 * What the latest training has measured, by the names that penstock/mapper.h has for it.
 */

static double all_joules(const struct pstk_joules *j)
{
	return j->cores + j->device + j->rest;
}

/* T_CG(n), and E_CG(n): some a line. */
static void put_sides(FILE *out, const struct pstk_measurements *m)
{
	unsigned a_line = m->e_cg ? 4 : 6;
	char time[PS_TEXT_TIME], joules[NUMBER];

	for (unsigned n = 1; n <= m->cores + 1; n++) {
		if (n % a_line == 1)
			fputs(n == 1 ? "  T_CG(n)    " : ",\n             ", out);
		else
			fputs(", ", out);
		fprintf(out, "%u: %s", n, ps_text_time(1e9 * m->t_cg[n - 1], time));
		if (m->e_cg)
			fprintf(out, " %s", joules_text(all_joules(&m->e_cg[n - 1]), joules));
	}
	fputc('\n', out);
}

/* A cell of the table; NULL: it was not measured. */
static void put_time(FILE *out, const double *seconds)
{
	char text[PS_TEXT_TIME];

	fprintf(out, " %10s", seconds ? ps_text_time(1e9 * *seconds, text) : "-");
}

static void put_joules(FILE *out, const struct pstk_joules *joules)
{
	char text[NUMBER];

	fprintf(out, " %10s", joules ? joules_text(all_joules(joules), text) : "-");
}

/* Of a stage, and what it takes to bring what lies in front of it to the device, and from it. */
static void put_measured(FILE *out, const struct pstk_measurements *m, unsigned k)
{
	bool stage = k < m->stages, medium = stage && m->t_mg, device = stage && m->device_ok >> k & 1;

	put_time(out, stage ? &m->t_cg1[k] : NULL);
	put_time(out, medium ? &m->t_mg[k] : NULL);
	put_time(out, device ? &m->t_g[k] : NULL);
	if (m->device_ok) {
		put_time(out, &m->h2d[k]);
		put_time(out, &m->d2h[k]);
	}
	if (!m->e_cg1)
		return;
	put_joules(out, stage ? &m->e_cg1[k] : NULL);
	put_joules(out, medium ? &m->e_mg[k] : NULL);
	put_joules(out, device ? &m->e_g[k] : NULL);
}

static void put_measurements(FILE *out, const struct pstk_pipeline *p, const struct pstk_measurements *m)
{
	int width = name_width(p);

	put_sides(out, m);
	fprintf(out, "  %-*s %10s %10s %10s", width, "stage", "T_CG1", "T_MG", "T_G");
	if (m->device_ok)
		fprintf(out, " %10s %10s", "h2d", "d2h");
	if (m->e_cg1)
		fprintf(out, " %10s %10s %10s", "E_CG1", "E_MG", "E_G");
	fputc('\n', out);
	/* behind the last one only what moves is left */
	for (unsigned k = 0; k < m->stages + (m->device_ok != 0); k++) {
		fprintf(out, "  %-*s", width, k < m->stages ? p->stages[k]->name : "end");
		put_measured(out, m, k);
		fputc('\n', out);
	}
}

static void put_traffic(FILE *out, const struct pstk_pipeline_report *r)
{
	fprintf(out, "  items      %" PRIu64 " over the device, %" PRIu64 " on the cores alone\n",
		r->on_device, r->on_cores);
	if (r->bytes_to_device || r->bytes_to_host)
		fprintf(out, "  copied     %.3f MB to the device, %.3f MB from it\n",
			(double)r->bytes_to_device / 1e6, (double)r->bytes_to_host / 1e6);
	if (r->starved || r->blocked)
		fprintf(out,
			"  windows    %" PRIu64 ", of which %" PRIu64 " waited for input, %" PRIu64
			" for room behind: these tell nothing about the pipeline\n",
			r->windows, r->starved, r->blocked);
}

static void put(FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	char text[PSTK_CONFIGURATION_TEXT], flags[PS_ENERGY_FLAGS_TEXT];

	pstk_configuration_print(&r->configuration, p->stage_count, text, sizeof text);
	fprintf(out, "pipeline '%s': %s, %s\n", p->actor->name, text, why_text(r->why, r->tries));
	put_rates(out, r);
	put_limits(out, r);
	put_traffic(out, r);
	put_candidates(out, p, r);
	put_trainings(out, p, r);
	if (r->meter_flags)
		fprintf(out, "  meter      %s (%s)\n", r->meter, ps_energy_flags_text(r->meter_flags, flags));
	if (r->has_measurements)
		put_measurements(out, p, &r->measurements);
	put_stages(out, p, r);
}

int pstk_pipeline_print(const struct pstk_pipeline *p, FILE *out)
{
	struct pstk_pipeline_report *r;

	if (!p || !out)
		return -EINVAL;
	r = p->run ? pstk_pipeline_get_report(p) : NULL;
	if (p->run && !r)
		return -ENOMEM;
	if (!r || !r->has_run)
		fprintf(out, "pipeline '%s': %s\n", p->actor->name,
			r ? "it has not run" : "it was refused, and has not run");
	else
		put(out, p, r);
	pstk_pipeline_free_report(r);
	return ferror(out) ? -EIO : 0;
}

/* Those behind `seen`. */
static void put_changes(
	FILE *out, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r, uint64_t seen)
{
	uint64_t first = r->changes - r->change_count;
	char text[PSTK_CONFIGURATION_TEXT];

	if (seen < first)
		fprintf(out, "pipeline '%s': %" PRIu64 " configurations more, each for a short while\n",
			p->actor->name, first - seen);
	for (uint64_t n = seen < first ? first : seen; n < r->changes; n++) {
		const struct pstk_pipeline_change *c = &r->latest_changes[n - first];

		pstk_configuration_print(&c->configuration, p->stage_count, text, sizeof text);
		fprintf(out, "pipeline '%s': %s from %.3f s on, %s\n", p->actor->name, text, c->at,
			why_text(c->why, c->tries));
	}
}

int pstk_pipeline_print_changes(const struct pstk_pipeline *p, uint64_t *seen, FILE *out)
{
	struct pstk_pipeline_report *r;

	if (!p || !seen || !out)
		return -EINVAL;
	if (!p->run) /* it was refused */
		return 0;
	r = pstk_pipeline_get_report(p);
	if (!r)
		return -ENOMEM;
	put_changes(out, p, r, *seen);
	*seen = r->changes;
	pstk_pipeline_free_report(r);
	return ferror(out) ? -EIO : 0;
}
