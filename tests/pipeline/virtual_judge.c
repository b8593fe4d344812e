/* SPDX-License-Identifier: MIT */
#include "tests/pipeline/virtual_judge.h"
#include "tests/common/common.h"
#include "tests/mapping/mapper_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b) ck_assert_double_le(fabs((a) - (b)), 1e-9 + 1e-6 * fabs(b))

enum { LIST = 1 << 12 };

/* -- what an experiment tells -- */

static double middle(const double *values, unsigned count)
{
	double rest[PS_SAMPLES], low = 0, high = 0;

	memcpy(rest, values, count * sizeof *rest);
	for (unsigned taken = 0; taken <= count / 2; taken++) { /* the least of those that are left */
		unsigned least = 0;

		for (unsigned i = 1; i < count; i++)
			least = rest[i] < rest[least] ? i : least;
		low = high;
		high = rest[least];
		rest[least] = INFINITY;
	}
	return count % 2 ? high : (low + high) / 2;
}

static double middle_of(const struct virtual_line *v, const uint64_t *first, size_t stride)
{
	double values[PS_SAMPLES];

	for (unsigned i = 0; i < v->samples.count; i++)
		values[i] = 1e-9 * (double)first[i * stride];
	return middle(values, v->samples.count);
}

static double wall(const struct ps_phase_end *end)
{
	double waits = 1e-9 * (double)(end->starved_ns + end->blocked_ns),
	       all = 1e-9 * (double)(end->ended - end->began);

	return all > waits ? all - waits : 1e-9;
}

/* How many items an experiment has, of so many seconds. */
static unsigned wanted_items(const struct virtual_line *v, double seconds)
{
	double times = v->splits && seconds < 0.02 ? ceil(0.05 / seconds) : 1;

	return times > v->spec.repetitions ? (unsigned)times : v->spec.repetitions;
}

static double sum_of(const struct virtual_line *v, const double *times)
{
	double sum = 0;

	for (unsigned k = 0; k < v->stages; k++)
		sum += times[k];
	return sum;
}

static void share(const struct virtual_line *v, const struct ps_phase_end *end, const double *times,
	struct pstk_joules *joules)
{
	for (unsigned k = 0; end->joules && k < v->stages; k++) {
		double part = times[k] / sum_of(v, times) / (double)end->items;

		joules[k] = (struct pstk_joules){ part * end->joules->cores, part * end->joules->device,
			part * end->joules->rest };
	}
}

static void learn_stages(
	struct virtual_line *v, const struct ps_phase_end *end, double *times, struct pstk_joules *joules)
{
	for (unsigned k = 0; k < v->stages; k++)
		times[k] = middle_of(v, &v->samples.stage[0][k], PS_STAGES_MOST);
	share(v, end, times, joules);
}

static void learn_moves(struct virtual_line *v)
{
	for (unsigned k = 0; k <= v->stages; k++) {
		v->model.h2d[k] = middle_of(v, &v->samples.to_device[0][k], PS_STAGES_MOST + 1);
		v->model.d2h[k] = middle_of(v, &v->samples.to_host[0][k], PS_STAGES_MOST + 1);
	}
}

/* Rounds of n items each, the first one from when its first item was taken. The median of those that did not wait too
 * long; of more threads than cores their mean, in which one is no more than two medians. Before the first training's
 * rounds each number of threads has one that tells nothing. */
static void learn_side(struct virtual_line *v, const struct ps_phase_end *end)
{
	unsigned n = v->conductor.phase.setting.configuration.threads, count = 0;
	double rounds[PS_SAMPLES], total = sum_of(v, v->model.t_cg1), sum = 0, typical,
				   from = 1e-9 * (double)end->first, waits = 0;

	if (!v->trainings && v->spec.repetitions > 1 && !v->warm) {
		v->warm = true;
		ck_assert_uint_eq(end->items, n);
		return;
	}
	v->warm = false;
	ck_assert_uint_eq(end->items, n * wanted_items(v, total));
	for (unsigned i = 0; i < v->samples.round_count; i++) {
		double all = 1e-9 * (double)v->samples.rounds[i] - from,
		       waited = 1e-9 * (double)v->samples.waits[i] - waits;

		from += all;
		waits += waited;
		if (waited <= 0.1 * all)
			rounds[count++] = all;
	}
	v->model.t_cg[n - 1] = total / (n < v->spec.cores ? n : v->spec.cores);
	if (count) {
		typical = middle(rounds, count);
		for (unsigned i = 0; i < count; i++)
			sum += fmin(rounds[i], 2 * typical);
		v->model.t_cg[n - 1] = (n > v->spec.cores ? sum / count : typical) / n;
	}
	if (end->joules)
		v->model.e_cg[n - 1] = (struct pstk_joules){ end->joules->cores / (double)end->items,
			end->joules->device / (double)end->items, end->joules->rest / (double)end->items };
	else
		v->model.e_cg[n - 1] = (struct pstk_joules){ 0 };
}

