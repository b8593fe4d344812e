/* SPDX-License-Identifier: MIT */
#include "tests/pipeline/virtual.h"
#include "tests/common/common.h"
#include "tests/pipeline/virtual_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- items -- */

static bool medium(const struct virtual_line *v)
{
	return v->conductor.phase.setting.configuration.medium_grain;
}

static unsigned end_of_run(const struct virtual_line *v, unsigned first)
{
	uint32_t mask = v->conductor.phase.setting.configuration.mask;
	unsigned end = first + 1;

	while (end < v->stages && (mask >> end & 1) == (mask >> first & 1))
		end++;
	return end;
}

static uint64_t scaled(const struct virtual_line *v, const struct virtual_thread *t, uint64_t ns)
{
	return v->factor ? (uint64_t)((double)ns * v->factor(v, t->item)) : ns;
}

/* The paper, section II: the device if it is idle at the first run, else all of the item on the cores; at a later run
 * the device if it is idle, else the cores for that run. */
static void choose_place(struct virtual_line *v, struct virtual_thread *t)
{
	uint32_t mask = v->conductor.phase.setting.configuration.mask;

	t->end = end_of_run(v, t->stage);
	t->device = mask >> t->stage & 1;
	if (!t->device || v->conductor.phase.setting.waits || v->device_free <= t->ready)
		return;
	t->device = false;
	if (!t->was_on_device)
		t->end = v->stages;
}

static void run_on_device(struct virtual_line *v, struct virtual_thread *t)
{
	bool timed = v->conductor.phase.setting.timed;
	uint64_t begin = v->device_free > t->ready ? v->device_free : t->ready, end = begin;

	for (unsigned k = t->stage; k <= t->end; k++) {
		bool moves_in = timed || k == t->stage, moves_out = timed || k == t->end;

		end += (moves_in && k <= t->end ? scaled(v, t, v->h2d[k]) : 0) * (timed || k < t->end);
		end += moves_out ? scaled(v, t, v->d2h[k]) : 0;
		if (k == t->end)
			break;
		t->stages[k] = scaled(v, t, v->device[k]);
		end += t->stages[k];
	}
	v->device_busy += 1e-9 * (double)(end - begin);
	v->device_free = t->ready = end;
	t->stage = t->end;
	v->on_device += !t->was_on_device;
	t->was_on_device = true;
}

static void run_stage(struct virtual_line *v, struct virtual_thread *t)
{
	uint64_t *place = medium(v) ? &v->medium_free : v->cores_free, begin;

	for (unsigned i = 0; !medium(v) && i < v->spec.cores; i++)
		if (v->cores_free[i] < *place)
			place = &v->cores_free[i];
	t->stages[t->stage] = scaled(v, t, medium(v) ? v->medium[t->stage] : v->core[t->stage]);
	begin = *place > t->ready ? *place : t->ready;
	*place = t->ready = begin + t->stages[t->stage];
	v->core_busy += 1e-9 * (double)t->stages[t->stage] * (medium(v) ? v->spec.cores : 1);
	t->stage++;
}

/* -- what setting.c does -- */

static bool read_joules(const struct virtual_line *v, struct pstk_joules *j)
{
	*j = (struct pstk_joules){ v->watts.cores * v->core_busy, v->watts.device * v->device_busy,
		v->watts.rest * 1e-9 * (double)v->now };
	return v->metered && !v->meter_fails;
}

static struct pstk_joules less(struct pstk_joules a, struct pstk_joules b)
{
	return (struct pstk_joules){ a.cores - b.cores, a.device - b.device, a.rest - b.rest };
}

static void begin_phase(struct virtual_line *v)
{
	v->taken = v->through = v->first = v->last = v->window_began = v->window_ended = 0;
	v->began = v->now;
	v->starved_before = v->starved;
	v->blocked_before = v->blocked;
	v->samples.count = v->samples.round_count = 0;
	v->hastened = false;
	read_joules(v, &v->joules);
	v->claim_free = v->now;
	for (unsigned i = 0; i < v->conductor.phase.setting.takers; i++)
		v->threads[i].ready = v->now;
}

static void close_window(struct virtual_line *v)
{
	struct pstk_joules now, j;
	bool metered = read_joules(v, &now);

	j = less(now, v->joules);
	if (v->window_began) {
		uint64_t ns = v->now - v->window_began, starved = v->starved - v->starved_before,
			 blocked = v->blocked - v->blocked_before;

		v->hastened |=
			ps_conductor_window(&v->conductor, ns, starved, blocked, metered ? &j : NULL, v->now);
		virtual_judge_window(v, ns, starved + blocked, metered ? &j : NULL, v->hastened);
	}
	v->joules = now;
	v->window_began = v->now;
	v->starved_before = v->starved;
	v->blocked_before = v->blocked;
}

