/* SPDX-License-Identifier: MIT */
/*
 * Boundary: what an actor's taker does between two firings when a move is due.
 *
 *   1. Firings that run side by side on the cores are published first: the taker takes no further one meanwhile.
 *   2. An actor that is not stateless waits for its own commands. The taker waits as if there were no room for one more
 *      firing in flight. It holds no window, so no other actor waits for it longer than for those commands.
 *   3. The state goes to the host, then to the new place. What fails here changes nothing: the actor stays.
 *   4. The actor is at the new place: its ends of FIFOs, and what fires it. Nothing can fail here.
 *
 * Commands of a stateless actor may still be in flight at the old place. Its neighbours wait for their events, window
 * by window (lib/opencl/cl_home.h).
 */
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/move/moving.h"
#include "lib/move/visits.h"

#include <stdio.h>
#include <string.h>

static const struct ps_actor_place *here(const struct pstk_actor *a)
{
	return &a->places[atomic_load_explicit(&a->place, memory_order_relaxed)];
}

static const struct ps_backend *backend_of(const struct pstk_actor *a)
{
	return ps_place_backend(a);
}

/* The first open move, if it is to begin before the next firing; NULL: none is. */
static struct ps_move *find_due(struct ps_moves *m)
{
	uint64_t taken = atomic_load_explicit(&m->task->taken, memory_order_relaxed);
	struct ps_move *move;

	pthread_mutex_lock(&m->of->lock);
	move = m->first && m->first->is.wanted <= taken ? m->first : NULL;
	m->begun = move;
	if (move && !move->is.began_ns) {
		move->is.began_ns = ps_clock_ns();
		move->is.period_ns = ps_flight_period(m);
		snprintf(move->is.from, sizeof move->is.from, "%s", here(m->task->actor)->name);
	}
	pthread_mutex_unlock(&m->of->lock);
	return move;
}

/* Are those side by side published, and the commands through that the state needs? */
static enum ps_firing_state wait_for_own(struct ps_moves *m, const struct ps_move *move)
{
	struct ps_task *t = m->task;
	struct pstk_actor *a = t->actor;
	enum ps_firing_state state;

	if (&a->places[move->to] == here(a))
		return PS_FIRING_READY;
	if (atomic_load(&t->taken) != atomic_load(&t->published)) {
		atomic_store(&t->most, 1);
		return PS_FIRING_WAIT;
	}
	if (a->type.stateless || !a->backend)
		return PS_FIRING_READY;
	state = backend_of(a)->idle(a);
	if (state == PS_FIRING_WAIT && !m->waits)
		t->announced = 0; /* a team's: not for room, which it may have announced already */
	m->waits = state == PS_FIRING_WAIT;
	return state;
}

/* Does the state that counts lie there, rather than on the host? fire_cl() keeps its on the host. */
static bool has_state(const struct pstk_actor *a, const struct ps_actor_place *p)
{
	return p->backend && !a->type.fire_cl && !a->guarded;
}

/* 0, or a negative errno with the text: then the state is where it was. */
static int move_state(struct ps_moves *m, const struct ps_actor_place *to, char text[PS_TEXT_SIZE])
{
	struct pstk_actor *a = m->task->actor;
	const struct ps_actor_place *from = here(a);
	const void *state = a->state;
	int err = 0;

	if (!m->state)
		return 0;
	if (has_state(a, from)) {
		err = from->backend->fetch_state(from, m->state, text);
		state = m->state;
	}
	if (!err && has_state(a, to))
		err = to->backend->put_state(to, state, text);
	else if (!err && state != a->state)
		memcpy(a->state, state, a->state_size);
	return err;
}

/* How many firings side by side there are to be where it is. */
static void set_most(struct ps_task *t)
{
	atomic_store(&t->most, t->actor->backend ? 1 : t->slot_count);
}

/* A window goes to another host in a letter, and one comes back; to a device there and back, too. */
static unsigned copies_at(const struct pstk_actor *a, unsigned place)
{
	const struct ps_actor_place *p = &a->places[place];
	const struct ps_backend *b = backend_of(a);

	if (p->far)
		return p->selector ? 4 : 2;
	return b ? b->copies_at(a, place) : 0;
}

