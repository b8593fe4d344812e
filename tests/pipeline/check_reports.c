/* SPDX-License-Identifier: MIT */
/* What is told of networks with pipelines: tables, snapshots, causes, latencies, timelines, plans. */
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/pipeline/line.h"

#include <penstock/hosts.h>
#include <penstock/plan.h>

#include <errno.h>
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
	TCase *reports = test_case(suite, "reports"), *plan = test_case(suite, "plan");

	tcase_add_test(reports, tables);
	tcase_add_test(reports, no_score);
	tcase_add_test(reports, figures_of_stages);
	tcase_add_test(reports, questions_of_stages);
	tcase_add_test(reports, snapshots);
	tcase_add_test(reports, causes);
	tcase_add_test(reports, latencies);
	tcase_add_test(reports, timelines);
	tcase_add_test(reports, watchdog);
	tcase_add_test(plan, plans);
	tcase_add_test(plan, plan_of_the_network);
	tcase_add_test(plan, automatic_depths);
	return test_main(suite);
}
