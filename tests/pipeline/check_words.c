/* SPDX-License-Identifier: MIT */
/* Reports of pipelines: as numbers, and in words. */
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What pstk_pipeline_print() writes; until the next one. */
static const char *printed(const struct pstk_pipeline *p)
{
	static char text[8000];
	FILE *file = fmemopen(text, sizeof text - 1, "w");

	ck_assert_ptr_nonnull(file);
	memset(text, 0, sizeof text);
	ck_assert_int_eq(pstk_pipeline_print(p, file), 0);
	fclose(file);
	return text;
}

static struct pstk_pipeline_report *report_of(const struct pstk_pipeline *p)
{
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(p);

	ck_assert_ptr_nonnull(r);
	return r;
}

/* Figures of what has not run are none. */
START_TEST(not_run)
{
	struct pstk_pipeline_report *r;
	struct line line;

	line_begin(&line, 2, _i == 1 ? 0 : 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .min_rate = 3)));
	line.at[1].init_err = _i == 2 ? -EIO : 0;
	if (_i)
		ck_assert_int_eq(pstk_network_run(line.net), _i == 2 ? -EIO : 0);
	r = report_of(line.pipeline);
	ck_assert(!r->has_run && !r->met && !r->nearest && !r->tries);
	ck_assert(isnan(r->predicted.rate) && isnan(r->predicted.energy) && isnan(r->predicted_watts));
	ck_assert(isnan(r->rate) && isnan(r->energy) && isnan(r->reference) && isnan(r->watts));
	ck_assert_uint_eq(r->trainings + r->training_items + r->candidate_count + r->windows, 0);
	ck_assert_double_eq(r->min_rate, 3);
	ck_assert_double_eq(r->predicted_miss.rate + r->measured_miss.rate, 0);
	pstk_pipeline_free_report(r);
	ck_assert_str_eq(printed(line.pipeline), "pipeline 'line': it has not run\n");
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(refused)
{
	const struct pstk_pipeline *p;
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "CG:00:9")));
	p = pstk_network_pipeline(line.net, 0);
	ck_assert_ptr_null(pstk_pipeline_get_report(p));
	ck_assert_str_eq(printed(p), "pipeline 'line': it was refused, and has not run\n");
	ck_assert_int_eq(pstk_pipeline_print(NULL, stderr), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_print(p, NULL), -EINVAL);
	pstk_network_destroy(line.net);
}
END_TEST

/* What a training has measured: set below, by the conductor's own numbers. */
static void set_measured(struct pstk_pipeline *p, bool device, bool metered)
{
	struct ps_conductor *c = &p->run->conductor;
	struct ps_training *t = &c->training;

	*t = (struct ps_training){ .there = true };
	c->device_ok = device ? 2 : 0; /* the second stage */
	c->metered = metered;
	for (unsigned k = 0; k < 2; k++) {
		t->t_cg1[k] = 1e-3 * (k + 1);
		t->t_mg[k] = 0.5e-3 * (k + 1);
		t->t_g[k] = 0.25e-3 * (k + 1);
		t->e_cg1[k] = (struct pstk_joules){ 0.001 * (k + 1), 0.002, 0.003 };
		t->e_mg[k] = (struct pstk_joules){ 0.01 * (k + 1), 0.02, 0.03 };
		t->e_g[k] = (struct pstk_joules){ 0.1 * (k + 1), 0.2, 0.3 };
	}
	for (unsigned k = 0; k < 3; k++) {
		t->h2d[k] = 11e-6 * k;
		t->d2h[k] = 12e-6 * k;
	}
	for (unsigned n = 1; n <= 8; n++) {
		t->t_cg[n - 1] = 3e-3 / n;
		t->e_cg[n - 1] = (struct pstk_joules){ 0.004 * n, 0.005, 0.006 };
	}
}

