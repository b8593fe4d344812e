/* SPDX-License-Identifier: MIT */
/* Answer: moves are answered once. Waiting for that, and what is told of them. */
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/move/moving.h"
#include "lib/remote/remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * The list of an actor, and of those that were answered.
 */

static struct ps_move *find(const struct ps_moving *g, uint64_t number)
{
	for (unsigned i = 0; i < 2 * g->kept; i++)
		if (atomic_load(&g->all[i].number) == number + 1)
			return &g->all[i];
	return NULL;
}

struct ps_move *ps_move_make(struct ps_moving *g, struct pstk_actor *a, int place, uint64_t firing)
{
	struct ps_move *move = NULL;

	if (g->open == g->kept)
		return NULL;
	for (unsigned i = 0; i < 2 * g->kept && !move; i++)
		if (!atomic_load(&g->all[i].number))
			move = &g->all[i];
	if (!move) /* others are to be told of those that were answered */
		return NULL;
	memset(&move->is, 0, sizeof move->is);
	move->is.actor = a;
	move->is.wanted = firing;
	move->is.asked_ns = ps_clock_ns();
	snprintf(move->is.to, sizeof move->is.to, "%s", a->places[place].name);
	for (unsigned i = 0; i < PS_MOVE_FIRINGS; i++) {
		atomic_store(&move->taken[i], 0);
		atomic_store(&move->there[i], 0);
	}
	move->open = true;
	move->told = false;
	move->state_ns = 0;
	move->next = NULL;
	move->script = move->far = move->asked_far = move->waits = false;
	g->open++;
	atomic_store(&move->number, atomic_fetch_add(&g->count, 1) + 1);
	return move;
}

void ps_move_begin(struct ps_moves *m, struct ps_move *move, unsigned place)
{
	struct ps_move **at = &m->first;

	move->to = place;
	/* not in front of the one that is being carried out */
	while (*at && (*at == m->begun || (*at)->is.wanted <= move->is.wanted))
		at = &(*at)->next;
	move->next = *at;
	*at = move;
	ps_move_set_due(m);
}

void ps_move_set_due(struct ps_moves *m)
{
	atomic_store(&m->task->move_at, m->first ? m->first->is.wanted : UINT64_MAX);
}

/* The oldest ones that nothing needs any more. */
static void forget(struct ps_moving *g)
{
	while (g->answered > g->kept && g->oldest->told && !g->oldest->waits) {
		struct ps_move *move = g->oldest;

		g->oldest = move->next;
		if (!g->oldest)
			g->newest = NULL;
		g->answered--;
		atomic_store(&move->number, 0);
	}
}

void ps_move_want(struct ps_moving *g, struct ps_move *move)
{
	move->waits = true;
	atomic_fetch_add(&g->waiting, 1);
}

void ps_move_want_no_more(struct ps_moving *g, struct ps_move *move)
{
	if (!move->waits)
		return;
	move->waits = false;
	atomic_fetch_sub(&g->waiting, 1);
	forget(g);
}

/* To other processes: the one that has asked; of a script all, which have it, too. */
static void want_told(struct ps_moving *g, struct ps_move *move)
{
	ps_move_want_no_more(g, move); /* an ask that was not told yet */
	if (!g->remote || move->far || !move->is.actor->visits || (!move->asked_far && !move->script))
		return;
	move->tell_next = move->asked_far ? move->asked_by : 0;
	move->tell_end = move->asked_far ? move->asked_by + 1 : g->ranks;
	ps_move_want(g, move);
	ps_remote_wake(g->remote);
}

void ps_move_close(struct ps_moving *g, struct ps_move *move, enum pstk_move_state state, const char *why)
{
	move->is.state = state;
	if (why)
		snprintf(move->is.text, sizeof move->is.text, "%s", why);
	move->open = false;
	move->told = !g->on_move;
	move->next = NULL;
	if (g->newest)
		g->newest->next = move;
	else
		g->oldest = move;
	g->newest = move;
	g->answered++;
	g->open -= move->told;
	want_told(g, move);
	forget(g);
	pthread_cond_broadcast(&g->changed);
}

