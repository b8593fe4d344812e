/* SPDX-License-Identifier: MIT */
/* Pipelines in virtual time. What each training measures, chooses and costs is compared in virtual_judge.c. */
#include "tests/common/common.h"
#include "tests/pipeline/virtual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct virtual_line v;

static const struct ps_aim adaptive = { .kind = PS_AIM_ADAPTIVE }, baseline = { .kind = PS_AIM_BASELINE },
			   fixed = { .kind = PS_AIM_FIXED, .fixed = { .mask = 1, .threads = 2 } };

static bool is_phase(int n, enum ps_phase_kind kind, uint64_t items, unsigned threads)
{
	const struct virtual_phase *p = virtual_phase(&v, n);

	return p->is.kind == kind && p->is.items == items && p->items == items &&
	       p->is.setting.configuration.threads == threads;
}

/* So many phases before the first STAY, or candidate. */
static unsigned experiments(void)
{
	unsigned count = 0;

	while (count < v.phases && virtual_phase(&v, (int)count)->is.kind < PS_PHASE_TRY)
		count++;
	return count;
}

/* -- what a training consists of -- */

/* nC + 3 experiments; with one item a figure N_s items, and n each of n threads side by side. */
START_TEST(experiments_in_order)
{
	unsigned cores = (unsigned)_i + 1, at = 0, items = 0;

	virtual_make(&v, 3, cores);
	v.spec.repetitions = 1;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(experiments(), cores + 3);
	ck_assert(is_phase((int)at++, PS_PHASE_CORES, 1, 1));
	for (unsigned n = 2; n <= cores + 1; n++)
		ck_assert(is_phase((int)at++, PS_PHASE_SIDE, n, n));
	ck_assert(is_phase((int)at, PS_PHASE_DEVICE, 1, 1));
	ck_assert_uint_eq(virtual_phase(&v, (int)at)->is.setting.configuration.mask, 7);
	ck_assert(virtual_phase(&v, (int)at++)->is.setting.timed);
	ck_assert(is_phase((int)at, PS_PHASE_MEDIUM, 1, cores + 1));
	ck_assert(virtual_phase(&v, (int)at++)->is.setting.configuration.medium_grain);
	for (unsigned i = 0; i < at; i++)
		items += (unsigned)virtual_phase(&v, (int)i)->items;
	ck_assert_uint_eq(items, (cores + 2) * (cores + 1) / 2 + 2);
	ck_assert_int_eq(pstk_training_items(cores), (int)items);
	ck_assert_uint_eq(v.conductor.training.items, items);
	ck_assert_uint_eq(v.trainings, 1);
	virtual_end(&v);
}
END_TEST

/* The number behind a key in the file's next line. */
static unsigned read_number(FILE *f, const char *key)
{
	char line[256];
	unsigned n = 0;

	while (fgets(line, sizeof line, f)) {
		const char *at = strstr(line, key);

		if (at && sscanf(at + strlen(key), " %u", &n) == 1)
			return n;
	}
	return 0;
}

/* Counted by others. */
START_TEST(as_counted)
{
	FILE *f = fopen(TEST_DATA "/mapping/counts.json", "r");
	unsigned stages, records = 0;

	ck_assert_ptr_nonnull(f);
	while ((stages = read_number(f, "\"s\":"))) {
		unsigned cores = read_number(f, "\"nC\":"),
			 configurations = read_number(f, "\"configurations\":"),
			 wanted = read_number(f, "\"experiments\":"), items = read_number(f, "\"items\":");

		virtual_make(&v, stages, cores);
		v.spec.repetitions = 1;
		virtual_begin(&v, NULL);
		virtual_until(&v, PS_PHASE_STAY);
		ck_assert_uint_eq(experiments(), wanted);
		ck_assert_uint_eq(v.conductor.training.items, items);
		ck_assert_uint_eq(v.conductor.room, configurations);
		virtual_end(&v);
		records++;
	}
	fclose(f);
	ck_assert_uint_eq(records, 7);
}
END_TEST

/* Each is one phase of more items. In the first training threads side by side have carried a round before; not in a
 * later one, behind `former` phases. */
