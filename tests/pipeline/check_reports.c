/* SPDX-License-Identifier: MIT */
/* What is told of networks with pipelines: tables, snapshots, causes, latencies, timelines, plans. */
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/pipeline/line.h"

#include <penstock/hosts.h>
#include <penstock/plan.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a call has written; until the next one. */
static const char *written(int (*call)(const struct pstk_network *, FILE *), const struct pstk_network *net)
{
	static char text[20000];
	FILE *file = fmemopen(text, sizeof text - 1, "w");

	ck_assert_ptr_nonnull(file);
	memset(text, 0, sizeof text);
	ck_assert_int_eq(call(net, file), 0);
	fclose(file);
	return text;
}

static int snapshot(const struct pstk_network *net, FILE *file)
{
	return pstk_network_snapshot((struct pstk_network *)(uintptr_t)net, file);
}

static void begin(struct line *line, const char *configuration)
{
	line_begin(line, 3, 3000, 1);
	ck_assert_ptr_nonnull(
		line_make(line, PSTK_PIPELINE(.cores = 3, .in_flight = 4, .configuration = configuration)));
}

/* The pipeline is a row, stages are none. */
START_TEST(tables)
{
	struct line line;

	begin(&line, "CG:000:4");
	TEST_SAYS(written(pstk_network_print, line.net), "count", "line", "collect");
	line_run(&line);
	TEST_SAYS(written(pstk_network_print, line.net), "count", "line", "collect");
	TEST_SAYS(written(pstk_network_print_stats, line.net), "count", "line", "collect", "3000");
	pstk_network_destroy(line.net);
}
END_TEST

static double count_scores(void *data, double rate, double joules)
{
	unsigned *calls = data;

	(void)joules;
	++*calls;
	return rate;
}

/* score() is for the thread that takes items: its data may be gone when a report is asked for. */
START_TEST(no_score)
{
	struct pstk_pipeline_report *report;
	unsigned calls = 0, before;
	struct line line;

	line_begin(&line, 3, 3000, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .objective = PSTK_OBJECTIVE_SCORE,
						       .score = count_scores, .data = &calls)));
	line_run(&line);
	before = calls;
	ck_assert_uint_gt(before, 0);
	report = pstk_pipeline_get_report(line.pipeline);
	ck_assert_ptr_nonnull(report);
	ck_assert(report->met);
	ck_assert_uint_eq(calls, before);
	pstk_pipeline_free_report(report);
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(figures_of_stages)
{
	struct pstk_actor_stats whole, stats;
	struct pstk_fifo_info info;
	struct line line;

	begin(&line, "MG:000");
	for (unsigned k = 0; k < 3; k++)
		ck_assert_int_eq(pstk_actor_get_stats(line.stages[k], &stats), 0);
	line_run(&line);
	ck_assert_int_eq(pstk_actor_get_stats(pstk_pipeline_actor(line.pipeline), &whole), 0);
	ck_assert_uint_eq(whole.firings, 3000);
	for (unsigned k = 0; k < 3; k++) {
		ck_assert_int_eq(pstk_actor_get_stats(line.stages[k], &stats), 0);
		ck_assert_uint_eq(stats.firings, 3000);
		ck_assert_uint_le(stats.fire_ns, whole.fire_ns);
	}
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pstk_fifo_get_info(pstk_pipeline_fifo(line.pipeline, i), &info), 0);
	pstk_network_destroy(line.net);
}
END_TEST