static void learn_cores(struct virtual_line *v, const struct ps_phase_end *end)
{
	struct pipeline *m = &v->model;

	learn_stages(v, end, m->t_cg1, m->e_cg1);
	m->t_cg[0] = sum_of(v, m->t_cg1);
	m->e_cg[0] = (struct pstk_joules){ 0 };
	for (unsigned k = 0; k < v->stages; k++) {
		m->e_cg[0].cores += m->e_cg1[k].cores;
		m->e_cg[0].device += m->e_cg1[k].device;
		m->e_cg[0].rest += m->e_cg1[k].rest;
	}
}

static void learn(struct virtual_line *v, const struct ps_phase_end *end)
{
	switch (v->conductor.phase.kind) {
	case PS_PHASE_CORES:
		learn_cores(v, end);
		break;
	case PS_PHASE_SIDE:
		learn_side(v, end);
		break;
	case PS_PHASE_DEVICE:
		learn_moves(v);
		learn_stages(v, end, v->model.t_g, v->model.e_g);
		break;
	default:
		learn_stages(v, end, v->model.t_mg, v->model.e_mg);
	}
}

static void learn_candidate(struct virtual_line *v, const struct ps_phase_end *end)
{
	unsigned which = v->candidate++;
	struct pstk_prediction *tried = &v->tried[which];

	*tried = (struct pstk_prediction){
		.configuration = v->conductor.phase.setting.configuration, .rate = tried->rate, .energy = NAN
	};
	if (!v->given_up[which])
		tried->rate =
			3 * v->conductor.phase.window * 1e9 / (double)(end->window_ended - end->window_began);
	if (end->joules)
		tried->energy =
			(end->joules->cores + end->joules->device + end->joules->rest) / (double)end->items;
	v->waited[which] =
		(double)(end->starved_ns + end->blocked_ns) > 0.1 * (double)(end->ended - end->began);
	v->spoiled |= v->waited[which];
}

/* If the rate alone counts, a candidate is given up that is at less than nine tenths of the fastest one before it. */
void virtual_judge_try(struct virtual_line *v, uint64_t items, uint64_t ns, uint64_t waits, bool gives_up)
{
	const struct pstk_goal *g = &v->conductor.goal;
	unsigned which = v->candidate, fastest = 0;
	bool starved = (double)waits > 0.1 * (double)ns;
	double least;

	for (unsigned i = 1; i < which; i++)
		fastest = !v->given_up[i] && v->tried[i].rate > v->tried[fastest].rate ? i : fastest;
	v->tried[which].rate = (double)(items - v->conductor.phase.window) * 1e9 / (double)ns;
	least = 0.9 * v->tried[fastest].rate;
	v->given_up[which] = which && !starved && !v->spoiled && !(g->max_watts > 0) &&
	                     g->objective == PSTK_OBJECTIVE_THROUGHPUT && v->tried[which].rate < least;
	if (fabs(v->tried[which].rate - least) > 1e-9 * least) /* else it is a matter of rounding */
		ck_assert_int_eq(gives_up, v->given_up[which]);
	v->given_up[which] = gives_up;
}

/* A score that no choice comes to. */
static const double untouched = -12345;

