/* SPDX-License-Identifier: MIT */
#include "lib/move/far.h"
#include "lib/base/memory.h"
#include "lib/firing/firing.h"
#include "lib/plan/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KIND_ASK = PS_FAR_KIND, KIND_ANSWER };

enum { TEXT = 200 };

struct ask {
	uint64_t wanted;
	uint32_t actor, number; /* number: of the move in the process that asks, and 1 */
	char to[PS_PLACE_NAME];
};

struct answer {
	uint64_t number, wanted, firing, in_flight, state_bytes, period_ns;
	uint32_t actor, state, script;
	int32_t err;
	uint32_t buffers_before, buffers_after;
	char from[PS_PLACE_NAME], text[TEXT];
};
_Static_assert(sizeof(struct answer) <= PS_REMOTE_MESSAGE, "an answer is one message");

void ps_far_join(struct pstk_network *net, struct ps_remote *remote, uint32_t rank, uint32_t ranks)
{
	struct ps_moving *g = net->moving;

	if (!g || !net->visits)
		return;
	g->remote = remote;
	g->rank = rank;
	g->ranks = ranks;
}

int ps_far_ask(struct pstk_actor *a, unsigned place, uint64_t firing)
{
	struct ps_moving *g = a->network->moving;
	struct ps_move *move = NULL;
	int number = -ECANCELED;

	if (!g) /* the start has failed before it was made */
		return number;
	pthread_mutex_lock(&g->lock);
	if (!g->over) {
		move = ps_move_make(g, a, (int)place, firing);
		number = move ? (int)(atomic_load(&move->number) - 1) : -EBUSY;
	}
	if (move) {
		move->far = true;
		ps_move_want(g, move);
	}
	pthread_mutex_unlock(&g->lock);
	if (move)
		ps_remote_wake(g->remote);
	return number;
}

/*
 * Telling.
 */

static int tell_ask(const struct ps_moving *g, const struct ps_move *move)
{
	const struct pstk_actor *a = move->is.actor;
	struct ask ask = {
		.wanted = move->is.wanted, .actor = a->index, .number = (uint32_t)atomic_load(&move->number)
	};

	snprintf(ask.to, sizeof ask.to, "%s", move->is.to);
	return ps_remote_tell(g->remote, ps_ranks_of_host(a->network, a->host), KIND_ASK, &ask, sizeof ask);
}

static int tell_answer(const struct ps_moving *g, const struct ps_move *move)
{
	const struct pstk_move *is = &move->is;
	struct answer answer = { .number = move->asked_number,
		.wanted = is->wanted,
		.firing = is->firing,
		.in_flight = is->in_flight,
		.state_bytes = is->state_bytes,
		.period_ns = is->period_ns,
		.actor = is->actor->index,
		.script = move->script,
		.state = (uint32_t)is->state,
		.err = is->err,
		.buffers_before = is->buffers_before,
		.buffers_after = is->buffers_after };

	if (move->tell_next == g->rank)
		return 0;
	snprintf(answer.from, sizeof answer.from, "%s", is->from);
	snprintf(answer.text, sizeof answer.text, "%.*s", TEXT - 1, is->text);
	return ps_remote_tell(g->remote, move->tell_next, KIND_ANSWER, &answer, sizeof answer);
}

/* Call with the lock held. true: it waits no more. A rank that has failed, or has said its last word, has its own end
 * of the move. */
static bool tell(struct ps_moving *g, struct ps_move *move)
{
	if (move->far)
		return tell_ask(g, move) != -EAGAIN;
	while (move->tell_next < move->tell_end && tell_answer(g, move) != -EAGAIN)
		move->tell_next++;
	return move->tell_next == move->tell_end;
}

/* Of an ask that was not taken up. */
static int tell_refusal(const struct ps_moving *g, const struct ps_refusal *of)
{
	struct answer answer = {
		.number = of->number, .actor = of->actor, .state = PSTK_MOVE_CANCELLED, .err = -EBUSY
	};

	snprintf(answer.text, sizeof answer.text,
		"%u moves are open at its own host, as many as there may be: wait for some, or raise "
		"pstk_network_set_moves()",
		g->kept);
	return ps_remote_tell(g->remote, of->rank, KIND_ANSWER, &answer, sizeof answer);
}

/* Call with the lock held. */
static void tell_refusals(struct ps_moving *g)
{
	while (g->refused_count && tell_refusal(g, &g->refused[g->refused_count - 1]) != -EAGAIN) {
		g->refused_count--;
		atomic_fetch_sub(&g->waiting, 1);
	}
}