const char *ps_move_reason(const struct pstk_network *net)
{
	return atomic_load(&net->failed)                    ? "the network has failed"
	       : atomic_load(&net->fate) == PS_FATE_ABORTED ? "the network was aborted"
	                                                    : "the actor has ended before";
}

void ps_move_answer(struct ps_moving *g, struct ps_moves *m, enum pstk_move_state state)
{
	struct ps_move *move = m->first;

	m->first = move->next;
	ps_move_set_due(m);
	ps_move_close(g, move, state, state == PSTK_MOVE_CANCELLED ? ps_move_reason(m->task->network) : NULL);
}

void ps_move_answered(struct ps_moving *g, struct pstk_network *net)
{
	if (g->on_move)
		sem_post(&net->wake);
}

/*
 * What is told.
 */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds what follows from its firings' times, as far as they are known. */
static void add_figures(const struct ps_move *move, struct pstk_move *is)
{
	uint64_t there[PS_MOVE_FIRINGS], taken[PS_MOVE_FIRINGS];

	for (unsigned i = 0; i < PS_MOVE_FIRINGS; i++) {
		there[i] = atomic_load(&move->there[i]);
		taken[i] = atomic_load(&move->taken[i]);
	}
	is->first_ns = there[PS_FIRST_NEW];
	if (there[PS_LAST_OLD])
		is->latency_before_ns = there[PS_LAST_OLD] - taken[PS_LAST_OLD];
	if (is->first_ns)
		is->latency_after_ns = is->first_ns - taken[PS_FIRST_NEW];
	if (is->first_ns && !is->actor->type.stateless)
		is->bound_ns = is->latency_after_ns + is->period_ns + move->state_ns;
	else if (is->first_ns && there[PS_LAST_OLD])
		is->bound_ns = is->period_ns + (is->latency_after_ns > is->latency_before_ns
							       ? is->latency_after_ns - is->latency_before_ns
							       : 0);
	/* readers have them in order: what is there before the one in front of it comes with that */
	there[PS_FIRST_NEW] = later(there[PS_FIRST_NEW], there[PS_LAST_OLD]);
	there[PS_SECOND_NEW] = there[PS_SECOND_NEW] ? later(there[PS_SECOND_NEW], there[PS_FIRST_NEW]) : 0;
	if (there[PS_LAST_OLD] && is->first_ns && there[PS_SECOND_NEW])
		is->gap_ns = later(
			there[PS_FIRST_NEW] - there[PS_LAST_OLD], there[PS_SECOND_NEW] - there[PS_FIRST_NEW]);
}

/* Call with the lock held. */
static struct pstk_move describe(const struct ps_move *move)
{
	struct pstk_move is = move->is;

	is.struct_size = (uint32_t)sizeof is;
	if (is.state == PSTK_MOVE_DONE)
		add_figures(move, &is);
	return is;
}

int pstk_network_move(const struct pstk_network *net, unsigned number, struct pstk_move *out)
{
	struct ps_moving *g = net ? net->moving : NULL;
	struct ps_move *move = NULL;
	struct pstk_move is;
	uint32_t size;

	if (!net || !out || out->struct_size < sizeof out->struct_size || out->struct_size > PS_STRUCT_MAX)
		return -EINVAL;
	if (!g)
		return -ENOENT;
	pthread_mutex_lock(&g->lock);
	move = find(g, number);
	if (move)
		is = describe(move);
	pthread_mutex_unlock(&g->lock);
	if (!move)
		return -ENOENT;
	/* a program of another version knows fewer members, or more */
	size = out->struct_size;
	memset(out, 0, size);
	memcpy(out, &is, size < sizeof is ? size : sizeof is);
	out->struct_size = size;
	return 0;
}

