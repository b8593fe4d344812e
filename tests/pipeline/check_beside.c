/* SPDX-License-Identifier: MIT */
/* Pipelines beside a team: which thread fires an item, and what is known of waits at the ports. */
#include "lib/base/clock.h"
#include "lib/firing/reorder.h"
#include "lib/model/actor.h"
#include "lib/plan/threads.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team_member.h"
#include "tests/common/common.h"
#include "tests/pipeline/line.h"
#include "tests/pipeline/switch_net.h"

#include <errno.h>
#include <sched.h>

/*
 * Who fires.
 */

/* A stage that blocks keeps the whole pipeline off the team. */
START_TEST(a_stage_that_blocks)
{
	struct line line;

	line_begin(&line, 3, 200, 2);
	if (_i < 3)
		line.stages[_i]->type.blocks = true;
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	ck_assert_int_eq(pstk_network_set_threads(line.net, 2), 0);
	ck_assert_int_eq(ps_threads_on_team(pstk_pipeline_actor(line.pipeline)), _i == 3);
	ck_assert_int_eq(pstk_network_start(line.net), 0);
	ck_assert_int_eq(pstk_pipeline_actor(line.pipeline)->task->polled, _i == 3);
	ck_assert_int_eq(pstk_network_wait(line.net), 0);
	ck_assert_uint_eq(atomic_load(&line.collect.tokens), 200);
	ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/* Of 3 carriers; the same by a switch to it, from what the others fire. */
static const struct {
	const char *configuration, *from;
	unsigned team;
	bool members;
} who[] = { { "CG:000:1", "MG:000", 1, true }, { "CG:000:1", "MG:000", 2, true },
	{ "CG:000:2", "MG:000", 2, true }, { "CG:000:3", "MG:000", 4, true },
	{ "CG:000:2", "CG:000:1", 1, false }, { "CG:000:3", "CG:000:2", 2, false },
	{ "MG:000", "CG:000:1", 1, false }, { "MG:000", "CG:000:3", 4, false } };

static struct switch_net n;
static _Atomic uint64_t by_members, by_carriers;

static int count_threads(struct switch_net *net, unsigned stage, uint64_t item)
{
	(void)stage;
	(void)item;
	if (switch_is(net, who[*(unsigned *)net->data].configuration))
		atomic_fetch_add(ps_member_current ? &by_members : &by_carriers, 1);
	return PSTK_AGAIN;
}

static void switch_at_100(struct switch_net *net, uint64_t token)
{
	if (token != 100)
		return;
	test_await(&net->come, 100);
	switch_to(net, who[*(unsigned *)net->data].configuration);
	switch_await(net, who[*(unsigned *)net->data].configuration);
}

START_TEST(thread_of_items)
{
	unsigned row = (unsigned)_i / 2;
	bool switched = _i % 2;

	n = (struct switch_net){ .tokens = 200,
		.team = who[row].team,
		.configuration = switched ? who[row].from : who[row].configuration,
		.stage = count_threads,
		.source = switched ? switch_at_100 : NULL,
		.data = &row };
	atomic_store(&by_members, 0);
	atomic_store(&by_carriers, 0);
	switch_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
	ck_assert_int_eq(switch_finish(&n), 0);
	ck_assert_uint_eq(n.come, 200);
	ck_assert_uint_eq(
		who[row].members ? by_members : by_carriers, SWITCH_STAGES * (switched ? 100 : 200));
	ck_assert_uint_eq(who[row].members ? by_carriers : by_members, 0);
	ck_assert_uint_eq(atomic_load(&n.net->schedule->team->beside), 0); /* it has ended */
	pstk_network_destroy(n.net);
}
END_TEST

static int hold(struct pstk_firing *f, struct line_stage *at)
{
	while (pstk_firing_index(f) == 5 && !pstk_network_failed(at->of->net))
		sched_yield();
	return PSTK_AGAIN;
}

/* The watchdog says what would help only where an item holds up a member. */
START_TEST(the_watchdog_names_it)
{
	static const char advice[] = "it holds a thread of the team: ";
	struct line line;

	line_begin(&line, 3, 100, 1);
	line.at[1].act = hold;
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = _i ? "MG:000" : "CG:000:2")));
	ck_assert_int_eq(pstk_network_set_threads(line.net, 2), 0);
	ck_assert_int_eq(pstk_network_set_watchdog(line.net, 400000000, true), 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(line.net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(line.net), "'line' (pipeline): nothing has moved for ",
		"it is in fire() of stage1 for ", ", 5 firings");
	ck_assert_int_eq(test_log_has(advice), !_i);
	ck_assert_int_eq(test_log_has("set blocks in the type of that stage"), !_i);
	test_log_stop();
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Waits at the ports. The clock goes on only where the test says so.
 */

#define MS UINT64_C(1000000)

static _Atomic uint64_t now, stage_ms;

static uint64_t read_now(void)
{
	return atomic_load(&now);
}

static void begin(uint64_t tokens, unsigned team, const char *configuration)
{
	n = (struct switch_net){ .tokens = tokens, .team = team, .configuration = configuration };
	n.spec.max_overhead = 1;
	n.spec.repetitions = 1;
	atomic_store(&now, MS);
	atomic_store(&stage_ms, 1);
	ps_setting_clock = read_now;
}

static void start(void)
{
	switch_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
}

static int take_time(struct switch_net *net, unsigned stage, uint64_t item)
{
	(void)net;
	(void)stage;
	(void)item;
	atomic_fetch_add(&now, atomic_load(&stage_ms) * MS);
	return PSTK_AGAIN;
}

/* Each token comes when the one before is through and all members sleep. */
static void give_slowly(struct switch_net *net, uint64_t token)
{
	while (atomic_load(&net->come) < token || !ps_team_rests(net->net))
		sched_yield();
	atomic_fetch_add(&now, 40 * MS);
}

/* Is there no room for the source, and does nothing go on in the pipeline? */
static bool all_rest(const struct switch_net *net)
{
	const struct ps_task *source = net->net->actors[0]->task, *own = net->run->task;

	if (atomic_load(&own->ended))
		return true;
	return (!ps_fifo_may_write(&own->terms[0].fifo->fifo) || atomic_load(&source->ended)) &&
	       !ps_reorder_in_flight(own) && ps_team_rests(net->net);
}

/* Each is taken when the source can give no more, and the pipeline waits. */
static void take_slowly(struct switch_net *net, uint64_t token)
{
	(void)token;
	while (!all_rest(net))
		sched_yield();
	atomic_fetch_add(&now, 40 * MS);
}

static const struct {
	const char *configuration;
	unsigned team;
} waits[] = { { "CG:000:1", 1 }, { "CG:000:1", 2 }, { "CG:000:2", 2 }, { "CG:000:3", 2 }, { "CG:000:3", 4 },
	{ "MG:000", 1 }, { "MG:000", 2 } };

/* A slow source, or a slow sink: no window counts, and the port's waits are what the clock says at least. */
START_TEST(windows_that_wait)
{
	bool blocked = _i % 2;
	struct pstk_pipeline_report *r;

	begin(300, waits[_i / 2].team, waits[_i / 2].configuration);
	n.stage = take_time;
	n.source = blocked ? NULL : give_slowly;
	n.sink = blocked ? take_slowly : NULL;
	start();
	ck_assert_int_eq(switch_finish(&n), 0);
	r = pstk_pipeline_get_report(n.pipeline);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_ge(r->windows, 5);
	ck_assert_uint_eq(blocked ? r->blocked : r->starved, r->windows);
	ck_assert_uint_eq(blocked ? r->starved : r->blocked, 0);
	ck_assert_uint_ge(pstk_actor_port_wait_ns(pstk_pipeline_actor(n.pipeline), blocked), 250 * 40 * MS);
	pstk_pipeline_free_report(r);
	pstk_network_destroy(n.net);
	ps_setting_clock = ps_clock_ns;
}
END_TEST

static void slow_down(struct switch_net *net, uint64_t token)
{
	if (token == net->tokens / 2)
		atomic_store(&stage_ms, 5);
}

/* Like a camera: items of five times the work come as often as before, so nothing is to be learned. */
START_TEST(like_a_camera)
{
	struct pstk_pipeline_report *r;

	begin(1000, (unsigned)_i, NULL);
	n.stage = take_time;
	n.source = give_slowly;
	n.sink = slow_down;
	start();
	ck_assert_int_eq(switch_finish(&n), 0);
	r = pstk_pipeline_get_report(n.pipeline);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->trainings, 1);
	ck_assert_uint_ge(r->windows, 5);
	ck_assert_uint_eq(r->starved, r->windows);
	ck_assert(!n.run->conductor.pending);
	pstk_pipeline_free_report(r);
	pstk_network_destroy(n.net);
	ps_setting_clock = ps_clock_ns;
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("beside");
	TCase *c = test_case(suite, "threads");

	tcase_add_loop_test(c, a_stage_that_blocks, 0, 4);
	tcase_add_loop_test(c, thread_of_items, 0, 2 * (int)TEST_COUNT(who));
	tcase_add_loop_test(c, the_watchdog_names_it, 0, 2);
	c = test_case(suite, "waits");
	tcase_add_loop_test(c, windows_that_wait, 0, 2 * (int)TEST_COUNT(waits));
	tcase_add_loop_test(c, like_a_camera, 1, 5);
	return test_main(suite);
}
