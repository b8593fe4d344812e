/* SPDX-License-Identifier: MIT */
/*
 * Setting: what the carriers of a pipeline do, and its change between two items, at a boundary.
 *
 *	any thread                            the taker
 *	asks, under the lock; a boundary is   finds it due; items are in flight: takes no further one until they are
 *	due from now on (task.move_at)        published
 *	nudges the pipeline                   none is: tells the conductor, under the lock, what the phase has come to,
 *	                                      begins the next one; none is due any more, or behind so many items
 *	                                      wakes carriers that are takers now; goes on, or sleeps if it is none
 */
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/firing/firing.h"
#include "lib/firing/mover.h"
#include "lib/pipeline/carriage.h"
#include "lib/schedule/team.h"

#include <string.h>

/* A member of a team that goes from one actor to the next, or looks again before it sleeps, has not waited. */
enum { BRIEF_NS = 20000 };

uint64_t (*ps_setting_clock)(void) = ps_clock_ns;

static const struct ps_phase *phase_of(const struct ps_carriage *c)
{
	return &c->conductor.phase;
}

/* How long threads have waited at the ports of the pipeline, so far. */
static uint64_t waits(const struct ps_carriage *c, bool inputs)
{
	const struct pstk_actor *a = c->pipeline->actor;
	uint64_t ns = 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->ports[p].reads == inputs)
			ns += atomic_load_explicit(&a->ports[p].wait_ns, memory_order_relaxed);
	return ns;
}

/* *joules: since the beginning. false: there is no meter, or it can't be read. */
static bool read_meter(const struct ps_carriage *c, struct pstk_joules *joules)
{
	struct ps_busy busy = { .elapsed = 1e-9 * (double)ps_setting_clock(),
		.cores = 1e-9 * (double)ps_carriage_busy_ns(c),
		.device = 1e-9 * (double)atomic_load(&c->device_ns) };

	return c->meter && !ps_energy_read(c->meter, &busy, joules);
}

/* *joules: what the meter has counted since *from; *now: what it says. */
static bool take_joules(const struct ps_carriage *c, const struct pstk_joules *from,
	struct pstk_joules *joules, struct pstk_joules *now)
{
	*now = *from;
	if (!read_meter(c, now))
		return false;
	*joules = (struct pstk_joules){ now->cores - from->cores, now->device - from->device,
		now->rest - from->rest };
	return true;
}

/* The phase's end is due behind all of its items, unless it is asked for before. */
static void set_end(const struct ps_carriage *c)
{
	uint64_t items = phase_of(c)->items;

	atomic_store(&c->task->move_at, items == UINT64_MAX ? UINT64_MAX : c->taken_before + items);
}

/* The cores alone fire, and no more threads of them than the team has. */
static bool is_by_members(const struct ps_carriage *c)
{
	const struct ps_setting *s = &phase_of(c)->setting;

	return c->task->polled && !s->configuration.medium_grain && !s->configuration.mask &&
	       s->takers <= pstk_network_threads(c->task->network);
}

static void set_members(struct ps_carriage *c)
{
	bool former = c->by_members;

	c->by_members = is_by_members(c);
	if (c->task->polled && former != c->by_members)
		ps_team_delegates(c->task->network, former);
}

/* The taker; or start(). How many items may be in flight: more than takers, because they are published in order. But
 * members are bound by nothing else, if there are more of them than takers. */
static void set_most(const struct ps_carriage *c)
{
	unsigned takers = phase_of(c)->setting.takers, most = c->task->slot_count;

	if (c->by_members && takers < pstk_network_threads(c->task->network) && takers < most)
		most = takers;
	atomic_store(&c->task->most, most);
}

/* The taker, with no item in flight; or start(). Call with the lock held. */
static void begin_phase(struct ps_carriage *c, uint64_t now)
{
	c->began = now;
	c->taken_before = atomic_load(&c->task->taken);
	c->first = c->last = c->edges = c->window_began = c->window_ended = 0;
	atomic_store(&c->through, 0);
	c->starved = waits(c, true);
	c->blocked = waits(c, false);
	c->samples.count = c->samples.round_count = 0;
	memset(c->timed_from, 0, sizeof c->timed_from); /* the first runs are timed */
	atomic_store(&c->takers, phase_of(c)->setting.takers);
	ps_carriage_hand_from(c, c->taken_before);
	atomic_store(&c->idle_from, now);
	set_members(c);
	set_end(c);
}