/* *is: gets what is known of it. */
static void arrive(struct ps_moves *m, unsigned to, struct pstk_move *is)
{
	struct pstk_actor *a = m->task->actor;
	const struct ps_backend *b = backend_of(a);

	is->firing = atomic_load_explicit(&m->task->taken, memory_order_relaxed);
	if (&a->places[to] == here(a)) {
		is->switched_ns = ps_clock_ns();
		return;
	}
	is->in_flight = a->backend ? b->in_flight(here(a)) : 0;
	is->buffers_before = copies_at(a, atomic_load(&a->place));
	is->buffers_after = copies_at(a, to);
	if (b)
		b->arrive(a, to);
	else
		atomic_store(&a->place, to);
	is->switched_ns = ps_clock_ns();
}

/* What it has come to, for all threads that wait. */
static void answer(struct ps_moves *m, struct ps_move *move, const struct pstk_move *is, uint64_t state_ns)
{
	enum pstk_move_state state = is->err ? PSTK_MOVE_STAYED : PSTK_MOVE_DONE;

	if (state == PSTK_MOVE_DONE)
		ps_flight_follow(m, move, is->firing);
	pthread_mutex_lock(&m->of->lock);
	move->is = *is;
	move->state_ns = state_ns;
	m->begun = NULL;
	ps_move_answer(m->of, m, state);
	pthread_mutex_unlock(&m->of->lock);
	ps_move_answered(m->of, m->task->network);
}

/* Everything of it that is to be through is. */
static void carry_out(struct ps_moves *m, struct ps_move *move)
{
	struct pstk_actor *a = m->task->actor;
	const struct ps_actor_place *from = here(a), *to = &a->places[move->to];
	struct pstk_move is = move->is; /* only this thread changes what is open */
	uint64_t number = atomic_load(&move->number) - 1, begin = ps_clock_ns(), state_ns;
	char text[PS_TEXT_SIZE] = "";

	if (atomic_load(&to->dead)) {
		is.err = -ENODEV;
		snprintf(text, sizeof text, "%s has failed before", to->name);
	} else if (to != from) {
		is.err = move_state(m, to, text);
	}
	is.state_bytes = m->state && to != from ? a->state_size : 0;
	state_ns = is.state_bytes ? ps_clock_ns() - begin : 0;
	if (is.err) {
		snprintf(is.text, sizeof is.text, "%.255s", text);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING,
			"%s: move %llu: '%s' stays at %s, and not at %s: %s", a->network->name,
			(unsigned long long)number, a->name, from->name, to->name, text);
	} else {
		arrive(m, move->to, &is);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_INFO, "%s: move %llu: '%s' is at %s from firing %llu on",
			a->network->name, (unsigned long long)number, a->name, to->name,
			(unsigned long long)is.firing);
	}
	if (to != from)
		set_most(m->task);
	m->waits = false;
	answer(m, move, &is, state_ns);
}

static enum ps_firing_state step(struct ps_task *t)
{
	struct ps_moves *m = t->moves;
	struct ps_move *move;

	while ((move = find_due(m))) {
		enum ps_firing_state state = wait_for_own(m, move);

		if (state != PS_FIRING_READY)
			return state;
		carry_out(m, move);
	}
	return PS_FIRING_READY;
}

/* In the report it is a move that was made, and says why. */
static void failed_over(struct pstk_firing *f, unsigned place, int err, const char *text)
{
	struct ps_moves *m = f->task->moves;
	struct pstk_actor *a = f->actor;
	struct ps_move *move;

	pthread_mutex_lock(&m->of->lock);
	move = ps_move_make(m->of, a, (int)place, f->index); /* NULL: the log has it */
	if (move) {
		snprintf(move->is.from, sizeof move->is.from, "%s", here(a)->name);
		snprintf(move->is.text, sizeof move->is.text, "%.255s", text);
		move->is.err = err;
		move->is.firing = f->index;
		move->is.began_ns = move->is.switched_ns = move->is.asked_ns;
		ps_move_close(m->of, move, PSTK_MOVE_DONE, NULL);
	}
	pthread_mutex_unlock(&m->of->lock);
	ps_move_answered(m->of, a->network);
}

/* Nothing of its moves is open from here on. */
static void ended(struct ps_task *t)
{
	struct ps_moves *m = t->moves;
	bool any;

	pthread_mutex_lock(&m->of->lock);
	m->ended = true;
	m->begun = NULL;
	any = m->first;
	while (m->first)
		ps_move_answer(m->of, m, PSTK_MOVE_CANCELLED);
	pthread_mutex_unlock(&m->of->lock);
	if (any)
		ps_move_answered(m->of, t->network);
}

const struct ps_mover ps_moving_mover = {
	.step = step,
	.took = ps_flight_took,
	.published = ps_flight_published,
	.failed_over = failed_over,
	.fire_far = ps_visits_fire,
	.ended = ended,
};
