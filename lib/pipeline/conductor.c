/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/conductor.h"
#include "lib/base/memory.h"
#include "lib/pipeline/training.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A candidate runs several windows. Threads begin in step, so the first one says little of its rate and does not count.
 * What is so much slower than the best so far is worth no more windows. */
enum { WINDOW_MOST = 1 << 20, WINDOW_LEAST = 16, WINDOW_FACTOR = 4, TRY_WINDOWS = 4, TWICE = 2 };
#define TRY_LEAST 0.9

#define WINDOW_SECONDS 0.02

/*
 * Settings.
 */

static bool same(const struct pstk_configuration *a, const struct pstk_configuration *b)
{
	return a->mask == b->mask && a->threads == b->threads && a->medium_grain == b->medium_grain;
}

static bool same_aim(const struct ps_aim *a, const struct ps_aim *b)
{
	return a->kind == b->kind && (a->kind != PS_AIM_FIXED || same(&a->fixed, &b->fixed));
}

/* Of a configuration. Medium grain has an item on the cores, and, if it has a mask, one on the device. */
static struct ps_setting setting_of(
	const struct ps_conductor *c, const struct pstk_configuration *configuration)
{
	uint32_t all = (1u << c->stages) - 1;
	struct ps_setting s = { .configuration = *configuration };

	s.takers = !configuration->medium_grain ? configuration->threads : configuration->mask ? 2 : 1;
	s.waits = configuration->medium_grain && configuration->mask && configuration->mask != all;
	return s;
}

/* Items of a window of STAY: of light items so many that a core's pauses are no change. */
static unsigned window_at(const struct ps_conductor *c, double rate)
{
	double items = rate * WINDOW_SECONDS;

	if (!(items > c->window))
		return c->window;
	return items < WINDOW_MOST ? (unsigned)items : WINDOW_MOST;
}

/* rate: items/s, about; 0: it is not known. */
static void stay(struct ps_conductor *c, const struct pstk_configuration *configuration,
	enum pstk_pipeline_why why, double rate)
{
	c->phase = (struct ps_phase){ .kind = PS_PHASE_STAY,
		.setting = setting_of(c, configuration),
		.items = UINT64_MAX,
		.window = window_at(c, rate) };
	c->phase.before = c->phase.setting.takers;
	c->phase.setting.waits |= why == PSTK_WHY_BASELINE;
	c->why = why;
	c->monitor = (struct ps_monitor){ .joules = NAN };
	c->awaits_gain = false;
}

/* The phase has begun. Experiments that are repeated are no change. */
static void note_change(struct ps_conductor *c, uint64_t now)
{
	const struct pstk_pipeline_change next = { .at = ps_seconds(now - c->began_at),
		.configuration = c->phase.setting.configuration,
		.why = c->why,
		.tries = c->why == PSTK_WHY_TRAINING && c->phase.kind == PS_PHASE_TRY };
	const struct pstk_pipeline_change *last = &c->changes[(c->change_count - 1) % PS_CHANGES_KEPT];

	if (c->change_count && same(&last->configuration, &next.configuration) && last->why == next.why &&
		last->tries == next.tries)
		return;
	c->changes[c->change_count++ % PS_CHANGES_KEPT] = next;
}

/*
 * Experiments.
 */

static bool has_medium(const struct ps_conductor *c)
{
	return c->aim.kind == PS_AIM_BASELINE || c->spec->granularities != PSTK_GRAIN_COARSE;
}

/* Does this kind of experiment tell what is wanted? */
static bool is_wanted(const struct ps_conductor *c, enum ps_phase_kind kind)
{
	if (kind == PS_PHASE_DEVICE)
		return c->device_ok;
	if (kind == PS_PHASE_MEDIUM)
		return has_medium(c);
	if (kind == PS_PHASE_SIDE)
		return c->aim.kind != PS_AIM_BASELINE && c->spec->granularities != PSTK_GRAIN_MEDIUM;
	return true;
}