/* .. and the words for that; each line as a whole. */
static const char *const measured[] = {
	"  T_CG(n)    1: 3.00 ms, 2: 1.50 ms, 3: 1.00 ms, 4: 750 us, 5: 600 us, 6: 500 us,\n"
	"             7: 429 us, 8: 375 us\n"
	"  stage       T_CG1       T_MG        T_G\n"
	"  stage0    1.00 ms     500 us          -\n"
	"  stage1    2.00 ms    1.00 ms          -\n"
	"  stage    one core",
	"8: 375 us\n"
	"  stage       T_CG1       T_MG        T_G        h2d        d2h\n"
	"  stage0    1.00 ms     500 us          -       0 ns       0 ns\n"
	"  stage1    2.00 ms    1.00 ms     500 us    11.0 us    12.0 us\n"
	"  end             -          -          -    22.0 us    24.0 us\n"
	"  stage    one core",
	"  T_CG(n)    1: 3.00 ms 15 mJ, 2: 1.50 ms 19 mJ, 3: 1.00 ms 23 mJ, 4: 750 us 27 mJ,\n"
	"             5: 600 us 31 mJ, 6: 500 us 35 mJ, 7: 429 us 39 mJ, 8: 375 us 43 mJ\n"
	"  stage       T_CG1       T_MG        T_G      E_CG1       E_MG        E_G\n"
	"  stage0    1.00 ms     500 us          -       6 mJ      60 mJ          -\n"
	"  stage1    2.00 ms    1.00 ms          -       7 mJ      70 mJ          -\n"
	"  stage    one core",
	"  stage       T_CG1       T_MG        T_G        h2d        d2h      E_CG1       E_MG        E_G\n"
	"  stage0    1.00 ms     500 us          -       0 ns       0 ns       6 mJ      60 mJ          -\n"
	"  stage1    2.00 ms    1.00 ms     500 us    11.0 us    12.0 us       7 mJ      70 mJ     700 mJ\n"
	"  end             -          -          -    22.0 us    24.0 us          -          -          -\n"
	"  stage    one core",
};

/* _i: 1: with a device, 2: with a meter; 4: coarse grain alone. */
START_TEST(measurements)
{
	bool coarse = _i & 4;
	struct line line;
	const char *text;

	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = 7, .configuration = "CG:00:1",
					 .granularities = coarse ? PSTK_GRAIN_COARSE : PSTK_GRAIN_BOTH)));
	line_run(&line);
	ck_assert_ptr_null(strstr(printed(line.pipeline), "T_CG"));
	set_measured(line.pipeline, _i & 1, _i & 2);
	text = printed(line.pipeline);
	if (!coarse)
		ck_assert_msg(strstr(text, measured[_i]) != NULL, "%s\nis not in\n%s", measured[_i], text);
	else
		TEST_SAYS(text, "  stage0    1.00 ms          -          -\n");
	pstk_network_destroy(line.net);
}
END_TEST

/* What is said beside the figures of trainings. */
START_TEST(words_of_trainings)
{
	static const struct {
		bool estimated, pending;
		double overhead_s;
		const char *words, *never[2];
	} cases[] = {
		{ true, false, 0, "             items came too slowly to measure threads side by side\n",
			{ "another one is wanted", "all but the first" } },
		{ false, true, 0, "             another one is wanted, and not allowed yet\n",
			{ "too slowly", "all but the first" } },
		{ false, false, 1e-3, " % of the time\n", { "too slowly", "another one is wanted" } },
	};
	struct ps_conductor *c;
	struct line line;
	const char *text;

	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	line_run(&line);
	c = &line.pipeline->run->conductor;
	set_measured(line.pipeline, false, false);
	c->trainings = 2;
	c->retrain = false;
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		c->training.estimated = cases[i].estimated;
		c->pending = cases[i].pending;
		c->overhead_s = cases[i].overhead_s;
		text = printed(line.pipeline);
		TEST_SAYS(text, cases[i].words, i == 2 ? "             all but the first took " : "");
		for (unsigned k = 0; k < 2; k++)
			ck_assert_msg(!strstr(text, cases[i].never[k]), "%s", text);
	}
	pstk_network_destroy(line.net);
}
END_TEST

