/* SPDX-License-Identifier: MIT */
#include "lib/move/moving.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"

#include <errno.h>
#include <time.h>

static _Atomic(struct ps_moving *) staying;

/* The moves that are kept: so many open ones, and so many that were answered. */
static int make_records(struct ps_moving *g, unsigned kept)
{
	struct ps_move *all = ps_memory_zalloc(2 * (size_t)kept, sizeof *all);

	if (!all)
		return -ENOMEM;
	ps_memory_free(g->all);
	g->all = all;
	g->kept = kept;
	return 0;
}

static struct ps_moving *make(void)
{
	struct ps_moving *g = ps_memory_zalloc(1, sizeof *g);
	pthread_condattr_t attr;

	if (!g || make_records(g, PS_MOVES_KEPT)) {
		ps_memory_free(g);
		return NULL;
	}
	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->changed, &attr);
	pthread_condattr_destroy(&attr);
	return g;
}

struct ps_moving *ps_moving_of(struct pstk_network *net)
{
	if (!net->moving)
		net->moving = make();
	if (!net->moving)
		ps_network_problem(net, -ENOMEM, "network '%s': out of memory", net->name);
	return net->moving;
}

int pstk_network_set_moves(struct pstk_network *net, unsigned n)
{
	int err = ps_network_building(net, __func__);
	struct ps_moving *g = err ? NULL : ps_moving_of(net);

	if (err)
		return err;
	if (!g)
		return -ENOMEM;
	if (!n || n > PS_MOVES_MOST || atomic_load(&g->count))
		return ps_network_problem(net, -EINVAL,
			"network '%s': pstk_network_set_moves(%u): expected 1 to %d, before any move is "
			"asked for",
			net->name, n, PS_MOVES_MOST);
	return make_records(g, n) ? ps_network_problem(net, -ENOMEM, "network '%s': out of memory", net->name)
	                          : 0;
}

int pstk_network_on_move(struct pstk_network *net,
	void (*fn)(struct pstk_network *, unsigned, const struct pstk_move *, void *), void *data)
{
	int err = ps_network_building(net, __func__);
	struct ps_moving *g = err ? NULL : ps_moving_of(net);

	if (err)
		return err;
	if (!g)
		return -ENOMEM;
	g->on_move = fn;
	g->data = data;
	return 0;
}

/*
 * Start and end.
 */

static int prepare_actor(struct ps_moving *g, struct ps_task *t, struct ps_moves *m)
{
	const struct pstk_actor *a = t->actor;

	m->of = g;
	m->task = t;
	for (unsigned i = 0; i < PS_FLIGHTS; i++)
		ps_flight_prepare(&m->flights[i], g);
	if (a->state_size && !a->type.stateless) {
		m->state = ps_memory_zalloc(1, a->state_size);
		if (!m->state)
			return -ENOMEM;
	}
	t->moves = m;
	t->mover = &ps_moving_mover;
	return 0;
}

/* Of those before this one, that are of its actor and for its firing. Processes may have asked for others besides. */
static uint64_t count_scripts(const struct ps_moving *g, unsigned move)
{
	const struct pstk_move *is = &g->all[move].is;
	uint64_t count = 0;

	for (unsigned i = 0; i < move; i++)
		count += g->all[i].is.actor == is->actor && g->all[i].is.wanted == is->wanted;
	return count;
}

/* The moves that were asked for before the start, in their order. -ENOENT: pstk_actor_map() has changed the places
 * since, and the network has failed. */