void ps_setting_begin(struct ps_carriage *c, struct ps_task *t)
{
	uint64_t now = ps_setting_clock();

	pthread_mutex_lock(&c->lock);
	c->task = t;
	c->by_members = t->polled;
	t->mover = &ps_setting_mover;
	read_meter(c, &c->joules);
	ps_conductor_begin(&c->conductor, &c->aim, now);
	begin_phase(c, now);
	set_most(c);
	pthread_mutex_unlock(&c->lock);
}

static void log_phase(const struct ps_carriage *c)
{
	const struct ps_phase *phase = phase_of(c);
	enum pstk_log_level level = phase->kind == PS_PHASE_STAY ? PSTK_LOG_INFO : PSTK_LOG_DEBUG;
	char text[PSTK_CONFIGURATION_TEXT];

	if (!ps_log_on(PS_TOPIC_NETWORK, level))
		return;
	pstk_configuration_print(&phase->setting.configuration, c->pipeline->stage_count, text, sizeof text);
	ps_log(PS_TOPIC_NETWORK, level, "%s: pipeline '%s' is %s from item %llu on%s",
		c->pipeline->network->name, c->pipeline->actor->name, text,
		(unsigned long long)c->taken_before, phase->kind == PS_PHASE_STAY ? "" : ", for a training");
}

/* With no item in flight, and the lock held. */
static void end_phase(struct ps_carriage *c)
{
	struct pstk_joules joules, now;
	struct ps_phase_end end = { .items = atomic_load(&c->task->taken) - c->taken_before,
		.began = c->began,
		.ended = ps_setting_clock(),
		.first = c->first,
		.last = c->last,
		.starved_ns = waits(c, true) - c->starved,
		.blocked_ns = waits(c, false) - c->blocked,
		.window_began = c->window_began,
		.window_ended = c->window_ended,
		.samples = &c->samples };

	if (take_joules(c, &c->joules, &joules, &now))
		end.joules = &joules;
	if (!ps_conductor_step(&c->conductor, &end)) {
		set_end(c);
		return;
	}
	c->joules = now;
	begin_phase(c, end.ended);
	log_phase(c);
}

static enum ps_firing_state step(struct ps_task *t)
{
	struct ps_carriage *c = t->actor->pipeline->run;

	if (atomic_load(&t->taken) != atomic_load(&t->published)) {
		atomic_store(&t->most, 1); /* until those in flight are published */
		return PS_FIRING_WAIT;
	}
	pthread_mutex_lock(&c->lock);
	end_phase(c);
	pthread_mutex_unlock(&c->lock);
	set_most(c); /* also if the phase goes on */
	ps_carriage_wake(c);
	/* a carrier may be no taker any more, and looks again; each member of a team is one */
	return t->polled ? PS_FIRING_READY : PS_FIRING_WAIT;
}

/* The first item of all is there: what was counted before, while kernels were built, is no item's. */
static void count_from_here(struct ps_carriage *c)
{
	pthread_mutex_lock(&c->lock);
	read_meter(c, &c->joules);
	pthread_mutex_unlock(&c->lock);
}

/* How long no member of a team could take it, since another item might have been on its way: as a thread that waits at
 * its ports counts it. */
static void took(struct pstk_firing *item)
{
	struct ps_task *t = item->task;
	struct ps_carriage *c = t->actor->pipeline->run;
	uint64_t now, from, taken = atomic_load(&t->taken),
			    on_their_way = taken - atomic_load(&t->published) + 1;
	unsigned missing;

	if (!taken && c->meter)
		count_from_here(c);
	if (!t->polled)
		return;
	now = ps_setting_clock();
	from = atomic_load(&c->idle_from);
	missing = atomic_exchange(&t->missing, t->term_count);
	if (from && now > from + BRIEF_NS && missing < t->term_count)
		atomic_fetch_add_explicit(
			&t->actor->ports[t->terms[missing].port].wait_ns, now - from, memory_order_relaxed);
	atomic_store(&c->idle_from, on_their_way < phase_of(c)->setting.takers ? now : 0);
}

/* The publisher. */
static void published(struct pstk_firing *item)
{
	const struct pstk_pipeline *p = item->actor->pipeline;
	uint32_t fired = p->run->fired[item - item->task->slots];

	for (unsigned k = 0; k < p->stage_count; k++)
		if (fired >> k & 1)
			ps_carrier_count(&p->stages[k]->task->firings, 1);
}

static void ended(struct ps_task *t)
{
	struct ps_carriage *c = t->actor->pipeline->run;

	if (t->polled && !c->by_members)
		ps_team_delegates(t->network, false);
	ps_carriage_end(c);
}