int pstk_network_kept_move(const struct pstk_network *net, unsigned from)
{
	struct ps_moving *g = net ? net->moving : NULL;
	uint64_t least = UINT64_MAX;

	if (!g)
		return -ENOENT;
	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < 2 * g->kept; i++) {
		uint64_t number = atomic_load(&g->all[i].number);

		if (number > from && number < least)
			least = number;
	}
	pthread_mutex_unlock(&g->lock);
	return least < UINT64_MAX ? (int)(least - 1) : -ENOENT;
}

unsigned pstk_network_move_count(const struct pstk_network *net)
{
	return net && net->moving ? atomic_load(&net->moving->count) : 0;
}

void ps_moving_say(const struct pstk_actor *a, struct ps_text *t)
{
	struct ps_moves *m = a->task ? a->task->moves : NULL;
	const struct ps_move *move;

	if (!m)
		return;
	ps_text_add(t, ", at %.64s", a->places[atomic_load(&a->place)].name);
	pthread_mutex_lock(&m->of->lock);
	move = m->first;
	if (move)
		ps_text_add(t, ", move %llu to %.64s waits for ",
			(unsigned long long)atomic_load(&move->number) - 1, move->is.to);
	if (move && move == m->begun)
		ps_text_add(t, "its own commands");
	else if (move && move->is.wanted > atomic_load_explicit(&a->task->taken, memory_order_relaxed))
		ps_text_add(t, "firing %llu", (unsigned long long)move->is.wanted);
	else if (move)
		ps_text_add(t, "the end of a firing");
	pthread_mutex_unlock(&m->of->lock);
}

/* Call with the lock held. false: the deadline has passed. */
static bool wait_changed(struct ps_moving *g, uint64_t deadline)
{
	struct timespec until = { .tv_sec = (time_t)(deadline / 1000000000u),
		.tv_nsec = (long)(deadline % 1000000000u) };

	if (deadline == UINT64_MAX)
		return !pthread_cond_wait(&g->changed, &g->lock);
	return pthread_cond_timedwait(&g->changed, &g->lock, &until) != ETIMEDOUT;
}

int pstk_network_wait_move(struct pstk_network *net, unsigned number, uint64_t ns)
{
	struct ps_moving *g = net ? net->moving : NULL;
	uint64_t deadline = UINT64_MAX;
	struct ps_move *move;
	int err = 0;

	if (!net)
		return -EINVAL;
	if (ps_actor_current && ps_actor_current->network == net)
		return -EDEADLK;
	if (!g)
		return -ENOENT;
	if (ns && __builtin_add_overflow(ps_clock_ns(), ns, &deadline))
		deadline = UINT64_MAX;
	pthread_mutex_lock(&g->lock);
	move = find(g, number);
	if (!move)
		err = -ENOENT;
	/* one that is not kept any more has been answered */
	while (!err && (move = find(g, number)) && move->open)
		err = wait_changed(g, deadline) ? 0 : -ETIMEDOUT;
	pthread_mutex_unlock(&g->lock);
	return err;
}

/* Call with the lock held. The oldest one of which the program's function does not know. */
static struct ps_move *find_untold(const struct ps_moving *g)
{
	struct ps_move *move = g->oldest;

	while (move && move->told)
		move = move->next;
	return move;
}

void ps_moving_tell(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;
	struct ps_move *move;

	if (!g || !g->on_move)
		return;
	pthread_mutex_lock(&g->lock);
	while ((move = find_untold(g))) {
		struct pstk_move is = describe(move);
		unsigned number = (unsigned)(atomic_load(&move->number) - 1);

		move->told = true;
		g->open--;
		forget(g);
		pthread_mutex_unlock(&g->lock);
		g->on_move(net, number, &is, g->data);
		pthread_mutex_lock(&g->lock);
	}
	pthread_mutex_unlock(&g->lock);
}