static int take_scripts(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;
	int err = 0;

	for (unsigned i = 0; i < atomic_load(&g->count) && !err; i++) {
		struct ps_move *move = &g->all[i];
		struct pstk_actor *a = move->is.actor;
		int place = ps_place_find(a, move->is.to);

		move->script = true;
		move->asked_number = count_scripts(g, i);
		if (ps_actor_away(a) && a->visits)
			move->far = true;
		else if (ps_actor_away(a))
			ps_move_close(g, move, PSTK_MOVE_CANCELLED, "the actor runs on another host");
		else if (place < 0 || !a->task->moves)
			err = ps_network_fail(net, -ENOENT,
				"'%s' (%s): it is to move to '%s' at firing %llu, which is none of its "
				"places: declare "
				"it with pstk_actor_may_move() before the start",
				a->name, a->type.name, move->is.to, (unsigned long long)move->is.wanted);
		else
			ps_move_begin(a->task->moves, move, (unsigned)place);
	}
	return err;
}

static unsigned count_movable(const struct pstk_network *net)
{
	unsigned count = 0;

	for (unsigned i = 0; i < net->task_count; i++)
		count += net->tasks[i]->actor->places != NULL;
	return count;
}

int ps_moving_prepare(struct pstk_network *net)
{
	unsigned count = count_movable(net);
	struct ps_moving *g = net->moving;
	int err = 0;

	if (!g && !count && !net->visits)
		return 0;
	g = ps_moving_of(net);
	if (g)
		g->actors = ps_memory_zalloc(count + 1, sizeof *g->actors);
	if (!g || !g->actors)
		return ps_network_fail(net, -ENOMEM, "network '%s': out of memory for its start", net->name);
	for (unsigned i = 0; i < net->task_count && !err; i++)
		if (net->tasks[i]->actor->places)
			err = prepare_actor(g, net->tasks[i], &g->actors[g->actor_count++]);
	if (err)
		return ps_network_fail(net, err, "network '%s': out of memory for its start", net->name);
	return take_scripts(net);
}

/* Call with the lock held. true: some were open. */
static bool cancel(struct ps_moving *g, struct ps_moves *m)
{
	bool any = false;

	while (m->first && m->first != m->begun) {
		ps_move_answer(g, m, PSTK_MOVE_CANCELLED);
		any = true;
	}
	return any;
}

/* Call with the lock held: those that another process carries out. */
static bool cancel_others(struct ps_moving *g, const char *why)
{
	bool any = false;

	for (unsigned i = 0; i < 2 * g->kept; i++)
		if (g->all[i].open && g->all[i].far) {
			ps_move_close(g, &g->all[i], PSTK_MOVE_CANCELLED, why);
			any = true;
		}
	return any;
}

void ps_moving_cancel(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;
	bool any = false;

	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->over = true;
	for (unsigned i = 0; i < g->actor_count; i++)
		any |= cancel(g, &g->actors[i]);
	any |= cancel_others(g, ps_move_reason(net));
	pthread_mutex_unlock(&g->lock);
	if (any)
		ps_move_answered(g, net);
}

/* Of moves that were asked for before a start that has failed: they stand in no list. */
static void cancel_scripts(struct ps_moving *g)
{
	for (unsigned i = 0; i < 2 * g->kept; i++)
		if (g->all[i].open)
			ps_move_close(g, &g->all[i], PSTK_MOVE_CANCELLED, "the network did not start");
}

void ps_moving_end(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;

	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->over = true;
	for (unsigned i = 0; i < g->actor_count; i++) {
		g->actors[i].begun = NULL;
		cancel(g, &g->actors[i]);
	}
	cancel_others(g, "the network has ended");
	cancel_scripts(g);
	pthread_mutex_unlock(&g->lock);
	ps_move_answered(g, net);
	ps_moving_tell(net);
}

void ps_moving_free(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;

	if (!g)
		return;
	net->moving = NULL;
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	ps_memory_free(g->refused);
	for (unsigned i = 0; i < g->actor_count; i++) {
		ps_memory_free(g->actors[i].state);
		g->actors[i].state = NULL;
	}
	if (atomic_load(&g->awaited)) {
		g->next = atomic_load(&staying);
		while (!atomic_compare_exchange_weak(&staying, &g->next, g))
			;
		return;
	}
	ps_memory_free(g->actors);
	ps_memory_free(g->all);
	ps_memory_free(g);
}
