/* SPDX-License-Identifier: MIT */
#include "tests/random/oracle.h"

#include <string.h>

void oracle_init(struct oracle *o, const struct net *net, const struct net_sequences *sequences,
	unsigned deeper, uint64_t seed)
{
	memset(o, 0, sizeof *o);
	o->net = net;
	o->sequences = sequences;
	o->rng.state = test_mix(seed);
	for (unsigned a = 0; a < net->actor_count; a++) {
		const struct net_actor *actor = &net->actors[a];

		o->actors[a].ends = true;
		o->actors[a].limit = actor->last == NET_NEVER ? ORACLE_ENDLESS : actor->last + 1;
		o->group_of[a] = net_group_of(net, a);
		if (actor->values)
			o->control[a] = net_into(net, a, net_control_port(actor));
	}
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];

		o->fifos[f].depth = (uint64_t)net_depth(net, f) * deeper;
		o->fifos[f].before = o->fifos[f].depth * fifo->hops;
		o->at[fifo->src][o->at_count[fifo->src]++] = (uint8_t)f;
		if (fifo->dst != fifo->src)
			o->at[fifo->dst][o->at_count[fifo->dst]++] = (uint8_t)f;
	}
}

bool oracle_all_ended(const struct oracle *o)
{
	for (unsigned a = 0; a < o->net->actor_count; a++)
		if (!o->actors[a].ended)
			return false;
	return true;
}

bool oracle_endless(const struct oracle *o)
{
	for (unsigned a = 0; a < o->net->actor_count; a++)
		if (o->actors[a].ticks == ORACLE_ENDLESS)
			return true;
	return false;
}

uint32_t oracle_window(const struct oracle *o, unsigned f, uint64_t n)
{
	const struct net_fifo *fifo = &o->net->fifos[f];
	uint64_t rate = fifo->read_rate, have = fifo->delay + o->fifos[f].tokens,
		 first = n * rate + (fifo->peek ? fifo->history : 0);

	have += o->fifos[f].closed ? fifo->tail : 0;
	if (have <= first)
		return 0;
	return (uint32_t)(have - first < rate ? have - first : rate);
}

/* The tokens of the reader's next window that are there. */
static uint32_t valid(const struct oracle *o, unsigned f)
{
	return oracle_window(o, f, o->fifos[f].read);
}

static bool has_window(const struct oracle *o, unsigned f)
{
	const struct net_fifo *fifo = &o->net->fifos[f];
	const struct net_actor *reader = &o->net->actors[fifo->dst];
	uint32_t least = reader->steps && reader->whole_steps ? fifo->read_rate / reader->steps : 1;

	return valid(o, f) >= (o->fifos[f].closed ? least : fifo->read_rate);
}

/* Of a FIFO of two rates: k (a + b - g) tokens beside the delay, up to a whole read window with its history. A peek's
 * history comes first, so the delay is so much less. Where the library chooses the depth any room will do: what it
 * finds changes no stream. */
static bool has_token_room(const struct oracle *o, unsigned f)
{
	const struct net_fifo *fifo = &o->net->fifos[f];
	int64_t a = fifo->rate, b = fifo->read_rate, g = net_common(fifo->rate, fifo->read_rate),
		delay = (int64_t)fifo->delay - (fifo->peek ? fifo->history : 0),
		room = (int64_t)o->fifos[f].depth * (a + b - g);

	room += delay < 0 ? (delay % g + g) % g : delay;
	room += (b - (room + fifo->history) % b) % b;
	room += (int64_t)o->fifos[f].before * a;
	return !fifo->depth ||
	       delay + (int64_t)(o->fifos[f].written + 1) * a <= room + (int64_t)o->fifos[f].read * b;
}

static bool has_room(const struct oracle *o, unsigned f)
{
	if (o->fifos[f].discards)
		return true;
	return o->net->rates
	               ? has_token_room(o, f)
	               : o->fifos[f].written < o->fifos[f].read + o->fifos[f].depth + o->fifos[f].before;
}

static bool reads_control(const struct oracle *o, unsigned a, unsigned f)
{
	return o->group_of[a] < NET_GROUPS && o->control[a] == f && o->net->fifos[f].dst == a;
}

/* Does the actor's next firing need this FIFO, as far as it knows? */
static bool needs(const struct oracle *o, unsigned a, unsigned f, bool writer)
{
	const struct net_actor *actor = &o->net->actors[a];
	const struct net_fifo *fifo = &o->net->fifos[f];

	if (writer ? fifo->src != a : fifo->dst != a)
		return false;
	if (actor->kahn)
		return (writer ? fifo->src_port : fifo->dst_port) == o->actors[a].next;
	if (!writer && reads_control(o, a, f))
		return !o->actors[a].decided;
	if (o->group_of[a] < NET_GROUPS && !o->actors[a].decided)
		return !writer && actor->ports[fifo->dst_port].kind == NET_INPUT;
	return net_on(actor, writer ? fifo->src_port : fifo->dst_port, o->actors[a].value);
}