/* So many items of a candidate's windows are through. */
static void time_try(struct virtual_line *v, uint64_t items)
{
	unsigned window = v->conductor.phase.window;

	if (items == 2 * window || items == 3 * window) {
		uint64_t ns = v->now - v->window_began, starved = v->starved - v->starved_before,
			 blocked = v->blocked - v->blocked_before;
		bool wants = ps_conductor_try_windows(
			&v->conductor, (unsigned)(items / window) - 1, ns, starved, blocked);

		virtual_judge_try(v, items, ns, starved + blocked, wants);
		v->hastened |= wants;
	}
	if (!items || items == window)
		v->window_began = v->now;
	else if (items == 4 * window)
		v->window_ended = v->now;
}

static void keep_sample(struct virtual_line *v, const struct virtual_thread *t)
{
	struct ps_samples *s = &v->samples;

	if (s->count == PS_SAMPLES)
		return;
	memset(s->to_device[s->count], 0, sizeof s->to_device[0]);
	memset(s->to_host[s->count], 0, sizeof s->to_host[0]);
	for (unsigned k = 0; k < v->stages; k++)
		s->stage[s->count][k] = t->stages[k];
	for (unsigned k = 0; t->was_on_device && k <= v->stages; k++) {
		s->to_device[s->count][k] = scaled(v, t, v->h2d[k]);
		s->to_host[s->count][k] = scaled(v, t, v->d2h[k]);
	}
	s->count++;
}

static void through(struct virtual_line *v, struct virtual_thread *t)
{
	const struct ps_phase *phase = &v->conductor.phase;
	uint64_t n = ++v->through;

	t->busy = false;
	v->in_flight--;
	if (!v->first || t->began < v->first)
		v->first = t->began;
	v->last = v->now;
	if (phase->kind == PS_PHASE_STAY) {
		if (n >= phase->before && !((n - phase->before) % phase->window))
			close_window(v);
	} else if (phase->kind == PS_PHASE_TRY) {
		if (n >= phase->before)
			time_try(v, n - phase->before);
	} else if (phase->kind != PS_PHASE_SIDE) {
		keep_sample(v, t);
	} else if (!(n % phase->setting.configuration.threads) && v->samples.round_count < PS_SAMPLES) {
		v->samples.rounds[v->samples.round_count] = v->now;
		v->samples.waits[v->samples.round_count++] =
			v->starved - v->starved_before + v->blocked - v->blocked_before;
	}
}

static void log_phase(struct virtual_line *v, const struct ps_phase *was, uint64_t items, bool first)
{
	v->log[v->phases++ % VIRTUAL_PHASES] = (struct virtual_phase){
		.is = *was, .items = items, .began = v->began, .ended = v->now, .first = first
	};
}

/* At a boundary. */
static void end_phase(struct virtual_line *v)
{
	struct ps_phase was = v->conductor.phase;
	struct pstk_joules now, j;
	struct ps_phase_end end = { .items = v->taken,
		.began = v->began,
		.ended = v->now,
		.first = v->first,
		.last = v->last,
		.starved_ns = v->starved - v->starved_before,
		.blocked_ns = v->blocked - v->blocked_before,
		.window_began = v->window_began,
		.window_ended = v->window_ended,
		.samples = &v->samples };
	bool first = was.kind == PS_PHASE_CORES && !v->conductor.training.items, begins;

	if (read_joules(v, &now)) {
		j = less(now, v->joules);
		end.joules = &j;
	}
	virtual_judge_phase(v, &end);
	begins = ps_conductor_step(&v->conductor, &end);
	virtual_judge_step(v, &was, begins);
	v->hastened = false;
	if (!begins)
		return;
	log_phase(v, &was, end.items, first);
	begin_phase(v);
}

/* -- events -- */