void virtual_judge_phase(struct virtual_line *v, const struct ps_phase_end *end)
{
	const struct ps_phase *phase = &v->conductor.phase;

	v->conductor.candidates[0].score = untouched;
	if (phase->kind == PS_PHASE_STAY)
		return;
	if (phase->kind == PS_PHASE_TRY) {
		v->trying += wall(end);
		v->tried_items += end->items;
	} else {
		v->walls += wall(end);
		v->trained_items += end->items;
		v->unmetered |= !end->joules;
	}
	if (end->items < phase->items && !(phase->kind == PS_PHASE_TRY && v->given_up[v->candidate]))
		return;
	if (phase->kind == PS_PHASE_TRY)
		learn_candidate(v, end);
	else
		learn(v, end);
}

/* -- what must be chosen -- */

static void set_model(struct virtual_line *v)
{
	struct pipeline *m = &v->model;
	bool metered = v->metered && !v->unmetered;

	pipeline_link(m);
	m->m.in_flight = v->spec.in_flight;
	m->m.device_ok = v->device_ok;
	m->m.medium_grain = v->spec.granularities != PSTK_GRAIN_COARSE;
	m->m.tdp = v->spec.tdp;
	m->m.h2d = m->h2d;
	m->m.d2h = m->d2h;
	m->m.e_cg1 = metered ? m->e_cg1 : NULL;
	m->m.e_cg = metered ? m->e_cg : NULL;
	m->m.e_g = metered ? m->e_g : NULL;
	m->m.e_mg = metered ? m->e_mg : NULL;
	for (unsigned n = 2; v->spec.granularities == PSTK_GRAIN_MEDIUM && n <= v->spec.cores + 1; n++)
		m->t_cg[n - 1] = m->t_cg[0] / (n < v->spec.cores ? n : v->spec.cores);
}

/* A column that is the same. */
static void same_times(const double *a, const double *b, unsigned count, uint32_t which)
{
	for (unsigned k = 0; k < count; k++)
		if (which >> k & 1)
			NEAR(a[k], b[k]);
}

static void same_energies(
	const struct pstk_joules *a, const struct pstk_joules *b, unsigned count, uint32_t which)
{
	ck_assert_int_eq(!a, !b);
	for (unsigned k = 0; a && k < count; k++)
		if (which >> k & 1) {
			NEAR(a[k].cores, b[k].cores);
			NEAR(a[k].device, b[k].device);
			NEAR(a[k].rest, b[k].rest);
		}
}

/* The conductor's measurements are what was simulated. */
static void judge_measurements(const struct virtual_line *v)
{
	const struct pstk_measurements m = ps_conductor_measurements(&v->conductor), *o = &v->model.m;
	bool medium = v->spec.granularities != PSTK_GRAIN_COARSE;
	unsigned sides = v->spec.granularities == PSTK_GRAIN_MEDIUM ? 1 : v->spec.cores + 1;

	same_times(m.t_cg1, o->t_cg1, v->stages, UINT32_MAX);
	same_times(m.t_cg, o->t_cg, v->spec.cores + 1, UINT32_MAX);
	ck_assert_int_eq(!m.t_g, !v->device_ok);
	ck_assert_int_eq(!m.t_mg, !medium);
	if (v->device_ok) {
		same_times(m.t_g, o->t_g, v->stages, v->device_ok);
		same_times(m.h2d, o->h2d, v->stages + 1, UINT32_MAX);
		same_times(m.d2h, o->d2h, v->stages + 1, UINT32_MAX);
		same_energies(m.e_g, o->e_g, v->stages, v->device_ok);
	}
	same_energies(m.e_cg1, o->e_cg1, v->stages, UINT32_MAX);
	same_energies(m.e_cg, o->e_cg, sides, UINT32_MAX);
	if (medium) {
		same_times(m.t_mg, o->t_mg, v->stages, UINT32_MAX);
		same_energies(m.e_mg, o->e_mg, v->stages, UINT32_MAX);
	}
}

static bool alike(const struct pstk_configuration *a, const struct pstk_configuration *b)
{
	return a->mask == b->mask && a->threads == b->threads && a->medium_grain == b->medium_grain;
}

/* What can't be chosen by: the cores are what is left. */
static bool is_hopeless(const struct virtual_line *v)
{
	const struct pstk_goal *g = &v->conductor.goal;
	bool needs = g->objective == PSTK_OBJECTIVE_ENERGY || g->objective == PSTK_OBJECTIVE_RATIO ||
	             g->max_watts > 0;

	return (needs && (!v->metered || v->unmetered)) ||
	       (g->objective == PSTK_OBJECTIVE_SCORE && isnan(g->score(g->data, 1, 1)));
}