bool ps_far_look(struct pstk_network *net)
{
	struct ps_moving *g = net->moving;

	if (!g || !atomic_load(&g->waiting))
		return true;
	pthread_mutex_lock(&g->lock);
	tell_refusals(g);
	for (unsigned i = 0; i < 2 * g->kept; i++)
		if (g->all[i].waits && tell(g, &g->all[i]))
			ps_move_want_no_more(g, &g->all[i]);
	pthread_mutex_unlock(&g->lock);
	return !atomic_load(&g->waiting);
}

/*
 * Hearing.
 */

/* Call with the lock held. Out of memory: the end of the network answers it. */
static void refuse(struct ps_moving *g, uint32_t rank, const struct ask *ask)
{
	struct ps_refusal *all = ps_memory_resize(g->refused, g->refused_count + 1, sizeof *all);

	if (!all)
		return;
	g->refused = all;
	all[g->refused_count++] =
		(struct ps_refusal){ .rank = rank, .actor = ask->actor, .number = ask->number };
	atomic_fetch_add(&g->waiting, 1);
	ps_remote_wake(g->remote);
}

/* Where the network is over, it soon is at the rank that asks, which cancels its move then. */
static void hear_ask(struct pstk_network *net, uint32_t rank, const struct ask *ask)
{
	struct pstk_actor *a = ask->actor < net->actor_count ? net->actors[ask->actor] : NULL;
	struct ps_moves *m = a && !ps_actor_away(a) ? a->task->moves : NULL;
	struct ps_moving *g = net->moving;
	struct ps_move *move;
	int place = m ? ps_place_find(a, ask->to) : -1;

	if (!m)
		return;
	pthread_mutex_lock(&g->lock);
	move = g->over ? NULL : ps_move_make(g, a, place < 0 ? 0 : place, ask->wanted);
	if (move) {
		move->asked_far = true;
		move->asked_by = rank;
		move->asked_number = ask->number;
	} else if (!g->over) {
		refuse(g, rank, ask);
	}
	if (move && m->ended)
		ps_move_close(g, move, PSTK_MOVE_CANCELLED, "the actor has ended before");
	else if (move && place < 0)
		ps_move_close(g, move, PSTK_MOVE_CANCELLED, "the actor has no such place at its own host");
	else if (move)
		ps_move_begin(m, move, (unsigned)place);
	pthread_mutex_unlock(&g->lock);
	if (move)
		ps_move_answered(g, net); /* it may be, which the program is told */
	ps_task_nudge(m->task);
}

static void take_answer(struct ps_move *move, const struct answer *answer)
{
	struct pstk_move *is = &move->is;

	is->err = answer->err;
	is->firing = answer->firing;
	is->in_flight = (unsigned)answer->in_flight;
	is->state_bytes = (size_t)answer->state_bytes;
	is->period_ns = answer->period_ns;
	is->buffers_before = answer->buffers_before;
	is->buffers_after = answer->buffers_after;
	snprintf(is->from, sizeof is->from, "%.*s", PS_PLACE_NAME - 1, answer->from);
	snprintf(is->text, sizeof is->text, "%.*s", TEXT - 1, answer->text);
}

/* Is it the answer to this one? A script is known by its firing, and its place among those of its actor for that one:
 * processes may have asked for others in another order. */
static bool is_meant(const struct ps_move *move, const struct answer *answer)
{
	uint64_t number = answer->script ? move->asked_number : atomic_load(&move->number);

	return move->script == answer->script && number == answer->number &&
	       move->is.actor->index == answer->actor &&
	       (!answer->script || move->is.wanted == answer->wanted);
}

static void hear_answer(struct pstk_network *net, const struct answer *answer)
{
	struct ps_moving *g = net->moving;

	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < 2 * g->kept; i++) {
		struct ps_move *move = &g->all[i];

		if (!atomic_load(&move->number) || !move->open || !move->far || !is_meant(move, answer))
			continue;
		take_answer(move, answer);
		ps_move_close(g, move, (enum pstk_move_state)answer->state, NULL);
		break;
	}
	pthread_mutex_unlock(&g->lock);
	ps_move_answered(g, net);
}

void ps_far_hear(struct pstk_network *net, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size)
{
	struct answer answer;
	struct ask ask;

	if (!net->moving)
		return;
	if (kind == KIND_ASK && size == sizeof ask) {
		memcpy(&ask, bytes, size);
		ask.to[sizeof ask.to - 1] = 0;
		hear_ask(net, rank, &ask);
	} else if (kind == KIND_ANSWER && size == sizeof answer) {
		memcpy(&answer, bytes, size);
		hear_answer(net, &answer);
	}
}