static bool is_due(const struct virtual_line *v)
{
	return v->hastened || v->taken >= v->conductor.phase.items;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* When the thread does its next step; UINT64_MAX: it takes nothing now. */
static uint64_t next_of(const struct virtual_line *v, const struct virtual_thread *t)
{
	if (t->busy)
		return t->ready;
	if (is_due(v))
		return UINT64_MAX;
	return later(later(t->ready, v->claim_free), later(v->source_at, v->sink_at));
}

static struct virtual_thread *next_thread(struct virtual_line *v)
{
	struct virtual_thread *best = NULL;

	for (unsigned i = 0; i < v->conductor.phase.setting.takers; i++) {
		struct virtual_thread *t = &v->threads[i];
		uint64_t at = next_of(v, t);

		if (at != UINT64_MAX &&
			(!best || at < next_of(v, best) ||
				(at == next_of(v, best) &&
					(t->busy > best->busy ||
						(t->busy == best->busy && t->ready < best->ready)))))
			best = t;
	}
	return best;
}

/* The taker waits for input, or for room behind, from `from` on. */
static void note_wait(struct virtual_line *v, uint64_t from, uint64_t until)
{
	if (until <= from)
		return;
	if (v->source_at >= v->sink_at)
		v->starved += until - from;
	else
		v->blocked += until - from;
}

static void take(struct virtual_line *v, struct virtual_thread *t)
{
	note_wait(v, later(t->ready, v->claim_free), v->now);
	*t = (struct virtual_thread){ .ready = v->now, .began = v->now, .busy = true, .item = v->items++ };
	v->claim_free = v->now;
	v->source_at = v->source_gap ? later(v->source_at + v->source_gap, v->now) : v->now;
	v->sink_at = v->sink_gap ? later(v->sink_at + v->sink_gap, v->now) : 0;
	v->taken++;
	v->in_flight++;
}

static void act(struct virtual_line *v, struct virtual_thread *t)
{
	if (!t->busy) {
		take(v, t);
		return;
	}
	if (t->stage == v->stages) {
		through(v, t);
		return;
	}
	if (t->stage == t->end)
		choose_place(v, t);
	if (t->device)
		run_on_device(v, t);
	else
		run_stage(v, t);
}

/* One event, but none behind `until`. false: there is none. */
static bool step(struct virtual_line *v, uint64_t until)
{
	struct virtual_thread *t;

	if (is_due(v) && !v->in_flight) {
		end_phase(v);
		return true;
	}
	t = next_thread(v);
	if (next_of(v, t) > until) {
		v->now = later(v->now, until);
		return false;
	}
	v->now = next_of(v, t);
	act(v, t);
	return true;
}

/* -- for tests -- */

void virtual_make(struct virtual_line *v, unsigned stages, unsigned cores)
{
	memset(v, 0, sizeof *v);
	v->stages = stages;
	v->device_ok = (1u << stages) - 1;
	v->spec = (struct pstk_pipeline_spec){ .struct_size = sizeof v->spec,
		.cores = cores,
		.in_flight = 2 * (cores + 1),
		.max_overhead = 0.05,
		.change = 0.2,
		.candidates = stages > 4 ? 8 : 4,
		.repetitions = 3 };
	for (unsigned k = 0; k < stages; k++) {
		v->core[k] = MS;
		v->device[k] = MS / 2;
		v->medium[k] = MS / cores;
	}
	v->now = v->source_at = SEC;
	v->watts = (struct pstk_joules){ 4, 10, 2 };
}

void virtual_begin(struct virtual_line *v, const struct ps_aim *aim)
{
	const struct ps_aim adaptive = { .kind = PS_AIM_ADAPTIVE };

	v->log = calloc(VIRTUAL_PHASES, sizeof *v->log);
	ck_assert_ptr_nonnull(v->log);
	pipeline_make(&v->model, v->stages, v->spec.cores < PIPELINE_CORES ? v->spec.cores : 1);
	ck_assert_int_eq(
		ps_conductor_init(&v->conductor, &v->spec, v->stages, v->device_ok, v->metered, v->splits),
		0);
	ps_conductor_begin(&v->conductor, aim ? aim : &adaptive, v->now);
	virtual_judge_step(v, NULL, true);
	begin_phase(v);
}

void virtual_end(struct virtual_line *v)
{
	ps_conductor_fini(&v->conductor);
	free(v->log);
}

void virtual_run(struct virtual_line *v, uint64_t until)
{
	while (step(v, until))
		;
}

enum { STEPS_MOST = 100000000 };

void virtual_until(struct virtual_line *v, enum ps_phase_kind kind)
{
	for (unsigned i = 0; v->conductor.phase.kind != kind; i++) {
		ck_assert_uint_lt(i, STEPS_MOST);
		step(v, UINT64_MAX - 1);
	}
}

void virtual_windows(struct virtual_line *v, uint64_t windows)
{
	for (unsigned i = 0;
		v->conductor.monitor.windows < windows || v->conductor.phase.kind != PS_PHASE_STAY; i++) {
		ck_assert_uint_lt(i, STEPS_MOST);
		step(v, UINT64_MAX - 1);
	}
}

void virtual_aim(struct virtual_line *v, const struct ps_aim *aim)
{
	v->hastened |= ps_conductor_aim(&v->conductor, aim);
}

void virtual_retrain(struct virtual_line *v)
{
	v->hastened |= ps_conductor_retrain(&v->conductor, v->now);
}

void virtual_goal(struct virtual_line *v, const struct pstk_goal *goal)
{
	v->hastened |= ps_conductor_set_goal(&v->conductor, goal);
}

const struct virtual_phase *virtual_phase(const struct virtual_line *v, int n)
{
	int at = n < 0 ? (int)v->phases + n : n;

	ck_assert_int_ge(at, 0);
	ck_assert_int_lt(at, (int)v->phases);
	ck_assert_int_gt(at, (int)v->phases - VIRTUAL_PHASES - 1);
	return &v->log[at % VIRTUAL_PHASES];
}