START_TEST(repeated)
{
	unsigned former;

	virtual_make(&v, 2, 2);
	v.spec.repetitions = 5;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_TRY);
	ck_assert(is_phase(0, PS_PHASE_CORES, 5, 1));
	for (unsigned n = 2; n <= 3; n++) {
		ck_assert(is_phase(2 * (int)n - 3, PS_PHASE_SIDE, n, n));
		ck_assert(is_phase(2 * (int)n - 2, PS_PHASE_SIDE, 5 * n, n));
	}
	ck_assert(is_phase(5, PS_PHASE_DEVICE, 5, 1));
	ck_assert(is_phase(6, PS_PHASE_MEDIUM, 5, 3));
	ck_assert_uint_eq(experiments(), 7);
	virtual_until(&v, PS_PHASE_STAY);
	virtual_run(&v, v.now + 100 * SEC);
	former = v.phases;
	virtual_retrain(&v);
	virtual_until(&v, PS_PHASE_TRY);
	ck_assert(is_phase((int)former + 1, PS_PHASE_CORES, 5, 1));
	ck_assert(is_phase((int)former + 2, PS_PHASE_SIDE, 10, 2));
	ck_assert(is_phase((int)former + 3, PS_PHASE_SIDE, 15, 3));
	ck_assert(is_phase((int)former + 4, PS_PHASE_DEVICE, 5, 1));
	virtual_end(&v);
}
END_TEST

static const struct {
	uint32_t device_ok;
	enum pstk_granularity granularities;
	unsigned experiments; /* with 2 cores */
} forms[] = { { 7, PSTK_GRAIN_BOTH, 5 }, { 0, PSTK_GRAIN_BOTH, 4 }, { 0, PSTK_GRAIN_COARSE, 3 },
	{ 5, PSTK_GRAIN_COARSE, 4 }, { 2, PSTK_GRAIN_MEDIUM, 3 }, { 0, PSTK_GRAIN_MEDIUM, 2 } };

/* What has no form is left out, in experiments and in what can be chosen. */
START_TEST(missing_forms)
{
	virtual_make(&v, 3, 2);
	v.spec.repetitions = 1;
	v.spec.candidates = 64;
	v.device_ok = forms[_i].device_ok;
	v.spec.granularities = forms[_i].granularities;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(experiments(), forms[_i].experiments);
	for (unsigned i = 0; i < experiments(); i++)
		if (virtual_phase(&v, (int)i)->is.kind == PS_PHASE_DEVICE)
			ck_assert_uint_eq(
				virtual_phase(&v, (int)i)->is.setting.configuration.mask, v.device_ok);
	for (unsigned i = 0; i < v.phases; i++)
		if (virtual_phase(&v, (int)i)->is.kind == PS_PHASE_TRY)
			ck_assert(virtual_phase(&v, (int)i)->is.setting.configuration.medium_grain
					  ? v.spec.granularities != PSTK_GRAIN_COARSE
					  : v.spec.granularities != PSTK_GRAIN_MEDIUM);
	ck_assert_uint_eq(v.trainings, 1);
	ck_assert_uint_eq(v.choices, 1);
	ck_assert_int_eq(v.conductor.why, _i == 5 ? PSTK_WHY_ONLY : PSTK_WHY_TRIED);
	virtual_end(&v);
}
END_TEST

static double late_once(const struct virtual_line *line, uint64_t item)
{
	(void)line;
	return item == 1 ? 1000 : 1;
}

static double jumpy(const struct virtual_line *line, uint64_t item)
{
	(void)line;
	return 1 + 0.001 * (double)(item * 7 % 11);
}

/* An item that takes a thousand times as long, and is one of three, changes nothing. */
START_TEST(outlier)
{
	struct ps_conductor *c = &v.conductor;

	virtual_make(&v, 2, 1);
	v.factor = late_once;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	for (unsigned k = 0; k < 2; k++)
		ck_assert_double_le(fabs(c->training.t_cg1[k] - 1e-3), 1e-9);
	virtual_end(&v);
	virtual_make(&v, 2, 1);
	v.factor = jumpy;
	v.spec.repetitions = 64;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	virtual_end(&v);
}
END_TEST