/* Each of the latest: when, why, for how many items, what it has gained. */
START_TEST(words_of_each_training)
{
	static const struct {
		struct pstk_pipeline_training is;
		const char *words;
	} cases[] = {
		{ { .why = PSTK_TRAINED_FIRST, .rate_after = 50 },
			"at 0.000 s, the first: 296 items, 13.1 ms,\n               then CPU-CG:00:2, 50 "
			"items/s\n" },
		{ { .at = 4.2104,
			  .why = PSTK_TRAINED_CHANGED,
			  .rate_before = 812,
			  .rate_reference = 4180.4,
			  .rate_after = 1015 },
			"at 4.210 s, because the rate was 812 items/s, not 4180: 296 items, 13.1 ms,\n"
			"               then CPU-CG:00:2, 1015 items/s, 1.25 times what CPU-CG:00:1 gave\n" },
		{ { .at = 4, .why = PSTK_TRAINED_CHANGED, .rate_before = NAN, .rate_after = NAN },
			"at 4.000 s, because the rate had changed: 296 items, 13.1 ms,\n"
			"               then CPU-CG:00:2, no window counted\n" },
		{ { .at = 9, .why = PSTK_TRAINED_ASKED, .rate_before = NAN, .rate_after = 7 },
			"at 9.000 s, as the program wanted: 296 items, 13.1 ms,\n"
			"               then CPU-CG:00:2, 7 items/s\n" },
		{ { .at = 10, .why = PSTK_TRAINED_ASKED, .rate_before = 3, .rate_after = NAN },
			"at 10.000 s, as the program wanted: 296 items, 13.1 ms, given up\n" },
		{ { .at = 11, .why = PSTK_TRAINED_ASKED, .rate_before = 3, .rate_after = NAN },
			"at 11.000 s, as the program wanted: 296 items, 13.1 ms,\n"
			"               then CPU-CG:00:2, no window counts yet\n" },
	};
	struct ps_conductor *c;
	struct line line;

	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	line_run(&line);
	c = &line.pipeline->run->conductor;
	c->trainings = TEST_COUNT(cases);
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		c->log[i] = cases[i].is;
		c->log[i].items = 296;
		c->log[i].seconds = 0.0131;
		c->log[i].before.threads = 1;
		c->log[i].after.threads = i == 4 ? 0 : 2;
	}
	for (unsigned i = 0; i < TEST_COUNT(cases); i++)
		TEST_SAYS(printed(line.pipeline), cases[i].words);
	pstk_network_destroy(line.net);
}
END_TEST

