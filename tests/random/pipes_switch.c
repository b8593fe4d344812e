/* SPDX-License-Identifier: MIT */
/*
 * What happens to pipelines of a random network while it runs: other configurations, asked for at any time by a thread
 * of its own and by actors in their callbacks; an error, an abort, a stop.
 */
#include "tests/random/pipes.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { SWITCHES = 200 };

enum pipes_event pipes_event;

static struct {
	struct run *run;
	unsigned numbers[NET_ACTORS], count; /* of the pipelines */
	pthread_t thread;
	bool has_thread, switches;
	atomic_bool running, ends; /* an actor has fired; the run is over */
	atomic_uint wrong;
	atomic_ullong switched;
} s;

/*
 * Configurations.
 */

/* Of stages with a form, such as "0110". */
static uint32_t draw_mask(const struct pipe *pipe, struct test_rng *rng, char *text)
{
	uint32_t mask = 0;

	if (pipe->forms)
		mask = pipe->forms & (test_chance(rng, 30) ? UINT32_MAX : test_between(rng, 0, 63));
	for (unsigned k = 0; k < pipe->plan.count; k++)
		text[k] = mask >> k & 1 ? '1' : '0';
	text[pipe->plan.count] = 0;
	return mask;
}

/* "": adaptive. */
void pipes_random_configuration(const struct pipe *pipe, struct test_rng *rng, char *text, size_t size)
{
	unsigned threads = pipe->actor->spec->cores + 1;
	bool full = test_chance(rng, 50), medium = test_chance(rng, 40);
	char mask[STAGES_MOST + 1];
	const char *coupling;
	uint32_t is;

	text[0] = 0;
	if (test_chance(rng, 10))
		return;
	is = draw_mask(pipe, rng, mask);
	coupling = !full ? "" : !is ? "CPU-" : is + 1 == 1u << pipe->plan.count ? "DP-" : "CP-";
	if (medium && full && !is)
		snprintf(text, size, "CPU-MG:%s:%u", mask, threads);
	else if (medium)
		snprintf(text, size, "MG:%s", mask);
	else
		snprintf(text, size, "%sCG:%s:%u", coupling, mask, test_between(rng, 1, threads));
}

/* Now and then something else is asked. */
static void ask_else(const struct pipe *pipe, struct test_rng *rng)
{
	const struct pstk_goal goal = { .struct_size = sizeof goal, .min_rate = test_between(rng, 0, 1000) };

	if (test_chance(rng, 10))
		pstk_pipeline_retrain(pipes_made(pipe), NULL, 0); /* not of one that does not adapt */
	if (test_chance(rng, 10) && pstk_pipeline_set_goal(pipes_made(pipe), &goal, NULL, 0))
		atomic_fetch_add(&s.wrong, 1);
	if (test_chance(rng, 10))
		pstk_pipeline_free_report(pstk_pipeline_get_report(pipes_made(pipe)));
}

/* One in ten is refused, and changes nothing. */
static void switch_one(struct test_rng *rng)
{
	const struct pipe *pipe = pipes_of(s.numbers[test_between(rng, 0, s.count - 1)]);
	char text[PSTK_CONFIGURATION_TEXT + 4], error[200];
	bool wrong = test_chance(rng, 10);
	int err;

	ask_else(pipe, rng);
	pipes_random_configuration(pipe, rng, text, PSTK_CONFIGURATION_TEXT);
	if (wrong)
		snprintf(text + strlen(text), sizeof text - strlen(text), ":x");
	err = pstk_pipeline_set_configuration(pipes_made(pipe), text[0] ? text : NULL, error, sizeof error);
	if (err != (wrong ? -EINVAL : 0) || !error[0] != !err)
		atomic_fetch_add(&s.wrong, 1);
	atomic_fetch_add(&s.switched, 1);
}

static void *act(void *unused)
{
	struct test_rng rng = { test_mix(s.run->net->seed ^ UINT64_C(0x5a17c4)) };
	unsigned left = test_between(&rng, 0, 30); /* until the event */
	bool happened = pipes_event <= PIPES_ERROR;

	(void)unused;
	for (unsigned asked = 0; !atomic_load(&s.ends) && asked < SWITCHES; asked++) {
		volatile unsigned spin;

		sched_yield();
		for (spin = test_between(&rng, 0, 3000); spin > 0; spin--)
			;
		if (s.switches)
			switch_one(&rng);
		while (!happened && !atomic_load(&s.running) && !atomic_load(&s.ends))
			sched_yield();
		if (happened || left--)
			continue;
		happened = true;
		if (pipes_event == PIPES_ABORT)
			pstk_network_abort(s.run->built.network);
		else
			pstk_network_stop(s.run->built.network);
	}
	return NULL;
}