/* The candidates are the model's best ones. */
static void judge_choice(struct virtual_line *v)
{
	static struct pstk_prediction list[LIST];
	unsigned best[VIRTUAL_CANDIDATES], count, kept = 0;
	bool met[VIRTUAL_CANDIDATES];
	const struct ps_conductor *c = &v->conductor;

	v->choices++;
	v->candidate = 0;
	v->spoiled = false;
	memset(v->given_up, 0, sizeof v->given_up);
	set_model(v);
	judge_measurements(v);
	if (is_hopeless(v)) {
		ck_assert_uint_eq(c->candidate_count, 0);
		ck_assert_int_eq(c->why, PSTK_WHY_BEGINS);
		v->candidate_count = 0;
		return;
	}
	count = mapper_oracle_predict(&v->model.m, v->spec.rule, list);
	for (unsigned i = 0; i < count; i++)
		if (v->spec.granularities != PSTK_GRAIN_MEDIUM || list[i].configuration.medium_grain)
			list[kept++] = list[i];
	v->candidate_count = kept < v->spec.candidates ? kept : v->spec.candidates;
	ck_assert_uint_eq(c->candidate_count, v->candidate_count);
	mapper_oracle_choose(list, kept, &c->goal, best, met, v->candidate_count);
	for (unsigned i = 0; i < v->candidate_count; i++) {
		v->candidates[i] = list[best[i]];
		ck_assert(alike(&c->candidates[i].prediction.configuration, &list[best[i]].configuration));
		NEAR(c->candidates[i].prediction.rate, list[best[i]].rate);
	}
	if (v->candidate_count == 1) {
		ck_assert_int_eq(c->phase.kind, PS_PHASE_STAY);
		ck_assert_int_eq(c->why, kept == 1 ? PSTK_WHY_ONLY : PSTK_WHY_PREDICTED);
		ck_assert(alike(&c->phase.setting.configuration, &v->candidates[0].configuration));
	}
}

/* Of the candidates that ran all windows the best one stays. One that waited counts where the rate alone is wanted. If
 * all waited the first one stays, unless another one was faster by more than a change. Returns which. */
static unsigned judge_best(const struct virtual_line *v)
{
	const struct pstk_goal *g = &v->conductor.goal;
	struct pstk_prediction whole[VIRTUAL_CANDIDATES];
	unsigned best = 0, count = 0, which[VIRTUAL_CANDIDATES];
	bool met, energies = true, rate = g->objective == PSTK_OBJECTIVE_THROUGHPUT && !(g->max_watts > 0),
		  all_waited = true, tried = false;

	for (unsigned i = 0; i < v->candidate_count; i++) {
		all_waited &= v->waited[i];
		if (v->given_up[i] || (v->waited[i] && !rate))
			continue;
		energies &= !isnan(v->tried[i].energy);
		whole[count] = v->tried[i];
		which[count++] = i;
	}
	if (count && (energies || g->objective == PSTK_OBJECTIVE_THROUGHPUT)) {
		mapper_oracle_choose(whole, count, g, &best, &met, 1);
		best = which[best];
		tried = !all_waited || v->tried[best].rate > (1 + v->spec.change) * v->tried[0].rate;
	}
	best = tried ? best : 0;
	ck_assert(alike(&v->conductor.phase.setting.configuration, &v->candidates[best].configuration));
	if (!tried || energies)
		ck_assert_int_eq(v->conductor.why, tried ? PSTK_WHY_TRIED : PSTK_WHY_PREDICTED);
	return best;
}

/* -- what a training costs -- */

