/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_oracle.h"

#include <string.h>

void dyn_sim_init(struct dyn_sim *s, const struct dyn_net *net, const struct dyn_sequences *sequences,
	unsigned deeper, uint64_t seed)
{
	memset(s, 0, sizeof *s);
	s->net = net;
	s->sequences = sequences;
	s->rng.state = test_mix(seed);
	for (unsigned f = 0; f < net->fifo_count; f++)
		s->fifos[f].depth = (uint64_t)net->fifos[f].depth * deeper;
	for (unsigned a = 0; a < net->actor_count; a++) {
		s->group_of[a] = dyn_group_of(net, a);
		if (net->actors[a].values)
			s->control[a] = dyn_into(net, a, dyn_control_port(&net->actors[a]));
		for (unsigned f = 0; f < net->fifo_count; f++)
			if (net->fifos[f].src == a || net->fifos[f].dst == a)
				s->at[a][s->at_count[a]++] = f;
	}
}

void dyn_sim_end_at(struct dyn_sim *s, unsigned a, uint64_t ticks)
{
	s->actors[a].ends = true;
	s->actors[a].limit = ticks;
}

bool dyn_sim_endless(const struct dyn_sim *s)
{
	for (unsigned a = 0; a < s->net->actor_count; a++)
		if (s->actors[a].ticks == DYN_SIM_ENDLESS)
			return true;
	return false;
}

/* The tokens of the reader's next window that are there. */
static uint64_t valid(const struct dyn_sim *s, unsigned f)
{
	uint64_t rate = s->net->fifos[f].rate, have = s->net->fifos[f].delay + s->fifos[f].tokens;
	uint64_t taken = s->fifos[f].read * rate;

	if (have <= taken)
		return 0;
	return have - taken < rate ? have - taken : rate;
}

static bool has_window(const struct dyn_sim *s, unsigned f)
{
	return s->fifos[f].closed ? valid(s, f) > 0 : valid(s, f) == s->net->fifos[f].rate;
}

static bool has_room(const struct dyn_sim *s, unsigned f)
{
	return s->fifos[f].discards || s->fifos[f].written < s->fifos[f].read + s->fifos[f].depth;
}

static bool is_control(const struct dyn_sim *s, unsigned f)
{
	return s->net->actors[s->net->fifos[f].dst].ports[s->net->fifos[f].dst_port].kind == DYN_CONTROL;
}

/* Does the actor's next firing need this FIFO, as far as it knows? */
static bool needs(const struct dyn_sim *s, unsigned a, unsigned f, bool writer)
{
	const struct dyn_actor *actor = &s->net->actors[a];
	const struct dyn_fifo *fifo = &s->net->fifos[f];

	if (writer ? fifo->src != a : fifo->dst != a)
		return false;
	if (!writer && is_control(s, f))
		return !s->actors[a].decided;
	if (actor->values && !s->actors[a].decided)
		return !writer && actor->ports[fifo->dst_port].kind == DYN_INPUT;
	return dyn_on(actor, writer ? fifo->src_port : fifo->dst_port, s->actors[a].value);
}

static void end(struct dyn_sim *s, unsigned a)
{
	s->actors[a].ended = true;
	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];

		s->fifos[f].closed = s->fifos[f].closed || s->net->fifos[f].src == a;
		s->fifos[f].discards = s->fifos[f].discards || s->net->fifos[f].dst == a;
	}
}

static bool nobody_reads(const struct dyn_sim *s, unsigned a)
{
	bool any = false;

	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];

		if (s->net->fifos[f].src != a)
			continue;
		any = true;
		if (!s->fifos[f].discards)
			return false;
	}
	return any;
}

static bool input_ended(const struct dyn_sim *s, unsigned a)
{
	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];

		if (needs(s, a, f, false) && s->fifos[f].closed && !has_window(s, f))
			return true;
	}
	return false;
}

static bool reads_data(const struct dyn_sim *s, unsigned a, unsigned f)
{
	return !is_control(s, f) && needs(s, a, f, false);
}