void pipes_switch_any(const struct run_actor *actor)
{
	static _Thread_local uint64_t draws;
	struct test_rng rng = { test_mix(actor->net->seed + ++draws) };

	if (!s.count)
		return;
	if (!atomic_load(&s.running))
		atomic_store(&s.running, true);
	if (s.switches && test_chance(&rng, 3))
		switch_one(&rng);
}

/*
 * Errors.
 */

static void plan_error(struct run *run, struct test_rng *rng)
{
	struct pipe *pipe = pipes_of(s.numbers[test_between(rng, 0, s.count - 1)]);
	uint64_t items = run->oracle.actors[pipe->plan.number].ticks;

	if (items)
		pipe->first_error = test_between(rng, 0, (uint32_t)items - 1);
}

/* The first item with an error has one for certain: in stage 0, which is fired in each. */
unsigned pipes_fails_at(const struct pipe *pipe, uint64_t item)
{
	struct test_rng rng = { test_mix(pipe->plan.net->seed ^ (item + 0xe1)) };
	uint64_t items = pipe->run->oracle.actors[pipe->plan.number].ticks;

	if (item < pipe->first_error || (item > pipe->first_error && test_chance(&rng, 50)))
		return STAGES_MOST;
	return item + 1 >= items ? 0 : test_between(&rng, 0, pipe->plan.count - 1);
}

static uint64_t items_of(const struct pipe *pipe)
{
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(pstk_pipeline_actor(pipes_made(pipe)), &stats);
	return stats.firings;
}

/* The error is that of the first item with one, and names its stage. All items before it were published. */
static void judge_error(struct run *run, const struct pipe *pipe, int err, struct net_totals *totals)
{
	const char *text = pstk_network_error(run->built.network);
	uint64_t items = items_of(pipe);
	char stage[40], item[40];

	if (!err && run->oracle.actors[pipe->plan.number].least > pipe->first_error)
		run_say(run, "%s: no error, though item %" PRIu64 " has one", pipe->actor->spec->name,
			pipe->first_error);
	if (!err) {
		run_compare(run, totals);
		return;
	}
	snprintf(stage, sizeof stage, "stage '%s'",
		pipe->plan.list[pipes_fails_at(pipe, pipe->first_error)].actor.name);
	snprintf(item, sizeof item, "item %" PRIu64 " fails", pipe->first_error);
	if (err != -EIO || !strstr(text, stage) || !strstr(text, item) || items != pipe->first_error)
		run_say(run, "not '%s' of %s, but %d after %" PRIu64 " items: %s", item, stage, err, items,
			text);
	run_compare_failed(run);
}

/*
 * A run.
 */

void pipes_begin(struct run *run)
{
	struct test_rng rng = { test_mix(run->net->seed ^ UINT64_C(0x91be5)) };

	memset(&s, 0, sizeof s);
	s.run = run;
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (net_is_pipeline(&run->net->actors[a]))
			s.numbers[s.count++] = a;
	if (!s.count)
		return;
	s.switches = test_chance(&rng, 70);
	if (pipes_event == PIPES_ERROR)
		plan_error(run, &rng);
	if (s.switches || pipes_event > PIPES_ERROR)
		s.has_thread = !pthread_create(&s.thread, NULL, act, NULL);
}

static void judge(struct run *run, int err, struct net_totals *totals)
{
	const struct pipe *failing = NULL;

	for (unsigned i = 0; i < s.count; i++)
		if (pipes_of(s.numbers[i])->first_error < UINT64_MAX)
			failing = pipes_of(s.numbers[i]);
	if (pipes_event == PIPES_ERROR && failing)
		judge_error(run, failing, err, totals);
	else if (err && (err != -ECANCELED || pipes_event != PIPES_ABORT))
		run_say(run, "it ends with %d: %s", err, pstk_network_error(run->built.network));
	else
		run_compare_failed(run);
}

bool pipes_end(struct run *run, int err, struct net_totals *totals)
{
	atomic_store(&s.ends, true);
	if (s.has_thread)
		pthread_join(s.thread, NULL);
	if (atomic_load(&s.wrong))
		run_say(run, "pstk_pipeline_set_configuration() was wrong %u times", atomic_load(&s.wrong));
	totals->switches += atomic_load(&s.switched);
	if (pipes_event == PIPES_NOTHING || !s.count)
		return false;
	judge(run, err, totals);
	return true;
}