static void ask_of_stage(struct pstk_actor *a, bool began)
{
	struct pstk_actor_load load;
	char why[200], said[200];

	ck_assert_uint_eq(pstk_actor_repetitions(a), 1);
	ck_assert_int_eq(pstk_actor_get_load(a, &load), -EINVAL);
	ck_assert_uint_eq(pstk_actor_steps(a), 0);
	ck_assert(!began || pstk_actor_migrate(a, NULL, 0) < 0);
	ck_assert_int_lt(pstk_actor_say_move(a, said, sizeof said), 1);
	ck_assert_uint_ge(pstk_actor_concurrency(a, why, sizeof why), 1);
	ck_assert(!pstk_actor_guarded(a));
	ck_assert_ptr_eq(
		pstk_actor_network(a), pstk_actor_network(pstk_pipeline_actor(pstk_actor_pipeline(a))));
	pstk_actor_at(a);
	pstk_actor_place_name(a, 0);
	pstk_actor_host(a);
	pstk_actor_core(a);
	pstk_actor_cpu_ns(a);
	for (unsigned p = 0; p < 2; p++) {
		ck_assert_uint_eq(pstk_actor_port_waits(a, p), 0);
		ck_assert_uint_eq(pstk_actor_port_wait_ns(a, p), 0);
		ck_assert_uint_eq(pstk_actor_port_rate(a, p), 1);
		ck_assert_uint_eq(pstk_actor_port_token_size(a, p), 8);
		ck_assert_uint_eq(pstk_actor_port_history(a, p), 0);
	}
	ck_assert(began || !pstk_actor_state(a));
}

static void ask_of_fifo(struct pstk_fifo *f)
{
	struct pstk_fifo_load load;
	struct pstk_fifo_info info;
	struct pstk_arrival arrival;
	uint64_t windows = 7;

	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	ck_assert_int_eq(pstk_fifo_get_load(f, &load), -EINVAL);
	pstk_fifo_get_arrival(f, &arrival);
	ck_assert_uint_eq(pstk_fifo_latency_ns(f, &windows), 0);
	ck_assert_uint_eq(windows, 0);
}

/* A stage has no load, no waits, no latency of its own, and never another actor's. */
START_TEST(questions_of_stages)
{
	struct line line;

	line_begin(&line, 4, 500, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	pstk_network_set_sampling(line.net, 100000);
	pstk_network_set_latency(line.net, 1);
	pstk_network_note_arrivals(line.net);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 4; k++)
			ask_of_stage(line.stages[k], i);
		for (unsigned k = 0; k < 3; k++)
			ask_of_fifo(pstk_pipeline_fifo(line.pipeline, k));
		ck_assert_uint_eq(pstk_actor_repetitions(pstk_pipeline_actor(line.pipeline)), 1);
		if (!i)
			line_run(&line);
	}
	pstk_network_destroy(line.net);
}
END_TEST

/* Of one that waits for room, and has four items on their way. */
START_TEST(snapshots)
{
	struct line line;
	const char *text;

	begin(&line, "CG:000:2");
	TEST_SAYS(written(snapshot, line.net), "being built");
	atomic_store(&line.collect.allowed, 2);
	ck_assert_int_eq(pstk_network_start(line.net), 0);
	test_await(&line.collect.tokens, 2);
	test_await(&line.at[2].firings, 6);
	text = written(snapshot, line.net);
	TEST_SAYS(text, "count", "line", "collect");
	atomic_store(&line.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(line.net), 0);
	TEST_SAYS(written(snapshot, line.net), "line");
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(causes)
{
	struct line line;

	begin(&line, "CG:000:2");
	ck_assert_int_eq(pstk_network_set_sampling(line.net, 100000), 0);
	line_run(&line);
	TEST_SAYS(written(pstk_network_explain, line.net), "line");
	pstk_network_destroy(line.net);
}
END_TEST

/* Each window that is followed comes through. */
START_TEST(latencies)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_latency found;
		struct line line;

		begin(&line, i ? "MG:000" : "CG:000:4");
		ck_assert_int_eq(pstk_network_set_latency(line.net, 1), 0);
		line_run(&line);
		ck_assert_int_eq(pstk_network_latencies(line.net, &found, 1), 1);
		ck_assert_ptr_eq(found.source, line.first);
		ck_assert_ptr_eq(found.sink, line.last);
		ck_assert_uint_gt(found.arrived, 0);
		ck_assert_uint_le(found.arrived, found.followed);
		TEST_SAYS(written(pstk_network_print_latencies, line.net), "count", "collect");
		pstk_network_destroy(line.net);
	}
}
END_TEST

static unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* The pipeline's firings are on its threads. */
START_TEST(timelines)
{
	for (unsigned i = 0; i < 2; i++) {
		const char *path = test_file("timeline", "");
		static char text[8 << 20];
		struct line line;
		FILE *file;

		line_begin(&line, 3, 100, 1);
		ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 3, .in_flight = 4,
							       .configuration = i ? "MG:000" : "CG:000:4")));
		ck_assert_int_eq(pstk_network_set_trace(line.net, path, 1 << 20, PSTK_TRACE_LAST), 0);
		line_run(&line);
		pstk_network_destroy(line.net);
		memset(text, 0, sizeof text);
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
		fclose(file);
		test_files_remove();
		TEST_SAYS(text, "\"line\"", "\"count\"", "\"collect\"");
		ck_assert_uint_ge(count_of(text, "\"line\""), 100);
	}
}
END_TEST

/* A watchdog finds the network stuck behind a reader that is held, and ends it. */
START_TEST(watchdog)
{
	struct line line;

	test_log_start();
	begin(&line, "CG:000:2");
	atomic_store(&line.collect.allowed, 2);
	ck_assert_int_eq(pstk_network_set_watchdog(line.net, 200000000, true), 0);
	ck_assert_int_eq(pstk_network_run(line.net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(line.net), "collect");
	test_log_stop();
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Reports in words.
 */

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
		{ .rate = 60270.4, .joules = 0.003, .windows = 18, .starved = 18 }, 0, 0, 2,
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
	pstk_pipeline_free_report(r);
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Plans.
 */

static struct pstk_machine *one_host(void)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "h", 2, 0), 0);
	return m;
}

/* A plan knows one actor in place of the stages, and FIFOs keep room for the items in flight. */
START_TEST(plans)
{
	struct pstk_machine *machine = one_host();
	struct pstk_planned_actor actor;
	struct pstk_fifo_info info;
	struct pstk_plan *plan;
	struct line line;

	line_begin(&line, 3, 300, 1);
	pstk_actor_set_time(line.first, NULL, 1000);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 3, .in_flight = 4)));
	ck_assert_int_eq(pstk_actor_set_time(pstk_pipeline_actor(line.pipeline), NULL, 3000), 0);
	plan = pstk_plan_create(line.net, machine, NULL);
	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	ck_assert_int_eq(pstk_plan_get_actor(plan, 1, &actor), 0);
	ck_assert_str_eq(actor.name, "line");
	ck_assert_int_ne(pstk_plan_get_actor(plan, 3, &actor), 0);
	ck_assert_int_eq(pstk_plan_apply(line.net, plan), 0);
	line_run(&line);
	for (unsigned k = 0; k < 2; k++) {
		ck_assert_int_eq(pstk_fifo_get_info(line.fifos[k ? 3 : 0], &info), 0);
		ck_assert_uint_ge(info.depth, 4);
	}
	pstk_plan_destroy(plan);
	pstk_network_destroy(line.net);
	pstk_machine_destroy(machine);
}
END_TEST

START_TEST(plan_of_the_network)
{
	struct line line;

	begin(&line, "CG:000:2");
	ck_assert_msg(!pstk_network_plan(line.net, NULL), "%s", pstk_network_error(line.net));
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(automatic_depths)
{
	struct line line;

	begin(&line, "CG:000:2");
	pstk_network_set_flags(line.net, PSTK_DEPTH_AUTO);
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipeline_reports");
	TCase *reports = test_case(suite, "reports"), *text = test_case(suite, "words"),
	      *plan = test_case(suite, "plan");

	tcase_add_test(reports, tables);
	tcase_add_test(reports, no_score);
	tcase_add_test(reports, figures_of_stages);
	tcase_add_test(reports, questions_of_stages);
	tcase_add_test(reports, snapshots);
	tcase_add_test(reports, causes);
	tcase_add_test(reports, latencies);
	tcase_add_test(reports, timelines);
	tcase_add_test(reports, watchdog);
	tcase_add_loop_test(text, not_run, 0, 3);
	tcase_add_test(text, refused);
	tcase_add_test(text, latest_trainings);
	tcase_add_loop_test(text, how_joules_were_come_by, 0, TEST_COUNT(meters));
	tcase_add_loop_test(text, words, 0, (int)TEST_COUNT(found));
	tcase_add_test(plan, plans);
	tcase_add_test(plan, plan_of_the_network);
	tcase_add_test(plan, automatic_depths);
	return test_main(suite);
}