static void experiment(struct ps_conductor *c, enum ps_phase_kind kind)
{
	struct pstk_configuration with = { .threads = 1 };

	if (kind == PS_PHASE_SIDE)
		with.threads = c->side;
	if (kind == PS_PHASE_DEVICE)
		with.mask = c->device_ok;
	if (kind == PS_PHASE_MEDIUM)
		with = (struct pstk_configuration){ .threads = c->spec->cores + 1, .medium_grain = true };
	c->phase = (struct ps_phase){ .kind = kind, .setting = setting_of(c, &with) };
	c->phase.setting.waits = c->phase.setting.timed = kind == PS_PHASE_DEVICE;
	c->phase.items =
		ps_training_times(c, kind == PS_PHASE_SIDE ? ps_training_item_seconds(c) : c->item_s);
	if (kind == PS_PHASE_SIDE) {
		c->phase.window = c->side;
		c->phase.items = c->side * (ps_training_warms_up(c) ? 1 : c->phase.items);
	}
	c->why = PSTK_WHY_TRAINING;
}

/* *kind and the side's n: the experiment behind this one. false: there is none. */
static bool next_kind(struct ps_conductor *c, enum ps_phase_kind *kind)
{
	if (*kind == PS_PHASE_SIDE && c->side < c->spec->cores + 1) {
		c->side++;
		return true;
	}
	do {
		(*kind)++;
		c->side = TWICE;
	} while (*kind <= PS_PHASE_MEDIUM && !is_wanted(c, *kind));
	return *kind <= PS_PHASE_MEDIUM;
}

static void forget_repetitions(struct ps_conductor *c)
{
	c->repetition = 0;
}

/* A training that was given up is still wanted for its own reason. */
static enum pstk_training_why training_why(const struct ps_conductor *c)
{
	if (!c->trainings)
		return PSTK_TRAINED_FIRST;
	if (c->pending)
		return c->monitor.changed ? PSTK_TRAINED_CHANGED : c->begun.why;
	return PSTK_TRAINED_ASKED;
}

static void begin_training(struct ps_conductor *c, uint64_t now)
{
	bool stays = c->phase.kind == PS_PHASE_STAY, counts = stays && c->monitor.reference > 0;

	c->begun = (struct pstk_pipeline_training){ .at = ps_seconds(now - c->began_at),
		.why = training_why(c),
		.rate_reference = counts ? c->monitor.reference : NAN,
		.rate_before = counts ? c->monitor.rate : NAN,
		.rate_after = NAN };
	if (stays)
		c->begun.before = c->phase.setting.configuration;
	if (c->training.there)
		c->former = c->training;
	c->training = (struct ps_training){ 0 };
	c->training_began = now;
	c->trains = true;
	c->pending = c->retrain = false;
	forget_repetitions(c);
	c->item_s = 0;
	experiment(c, PS_PHASE_CORES);
}

const struct ps_training *ps_conductor_latest(const struct ps_conductor *c)
{
	return !c->training.there && c->former.there ? &c->former : &c->training;
}

struct pstk_measurements ps_conductor_measurements(const struct ps_conductor *c)
{
	const struct ps_training *t = ps_conductor_latest(c);
	bool medium = c->spec->granularities != PSTK_GRAIN_COARSE, metered = c->metered && !t->unmetered;

	return PSTK_MEASUREMENTS(.stages = c->stages, .cores = c->spec->cores,
		.in_flight = c->spec->in_flight, .device_ok = c->device_ok, .medium_grain = medium,
		.tdp = c->spec->tdp, .t_cg1 = t->t_cg1, .t_cg = t->t_cg, .t_g = c->device_ok ? t->t_g : NULL,
		.t_mg = medium ? t->t_mg : NULL, .h2d = t->h2d, .d2h = t->d2h,
		.e_cg1 = metered ? t->e_cg1 : NULL, .e_cg = metered ? t->e_cg : NULL,
		.e_g = metered && c->device_ok ? t->e_g : NULL, .e_mg = metered && medium ? t->e_mg : NULL);
}

/*
 * The choice.
 */

/* Each stage on the device, if it was measured to be faster there. */
static void stay_baseline(struct ps_conductor *c)
{
	struct pstk_configuration with = { .threads = c->spec->cores + 1, .medium_grain = true };

	for (unsigned k = 0; k < c->stages; k++)
		if (c->device_ok >> k & 1 && c->training.t_g[k] < c->training.t_mg[k])
			with.mask |= 1u << k;
	stay(c, &with, PSTK_WHY_BASELINE, 0);
}

/* Those of the granularities that are wanted, at the front of the list. */
static unsigned keep_wanted(struct ps_conductor *c, unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++)
		if (c->spec->granularities != PSTK_GRAIN_MEDIUM || c->list[i].configuration.medium_grain)
			c->list[kept++] = c->list[i];
	return kept;
}