/* What a firing gives to an output: as much of a window as it has got of its inputs' windows. */
static uint64_t given(const struct dyn_sim *s, unsigned a, uint64_t rate)
{
	uint64_t least = rate;

	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];
		uint64_t in_rate = s->net->fifos[f].rate, out;

		if (!reads_data(s, a, f))
			continue;
		out = (rate * valid(s, f) + in_rate - 1) / in_rate;
		least = out < least ? out : least;
	}
	return least;
}

/* Publishes what it holds, then frees it. */
static void complete(struct dyn_sim *s, unsigned a)
{
	struct dyn_sim_actor *actor = &s->actors[a];
	uint64_t tokens[DYN_FIFOS];

	for (unsigned i = 0; i < s->at_count[a]; i++) /* before a loop to itself gets some */
		tokens[i] = given(s, a, s->net->fifos[s->at[a][i]].rate);
	for (unsigned i = 0; i < s->at_count[a]; i++) {
		struct dyn_sim_fifo *fifo = &s->fifos[s->at[a][i]];

		if (reads_data(s, a, s->at[a][i])) {
			s->wrong = s->wrong || !has_window(s, s->at[a][i]);
			fifo->read++;
		}
		if (needs(s, a, s->at[a][i], true)) {
			s->wrong = s->wrong || !has_room(s, s->at[a][i]);
			fifo->written++;
			fifo->tokens += tokens[i];
		}
	}
	actor->busy = false;
	actor->decided = false;
	actor->ticks++;
	if ((actor->ends && actor->ticks == actor->limit) || actor->last)
		end(s, a);
}

/* Takes the control token; false: there is none. */
static bool decide(struct dyn_sim *s, unsigned a)
{
	struct dyn_sim_actor *actor = &s->actors[a];
	unsigned f = s->control[a];

	if (!has_window(s, f))
		return false;
	actor->value = dyn_value(s->net, s->sequences, s->group_of[a], s->fifos[f].read++);
	actor->decided = true;
	return true;
}

/* All windows that it needs. */
static bool take(struct dyn_sim *s, unsigned a)
{
	bool any = false, last = false;

	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];
		bool reads = reads_data(s, a, f), writes = needs(s, a, f, true);

		if ((reads && !has_window(s, f)) || (writes && !has_room(s, f)))
			return false;
		any = any || reads || writes;
		last = last || (reads && valid(s, f) < s->net->fifos[f].rate);
	}
	s->actors[a].busy = true;
	s->actors[a].last = last;
	s->actors[a].firings += any || !s->net->actors[a].port_count;
	return true;
}

/* One step of an actor; false: it can't make any. */
static bool step(struct dyn_sim *s, unsigned a)
{
	struct dyn_sim_actor *actor = &s->actors[a];

	if (actor->ended)
		return false;
	s->steps++;
	if (actor->busy) {
		complete(s, a);
		return true;
	}
	if (!actor->ends && actor->ticks == actor->limit)
		return false;
	if (nobody_reads(s, a)) {
		actor->unwanted = true;
		end(s, a);
		return true;
	}
	if (s->group_of[a] < DYN_GROUPS && !actor->decided && decide(s, a))
		return true;
	if (input_ended(s, a)) {
		end(s, a);
		return true;
	}
	return (s->group_of[a] == DYN_GROUPS || actor->decided) && take(s, a);
}

static bool round_of_steps(struct dyn_sim *s, unsigned lazy, unsigned eager)
{
	unsigned order[DYN_ACTORS];
	bool any = false;

	for (unsigned a = 0; a < s->net->actor_count; a++) {
		unsigned other = test_between(&s->rng, 0, a);

		order[a] = order[other];
		order[other] = a;
	}
	for (unsigned i = 0; i < s->net->actor_count; i++) {
		if (test_chance(&s->rng, lazy))
			continue;
		while (step(s, order[i])) {
			any = true;
			if (!test_chance(&s->rng, eager))
				break;
		}
	}
	return any;
}

void dyn_sim_run(struct dyn_sim *s)
{
	/* from all in turn to one as far as it gets */
	unsigned lazy = test_between(&s->rng, 0, 70), eager = test_between(&s->rng, 0, 95);

	while (round_of_steps(s, lazy, eager) || round_of_steps(s, 0, eager))
		;
}