/* The changes of its configuration: what was seen is not said again; what can't be. */
START_TEST(words_of_changes)
{
	static char text[2000];
	uint64_t seen = 0;
	struct line line;
	FILE *file;

	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "MG:00")));
	ck_assert_int_eq(pstk_pipeline_print_changes(line.pipeline, &seen, stderr), 0);
	ck_assert_uint_eq(seen, 0); /* none before it has begun */
	line_run(&line);
	for (unsigned i = 0; i < 2; i++) {
		file = fmemopen(text, sizeof text, "w");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(pstk_pipeline_print_changes(line.pipeline, &seen, file), 0);
		fclose(file);
		ck_assert_uint_eq(seen, 1);
		ck_assert_str_eq(
			text, i ? "" : "pipeline 'line': CPU-MG:00:3 from 0.000 s on, it was given\n");
		text[0] = '\0';
	}
	ck_assert_int_eq(pstk_pipeline_print_changes(NULL, &seen, stderr), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_print_changes(line.pipeline, NULL, stderr), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_print_changes(line.pipeline, &seen, NULL), -EINVAL);
	file = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(file);
	setbuf(file, NULL);
	seen = 0;
	ck_assert_int_eq(pstk_pipeline_print_changes(line.pipeline, &seen, file), -EIO);
	fclose(file);
	pstk_network_destroy(line.net);
	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "CG:00:9")));
	seen = 0;
	ck_assert_int_eq(pstk_pipeline_print_changes(pstk_network_pipeline(line.net, 0), &seen, stderr), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/* The latest eight of them, the oldest first. */
START_TEST(latest_trainings)
{
	static const unsigned counts[] = { 0, 1, 7, 8, 9, 29 };

	for (unsigned i = 0; i < TEST_COUNT(counts); i++) {
		unsigned count = counts[i], kept = count < 8 ? count : 8;
		struct pstk_pipeline_report *r;
		struct ps_conductor *c;
		struct line line;

		line_begin(&line, 2, 40, 1);
		ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "MG:00")));
		line_run(&line);
		c = &line.pipeline->run->conductor;
		c->trainings = count;
		for (unsigned n = 0; n < count; n++)
			c->log[n % 8].items = 100 + n;
		r = report_of(line.pipeline);
		ck_assert_uint_eq(r->trainings, count);
		ck_assert_uint_eq(r->latest_count, kept);
		for (unsigned k = 0; k < kept; k++)
			ck_assert_uint_eq(r->latest[k].items, 100 + count - kept + k);
		pstk_pipeline_free_report(r);
		pstk_network_destroy(line.net);
	}
}
END_TEST

#define SIM "sim:cores=2,core=5,device_idle=1,device=15,rest=3"

/* How joules were come by. Of whole items they are the meter's, of stages shares by time: which are there if stages
 * were measured, and are no share if there is one stage. */
static const struct {
	unsigned stages;
	const char *configuration, *meter;
	unsigned flags;
	const char *words;
} meters[] = {
	{ 2, NULL, SIM, PSTK_ENERGY_SPLIT | PSTK_ENERGY_SIMULATED, "  meter      sim (split, simulated)\n" },
	{ 1, NULL, SIM, PSTK_ENERGY_SIMULATED, "  meter      sim (simulated)\n" },
	{ 2, "CG:00:2", SIM, PSTK_ENERGY_SIMULATED, "  meter      sim (simulated)\n" },
	{ 2, NULL, "none", 0, NULL },
};

START_TEST(how_joules_were_come_by)
{
	struct pstk_pipeline_report *r;
	struct line line;
	const char *text;

	line_begin(&line, meters[_i].stages, 3000, 1);
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = meters[_i].configuration,
					 .meter = meters[_i].meter)));
	line_run(&line);
	r = report_of(line.pipeline);
	text = printed(line.pipeline);
	ck_assert_int_eq(r->has_measurements, !meters[_i].configuration);
	ck_assert_uint_eq(r->meter_flags, meters[_i].flags);
	if (meters[_i].words)
		TEST_SAYS(text, meters[_i].words);
	else
		ck_assert_ptr_null(strstr(text, "  meter "));
	pstk_pipeline_free_report(r);
	pstk_network_destroy(line.net);
}
END_TEST

