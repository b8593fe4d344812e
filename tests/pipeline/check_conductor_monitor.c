/* SPDX-License-Identifier: MIT */
/* When a pipeline trains again, in virtual time; and random pipelines. virtual_judge.c compares each training. */
#include "tests/common/common.h"
#include "tests/pipeline/virtual.h"

#include <math.h>

static struct virtual_line v;

static const struct ps_aim adaptive = { .kind = PS_AIM_ADAPTIVE };

/* A first training, and some windows. */
static void begin(void)
{
	virtual_begin(&v, NULL);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(v.trainings, 1);
	virtual_windows(&v, 3);
}

static void slow_down(unsigned times)
{
	for (unsigned k = 0; k < v.stages; k++) {
		v.core[k] *= times;
		v.medium[k] *= times;
		v.device[k] *= times;
	}
}

/* -- windows that count, and others -- */

START_TEST(like_a_camera)
{
	virtual_make(&v, 3, 2);
	v.source_gap = 100 * MS;
	begin();
	ck_assert(v.conductor.training.estimated);
	virtual_run(&v, v.now + 600 * SEC);
	slow_down(3); /* it has time enough, still */
	virtual_run(&v, v.now + 600 * SEC);
	v.source_gap = 50 * MS;
	virtual_run(&v, v.now + 600 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert(!v.conductor.pending);
	ck_assert_uint_gt(v.conductor.monitor.windows, 100);
	ck_assert_uint_eq(v.conductor.monitor.starved, v.conductor.monitor.windows);
	ck_assert_double_eq(v.conductor.monitor.reference, 0);
	virtual_end(&v);
}
END_TEST

/* No room behind. What is measured then is no reference for later. */
START_TEST(like_a_slow_disk)
{
	virtual_make(&v, 3, 2);
	v.sink_gap = 100 * MS;
	begin();
	virtual_run(&v, v.now + 600 * SEC);
	ck_assert_uint_eq(v.conductor.monitor.blocked, v.conductor.monitor.windows);
	ck_assert_uint_eq(v.conductor.monitor.starved, 0);
	v.sink_gap = v.sink_at = 0;
	virtual_run(&v, v.now + 60 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert_double_gt(v.conductor.monitor.reference, 0);
	virtual_end(&v);
}
END_TEST

/* Fast at first, then starved, then as fast as before; and never slower by more than theta. */
START_TEST(starved_between)
{
	virtual_make(&v, 2, 2);
	begin();
	for (unsigned i = 0; i < 5; i++) {
		v.source_gap = 100 * MS;
		virtual_run(&v, v.now + 60 * SEC);
		v.source_gap = 0;
		v.source_at = v.now;
		virtual_run(&v, v.now + 60 * SEC);
	}
	ck_assert_uint_eq(v.begun, 1);
	virtual_end(&v);
}
END_TEST

static double slow_beginning(const struct virtual_line *line, uint64_t item)
{
	(void)item;
	return line->conductor.phase.kind == PS_PHASE_STAY && line->through < 12 ? 1.5 : 1;
}

/* A window behind a boundary is no reference: those behind it are a quarter faster here. */
START_TEST(slow_behind_boundary)
{
	virtual_make(&v, 3, 2);
	v.factor = slow_beginning;
	begin();
	virtual_run(&v, v.now + 600 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

/* -- a change -- */

/* By less than theta: nothing. */
START_TEST(small_change)
{
	virtual_make(&v, 2, 2);
	begin();
	for (unsigned k = 0; k < 2; k++) {
		v.core[k] = v.core[k] * 115 / 100;
		v.device[k] = v.device[k] * 115 / 100;
		v.medium[k] = v.medium[k] * 115 / 100;
	}
	virtual_run(&v, v.now + 1000 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

static void speed_up(unsigned times)
{
	for (unsigned k = 0; k < v.stages; k++) {
		v.core[k] /= times;
		v.medium[k] /= times;
		v.device[k] /= times;
	}
}

/* Until so many items of a window are through. */
static void run_in_window(unsigned items)
{
	do {
		virtual_run(&v, v.now + MS / 20);
	} while ((v.through - v.conductor.phase.before) % v.conductor.window != items);
}

/* One window alone is no change, however slow. */
START_TEST(one_window)
{
	virtual_make(&v, 2, 2);
	begin();
	for (unsigned i = 0; i < 20; i++) {
		run_in_window(4);
		slow_down(8);
		run_in_window(10);
		speed_up(8);
		virtual_windows(&v, v.conductor.monitor.windows + 1);
		ck_assert_uint_eq(v.conductor.monitor.off, 1);
		ck_assert(!v.conductor.pending);
		virtual_windows(&v, v.conductor.monitor.windows + 1);
		ck_assert_uint_eq(v.conductor.monitor.off, 0);
	}
	virtual_run(&v, v.now + 60 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	virtual_end(&v);
}
END_TEST

static const double bounds[] = { 0.05, 0.01, 0.001, 0.5 };

/* Until the bound lets it train it is pending; it does so within the window that comes then, once. */
START_TEST(trains_once)
{
	double allowed, began;
	bool pending = false;

	virtual_make(&v, 3, 2);
	v.spec.max_overhead = bounds[_i / 2];
	begin();
	ck_assert_double_gt(v.dt, 0);
	allowed = 1e-9 * (double)v.trained_at + v.interval;
	slow_down(2 - _i % 2);
	if (_i % 2)
		v.core[0] = v.medium[0] = v.device[0] = 20 * MS;
	while (v.begun == 1) {
		virtual_run(&v, v.now + MS);
		pending |= v.begun == 1 && v.conductor.pending;
	}
	began = 1e-9 * (double)v.training_began;
	if (v.interval > 1) {
		ck_assert(pending);
		ck_assert_double_ge(began, allowed);
		ck_assert_double_le(began, allowed + 16 * 0.1);
	}
	ck_assert(!v.conductor.pending);
	virtual_until(&v, PS_PHASE_STAY);
	virtual_run(&v, v.now + 300 * SEC);
	ck_assert_uint_eq(v.begun, 2);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

/* Eq. 2 with 1 %: 99 times what it has cost. */
START_TEST(eq_2)
{
	virtual_make(&v, 3, 2);
	v.spec.max_overhead = 0.01;
	begin();
	ck_assert_double_eq_tol(v.conductor.interval, 99 * v.conductor.dt, 1e-9);
	ck_assert_double_eq_tol(v.conductor.dt, v.dt, 1e-9);
	virtual_end(&v);
}
END_TEST

START_TEST(goes_away)
{
	virtual_make(&v, 3, 2);
	v.spec.max_overhead = 0.0001;
	begin();
	slow_down(2);
	while (!v.conductor.pending)
		virtual_run(&v, v.now + MS);
	speed_up(2);
	while (v.conductor.pending)
		virtual_run(&v, v.now + MS);
	virtual_run(&v, v.now + 500 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	virtual_end(&v);
}
END_TEST

/* Another goal's windows know nothing of before: they don't take back what was seen. */
START_TEST(goal_behind_change)
{
	virtual_make(&v, 3, 2);
	v.spec.max_overhead = 0.001;
	begin();
	slow_down(2);
	while (!v.conductor.pending)
		virtual_run(&v, v.now + MS);
	virtual_goal(&v, PSTK_GOAL(.min_rate = 10));
	virtual_windows(&v, 8);
	ck_assert(v.conductor.pending || v.begun == 2);
	virtual_run(&v, v.now + 300 * SEC);
	ck_assert_uint_eq(v.begun, 2);
	virtual_end(&v);
}
END_TEST

/* A training that is given up is still wanted, when it may come; what was measured before it is chosen by meanwhile. */
START_TEST(given_up)
{
	const struct ps_aim fixed = { .kind = PS_AIM_FIXED, .fixed = { .threads = 1 } };

	virtual_make(&v, 3, 2);
	begin();
	slow_down(2);
	while (v.begun == 1)
		virtual_run(&v, v.now + MS / 10);
	virtual_aim(&v, &fixed);
	virtual_run(&v, v.now + 100 * MS);
	ck_assert_int_eq(v.conductor.why, PSTK_WHY_FIXED);
	ck_assert_uint_eq(v.trainings, 2);
	virtual_aim(&v, &adaptive);
	virtual_until(&v, PS_PHASE_TRY);
	ck_assert(ps_conductor_latest(&v.conductor)->there);
	virtual_run(&v, v.now + 300 * SEC);
	ck_assert_uint_eq(v.begun, 3);
	ck_assert_uint_eq(v.trainings, 3);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

START_TEST(only_once)
{
	virtual_make(&v, 3, 2);
	v.spec.once = true;
	begin();
	slow_down(3);
	virtual_run(&v, v.now + 300 * SEC);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert(!v.conductor.pending);
	virtual_end(&v);
}
END_TEST

/* Frames of another size: each stage takes so many times as long, and the device gains on the cores, or loses. */
static void change_size(double cores, double device)
{
	for (unsigned k = 0; k < v.stages; k++) {
		v.core[k] = (uint64_t)(MS * cores);
		v.medium[k] = (uint64_t)(MS * cores / 2);
		v.device[k] = (uint64_t)(MS * device);
	}
}

/* Small frames, large ones, small ones, each for long: a training behind each change, and its log says when, why, for
 * how many items and what was gained. The rates are those of ideal threads: 2 cores, 3 stages. */
START_TEST(sizes_change)
{
	const struct pstk_pipeline_training *log = v.conductor.log;
	double changed[3];

	virtual_make(&v, 3, 2);
	change_size(1, 100);
	begin();
	for (unsigned i = 1; i < 3; i++) {
		virtual_run(&v, v.now + 1000 * SEC);
		ck_assert_uint_eq(v.begun, i);
		changed[i] = 1e-9 * (double)(v.now - SEC);
		if (i == 1)
			change_size(8, 1);
		else
			change_size(1, 100);
		virtual_run(&v, v.now + 1000 * SEC);
		ck_assert_uint_eq(v.begun, i + 1);
	}
	ck_assert_uint_eq(v.conductor.trainings, 3);
	ck_assert_double_eq(log[0].at, 0);
	ck_assert_int_eq(log[0].why, PSTK_TRAINED_FIRST);
	ck_assert(!log[0].before.threads && isnan(log[0].rate_before) && isnan(log[0].rate_reference));
	for (unsigned i = 1; i < 3; i++) {
		ck_assert_int_eq(log[i].why, PSTK_TRAINED_CHANGED);
		/* two windows, of which the first one may have begun before */
		ck_assert_double_gt(log[i].at, changed[i]);
		ck_assert_double_lt(log[i].at, changed[i] + 4 * 16 * 0.1);
		ck_assert_uint_gt(log[i].items, 24);
		ck_assert(log[i].whole);
		ck_assert_double_eq_tol(
			log[i].rate_reference, log[i - 1].rate_after, 0.05 * log[i].rate_reference);
		ck_assert_double_ge(log[i].rate_after, (i == 1 ? 3 : 0.95) * log[i].rate_before);
		ck_assert_uint_eq(log[i].before.mask, log[i - 1].after.mask);
		ck_assert_uint_eq(log[i].before.threads, log[i - 1].after.threads);
	}
	/* small ones on both cores; large ones on the device, 3 ms each, and on a core or two, 24 ms */
	ck_assert_uint_eq(log[0].after.mask, 0);
	ck_assert_double_eq_tol(log[0].rate_after, 2000.0 / 3, 20);
	ck_assert_uint_eq(log[1].after.mask, 7);
	ck_assert_double_ge(log[1].rate_after, 1000.0 / 3);
	ck_assert_double_eq_tol(log[1].rate_before, 2000.0 / 24, 5);
	ck_assert_uint_eq(log[2].after.mask, 0);
	ck_assert_double_eq_tol(log[2].rate_after, 2000.0 / 3, 20);
	virtual_end(&v);
}
END_TEST

/* By the program: no rate was off. One that is given up has chosen nothing; what comes for it has its reason. */
START_TEST(why_it_trained)
{
	const struct ps_aim fixed = { .kind = PS_AIM_FIXED, .fixed = { .threads = 1 } };
	const struct pstk_pipeline_training *log = v.conductor.log;

	virtual_make(&v, 3, 2);
	begin();
	virtual_retrain(&v);
	while (v.begun == 1)
		virtual_run(&v, v.now + MS);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_int_eq(log[1].why, PSTK_TRAINED_ASKED);
	ck_assert(isnan(log[1].rate_after)); /* not yet */
	virtual_windows(&v, 3);
	ck_assert_double_eq_tol(log[1].rate_after, log[1].rate_before, 0.1 * log[1].rate_before);
	slow_down(2);
	while (v.begun == 2)
		virtual_run(&v, v.now + MS / 10);
	virtual_aim(&v, &fixed);
	virtual_run(&v, v.now + 100 * MS);
	ck_assert(log[2].why == PSTK_TRAINED_CHANGED && !log[2].whole && !log[2].after.threads);
	virtual_aim(&v, &adaptive);
	virtual_run(&v, v.now + 300 * SEC);
	ck_assert_uint_eq(v.trainings, 4);
	ck_assert(log[3].why == PSTK_TRAINED_CHANGED && log[3].whole && log[3].after.threads);
	virtual_end(&v);
}
END_TEST

/* -- asked for -- */

/* Without pause: trainings are never more than their share, and windows go on between them. */
START_TEST(without_pause)
{
	uint64_t from;

	virtual_make(&v, 3, 2);
	v.spec.max_overhead = bounds[_i];
	virtual_begin(&v, NULL);
	for (unsigned i = 0; i < 2000; i++) { /* also while it trains */
		virtual_retrain(&v);
		virtual_run(&v, v.now + MS / 10);
	}
	virtual_until(&v, PS_PHASE_STAY);
	from = v.trained_at;
	for (unsigned i = 0; i < 20000; i++) {
		virtual_retrain(&v);
		virtual_run(&v, v.now + MS);
		if (v.conductor.phase.kind == PS_PHASE_STAY)
			ck_assert_uint_lt(v.now - v.began, 1000 * SEC);
	}
	ck_assert_uint_gt(v.trainings, _i == 2 ? 0 : 2);
	ck_assert_uint_gt(v.conductor.monitor.windows + v.trainings, 3);
	ck_assert_double_le(v.costs, v.spec.max_overhead * 1.02 * 1e-9 * (double)(v.now - from) + v.dt);
	virtual_end(&v);
}
END_TEST

/* In the middle of a training: another one comes behind it, when it may. */
START_TEST(retrain_meanwhile)
{
	virtual_make(&v, 3, 2);
	virtual_begin(&v, NULL);
	virtual_until(&v, (enum ps_phase_kind)_i);
	virtual_run(&v, v.now + 100000);
	virtual_retrain(&v);
	ck_assert(!v.hastened);
	virtual_until(&v, PS_PHASE_STAY);
	ck_assert_uint_eq(v.begun, 1);
	ck_assert_uint_eq(v.choices, 1);
	virtual_run(&v, v.now + 1000 * SEC);
	ck_assert_uint_eq(v.begun, 2);
	virtual_end(&v);
}
END_TEST

/* -- random -- */

static double drawn_jitter;

static double jitter(const struct virtual_line *line, uint64_t item)
{
	uint64_t x = test_mix(item * 1000003 + line->stages);

	return x % 50 ? 1 + drawn_jitter * (double)(x >> 11) / (double)(UINT64_C(1) << 53) : 20;
}

static void draw_times(struct test_rng *rng)
{
	for (unsigned k = 0; k <= v.stages; k++) {
		v.h2d[k] = test_chance(rng, 50) ? 0 : test_between(rng, 1, 500000);
		v.d2h[k] = test_chance(rng, 50) ? 0 : test_between(rng, 1, 500000);
	}
	for (unsigned k = 0; k < v.stages; k++) {
		v.core[k] = test_between(rng, 10000, 5000000);
		v.medium[k] = v.core[k] / v.spec.cores + test_between(rng, 1, 200000);
		v.device[k] = test_between(rng, 10000, test_chance(rng, 30) ? 20000000 : 3000000);
	}
}

static void draw(struct test_rng *rng)
{
	static const double shares[] = { 0.5, 0.1, 0.05, 0.01 };
	unsigned stages = test_between(rng, 1, 4), cores = test_between(rng, 1, 4);

	virtual_make(&v, stages, cores);
	v.device_ok &= test_chance(rng, 60) ? UINT32_MAX : (uint32_t)test_random(rng);
	v.metered = test_chance(rng, 40);
	v.splits = v.metered && test_chance(rng, 30);
	v.spec.max_overhead = shares[test_between(rng, 0, 3)];
	v.spec.once = test_chance(rng, 10);
	v.spec.rule = (enum pstk_mapper_rule)test_between(rng, 0, 2);
	v.spec.candidates = test_between(rng, 1, 6);
	v.spec.repetitions = test_between(rng, 1, 4);
	v.spec.granularities =
		test_chance(rng, 60) ? PSTK_GRAIN_BOTH : (enum pstk_granularity)test_between(rng, 1, 2);
	if (v.metered && test_chance(rng, 50))
		v.spec.objective = test_chance(rng, 50) ? PSTK_OBJECTIVE_ENERGY : PSTK_OBJECTIVE_RATIO;
	drawn_jitter = test_chance(rng, 50) ? 0.02 : 0.3;
	v.factor = test_chance(rng, 50) ? jitter : NULL;
	draw_times(rng);
}

static struct ps_aim draw_aim(struct test_rng *rng)
{
	struct ps_aim aim = { .kind = test_between(rng, 0, 9) < 6 ? PS_AIM_ADAPTIVE
		                      : test_chance(rng, 50)      ? PS_AIM_BASELINE
		                                                  : PS_AIM_FIXED };

	if (aim.kind != PS_AIM_FIXED)
		return aim;
	aim.fixed.mask = v.device_ok & (uint32_t)test_random(rng);
	aim.fixed.medium_grain = test_chance(rng, 30);
	aim.fixed.threads =
		aim.fixed.medium_grain ? v.spec.cores + 1 : test_between(rng, 1, v.spec.cores + 1);
	return aim;
}

static void ask(struct test_rng *rng)
{
	struct ps_aim aim = draw_aim(rng);
	struct pstk_goal goal = { .struct_size = sizeof goal };

	switch (test_between(rng, 0, 8)) {
	case 0:
	case 1:
		virtual_aim(&v, &aim);
		break;
	case 2:
		virtual_aim(&v, &adaptive);
		break;
	case 3:
		goal.objective =
			v.metered && test_chance(rng, 50) ? PSTK_OBJECTIVE_ENERGY : PSTK_OBJECTIVE_THROUGHPUT;
		goal.min_rate = test_chance(rng, 50) ? 0 : test_between(rng, 1, 5000);
		virtual_goal(&v, &goal);
		break;
	case 4:
		virtual_retrain(&v);
		break;
	case 5:
		draw_times(rng);
		break;
	case 6:
		v.source_gap = test_chance(rng, 50) ? 0 : test_between(rng, 1, 20000000);
		v.source_at = v.now;
		break;
	case 7:
		v.sink_gap = test_chance(rng, 70) ? 0 : test_between(rng, 1, 10000000);
		v.sink_at = v.now;
		break;
	default:
		v.meter_fails = test_chance(rng, 20);
	}
}

START_TEST(random_lines)
{
	for (uint64_t round = 0, seed = test_seed(); round < test_rounds(300); round++, seed++) {
		struct test_rng rng = { .state = test_mix(seed) };
		struct ps_aim aim;

		test_guard("random line", seed);
		draw(&rng);
		aim = draw_aim(&rng);
		virtual_begin(&v, test_chance(&rng, 70) ? NULL : &aim);
		for (unsigned i = test_between(&rng, 1, 40); i; i--) {
			virtual_run(&v, v.now + (test_chance(&rng, 50) ? test_between(&rng, 0, 20000000)
								       : test_between(&rng, 0, 2000000000)));
			ask(&rng);
		}
		virtual_run(&v, v.now + 3 * SEC);
		virtual_end(&v);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conductor_monitor");
	TCase *c = test_case(suite, "windows");

	tcase_add_test(c, like_a_camera);
	tcase_add_test(c, like_a_slow_disk);
	tcase_add_test(c, starved_between);
	tcase_add_test(c, slow_behind_boundary);
	c = test_case(suite, "changes");
	tcase_add_test(c, small_change);
	tcase_add_test(c, one_window);
	tcase_add_loop_test(c, trains_once, 0, 2 * (int)TEST_COUNT(bounds));
	tcase_add_test(c, eq_2);
	tcase_add_test(c, goes_away);
	tcase_add_test(c, goal_behind_change);
	tcase_add_test(c, given_up);
	tcase_add_test(c, only_once);
	tcase_add_test(c, sizes_change);
	tcase_add_test(c, why_it_trained);
	c = test_case(suite, "asked");
	tcase_add_loop_test(c, without_pause, 0, (int)TEST_COUNT(bounds));
	tcase_add_loop_test(c, retrain_meanwhile, PS_PHASE_CORES, PS_PHASE_STAY);
	c = test_case(suite, "random");
	tcase_add_test(c, random_lines);
	return test_main(suite);
}