/* What medium grain alone needs no measurement of: threads side by side count as ideal. */
static void fill_sides(struct ps_conductor *c)
{
	struct ps_training *t = &c->training;

	for (unsigned n = TWICE; n <= c->spec->cores + 1 && !is_wanted(c, PS_PHASE_SIDE); n++) {
		t->t_cg[n - 1] = ps_training_ideal_side(c, n);
		t->e_cg[n - 1] = t->e_cg[0];
		t->walls[n - 1] = PSTK_MEASURED_LEAST; /* no time, to eq. 1 */
	}
}

static void over(struct ps_conductor *c, uint64_t now);

/* So many items are through before its windows begin as may be side by side, and as many are taken behind them. */
static void try_candidate(struct ps_conductor *c)
{
	const struct pstk_configuration *with = &c->candidates[c->candidate].prediction.configuration;

	c->phase = (struct ps_phase){ .kind = PS_PHASE_TRY,
		.setting = setting_of(c, with),
		.window = c->window,
		.windows = TRY_WINDOWS };
	c->phase.before = c->phase.setting.takers;
	c->phase.items = (uint64_t)c->phase.windows * c->window + 2 * (uint64_t)c->phase.before;
	c->hopeless = false;
	c->why = PSTK_WHY_TRAINING;
}

/* Behind the last experiment; or for another goal. */
static void choose(struct ps_conductor *c, uint64_t now)
{
	struct pstk_measurements m;
	int count, best = -EINVAL;
	unsigned wanted;

	c->training.there = true;
	m = ps_conductor_measurements(c);
	count = pstk_mapper_predict_all(&m, c->spec->rule, c->list, c->room);
	wanted = count > 0 ? keep_wanted(c, (unsigned)count) : 0;
	if (wanted)
		best = pstk_mapper_choose(c->list, wanted, &c->goal, c->candidates, c->spec->candidates);
	c->regoal = false;
	memset(c->measured, 0, c->spec->candidates * sizeof *c->measured);
	memset(c->waited, 0, c->spec->candidates * sizeof *c->waited);
	if (best <= 0) { /* a score() that is NAN: what the cores do is always possible */
		const struct pstk_configuration with = { .threads = c->spec->cores };

		c->candidate_count = 0;
		c->predicted = (struct pstk_prediction){ 0 };
		stay(c, &with, PSTK_WHY_BEGINS, 0);
		over(c, now);
		return;
	}
	c->candidate_count = (unsigned)best;
	c->candidate = c->whole = c->waits = 0;
	c->lead = 0;
	if (best > 1) {
		try_candidate(c);
		return;
	}
	c->predicted = c->candidates[0].prediction;
	stay(c, &c->predicted.configuration, wanted == 1 ? PSTK_WHY_ONLY : PSTK_WHY_PREDICTED,
		c->predicted.rate);
	over(c, now);
}

/* items/s of the configuration that stays: as measured, else as predicted. */
static double rate_now(const struct ps_conductor *c)
{
	for (unsigned i = 0; i < c->candidate_count && c->candidate_count > 1; i++)
		if (!c->waited[i] && same(&c->measured[i].configuration, &c->predicted.configuration))
			return c->measured[i].rate;
	return c->predicted.rate;
}

/* Is the fastest one the best? */
static bool wants_rate(const struct ps_conductor *c)
{
	return c->goal.objective == PSTK_OBJECTIVE_THROUGHPUT && !(c->goal.max_watts > 0);
}

/* Where each of them waited, what they reached is the others' rate, and the best prediction counts; unless one was
 * clearly faster than that one. */
static bool tells(const struct ps_conductor *c, const struct pstk_prediction *best)
{
	return c->waits < c->candidate_count || best->rate > (1 + c->spec->change) * c->measured[0].rate;
}

/* The best of those that were tried. */
static void decide(struct ps_conductor *c, uint64_t now)
{
	struct pstk_candidate best;
	unsigned which = 0;
	bool tried = c->whole && pstk_mapper_choose(c->list, c->whole, &c->goal, &best, 1) == 1 &&
	             tells(c, &best.prediction);

	while (tried && !same(&c->candidates[which].prediction.configuration, &best.prediction.configuration))
		which++;
	c->predicted = c->candidates[which].prediction;
	stay(c, &c->predicted.configuration, tried ? PSTK_WHY_TRIED : PSTK_WHY_PREDICTED, rate_now(c));
	over(c, now);
}