/* What the conductor has found, and what is said of it. The configuration is the first candidate. */
static const struct {
	enum pstk_pipeline_why why;
	enum ps_phase_kind phase;
	double predicted,
		joules; /* of the first candidate; the other one has half the rate, and twice the joules */
	struct ps_monitor monitor;
	double min_rate, max_watts, interval;
	const char *words[5], *never[3];
} found[] = {
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 190800, 0.002,
		{ .rate = 60270.4,
			.joules = 0.003,
			.windows = 18,
			.starved = 18,
			.items = 300,
			.seconds = 0.005,
			.metered_items = 200,
			.all_joules = 0.5 },
		0, 0, 2,
		{ "pipeline 'line': CPU-CG:00:2, the best of the candidates\n"
		  "  predicted  190800 items/s, 2 mJ an item, 381.6 W\n"
		  "  measured   60270 items/s, 3 mJ an item, 180.8 W: the source's rate, all windows waited "
		  "for "
		  "input\n",
			"  candidate CPU-CG:00:2        predicted 190800 items/s, 2 mJ an item; tried 95400 "
			"items/s, "
			"4 mJ an item  <- chosen\n"
			"            CPU-CG:00:1        predicted 95400 items/s, 4 mJ an item; tried 47700 "
			"items/s, "
			"8 mJ an item\n",
			"the next may begin 2.00 s behind it" },
		{ "missed", "e+", "nearest" } },
	{ PSTK_WHY_PREDICTED, PS_PHASE_STAY, 29.97, NAN,
		{ .rate = 0.0333333, .joules = NAN, .windows = 2, .blocked = 2 }, 0, 0, INFINITY,
		{ "  predicted  29.97 items/s\n"
		  "  measured   0.03333 items/s: the sink's rate, all windows waited for room behind\n",
			"candidate CPU-CG:00:2        predicted 29.97 items/s; tried ", "  <- chosen\n",
			", max_overhead allows no other one\n" },
		{ "never", " J", " W" } },
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 10, 1e-7,
		{ .rate = 5e-7, .joules = 3, .windows = 4, .starved = 1, .blocked = 3 }, 0, 0, 1,
		{ "predicted  10 items/s, 100 nJ an item, 0.000001 W\n",
			"measured   0.0000005 items/s, 3 J an item, 0.0000015 W: the rate of source and "
			"sink, all windows "
			"waited for input or for room behind\n" },
		{ "e-" } },
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 100, NAN,
		{ .rate = 90, .joules = NAN, .windows = 4, .starved = 1, .blocked = 2 }, 0, 0, 1,
		{ "measured   90 items/s\n" }, { "the source's", "the sink's", "missed" } },
	/* limits */
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 190800, NAN, { .rate = 190000, .joules = NAN, .windows = 4 }, 200000,
		0, 1,
		{ "  min_rate   200000 items/s is missed: predicted 190800, 9200 below it; measured 190000, "
		  "10000 "
		  "below it\n"
		  "             no configuration is predicted to meet the limits: this one is the "
		  "nearest\n" },
		{ "max_watts", "although" } },
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 1000, 0.1,
		{ .rate = 1000, .joules = 0.25, .windows = 4, .starved = 4 }, 500, 200, 1,
		{ "  max_watts  200 W is missed: measured 250, 50 above it, although the prediction meets "
		  "it\n" },
		{ "min_rate", "nearest" } },
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 1000, 0.1, { .rate = 400, .joules = 0.2, .windows = 4 }, 500, 99.5,
		1,
		{ "  min_rate   500 items/s is missed: measured 400, 100 below it\n"
		  "  max_watts  99.5 W is missed: predicted 100, 0.5 above it\n",
			"no configuration is predicted to meet the limits" },
		{ "although" } },
	{ PSTK_WHY_TRIED, PS_PHASE_STAY, 1000, 0.1,
		{ .rate = 400, .joules = NAN, .windows = 4, .starved = 4 }, 500, 0, 1,
		{ "measured   400 items/s: the source's" }, { "missed" } },
	/* what was given follows from no candidate */
	{ PSTK_WHY_FIXED, PS_PHASE_STAY, 1000, 0.1, { .rate = 400, .joules = 0.5, .windows = 4 }, 500, 100, 1,
		{ "CPU-CG:00:2, it was given\n  measured   400 items/s, 500 mJ an item, 200 W\n"
		  "  min_rate   500 items/s is missed: measured 400, 100 below it\n"
		  "  max_watts  100 W is missed: measured 200, 100 above it\n" },
		{ "candidate", "predict", "nearest" } },
	{ PSTK_WHY_TRAINING, PS_PHASE_TRY, 1000, 0.1, { .joules = NAN }, 0, 0, 1,
		{ "CPU-CG:00:2, a candidate that is tried\n", "  <- is tried\n" },
		{ "chosen", "experiment" } },
	{ PSTK_WHY_TRAINING, PS_PHASE_SIDE, 1000, 0.1, { .joules = NAN }, 0, 0, 1,
		{ "CPU-CG:00:2, an experiment of a training\n" }, { "candidate" } },
};