bool oracle_waits_at(const struct oracle *o, unsigned a, unsigned f, bool for_room)
{
	return needs(o, a, f, for_room) && !(for_room ? has_room(o, f) : has_window(o, f));
}

static void end(struct oracle *o, unsigned a)
{
	o->actors[a].ended = true;
	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];

		o->fifos[f].closed = o->fifos[f].closed || o->net->fifos[f].src == a;
		o->fifos[f].discards = o->fifos[f].discards || o->net->fifos[f].dst == a;
	}
}

static bool all_readers_ended(const struct oracle *o, unsigned a)
{
	bool any = false;

	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];

		if (o->net->fifos[f].src != a)
			continue;
		any = true;
		if (!o->fifos[f].discards)
			return false;
	}
	return any;
}

static bool input_ended(const struct oracle *o, unsigned a)
{
	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];

		if (needs(o, a, f, false) && o->fifos[f].closed && !has_window(o, f))
			return true;
	}
	return false;
}

static bool reads_data(const struct oracle *o, unsigned a, unsigned f)
{
	return !reads_control(o, a, f) && needs(o, a, f, false);
}

/* Is it the firing that the actor has chosen for its last, and how many tokens does the port move then? */
static bool chosen_last(const struct oracle *o, unsigned a, unsigned p, uint32_t *tokens)
{
	const struct net_actor *actor = &o->net->actors[a];

	if (!o->actors[a].ends || o->actors[a].ticks != actor->last ||
		actor->last_valid[p] == actor->ports[p].rate)
		return false;
	*tokens = actor->last_valid[p];
	return true;
}

/* What a firing gives to each output: as much of a window as it has got of its inputs' windows, or what it
 * chooses. */
static void fill_outputs(const struct oracle *o, unsigned a, uint32_t *tokens)
{
	const struct net_actor *actor = &o->net->actors[a];
	uint32_t in[NET_PORTS] = { 0 };

	for (unsigned i = 0; i < o->at_count[a]; i++)
		if (reads_data(o, a, o->at[a][i]))
			in[o->net->fifos[o->at[a][i]].dst_port] = valid(o, o->at[a][i]);
	for (unsigned p = 0; p < actor->port_count; p++)
		if (!net_reads(actor->ports[p].kind) && !chosen_last(o, a, p, &tokens[p]))
			tokens[p] = net_default_valid(actor, p, in);
}

/* Publishes what it holds, then frees it. */
static void complete(struct oracle *o, unsigned a)
{
	struct oracle_actor *actor = &o->actors[a];
	uint32_t tokens[NET_PORTS], left;
	bool done = actor->ends && actor->ticks + 1 == actor->limit;

	fill_outputs(o, a, tokens); /* before a loop to itself gets some */
	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];
		const struct net_fifo *fifo = &o->net->fifos[f];
		bool reads = reads_data(o, a, f), writes = needs(o, a, f, true);

		if (reads && !(chosen_last(o, a, fifo->dst_port, &left) && !left)) {
			o->wrong = o->wrong || !has_window(o, f);
			o->fifos[f].read++;
		}
		if (writes && tokens[fifo->src_port]) {
			o->wrong = o->wrong || !has_room(o, f);
			o->fifos[f].written++;
			o->fifos[f].tokens += tokens[fifo->src_port];
		}
	}
	actor->busy = false;
	actor->decided = false;
	actor->ticks++;
	if (done || actor->last)
		end(o, a);
}

/* Takes the control token; false: there is none. */
static bool decide(struct oracle *o, unsigned a)
{
	struct oracle_actor *actor = &o->actors[a];
	unsigned f = o->control[a];

	if (!has_window(o, f))
		return false;
	actor->value = net_value(o->net, o->sequences, o->group_of[a], o->fifos[f].read++);
	actor->decided = true;
	return true;
}

/* All windows that it needs. */
static bool take(struct oracle *o, unsigned a)
{
	bool any = false, last = false;

	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];
		bool reads = reads_data(o, a, f), writes = needs(o, a, f, true);

		if ((reads && !has_window(o, f)) || (writes && !has_room(o, f)))
			return false;
		any = any || reads || writes;
		last = last || (reads && valid(o, f) < o->net->fifos[f].read_rate);
	}
	o->actors[a].busy = true;
	o->actors[a].last = last;
	o->actors[a].firings += any || !o->net->actors[a].port_count;
	return true;
}

/* One port of a kahn actor, of one or more readers. */
static bool step_kahn(struct oracle *o, unsigned a)
{
	struct oracle_actor *actor = &o->actors[a];

	for (unsigned i = 0; i < o->at_count[a]; i++)
		if (needs(o, a, o->at[a][i], true) && !has_room(o, o->at[a][i]))
			return false;
	for (unsigned i = 0; i < o->at_count[a]; i++)
		if (needs(o, a, o->at[a][i], true)) {
			o->fifos[o->at[a][i]].written++;
			o->fifos[o->at[a][i]].tokens += o->net->fifos[o->at[a][i]].rate;
		}
	if (++actor->next < o->net->actors[a].port_count)
		return true;
	actor->next = 0;
	actor->firings++;
	if (++actor->ticks == actor->limit && actor->ends)
		end(o, a);
	return true;
}