/* What a candidate has reached. One that waited is at least as fast as that; of its energy nothing is known. */
static void take_try(struct ps_conductor *c, const struct ps_phase_end *end, uint64_t now)
{
	struct pstk_prediction *m = &c->measured[c->candidate];
	uint64_t ns = end->window_ended - end->window_began;

	*m = c->candidates[c->candidate].prediction;
	m->rate =
		c->hopeless ? c->rate : (c->phase.windows - 1.0) * c->phase.window / ps_seconds(ns ? ns : 1);
	m->energy = NAN;
	if (end->joules && end->items)
		m->energy =
			(end->joules->cores + end->joules->device + end->joules->rest) / (double)end->items;
	c->waited[c->candidate] =
		ps_training_waited(end->starved_ns + end->blocked_ns, end->ended - end->began);
	c->waits += c->waited[c->candidate];
	if (!c->hopeless &&
		(!c->waited[c->candidate] || wants_rate(c))) { /* the choice is through with the list */
		c->list[c->whole++] = *m;
		c->lead = m->rate > c->lead ? m->rate : c->lead;
	}
	if (++c->candidate < c->candidate_count)
		try_candidate(c);
	else
		decide(c, now);
}

/* A training is over, or given up. */
static void count_training(struct ps_conductor *c, double dt, uint64_t now)
{
	const struct ps_training *t = &c->training;
	struct pstk_pipeline_training *told;

	c->trains = false;
	c->training_s += ps_seconds(now - c->training_began);
	c->training_items += t->items + t->tried_items;
	if (!t->there && !c->former.there) /* none has told anything yet: the first one is still to come */
		return;
	c->dt = dt;
	if (pstk_training_interval(dt, c->spec->max_overhead, &c->interval))
		c->interval = INFINITY;
	told = &c->log[c->trainings % PS_TRAININGS_KEPT];
	*told = c->begun;
	told->items = t->items + t->tried_items;
	told->seconds = ps_seconds(now - c->training_began);
	told->dt = dt;
	told->interval = c->interval;
	told->estimated = t->estimated;
	told->whole = t->there;
	if (c->trainings++)
		c->overhead_s += dt;
	/* what it took besides was no loss: that counts as time since */
	c->trained_at = c->training_began + (uint64_t)(1e9 * dt);
	c->trained_at = c->trained_at < now ? c->trained_at : now;
}

static struct pstk_pipeline_training *latest_told(struct ps_conductor *c)
{
	return &c->log[(c->trainings - 1) % PS_TRAININGS_KEPT];
}

/* A training is over: what it has cost, against the configuration that runs now. */
static void over(struct ps_conductor *c, uint64_t now)
{
	const struct ps_training *t = &c->training;
	double rate = rate_now(c), trying = t->trying - (double)t->tried_items / rate, dt;
	struct pstk_training cost = { .struct_size = sizeof cost, .cores = c->spec->cores };

	if (!c->trains) /* another goal */
		return;
	cost.items = t->items;
	cost.t_cg = t->walls[0];
	cost.t_cgn = t->walls + 1;
	cost.t_mg = t->wall_mg;
	cost.t_g = t->wall_g;
	cost.trying = trying > 0 ? trying : 0;
	cost.rate = rate;
	if (pstk_training_overhead(&cost, &dt))
		dt = ps_seconds(now - c->training_began);
	count_training(c, dt, now);
	latest_told(c)->after = c->phase.setting.configuration;
	c->awaits_gain = true;
}

/* Something else is wanted in the middle of one. What it should have told is still wanted, if it has told nothing. */
static void give_up(struct ps_conductor *c, uint64_t now)
{
	count_training(c, ps_seconds(now - c->training_began), now);
	if (c->training.there)
		return;
	c->pending = true;
	c->training = c->former;
}

/*
 * What comes next.
 */

static bool is_due(const struct ps_conductor *c, uint64_t now)
{
	if (!c->pending && !c->retrain)
		return false;
	return !c->trained_at || ps_seconds(now - c->trained_at) > c->interval;
}

static bool may_train(const struct ps_conductor *c, uint64_t now)
{
	return c->phase.kind == PS_PHASE_STAY && c->aim.kind == PS_AIM_ADAPTIVE && c->room && is_due(c, now);
}