const struct ps_mover ps_setting_mover = {
	.step = step,
	.took = took,
	.published = published,
	.ended = ended,
};

bool ps_setting_hasten(struct ps_carriage *c)
{
	if (c->task)
		atomic_store(&c->task->move_at, 0);
	return c->task;
}

/* Of STAY, with the lock: an item is through, at `now`, behind which window `edge` begins. true: a boundary is wanted.
 * A carrier may come here later than one that was through with an item some windows behind: the latter's window is
 * counted as all of them then. */
static bool close_window(struct ps_carriage *c, uint64_t edge, uint64_t now)
{
	uint64_t starved = waits(c, true), blocked = waits(c, false), windows = edge + 1 - c->edges;
	struct pstk_joules joules, counted;
	bool metered, wants = false;

	if (edge < c->edges || now <= c->window_began)
		return false;
	metered = take_joules(c, &c->joules, &joules, &counted) && windows == 1;
	if (c->window_began)
		wants = ps_conductor_window(&c->conductor, (now - c->window_began) / windows,
			(starved - c->starved) / windows, (blocked - c->blocked) / windows,
			metered ? &joules : NULL, now);
	c->joules = counted;
	c->window_began = now;
	c->edges = edge + 1;
	c->starved = starved;
	c->blocked = blocked;
	return wants;
}

/* Of TRY: a window's end. true: a boundary is wanted. Call with the lock held. */
static bool close_try(struct ps_carriage *c, unsigned windows)
{
	bool wants = false;

	if (windows == phase_of(c)->windows)
		c->window_ended = c->last;
	else if (windows > 1) /* waits before them count, too: then it runs all windows */
		wants = ps_conductor_try_windows(&c->conductor, windows - 1, c->last - c->window_began,
			waits(c, true) - c->starved, waits(c, false) - c->blocked);
	if (windows <= 1) /* the first one does not count */
		c->window_began = c->last;
	return wants;
}

/* Of STAY: most items take no lock. */
static void watch(struct ps_carriage *c, uint64_t through, uint64_t now)
{
	const struct ps_phase *phase = phase_of(c);

	if (through < phase->before || (through - phase->before) % phase->window)
		return;
	pthread_mutex_lock(&c->lock);
	if (close_window(c, (through - phase->before) / phase->window, now))
		ps_setting_hasten(c); /* the taker comes by itself */
	pthread_mutex_unlock(&c->lock);
}

/* Of SIDE: a round is through. */
static void keep_round(struct ps_carriage *c)
{
	struct ps_samples *s = &c->samples;

	if (s->round_count == PS_SAMPLES)
		return;
	s->rounds[s->round_count] = c->last;
	s->waits[s->round_count++] = waits(c, true) - c->starved + waits(c, false) - c->blocked;
}

static void keep_sample(struct ps_samples *s, const struct ps_item_times *item)
{
	if (s->count == PS_SAMPLES)
		return;
	memcpy(s->stage[s->count], item->stage, sizeof item->stage);
	memcpy(s->to_device[s->count], item->to_device, sizeof item->to_device);
	memcpy(s->to_host[s->count], item->to_host, sizeof item->to_host);
	s->count++;
}

void ps_setting_through(struct ps_carriage *c, const struct ps_item_times *item)
{
	const struct ps_phase *phase = phase_of(c);
	uint64_t through = atomic_fetch_add(&c->through, 1) + 1, none = 0;

	if (!atomic_load_explicit(&c->idle_from, memory_order_relaxed))
		atomic_compare_exchange_strong(&c->idle_from, &none, item->ended);
	if (phase->kind == PS_PHASE_STAY) {
		watch(c, through, item->ended);
		return;
	}
	pthread_mutex_lock(&c->lock);
	if (!c->first || item->began < c->first)
		c->first = item->began;
	/* a carrier may come here later than one whose item was through behind its own */
	if (item->ended > c->last)
		c->last = item->ended;
	if (phase->kind == PS_PHASE_TRY) {
		if (through >= phase->before && !((through - phase->before) % phase->window) &&
			close_try(c, (unsigned)((through - phase->before) / phase->window)))
			ps_setting_hasten(c); /* the taker comes by itself */
	} else if (phase->kind == PS_PHASE_SIDE) {
		if (!(through % phase->window))
			keep_round(c);
	} else {
		keep_sample(&c->samples, item);
	}
	pthread_mutex_unlock(&c->lock);
}