/* Eqs. 1 and 2. rate: of what runs now; 0: it is not known. */
static void close_training(struct virtual_line *v, double rate, bool whole)
{
	double experiments = v->walls - (double)v->trained_items / rate,
	       trying = v->trying - (double)v->tried_items / rate,
	       dt = (experiments > 0 ? experiments : 0) + (trying > 0 ? trying : 0);
	const struct pstk_pipeline_training *told;

	if (!whole || !(rate > 0))
		dt = 1e-9 * (double)(v->now - v->training_began);
	v->training = false;
	if (!whole && !v->trained_at)
		return; /* it has told nothing, and was the first */
	v->costs += v->trainings ? dt : 0;
	v->trainings++;
	v->dt = dt;
	v->interval = dt * (1 - v->spec.max_overhead) / v->spec.max_overhead;
	/* the rest of it was no loss */
	v->trained_at = v->training_began + (uint64_t)(1e9 * dt);
	v->trained_at = v->trained_at < v->now ? v->trained_at : v->now;
	NEAR(v->conductor.dt, dt);
	NEAR(v->conductor.interval, v->interval);
	NEAR(v->conductor.overhead_s, v->costs);
	ck_assert_uint_eq(v->conductor.trainings, v->trainings);
	told = &v->conductor.log[(v->trainings - 1) % PS_TRAININGS_KEPT];
	NEAR(told->dt, dt);
	NEAR(told->interval, v->interval);
	NEAR(told->seconds, 1e-9 * (double)(v->now - v->training_began));
	ck_assert_uint_eq(told->items, v->trained_items + v->tried_items);
	ck_assert_int_eq(told->whole, whole);
	NEAR(told->at, 1e-9 * (double)(v->training_began - SEC));
	ck_assert(alike(&told->before, &v->before));
	ck_assert(whole || !told->after.threads);
	if (told->after.threads) /* else it was given up */
		ck_assert(alike(&told->after, &v->conductor.phase.setting.configuration));
}

/* was: NULL: it begins. */
static void open_training(struct virtual_line *v, const struct ps_phase *was)
{
	const struct ps_conductor *c = &v->conductor;

	ck_assert(c->aim.kind != PS_AIM_FIXED);
	if (c->aim.kind == PS_AIM_ADAPTIVE) {
		if (v->trained_at)
			ck_assert_double_gt(
				1e-9 * (double)(v->now - v->trained_at), v->interval * (1 - 1e-9));
		v->begun++;
	}
	v->training = true;
	v->former = v->model;
	v->former_unmetered = v->unmetered;
	v->training_for = (unsigned)c->aim.kind;
	v->training_began = v->now;
	v->before = (struct pstk_configuration){ 0 };
	if (was && was->kind == PS_PHASE_STAY)
		v->before = was->setting.configuration;
	v->walls = v->trying = 0;
	v->trained_items = v->tried_items = 0;
	v->warm = false;
	v->unmetered = false;
}

/* -- each step -- */

static void judge_phase(const struct virtual_line *v)
{
	const struct ps_conductor *c = &v->conductor;
	const struct ps_phase *p = &c->phase;

	ck_assert_uint_le(p->kind, PS_PHASE_STAY);
	ck_assert_uint_ge(p->setting.takers, 1);
	ck_assert_uint_le(p->setting.takers, v->spec.cores + 1);
	ck_assert_uint_ge(p->items, 1);
	ck_assert_uint_eq(p->setting.configuration.mask & ~v->device_ok, 0);
	ck_assert_int_eq(p->kind == PS_PHASE_STAY, p->items == UINT64_MAX);
	if (p->kind >= PS_PHASE_TRY) {
		unsigned window = 4 * (v->spec.cores + 1);

		window = window > 16 ? window : 16;
		if (p->kind == PS_PHASE_TRY)
			ck_assert_uint_eq(p->window, window);
		ck_assert_uint_eq(p->before, p->setting.takers); /* whatever may be side by side */
		if (p->kind == PS_PHASE_TRY)
			ck_assert_uint_eq(p->items, 4 * window + 2 * p->setting.takers);
	}
	if (c->aim.kind == PS_AIM_FIXED) {
		ck_assert_int_eq(p->kind, PS_PHASE_STAY);
		ck_assert(alike(&p->setting.configuration, &c->aim.fixed));
	}
	ck_assert(!(p->kind < PS_PHASE_TRY && c->why != PSTK_WHY_TRAINING));
}

/* Has the conductor chosen candidates? */
static bool is_chosen(const struct virtual_line *v)
{
	const struct ps_conductor *c = &v->conductor;

	if (c->aim.kind != PS_AIM_ADAPTIVE)
		return false;
	return c->candidate_count ? c->candidates[0].score != untouched && c->phase.kind >= PS_PHASE_TRY
	                          : c->phase.kind == PS_PHASE_STAY && c->room;
}

