/* SPDX-License-Identifier: MIT */
#include "lib/run/runners.h"
#include "lib/pipeline/carriage.h"
#include "lib/schedule/away.h"
#include "lib/schedule/launch.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team.h"
#include "lib/schedule/thread.h"

const struct ps_runner *ps_runners_first;

/* The first one that takes an actor fires it; the last one takes all. */
static const struct ps_runner *const runners[] = { &ps_carriage_runner, &ps_team_runner, &ps_launch_runner,
	&ps_thread_runner };
enum { RUNNERS = sizeof runners / sizeof *runners };

static const struct ps_runner *runner_of(const struct ps_task *t)
{
	unsigned i = 0;

	if (ps_runners_first && ps_runners_first->takes(t))
		return ps_runners_first;
	while (i < RUNNERS - 1 && !runners[i]->takes(t))
		i++;
	return runners[i];
}

int ps_runners_prepare(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = net->task_count; i < net->actor_count; i++)
		net->tasks[i]->runner = &ps_away_runner;
	for (unsigned i = 0; i < net->task_count; i++) {
		struct ps_task *t = net->tasks[i];

		t->runner = runner_of(t);
		t->polled = !t->runner->run;
		if (t->polled)
			net->schedule->poller = t->runner;
	}
	if (net->schedule->poller)
		err = net->schedule->poller->prepare(net);
	for (unsigned i = 0; i < RUNNERS && !err; i++)
		if (runners[i]->prepare && runners[i]->run)
			err = runners[i]->prepare(net);
	return err;
}

unsigned ps_runners_threads(const struct pstk_network *net)
{
	return net->schedule->poller ? net->schedule->poller->threads(net) : 0;
}

int ps_runners_begin(struct pstk_network *net, unsigned *created)
{
	*created = 0;
	return net->schedule->poller ? net->schedule->poller->begin(net, created) : 0;
}

void ps_runners_join(struct pstk_network *net, unsigned created)
{
	if (net->schedule->poller)
		net->schedule->poller->join(net, created);
}

void ps_runners_free(struct pstk_network *net)
{
	if (net->schedule && net->schedule->poller)
		net->schedule->poller->free(net);
}