static void set_found(struct pstk_pipeline *p, int i)
{
	struct ps_conductor *c = &p->run->conductor;

	c->why = found[i].why;
	c->phase.kind = found[i].phase;
	c->phase.setting.configuration = (struct pstk_configuration){ .threads = 2 };
	c->monitor = found[i].monitor;
	c->goal.min_rate = p->told.min_rate = found[i].min_rate;
	c->goal.max_watts = p->told.max_watts = found[i].max_watts;
	c->trainings = 1;
	c->interval = found[i].interval;
	c->candidate_count = c->candidate = 2;
	for (unsigned k = 0; k < 2; k++) {
		c->candidates[k].prediction = (struct pstk_prediction){ { .threads = 2 - k },
			found[i].predicted / (1 + k), found[i].joules * (1 + k), 0 };
		c->measured[k] = c->candidates[k].prediction;
		c->measured[k].rate /= 2;
		c->measured[k].energy *= 2;
	}
	c->predicted = c->candidates[0].prediction;
}

START_TEST(words)
{
	const struct ps_conductor *c;
	struct pstk_pipeline_report *r;
	struct line line;
	const char *text;

	line_begin(&line, 2, 40, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	line_run(&line);
	set_found(line.pipeline, _i);
	text = printed(line.pipeline);
	for (unsigned k = 0; k < 5 && found[_i].words[k]; k++)
		ck_assert_msg(strstr(text, found[_i].words[k]) != NULL, "%s\nis not in\n%s",
			found[_i].words[k], text);
	for (unsigned k = 0; k < 3 && found[_i].never[k]; k++)
		ck_assert_msg(!strstr(text, found[_i].never[k]), "%s\nis in\n%s", found[_i].never[k], text);
	/* as numbers */
	c = &line.pipeline->run->conductor;
	r = report_of(line.pipeline);
	ck_assert(r->has_run && r->tries == (found[_i].phase == PS_PHASE_TRY));
	ck_assert_double_eq(r->min_rate, found[_i].min_rate);
	ck_assert_double_eq(r->max_watts, found[_i].max_watts);
	if (!isnan(c->monitor.joules) && c->monitor.windows)
		ck_assert_double_eq_tol(r->watts, c->monitor.rate * c->monitor.joules, 1e-9 * r->watts);
	if (strstr(text, "0.5 above it"))
		ck_assert_double_eq_tol(r->predicted_miss.watts, 0.5, 1e-9);
	if (strstr(text, "100 below it"))
		ck_assert_double_eq_tol(r->measured_miss.rate, 100, 1e-9);
	ck_assert_int_eq(r->nearest, strstr(text, "nearest") != NULL);
	if (c->monitor.items > 0) {
		ck_assert_double_eq_tol(r->mean_rate, 60000, 1e-6);
		ck_assert_double_eq_tol(r->mean_energy, 0.0025, 1e-12);
	} else {
		ck_assert(isnan(r->mean_rate) && isnan(r->mean_energy));
	}
	pstk_pipeline_free_report(r);
	pstk_network_destroy(line.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipeline_words");
	TCase *text = test_case(suite, "words");

	tcase_add_loop_test(text, not_run, 0, 3);
	tcase_add_test(text, refused);
	tcase_add_loop_test(text, measurements, 0, TEST_COUNT(measured) + 1);
	tcase_add_test(text, words_of_trainings);
	tcase_add_test(text, words_of_each_training);
	tcase_add_test(text, words_of_changes);
	tcase_add_test(text, latest_trainings);
	tcase_add_loop_test(text, how_joules_were_come_by, 0, TEST_COUNT(meters));
	tcase_add_loop_test(text, words, 0, (int)TEST_COUNT(found));
	return test_main(suite);
}
