/* SPDX-License-Identifier: MIT */
/* Life: the first and the last call of a network. */
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/firing/arrival.h"
#include "lib/firing/control_group.h"
#include "lib/firing/firing.h"
#include "lib/firing/latency.h"
#include "lib/firing/texts.h"
#include "lib/model/actor.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"
#include "lib/move/moving.h"
#include "lib/move/visits.h"
#include "lib/observe/snapshot.h"
#include "lib/observe/timeline.h"
#include "lib/observe/watchdog.h"
#include "lib/pipeline/carriage.h"
#include "lib/plan/threads.h"
#include "lib/run/backends.h"
#include "lib/run/hosts.h"
#include "lib/run/run.h"
#include "lib/run/runners.h"
#include "lib/run/signal.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread.h"

#include <errno.h>
#include <stdlib.h>

static int create_run(struct pstk_network *net)
{
	net->run = ps_memory_zalloc(1, sizeof *net->run);
	return net->run ? 0 : -ENOMEM;
}

/* What parts of the library keep of a network, but for the backends. */
static void free_parts(struct pstk_network *net)
{
	ps_schedule_free(net);
	ps_plan_free(net);
	ps_timeline_free(net);
	ps_watch_free(net);
	if (net->run) {
		ps_memory_free(net->run->alternate_stack);
		if (net->run->compare)
			fclose(net->run->compare);
		free(net->run->compared);
	}
	ps_memory_free(net->run);
}

struct pstk_network *pstk_network_create(const char *name)
{
	/* a name that can't be in a message is no reason to have no network */
	struct pstk_network *net = ps_network_create(ps_name_fault(name) ? "network" : name);

	if (net &&
		(ps_plan_create(net) || ps_watch_create(net) || ps_timeline_create(net) || create_run(net))) {
		free_parts(net);
		ps_network_free(net);
		net = NULL;
	}
	return net;
}

static void free_actor(struct pstk_actor *a)
{
	ps_backends_close_actor(a);
	ps_memory_free(a->decided);
	ps_memory_free(a->state);
	ps_actor_free(a);
}

static void free_fifo(struct pstk_fifo *f)
{
	ps_backends_close_fifo(f);
	ps_fifo_free(f);
}

static void free_pipelines(struct pstk_network *net)
{
	struct pstk_pipeline *p;

	while ((p = net->pipelines)) {
		net->pipelines = p->next;
		for (unsigned i = 0; i < p->inner_count; i++)
			free_fifo(p->inner[i]);
		for (unsigned k = 0; k < p->stage_count; k++)
			free_actor(p->stages[k]);
		ps_pipeline_free(p);
	}
}

/* Frees what start() has added, and what was built. No thread of the network runs. */
static void tear_down(struct pstk_network *net)
{
	ps_hosts_free(net);
	ps_control_group_free(net);
	ps_latency_free(net);
	ps_arrival_free(net);
	ps_visits_free(net);
	ps_moving_free(net);
	ps_runners_free(net);
	ps_detector_free(net);
	ps_carriages_free(net);
	for (unsigned i = 0; i < net->task_count; i++) {
		ps_thread_free(net->tasks[i]);
		ps_texts_take_back(net->tasks[i]);
		ps_firing_fini(net->tasks[i]);
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		free_fifo(net->fifos[i]);
	for (unsigned i = 0; i < net->actor_count; i++)
		free_actor(net->actors[i]);
	ps_tasks_free(net);
	ps_texts_free(net);
	free_pipelines(net);
	ps_backends_close(net);
	free_parts(net);
	ps_network_free(net);
}

void pstk_network_destroy(struct pstk_network *net)
{
	bool started;

	if (!net)
		return;
	if (ps_actor_current && ps_actor_current->network == net) {
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: pstk_network_destroy() in actor '%s': an actor can't destroy its own network; "
			"it was aborted",
			net->name, ps_actor_current->name);
		pstk_network_abort(net);
		return;
	}
	pthread_mutex_lock(&net->lock);
	started = net->state != PS_BUILD;
	if (!started)
		net->state = PS_FAILED_START; /* it never will be */
	pthread_mutex_unlock(&net->lock);
	if (started) {
		pstk_network_abort(net);
		pstk_network_wait(net);
	} else {
		ps_moving_end(net);
	}
	ps_signal_forget(net);
	ps_snapshot_forget(net);
	tear_down(net);
}