/* Has the latest training told what the baseline needs? */
static bool knows_baseline(const struct ps_conductor *c)
{
	uint32_t needs = 1u << PS_PHASE_MEDIUM | (c->device_ok ? 1u << PS_PHASE_DEVICE : 0);

	return (c->training.done & needs) == needs;
}

static void pursue(struct ps_conductor *c, uint64_t now)
{
	const struct pstk_configuration cores = { .threads = c->spec->cores };

	if (c->trains)
		give_up(c, now);
	c->pursued = c->aim;
	if (c->aim.kind == PS_AIM_FIXED)
		stay(c, &c->aim.fixed, PSTK_WHY_FIXED, 0);
	else if (!c->room)
		stay(c, &cores, PSTK_WHY_ONLY, 0);
	else if (c->aim.kind == PS_AIM_BASELINE && knows_baseline(c))
		stay_baseline(c);
	else if (c->aim.kind == PS_AIM_ADAPTIVE && c->training.there)
		choose(c, now);
	else
		begin_training(c, now);
}

void ps_conductor_begin(struct ps_conductor *c, const struct ps_aim *aim, uint64_t now)
{
	c->aim = *aim;
	c->began_at = now;
	pursue(c, now);
	note_change(c, now);
}

bool ps_conductor_aim(struct ps_conductor *c, const struct ps_aim *aim)
{
	c->aim = *aim;
	return !same_aim(aim, &c->pursued);
}

bool ps_conductor_retrain(struct ps_conductor *c, uint64_t now)
{
	c->retrain = true;
	return may_train(c, now);
}

/* Is a choice made, or being tried, by another goal? Experiments tell the same for each. */
static bool is_to_choose(const struct ps_conductor *c)
{
	return c->regoal && c->aim.kind == PS_AIM_ADAPTIVE && c->room && c->phase.kind >= PS_PHASE_TRY;
}

bool ps_conductor_set_goal(struct ps_conductor *c, const struct pstk_goal *goal)
{
	/* asked for again and again it must not begin to choose again and again */
	if (goal->objective == c->goal.objective && !(goal->min_rate < c->goal.min_rate) &&
		!(goal->min_rate > c->goal.min_rate) && !(goal->max_watts < c->goal.max_watts) &&
		!(goal->max_watts > c->goal.max_watts) && goal->score == c->goal.score &&
		goal->data == c->goal.data)
		return false;
	c->goal = *goal;
	c->regoal = true;
	return is_to_choose(c);
}

/* Behind the last experiment. */
static void conclude(struct ps_conductor *c, uint64_t now)
{
	if (c->aim.kind == PS_AIM_ADAPTIVE) {
		fill_sides(c);
		choose(c, now);
		return;
	}
	stay_baseline(c);
	c->trains = false;
	if (c->former.there) /* it has what the choice needs */
		c->training = c->former;
}

/* An experiment, or a candidate, is through. */
static void go_on(struct ps_conductor *c, const struct ps_phase_end *end)
{
	enum ps_phase_kind kind = c->phase.kind;

	if (kind == PS_PHASE_TRY) {
		take_try(c, end, end->ended);
		return;
	}
	if (!ps_training_take(c, end)) {
		experiment(c, kind);
		return;
	}
	c->training.done |= 1u << kind;
	forget_repetitions(c);
	if (next_kind(c, &kind))
		experiment(c, kind);
	else
		conclude(c, end->ended);
}

bool ps_conductor_step(struct ps_conductor *c, const struct ps_phase_end *end)
{
	uint64_t now = end->ended;

	ps_training_count_cost(c, end);
	if (!same_aim(&c->aim, &c->pursued)) {
		pursue(c, now);
	} else if (is_to_choose(c)) {
		choose(c, now);
	} else if (c->phase.kind == PS_PHASE_STAY) {
		if (!may_train(c, now))
			return false;
		begin_training(c, now);
	} else if (end->items >= c->phase.items || (c->phase.kind == PS_PHASE_TRY && c->hopeless)) {
		go_on(c, end);
	} /* else: it was asked for something that is not wanted any more. The phase comes once more, because its items
	     were not side by side as they should be */
	note_change(c, now);
	return true;
}

bool ps_conductor_try_windows(
	struct ps_conductor *c, unsigned n, uint64_t ns, uint64_t starved_ns, uint64_t blocked_ns)
{
	bool counts = !ps_training_waited(starved_ns + blocked_ns, ns);

	c->rate = n * c->phase.window / ps_seconds(ns ? ns : 1);
	c->hopeless = counts && !c->waits && wants_rate(c) && c->rate < TRY_LEAST * c->lead;
	return c->hopeless;
}