/* More repetitions than samples are kept: the phase has all of them. */
START_TEST(many_repetitions)
{
	virtual_make(&v, 1, 1);
	v.factor = jumpy;
	v.spec.repetitions = PS_SAMPLES + 36;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert(is_phase(0, PS_PHASE_CORES, PS_SAMPLES + 36, 1));
	ck_assert(is_phase(1, PS_PHASE_SIDE, 2, 2));
	ck_assert(is_phase(2, PS_PHASE_SIDE, 2 * (PS_SAMPLES + 36), 2));
	ck_assert(is_phase(3, PS_PHASE_DEVICE, PS_SAMPLES + 36, 1));
	virtual_end(&v);
}
END_TEST

/* By a counter that moves once a millisecond: 50 ms of each. */
START_TEST(metered)
{
	virtual_make(&v, 2, 2);
	v.metered = true;
	v.splits = _i & 1;
	v.spec.objective = _i & 2 ? PSTK_OBJECTIVE_RATIO : PSTK_OBJECTIVE_ENERGY;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert(is_phase(0, PS_PHASE_CORES, 3, 1));
	if (v.splits)
		ck_assert(is_phase(1, PS_PHASE_CORES, 25, 1));
	ck_assert(v.conductor.training.split);
	ck_assert_uint_eq(v.trainings, 1);
	ck_assert_uint_eq(v.choices, 1);
	virtual_end(&v);
}
END_TEST

/* A meter that fails meanwhile says nothing, and not that energy costs nothing. */
START_TEST(meter_fails)
{
	virtual_make(&v, 2, 2);
	v.metered = v.meter_fails = true;
	v.spec.objective = _i ? PSTK_OBJECTIVE_ENERGY : PSTK_OBJECTIVE_THROUGHPUT;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_ptr_null(ps_conductor_measurements(&v.conductor).e_cg1);
	ck_assert(!v.conductor.training.split);
	ck_assert_int_eq(v.conductor.why, _i ? PSTK_WHY_BEGINS : PSTK_WHY_TRIED);
	virtual_end(&v);
}
END_TEST

/* -- the choice -- */

static double refuses(void *data, double rate, double joules)
{
	(void)data, (void)rate, (void)joules;
	return NAN;
}

static double prefers(void *data, double rate, double joules)
{
	(void)joules;
	return -fabs(rate - *(double *)data);
}

START_TEST(rule_of_the_paper)
{
	virtual_make(&v, 3, 2);
	v.spec.rule = PSTK_RULE_PAPER;
	v.spec.candidates = 1;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_int_eq(virtual_phase(&v, -1)->is.kind, PS_PHASE_MEDIUM);
	ck_assert_int_eq(v.conductor.why, PSTK_WHY_PREDICTED);
	ck_assert_uint_eq(v.trainings, 1);
	virtual_end(&v);
}
END_TEST

START_TEST(by_goal)
{
	double wish = 1200;
	const struct pstk_goal goals[] = { { .objective = PSTK_OBJECTIVE_ENERGY, .min_rate = 900 },
		{ .objective = PSTK_OBJECTIVE_RATIO },
		{ .objective = PSTK_OBJECTIVE_THROUGHPUT, .max_watts = 9 },
		{ .objective = PSTK_OBJECTIVE_THROUGHPUT, .min_rate = 1e6 },
		{ .objective = PSTK_OBJECTIVE_SCORE, .score = prefers, .data = &wish },
		{ .objective = PSTK_OBJECTIVE_SCORE, .score = refuses } };
	struct pstk_goal goal = goals[_i];

	goal.struct_size = sizeof goal;
	virtual_make(&v, 3, 2);
	v.metered = true;
	v.spec.objective = goal.objective;
	v.spec.min_rate = goal.min_rate;
	v.spec.max_watts = goal.max_watts;
	v.spec.score = goal.score;
	v.spec.data = goal.data;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(v.choices, 1);
	ck_assert_int_eq(v.conductor.why, _i == 5 ? PSTK_WHY_BEGINS : PSTK_WHY_TRIED);
	ck_assert_uint_eq(v.trainings, 1);
	virtual_end(&v);
}
END_TEST