/* Has another training begun? */
static bool begins_training(const struct virtual_line *v)
{
	const struct ps_conductor *c = &v->conductor;

	return c->phase.kind == PS_PHASE_CORES && (!v->training || c->training_began != v->training_began);
}

/* A training has told nothing that a choice could be made by. */
static void forget(struct virtual_line *v)
{
	v->model = v->former;
	v->unmetered = v->former_unmetered;
}

/* A window of STAY has 20 ms of items, or more where that are few. */
static void judge_window(const struct virtual_line *v, double rate)
{
	unsigned least = 4 * (v->spec.cores + 1);
	double items = 0.02 * rate;

	least = least > 16 ? least : 16;
	if (items < least)
		ck_assert_uint_eq(v->conductor.phase.window, least);
	else
		ck_assert_double_le(fabs(v->conductor.phase.window - items), 1);
}

/* What the configuration that stays reaches; 0: it is not known. */
static double judge_stay(const struct virtual_line *v, bool chosen)
{
	unsigned best;

	if (!v->candidate_count || (chosen && v->candidate_count > 1))
		return 0;
	if (chosen)
		return v->candidates[0].rate;
	best = judge_best(v);
	return v->waited[best] ? v->candidates[best].rate : v->tried[best].rate;
}

void virtual_judge_step(struct virtual_line *v, const struct ps_phase *was, bool begins)
{
	const struct ps_conductor *c = &v->conductor;
	bool chosen = begins && is_chosen(v),
	     given_up = v->training && (unsigned)c->aim.kind != v->training_for;
	double rate = 0;

	judge_phase(v);
	if (!begins) {
		ck_assert_int_eq(was->kind, PS_PHASE_STAY);
		return;
	}
	v->reference = 0;
	v->windows = v->starved_windows = 0;
	memset(v->means, 0, sizeof v->means);
	given_up |= v->training && begins_training(v);
	if (v->training &&
		(given_up ? was->kind != PS_PHASE_TRY : v->training_for == PS_AIM_BASELINE && !c->trains))
		forget(v);
	if (given_up)
		close_training(v, 0, was->kind == PS_PHASE_TRY);
	if (chosen)
		judge_choice(v);
	if (begins_training(v))
		open_training(v, was);
	if (c->phase.kind != PS_PHASE_STAY)
		return;
	if (c->aim.kind == PS_AIM_ADAPTIVE && (chosen || (was && was->kind == PS_PHASE_TRY)))
		rate = judge_stay(v, chosen);
	judge_window(v, rate);
	if (v->training && c->aim.kind == PS_AIM_ADAPTIVE)
		close_training(v, rate, true);
	v->training = false;
}

/* -- windows -- */

/* Means of all windows but the first. */
static void judge_means(struct virtual_line *v, uint64_t ns, const struct pstk_joules *joules)
{
	const struct ps_monitor *m = &v->conductor.monitor;
	unsigned window = v->conductor.phase.window;

	if (v->windows > 1) {
		v->means[0] += window;
		v->means[1] += 1e-9 * (double)ns;
		v->means[2] += joules ? window : 0;
		v->means[3] += joules ? joules->cores + joules->device + joules->rest : 0;
	}
	NEAR(m->items, v->means[0]);
	NEAR(m->seconds, v->means[1]);
	NEAR(m->metered_items, v->means[2]);
	NEAR(m->all_joules, v->means[3]);
}

void virtual_judge_window(
	struct virtual_line *v, uint64_t ns, uint64_t waits, const struct pstk_joules *joules, bool wants)
{
	const struct ps_conductor *c = &v->conductor;
	double rate = c->phase.window * 1e9 / (double)ns;

	NEAR(c->monitor.rate, rate);
	if (v->windows++ && !(v->reference > 0) && !((double)waits > 0.1 * (double)ns))
		v->reference = rate;
	NEAR(c->monitor.reference, v->reference);
	judge_means(v, ns, joules);
	ck_assert_int_eq(
		v->starved_windows<c->monitor.starved + c->monitor.blocked, (double)waits> 0.1 * (double)ns);
	v->starved_windows = c->monitor.starved + c->monitor.blocked;
	if (wants)
		ck_assert(c->aim.kind == PS_AIM_ADAPTIVE || v->hastened);
}
