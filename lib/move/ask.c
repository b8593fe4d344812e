/* SPDX-License-Identifier: MIT */
/* Ask: moves that are asked for, or refused. */
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/firing/firing.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/move/far.h"
#include "lib/move/moving.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Why this thread's latest call was refused, by the network of this number. */
static _Thread_local struct {
	uint64_t network;
	char text[PS_TEXT_SIZE];
} refusal;

/* While it is built it is the network's problem; while it runs nothing of it changes. */
PSTK_PRINTF(4, 5)
static int refuse(struct pstk_actor *a, bool building, int err, const char *format, ...)
{
	char why[PS_TEXT_SIZE - 140];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	if (building)
		return ps_network_problem(a->network, err, "'%s' (%s): %s", a->name, a->type.name, why);
	refusal.network = a->network->number;
	snprintf(refusal.text, sizeof refusal.text, "'%.60s' (%.60s): %s", a->name, a->type.name, why);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: %s", a->network->name, refusal.text);
	return err;
}

static int no_place(struct pstk_actor *a, bool building, const char *to)
{
	return refuse(a, building, -ENOENT,
		"it can't move to '%.64s', which is none of its places: declare it with "
		"pstk_actor_may_move() before "
		"the start",
		to);
}

static int too_many(struct pstk_actor *a, bool building, unsigned kept)
{
	return refuse(a, building, -EBUSY,
		"%u moves of this network are open, as many as there may be: wait for some, or raise "
		"pstk_network_set_moves()",
		kept);
}

/* Its place in the list is known only at the start. */
static int ask_before_start(struct pstk_actor *a, const char *device, uint64_t firing)
{
	struct ps_moving *g = ps_moving_of(a->network);
	struct ps_move *move;

	if (!g)
		return -ENOMEM;
	if (!firing)
		return refuse(a, true, -EINVAL,
			"pstk_actor_migrate() before the start, for firing 0: map it there, or say from "
			"which firing "
			"on");
	if (ps_place_find(a, device) < 0)
		return no_place(a, true, device ? device : "cores");
	move = ps_move_make(g, a, ps_place_find(a, device), firing);
	return move ? (int)(atomic_load(&move->number) - 1) : too_many(a, true, g->kept);
}

/* Call with the lock held. */
static int ask(struct ps_moving *g, struct ps_moves *m, unsigned place, uint64_t firing)
{
	struct ps_move *move;

	if (m->ended || g->over)
		return -ECANCELED;
	move = ps_move_make(g, m->task->actor, (int)place, firing);
	if (!move)
		return -EBUSY;
	ps_move_begin(m, move, place);
	return (int)(atomic_load(&move->number) - 1);
}

/* Of a network that was started. 0: it may be asked. */
static int check_state(struct pstk_actor *a, enum ps_network_state state)
{
	if (state == PS_STARTING && (!ps_actor_current || ps_actor_current->network != a->network))
		return refuse(a, false, -EBUSY, "it can't move yet: the network is just starting");
	if (state == PS_FAILED_START)
		return refuse(a, false, -ECANCELED, "it can't move any more: the network did not start");
	return 0;
}

int pstk_actor_migrate(struct pstk_actor *a, const char *device, uint64_t firing)
{
	struct ps_moving *g;
	struct ps_moves *m;
	int place, number, err;
	enum ps_network_state state;

	if (!a)
		return -EINVAL;
	pthread_mutex_lock(&a->network->lock);
	state = a->network->state;
	pthread_mutex_unlock(&a->network->lock);
	if (a->pipeline)
		return refuse(a, state == PS_BUILD, -EBUSY,
			"it is moved by pipeline '%s' alone: pstk_pipeline_set_configuration() says "
			"where its stages run",
			a->pipeline->actor->name);
	if (state == PS_BUILD)
		return ask_before_start(a, device, firing);
	err = check_state(a, state);
	if (err)
		return err;
	g = a->network->moving;
	m = a->task ? a->task->moves : NULL;
	place = m || (ps_actor_away(a) && a->visits) ? ps_place_find(a, device) : -1;
	if (place < 0 && ps_actor_away(a) && !a->visits)
		return refuse(a, false, -ENOENT,
			"it runs on another host, and has no place but there: only that host's process moves "
			"it");
	if (place < 0)
		return no_place(a, false, device ? device : "cores");
	if (m) {
		pthread_mutex_lock(&g->lock);
		number = ask(g, m, (unsigned)place, firing);
		pthread_mutex_unlock(&g->lock);
	} else {
		number = ps_far_ask(a, (unsigned)place, firing);
	}
	if (number == -ECANCELED)
		return refuse(a, false, number, "it can't move any more: it, or the network, has ended");
	if (number == -EBUSY)
		return too_many(a, false, g->kept);
	if (m)
		ps_task_nudge(m->task); /* it may wait at a port */
	return number;
}

int pstk_network_move_refusal(const struct pstk_network *net, char *text, size_t size)
{
	const char *is = net && refusal.network == net->number ? refusal.text : "";

	if (text && size)
		snprintf(text, size, "%s", is);
	return (int)strlen(is);
}