/* How many of all 8 configurations of one stage ran all of their four windows, and not two alone. */
static unsigned count_whole(void)
{
	unsigned whole = 0, tried = 0;

	for (unsigned i = 0; i < v.phases; i++) {
		const struct virtual_phase *p = virtual_phase(&v, (int)i);
		unsigned takers = p->is.setting.takers;

		if (p->is.kind != PS_PHASE_TRY)
			continue;
		tried++;
		whole += p->items == 4 * 16 + 2 * takers;
		if (p->items != 4 * 16 + 2 * takers) {
			ck_assert_uint_ge(p->items, 2 * 16 + takers);
			ck_assert_uint_lt(p->items, 2 * 16 + 2 * takers);
		}
	}
	ck_assert_uint_eq(tried, 8);
	return whole;
}

/* Five keep both cores busy, 2000 items/s: two or three threads, three of which one is at the slow device, both cores
 * on each item, with or without the device. Two leave one thread to the cores, 1000; the device alone reaches 10. */
START_TEST(given_up_early)
{
	virtual_make(&v, 1, 2);
	v.device[0] = 100 * MS;
	v.spec.candidates = 64;
	v.metered = true;
	if (_i == 1)
		v.spec.objective = PSTK_OBJECTIVE_RATIO;
	if (_i == 2)
		v.spec.max_watts = 1000;
	if (_i == 3)
		v.source_gap = 2 * MS;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(count_whole(), _i ? 8 : 5);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_double_gt(v.conductor.measured[i].rate, 0);
	virtual_end(&v);
}
END_TEST

/* Until this candidate is tried, with a source of so many ns an item. */
static void try_until(unsigned candidate, uint64_t gap)
{
	v.source_gap = gap;
	v.source_at = v.now;
	while (v.conductor.phase.kind == PS_PHASE_TRY && v.conductor.candidate < candidate)
		virtual_run(&v, v.now + MS);
}

/* One candidate waits for input: it counts as what it reached, and the others still tell which is the fastest. */
START_TEST(one_waits)
{
	const struct ps_conductor *c = &v.conductor;

	virtual_make(&v, 1, 2);
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_TRY);
	try_until(1, 10 * MS);
	try_until(64, 0);
	ck_assert_int_eq(c->phase.kind, PS_PHASE_STAY);
	ck_assert_int_eq(c->why, PSTK_WHY_TRIED);
	ck_assert_uint_eq(c->waits, 1);
	ck_assert(c->waited[0]);
	ck_assert_double_gt(c->measured[1].rate, 2 * c->measured[0].rate);
	ck_assert_uint_eq(c->phase.setting.configuration.threads, c->measured[1].configuration.threads);
	ck_assert_uint_eq(c->phase.setting.configuration.mask, c->measured[1].configuration.mask);
	virtual_end(&v);
}
END_TEST

/* All wait: the best prediction stays, unless another one was faster by more than a change. */
START_TEST(all_wait)
{
	static const double faster[] = { 1, 1.1, 1.3 };
	const struct ps_conductor *c = &v.conductor;

	virtual_make(&v, 1, 2);
	v.source_gap = 10 * MS;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_TRY);
	try_until(2, 10 * MS);
	try_until(3, (uint64_t)(10 / faster[_i] * MS));
	try_until(64, 10 * MS);
	ck_assert_int_eq(c->phase.kind, PS_PHASE_STAY);
	ck_assert_uint_eq(c->waits, c->candidate_count);
	ck_assert_int_eq(c->why, _i < 2 ? PSTK_WHY_PREDICTED : PSTK_WHY_TRIED);
	ck_assert_double_eq(c->predicted.rate, c->candidates[_i < 2 ? 0 : 2].prediction.rate);
	virtual_end(&v);
}
END_TEST