uint32_t dyn_sim_waits(const struct dyn_sim *s, unsigned a, bool *room)
{
	uint32_t set = 0;

	if (s->actors[a].ended || s->actors[a].ticks == s->actors[a].limit)
		return 0;
	for (unsigned i = 0; i < s->at_count[a]; i++) {
		unsigned f = s->at[a][i];

		if (needs(s, a, f, false) && !has_window(s, f))
			set |= UINT32_C(1) << s->net->fifos[f].src;
		if (needs(s, a, f, true) && !has_room(s, f)) {
			set |= UINT32_C(1) << s->net->fifos[f].dst;
			*room = true;
		}
	}
	return set;
}

uint32_t dyn_sim_deadlocked(const struct dyn_sim *s, bool *room)
{
	uint32_t waits[DYN_ACTORS], back[DYN_ACTORS] = { 0 }, left = dyn_all(s->net->actor_count), before;
	bool rooms[DYN_ACTORS] = { false };

	*room = false;
	for (unsigned a = 0; a < s->net->actor_count; a++) {
		waits[a] = dyn_sim_waits(s, a, &rooms[a]);
		for (unsigned b = 0; b < s->net->actor_count; b++)
			if (waits[a] >> b & 1)
				back[b] |= UINT32_C(1) << a;
	}
	do { /* who waits for nobody that is left, or is awaited by nobody, is on no circle */
		before = left;
		for (unsigned a = 0; a < s->net->actor_count; a++)
			if (!(waits[a] & left) || !(back[a] & left))
				left &= ~(UINT32_C(1) << a);
	} while (left != before);
	for (unsigned a = 0; a < s->net->actor_count; a++)
		*room = *room || (left >> a & 1 && rooms[a]);
	return left;
}

/* Has the reader ended for want of this FIFO's window, and of nothing else? */
static bool was_last(const struct dyn_sim *s, unsigned fifo)
{
	unsigned a = s->net->fifos[fifo].dst;
	const struct dyn_sim_actor *actor = &s->actors[a];

	if (actor->unwanted || actor->last || (actor->ends && actor->ticks == actor->limit))
		return false;
	for (unsigned f = 0; f < s->net->fifo_count; f++)
		if (needs(s, a, f, false) && !has_window(s, f) && f != fifo)
			return false;
	return needs(s, a, fifo, false) && !has_window(s, fifo);
}

/* Did this reader need all that the (static) writer has written? A control token may be taken for a firing that
 * does not come about: that is no need. */
static bool needed_all(const struct dyn_sim *s, unsigned f)
{
	const struct dyn_fifo *fifo = &s->net->fifos[f];
	uint64_t needed = is_control(s, f) ? s->actors[fifo->dst].ticks : s->fifos[f].read;

	return !s->net->actors[fifo->src].values && !s->actors[fifo->src].unwanted &&
	       needed >= fifo->delay / fifo->rate + s->fifos[f].written;
}

void dyn_sim_sure(const struct dyn_sim *s, struct dyn_sure *sure)
{
	uint32_t outputs = 0, read; /* read: in no schedule did they end because nobody read them */

	memset(sure, 0, sizeof *sure);
	for (unsigned f = 0; f < s->net->fifo_count; f++)
		outputs |= UINT32_C(1) << s->net->fifos[f].src;
	sure->actors = read = dyn_all(s->net->actor_count) & ~outputs;
	for (unsigned i = 0; i < s->net->actor_count * s->net->fifo_count; i++) { /* far enough for all */
		unsigned f = i % s->net->fifo_count, dst = s->net->fifos[f].dst;
		uint32_t src = UINT32_C(1) << s->net->fifos[f].src;
		bool last = read >> dst & 1 && was_last(s, f);

		if (!last && !(sure->actors >> dst & 1 && needed_all(s, f)))
			continue;
		sure->actors |= src;
		read |= last ? src : 0;
		sure->written[f] = true;
	}
}