/* The first one that counts; but behind a boundary threads are in step for a while. */
static void set_reference(struct ps_conductor *c, double rate)
{
	if (c->monitor.windows <= 1)
		return;
	c->monitor.reference = rate;
	if (c->awaits_gain)
		latest_told(c)->rate_after = rate;
	c->awaits_gain = false;
}

/* It is off the reference, or back, twice running. */
static void compare_window(struct ps_conductor *c, double rate)
{
	struct ps_monitor *m = &c->monitor;
	bool off = fabs(rate / m->reference - 1) > c->spec->change;

	m->off = off ? m->off + 1 : 0;
	m->on = off ? 0 : m->on + 1;
	if (m->off >= TWICE)
		c->pending = m->changed = true;
	else if (m->on >= TWICE && m->changed) /* what was seen before it began is as true as ever */
		c->pending = m->changed = false;
}

/* Behind a boundary threads are in step for a while: the first window says little. */
static void sum_window(struct ps_conductor *c, uint64_t ns, const struct pstk_joules *joules)
{
	struct ps_monitor *m = &c->monitor;

	if (m->windows <= 1)
		return;
	m->items += c->phase.window;
	m->seconds += ps_seconds(ns ? ns : 1);
	m->metered_items += joules ? c->phase.window : 0;
	m->all_joules += joules ? joules->cores + joules->device + joules->rest : 0;
}

bool ps_conductor_window(struct ps_conductor *c, uint64_t ns, uint64_t starved_ns, uint64_t blocked_ns,
	const struct pstk_joules *joules, uint64_t now)
{
	struct ps_monitor *m = &c->monitor;
	double rate = c->phase.window / ps_seconds(ns ? ns : 1);

	m->windows++;
	m->rate = rate;
	sum_window(c, ns, joules);
	if (joules)
		m->joules = (joules->cores + joules->device + joules->rest) / c->phase.window;
	if (ps_training_waited(starved_ns + blocked_ns, ns))
		++*(starved_ns >= blocked_ns ? &m->starved : &m->blocked);
	else if (!(m->reference > 0))
		set_reference(c, rate);
	else if (c->aim.kind == PS_AIM_ADAPTIVE && !c->spec->once)
		compare_window(c, rate);
	return may_train(c, now);
}

/*
 * Its memory.
 */

/* 0: too many. */
static unsigned count_configurations(
	const struct pstk_pipeline_spec *spec, unsigned stages, uint32_t device_ok)
{
	uint64_t count = ((uint64_t)1 << __builtin_popcount(device_ok)) * (spec->cores + 2);

	(void)stages;
	return count > PS_CONFIGURATIONS_MOST ? 0 : (unsigned)count;
}

bool ps_conductor_may_adapt(const struct pstk_pipeline_spec *spec, unsigned stages, uint32_t device_ok)
{
	return count_configurations(spec, stages, device_ok);
}

int ps_conductor_init(struct ps_conductor *c, const struct pstk_pipeline_spec *spec, unsigned stages,
	uint32_t device_ok, bool metered, bool splits)
{
	unsigned window = WINDOW_FACTOR * (spec->cores + 1);

	c->spec = spec;
	c->stages = stages;
	c->device_ok = device_ok;
	c->metered = metered;
	c->splits = splits;
	c->window = window > WINDOW_LEAST ? window : WINDOW_LEAST;
	c->room = count_configurations(spec, stages, device_ok);
	c->goal = (struct pstk_goal){ .struct_size = sizeof c->goal,
		.objective = spec->objective,
		.min_rate = spec->min_rate,
		.max_watts = spec->max_watts,
		.score = spec->score,
		.data = spec->data };
	c->list = ps_memory_zalloc(c->room, sizeof *c->list);
	c->candidates = ps_memory_zalloc(spec->candidates, sizeof *c->candidates);
	c->measured = ps_memory_zalloc(spec->candidates, sizeof *c->measured);
	c->waited = ps_memory_zalloc(spec->candidates, sizeof *c->waited);
	return c->list && c->candidates && c->measured && c->waited ? 0 : -ENOMEM;
}

void ps_conductor_fini(struct ps_conductor *c)
{
	ps_memory_free(c->waited);
	ps_memory_free(c->measured);
	ps_memory_free(c->candidates);
	ps_memory_free(c->list);
}