/* One step of an actor; false: it can't make any. */
static bool step(struct oracle *o, unsigned a)
{
	struct oracle_actor *actor = &o->actors[a];

	if (actor->ended)
		return false;
	if (actor->busy) {
		complete(o, a);
		return true;
	}
	if (!actor->ends && actor->ticks == actor->limit)
		return false;
	if (!o->lazy && all_readers_ended(o, a)) {
		actor->unwanted = true;
		end(o, a);
		return true;
	}
	if (o->net->actors[a].kahn)
		return step_kahn(o, a);
	if (o->group_of[a] < NET_GROUPS && !actor->decided && decide(o, a))
		return true;
	if (input_ended(o, a)) {
		actor->starved = true;
		end(o, a);
		return true;
	}
	return (o->group_of[a] == NET_GROUPS || actor->decided) && take(o, a);
}

static bool round_of_steps(struct oracle *o, unsigned lazy, unsigned eager)
{
	unsigned order[NET_ACTORS];
	bool any = false;

	for (unsigned a = 0; a < o->net->actor_count; a++) {
		unsigned other = test_between(&o->rng, 0, a);

		order[a] = order[other];
		order[other] = a;
	}
	for (unsigned i = 0; i < o->net->actor_count; i++) {
		if (test_chance(&o->rng, lazy))
			continue;
		while (step(o, order[i])) {
			any = true;
			if (!test_chance(&o->rng, eager))
				break;
		}
	}
	return any;
}

void oracle_run(struct oracle *o)
{
	/* from all in turn to one as far as it gets */
	unsigned lazy = test_between(&o->rng, 0, 70), eager = test_between(&o->rng, 0, 95);

	while (round_of_steps(o, lazy, eager) || round_of_steps(o, 0, eager))
		;
}

/* Ends one actor that waits though nothing reads it any more; false: there is none. */
static bool end_unwanted(struct oracle *o)
{
	for (unsigned a = 0; a < o->net->actor_count; a++)
		if (!o->actors[a].ended && all_readers_ended(o, a)) {
			o->actors[a].unwanted = true;
			end(o, a);
			return true;
		}
	return false;
}

bool oracle_foretell(struct oracle *o, const struct net *net, const struct net_sequences *sequences)
{
	return oracle_foretell_deeper(o, net, sequences, 1);
}

bool oracle_foretell_deeper(
	struct oracle *o, const struct net *net, const struct net_sequences *sequences, unsigned deeper)
{
	oracle_init(o, net, sequences, deeper, net->seed);
	o->lazy = true;
	do
		oracle_run(o);
	while (end_unwanted(o));
	return oracle_all_ended(o);
}

uint64_t oracle_waits(const struct oracle *o, unsigned a, bool *room)
{
	uint64_t set = 0;

	if (o->actors[a].ended || o->actors[a].ticks == o->actors[a].limit)
		return 0;
	for (unsigned i = 0; i < o->at_count[a]; i++) {
		unsigned f = o->at[a][i];

		if (oracle_waits_at(o, a, f, false))
			set |= UINT64_C(1) << o->net->fifos[f].src;
		if (oracle_waits_at(o, a, f, true)) {
			set |= UINT64_C(1) << o->net->fifos[f].dst;
			*room = true;
		}
	}
	return set;
}

uint64_t oracle_deadlocked(const struct oracle *o, bool *room)
{
	uint64_t waits[NET_ACTORS], back[NET_ACTORS] = { 0 };
	uint64_t left = (UINT64_C(1) << o->net->actor_count) - 1, before;
	bool rooms[NET_ACTORS] = { false };

	*room = false;
	for (unsigned a = 0; a < o->net->actor_count; a++) {
		waits[a] = oracle_waits(o, a, &rooms[a]);
		for (unsigned b = 0; b < o->net->actor_count; b++)
			if (waits[a] >> b & 1)
				back[b] |= UINT64_C(1) << a;
	}
	do { /* an actor that waits for none that is left, or is awaited by none, is on no circle */
		before = left;
		for (unsigned a = 0; a < o->net->actor_count; a++)
			if (!(waits[a] & left) || !(back[a] & left))
				left &= ~(UINT64_C(1) << a);
	} while (left != before);
	for (unsigned a = 0; a < o->net->actor_count; a++)
		*room = *room || (left >> a & 1 && rooms[a]);
	return left;
}

bool oracle_never_ends(const struct net *net)
{
	static struct oracle eager;

	oracle_init(&eager, net, &net->values, 1, net->seed);
	oracle_run(&eager);
	return oracle_endless(&eager);
}