/* Windows of light items last 20 ms, as virtual_judge.c says: pauses of a core are no change. */
START_TEST(light_items)
{
	virtual_make(&v, 1, 2);
	v.core[0] = v.medium[0] = v.device[0] = 10000;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_gt(v.conductor.phase.window, 2000);
	virtual_windows(&v, 4);
	ck_assert_double_gt(v.conductor.monitor.rate, 100000);
	virtual_end(&v);
}
END_TEST

static unsigned quick_threads, quick_items;

static double quick_beginning(const struct virtual_line *line, uint64_t item)
{
	unsigned threads = line->conductor.phase.setting.configuration.threads;

	(void)item;
	return line->conductor.phase.kind == PS_PHASE_TRY && threads == quick_threads &&
	                       line->through < quick_items + threads
	               ? 0.5
	               : 1;
}

/* How many items the candidate of so many threads has had; *rate: what it has reached. */
static uint64_t items_of(unsigned threads, double *rate)
{
	for (unsigned i = 0; i < v.phases; i++) {
		const struct virtual_phase *p = virtual_phase(&v, (int)i);

		if (p->is.kind == PS_PHASE_TRY && p->is.setting.configuration.threads == threads) {
			for (unsigned k = 0; k < v.conductor.candidate_count; k++)
				if (v.conductor.measured[k].configuration.threads == threads)
					*rate = v.conductor.measured[k].rate;
			return p->items;
		}
	}
	ck_abort();
}

static const struct {
	unsigned threads, items; /* that are twice as fast, and how many of them */
	unsigned one;            /* items that one thread runs */
	double rate;             /* that it reaches with them */
} quick[] = {
	{ 2, 16, 33, 1000 }, /* two threads, in the first window: no reason to give up others */
	{ 1, 16, 33, 1000 }, /* one thread, in the first window: it does not count */
	{ 1, 32, 49, 1333 }, /* .. in the second, too: it is given up behind the third */
};

/* One thread reaches 1000 items/s, two and three 2000. */
START_TEST(quick_at_first)
{
	double one, two, three;

	virtual_make(&v, 1, 2);
	v.device_ok = 0;
	v.spec.granularities = PSTK_GRAIN_COARSE;
	v.factor = quick_beginning;
	quick_threads = quick[_i].threads;
	quick_items = quick[_i].items;
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(items_of(1, &one), quick[_i].one);
	ck_assert_uint_eq(items_of(2, &two), 4 * 16 + 2 * 2);
	ck_assert_uint_eq(items_of(3, &three), 4 * 16 + 2 * 3);
	ck_assert_double_eq_tol(one, quick[_i].rate, 0.01 * one);
	ck_assert_double_eq_tol(two, 2000, 30);
	ck_assert_double_eq_tol(three, 2000, 30);
	ck_assert_uint_gt(v.conductor.phase.setting.configuration.threads, 1);
	virtual_end(&v);
}
END_TEST

/* Another goal is chosen by from what is known, at once, or behind the experiments. It is no reason to train. */
START_TEST(other_goal)
{
	const struct pstk_goal energy = { .struct_size = sizeof energy, .objective = PSTK_OBJECTIVE_ENERGY };

	virtual_make(&v, 3, 2);
	v.metered = true;
	virtual_begin(&v, NULL);
	virtual_until(&v, (enum ps_phase_kind)_i);
	virtual_run(&v, v.now + 100000); /* in the middle of it */
	ck_assert_int_eq(v.conductor.phase.kind, _i);
	virtual_goal(&v, &energy);
	virtual_until(&v, PS_PHASE_STAY);
	virtual_windows(&v, 3);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert_uint_eq(v.trainings, 1);
	ck_assert_uint_eq(v.choices, _i < PS_PHASE_TRY ? 1 : 2);
	virtual_end(&v);
}
END_TEST

/* -- fixed, baseline, and asked for while it runs -- */

START_TEST(fixed_never_trains)
{
	virtual_make(&v, 3, 2);
	virtual_begin(&v, &fixed);
	virtual_windows(&v, 3);
	virtual_retrain(&v);
	v.core[0] *= 10;
	virtual_windows(&v, 10);
	ck_assert_uint_eq(v.phases, 0);
	ck_assert_int_eq(v.conductor.why, PSTK_WHY_FIXED);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

/* Medium grain and the device are measured; each stage is where it is faster, and waits for its place. */
START_TEST(as_baseline)
{
	virtual_make(&v, 3, 2);
	v.device[1] = 10 * MS;
	v.spec.granularities = (enum pstk_granularity)(_i % 3);
	virtual_begin(&v, _i >= 3 ? NULL : &baseline);
	virtual_until(&v, PS_PHASE_STAY);
	if (_i >= 3) {
		virtual_windows(&v, 2);
		virtual_aim(&v, &baseline);
		do {
			virtual_run(&v, v.now + MS);
		} while (v.conductor.why != PSTK_WHY_BASELINE);
	}
	virtual_windows(&v, 2);
	ck_assert_int_eq(v.conductor.why, PSTK_WHY_BASELINE);
	ck_assert_uint_eq(v.conductor.phase.setting.configuration.mask, 0);
	ck_assert(v.conductor.phase.setting.configuration.medium_grain);
	ck_assert(v.conductor.phase.setting.waits);
	virtual_aim(&v, &adaptive);
	virtual_until(&v, PS_PHASE_TRY);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(v.trainings, 1);
	virtual_end(&v);
}
END_TEST

START_TEST(baseline_with_device)
{
	virtual_make(&v, 3, 2);
	v.device[0] = v.device[2] = MS / 10;
	v.device[1] = 10 * MS;
	virtual_begin(&v, &baseline);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(v.phases, 3); /* no threads side by side */
	ck_assert_uint_eq(v.conductor.phase.setting.configuration.mask, 5);
	virtual_windows(&v, 3);
	ck_assert_uint_eq(v.conductor.trainings, 0);
	virtual_end(&v);
}
END_TEST

/* In the middle of each kind of phase, of the first training and of a later one. */
START_TEST(fixed_meanwhile)
{
	enum ps_phase_kind kind = (enum ps_phase_kind)(_i % (PS_PHASE_STAY + 1));
	bool later = _i > PS_PHASE_STAY, finished = later || kind >= PS_PHASE_TRY;
	unsigned trainings;

	virtual_make(&v, 3, 2);
	virtual_begin(&v, NULL);
	if (later) {
		virtual_until(&v, PS_PHASE_STAY);
		v.now += 1000 * SEC;
		virtual_retrain(&v);
		virtual_until(&v, PS_PHASE_CORES);
	}
	virtual_until(&v, kind);
	virtual_run(&v, v.now + 100000);
	ck_assert_int_eq(v.conductor.phase.kind, kind);
	virtual_aim(&v, &fixed);
	virtual_run(&v, v.now + 100 * MS);
	ck_assert_int_eq(v.conductor.why, PSTK_WHY_FIXED);
	trainings = v.begun;
	virtual_aim(&v, &adaptive);
	virtual_until(&v, PS_PHASE_TRY);
	virtual_until(&v, PS_PHASE_STAY);
	/* from what was measured before, if anything was */
	ck_assert_uint_eq(v.begun, trainings + !finished);
	virtual_end(&v);
}
END_TEST

/* Asked for and taken back before anything comes of it: the phase comes once more, or goes on. */
START_TEST(taken_back)
{
	virtual_make(&v, 3, 2);
	virtual_begin(&v, NULL);
	virtual_until(&v, (enum ps_phase_kind)_i);
	virtual_run(&v, v.now + 100000);
	virtual_aim(&v, &fixed);
	virtual_aim(&v, &adaptive);
	virtual_until(&v, PS_PHASE_STAY);
	virtual_windows(&v, 3);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert_uint_eq(v.trainings, 1);
	ck_assert_uint_eq(v.choices, 1);
	virtual_end(&v);
}
END_TEST

START_TEST(too_many)
{
	const struct pstk_pipeline_spec spec = { .cores = 15, .candidates = 4 }, fits = { .cores = 14 };
	struct ps_conductor c = { 0 };

	ck_assert(!ps_conductor_may_adapt(&spec, 16, 0xffff));
	ck_assert(ps_conductor_may_adapt(&spec, 16, 0x7fff));
	ck_assert(ps_conductor_may_adapt(&fits, 16, 0xffff));
	ck_assert_int_eq(ps_conductor_init(&c, &spec, 16, 0xffff, false, false), 0);
	ps_conductor_begin(&c, &fixed, 1);
	ck_assert_int_eq(c.why, PSTK_WHY_FIXED);
	ck_assert(ps_conductor_aim(&c, &adaptive));
	ck_assert(ps_conductor_step(&c, &(struct ps_phase_end){ .ended = 2 }));
	ck_assert_int_eq(c.why, PSTK_WHY_ONLY);
	ck_assert(!ps_conductor_retrain(&c, 3));
	ck_assert(!ps_conductor_set_goal(&c, PSTK_GOAL(.min_rate = 1)));
	ck_assert_double_eq(c.goal.min_rate, 1);
	ck_assert(!ps_conductor_step(&c, &(struct ps_phase_end){ .ended = 4 }));
	ps_conductor_fini(&c);
}
END_TEST

/* The same goal once more is no reason to choose anew: candidates go on as they were. */
START_TEST(the_same_goal)
{
	virtual_make(&v, 3, 2);
	virtual_begin(&v, &adaptive);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert(!ps_conductor_set_goal(&v.conductor, &v.conductor.goal));
	ck_assert(ps_conductor_set_goal(&v.conductor, PSTK_GOAL(.min_rate = 1)));
	ck_assert(!ps_conductor_set_goal(&v.conductor, PSTK_GOAL(.min_rate = 1)));
	virtual_end(&v);
}
END_TEST

/* 16 stages, all of which may be anywhere. */
START_TEST(sixteen_stages)
{
	virtual_make(&v, 12, 1);
	virtual_begin(&v, &(struct ps_aim){ .kind = PS_AIM_FIXED, .fixed = { .mask = 0xfff, .threads = 2 } });
	virtual_windows(&v, 3);
	virtual_end(&v);
	virtual_make(&v, 16, 1);
	v.device_ok = 0x8001;
	virtual_begin(
		&v, &(struct ps_aim){ .kind = PS_AIM_FIXED, .fixed = { .mask = 0x8000, .threads = 2 } });
	virtual_windows(&v, 3);
	ck_assert_uint_gt(v.on_device, 0);
	virtual_end(&v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conductor");
	TCase *c = test_case(suite, "trainings");

	tcase_add_loop_test(c, experiments_in_order, 0, 6);
	tcase_add_test(c, as_counted);
	tcase_add_test(c, repeated);
	tcase_add_loop_test(c, missing_forms, 0, (int)TEST_COUNT(forms));
	tcase_add_test(c, outlier);
	tcase_add_test(c, many_repetitions);
	tcase_add_loop_test(c, metered, 0, 4);
	tcase_add_loop_test(c, meter_fails, 0, 2);
	c = test_case(suite, "choice");
	tcase_add_test(c, rule_of_the_paper);
	tcase_add_loop_test(c, by_goal, 0, 6);
	tcase_add_loop_test(c, given_up_early, 0, 4);
	tcase_add_test(c, one_waits);
	tcase_add_loop_test(c, all_wait, 0, 3);
	tcase_add_test(c, light_items);
	tcase_add_loop_test(c, quick_at_first, 0, (int)TEST_COUNT(quick));
	tcase_add_loop_test(c, other_goal, PS_PHASE_CORES, PS_PHASE_STAY + 1);
	c = test_case(suite, "asked");
	tcase_add_test(c, fixed_never_trains);
	tcase_add_loop_test(c, as_baseline, 0, 6);
	tcase_add_test(c, baseline_with_device);
	tcase_add_loop_test(c, fixed_meanwhile, 0, 2 * (PS_PHASE_STAY + 1));
	tcase_add_loop_test(c, taken_back, PS_PHASE_CORES, PS_PHASE_STAY + 1);
	tcase_add_test(c, too_many);
	tcase_add_test(c, the_same_goal);
	tcase_add_test(c, sixteen_stages);
	return test_main(suite);
}
