/* SPDX-License-Identifier: MIT */
#include "tests/random/stages.h"
#include "tests/random/generator.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PIPELINES = 3, MOST_BYTES = 1 << 20 };

/*
 * Which actors.
 */

/* Does a way lead from it back to it? Then it can't be a pipeline. */
static bool on_cycle(const struct net *net, unsigned a)
{
	bool reached[NET_ACTORS] = { false }, changed = true;

	reached[a] = true;
	while (changed) {
		changed = false;
		for (unsigned f = 0; f < net->fifo_count; f++) {
			const struct net_fifo *fifo = &net->fifos[f];

			if (reached[fifo->src] && fifo->dst == a)
				return true;
			changed |= reached[fifo->src] && !reached[fifo->dst];
			reached[fifo->dst] |= reached[fifo->src];
		}
	}
	return false;
}

static bool can_be_pipeline(const struct net *net, unsigned a)
{
	const struct net_actor *actor = &net->actors[a];

	return !actor->values && !actor->kahn && net_count(actor, true) && !on_cycle(net, a);
}

static void make_pipeline(struct net *net, unsigned a, struct test_rng *rng)
{
	struct net_actor *actor = &net->actors[a];

	actor->stages = test_between(rng, 1, STAGES_MOST);
	actor->cores = test_between(rng, 1, 4);
	actor->in_flight = test_between(rng, 2, test_chance(rng, 70) ? 6 : 16);
	actor->stateless = true;
	actor->whole_steps =
		false; /* a stage that wants whole steps is not fired without one; the others are */
	actor->blocks = false;
	actor->concurrency = 0;
	actor->core = -1;
}

/* FIFOs that have a depth get enough for the items in flight, or lose it. */
static void deepen(struct net *net, unsigned a, struct test_rng *rng)
{
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];
		uint32_t least = net->actors[a].in_flight;

		if ((fifo->src != a && fifo->dst != a) || !fifo->depth || fifo->depth >= least)
			continue;
		fifo->depth = least + test_between(rng, 0, test_chance(rng, 50) ? 0 : 3);
		if (test_chance(rng, 20))
			fifo->depth = 0;
	}
}

bool net_choose_pipelines(struct net *net)
{
	struct test_rng rng = { test_mix(net->seed ^ UINT64_C(0x919e11e)) };
	unsigned share = test_between(&rng, 30, 100), made = 0;

	for (unsigned round = 0; round < 2 && !made; round++)
		for (unsigned a = 0; a < net->actor_count && made < MOST_PIPELINES; a++)
			if (can_be_pipeline(net, a) && (round ? !made : test_chance(&rng, share))) {
				make_pipeline(net, a, &rng);
				made++;
			}
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_is_pipeline(&net->actors[a]))
			deepen(net, a, &rng);
	return made;
}

/*
 * The stages of one.
 */

static unsigned add_port(struct stages *s, unsigned k, const struct net_port *like, unsigned border)
{
	struct net_actor *actor = &s->list[k].actor;
	unsigned p = actor->port_count++;
	unsigned named = border == STAGES_INNER ? NET_PORTS * (k + 1) + p : border;

	assert(p < NET_PORTS);
	actor->ports[p] = *like;
	s->list[k].ports[p] =
		(struct stage_port){ .border = border, .key = net_written_key(s->net, s->number, named) };
	if (border != STAGES_INNER) {
		s->border[border].stage = k;
		s->border[border].port = p;
	}
	return p;
}

static bool is_full(const struct stages *s, unsigned k)
{
	return s->list[k].actor.port_count == NET_PORTS;
}

/* Each port of the actor goes to a stage. The first one gets an input. */
static void deal(struct stages *s, struct test_rng *rng)
{
	const struct net_actor *whole = &s->net->actors[s->number];
	unsigned inputs = net_count(whole, true), first = test_between(rng, 0, inputs - 1), seen = 0;

	for (unsigned p = 0; p < whole->port_count; p++) {
		unsigned k = test_between(rng, 0, s->count - 1);

		if (net_reads(whole->ports[p].kind) && seen++ == first)
			k = 0;
		while (is_full(s, k))
			k = (k + 1) % s->count;
		add_port(s, k, &whole->ports[p], p);
	}
}

/* May another stage read it, too? In the actor's last firing each output gets what the network says, and a stage
 * without an input's token is not fired: its own outputs would lack theirs. */
static bool can_share(const struct stages *s, unsigned k, unsigned p)
{
	const struct net_actor *whole = &s->net->actors[s->number];
	unsigned border = s->list[k].ports[p].border;

	if (net_reads(s->list[k].actor.ports[p].kind) || s->list[k].actor.ports[p].group >= 0)
		return false;
	if (border == STAGES_INNER || whole->last == NET_NEVER)
		return true;
	return whole->last_valid[border];
}

/* NET_PORTS: there is none. */
static unsigned shared_output(const struct stages *s, unsigned k, struct test_rng *rng)
{
	unsigned count = s->list[k].actor.port_count, at = count ? test_between(rng, 0, count - 1) : 0;

	for (unsigned i = 0; i < count; i++)
		if (can_share(s, k, (at + i) % count))
			return (at + i) % count;
	return NET_PORTS;
}

static struct net_port random_output(const struct net_actor *whole, struct test_rng *rng)
{
	struct net_port port = { .kind = NET_OUTPUT, .group = -1, .token_size = net_random_token_size(rng) };

	port.rate = whole->steps ? whole->steps * test_between(rng, 1, 4) : test_between(rng, 1, 16);
	if (test_chance(rng, 2))
		port.token_size = (size_t)1 << test_between(rng, 10, 20);
	while (port.rate * port.token_size > MOST_BYTES)
		port.token_size /= 2;
	return port;
}

/* Stage k reads an earlier one once more. */
static void join(struct stages *s, unsigned k, struct test_rng *rng)
{
	unsigned from = test_between(rng, 0, k - 1), out = NET_PORTS, in;
	struct net_port port = random_output(&s->net->actors[s->number], rng);

	if (is_full(s, k))
		return;
	if (is_full(s, from) || test_chance(rng, 40))
		out = shared_output(s, from, rng);
	if (out == NET_PORTS && is_full(s, from))
		return;
	if (out == NET_PORTS)
		out = add_port(s, from, &port, STAGES_INNER);
	port = s->list[from].actor.ports[out];
	port.kind = NET_INPUT;
	in = add_port(s, k, &port, STAGES_INNER);
	s->list[k].ports[in].stage = from;
	s->list[k].ports[in].port = out;
	s->list[k].ports[in].key = s->list[from].ports[out].key;
}

static bool reads_earlier(const struct stages *s, unsigned k)
{
	for (unsigned p = 0; p < s->list[k].actor.port_count; p++)
		if (stages_reads_inner(&s->list[k], p))
			return true;
	return false;
}

static void join_all(struct stages *s, struct test_rng *rng)
{
	for (unsigned k = 1; k < s->count; k++)
		for (unsigned n = test_between(rng, 1, test_chance(rng, 70) ? 1 : 3); n > 0; n--)
			join(s, k, rng);
}

static void find_leads_out(struct stages *s)
{
	for (unsigned k = s->count; k-- > 0;) {
		struct stage *stage = &s->list[k];

		for (unsigned p = 0; p < stage->actor.port_count; p++)
			stage->leads_out |= !net_reads(stage->actor.ports[p].kind) &&
			                    stage->ports[p].border != STAGES_INNER;
		for (unsigned p = 0; p < stage->actor.port_count && stage->leads_out; p++)
			if (stages_reads_inner(stage, p))
				s->list[stage->ports[p].stage].leads_out = true;
	}
}

void stages_plan(struct stages *s, const struct net *net, unsigned a)
{
	struct test_rng rng = { test_mix(net->seed ^ test_mix(a + UINT64_C(0x57a9e5))) };
	bool first = test_chance(&rng, 50);

	memset(s, 0, sizeof *s);
	s->net = net;
	s->number = a;
	s->count = net->actors[a].stages;
	for (unsigned k = 0; k < s->count; k++) {
		s->list[k].actor = net->actors[a];
		s->list[k].actor.port_count = 0;
		snprintf(s->list[k].actor.name, sizeof s->list[k].actor.name, "a%us%u", a % NET_ACTORS,
			k % STAGES_MOST);
	}
	if (first)
		deal(s, &rng);
	join_all(s, &rng);
	if (!first)
		deal(s, &rng);
	for (unsigned k = 1; k < s->count; k++)
		while (!reads_earlier(s, k) || test_chance(&rng, 10))
			join(s, k, &rng);
	find_leads_out(s);
}

/*
 * An item.
 */

static void see_inputs(const struct stages *s, unsigned k, const uint32_t *valid, struct stages_item *item)
{
	const struct stage *stage = &s->list[k];

	item->fired[k] = true;
	for (unsigned p = 0; p < stage->actor.port_count; p++) {
		const struct stage_port *port = &stage->ports[p];

		if (!net_reads(stage->actor.ports[p].kind))
			continue;
		item->told[k][p] = port->border == STAGES_INNER ? item->moved[port->stage][port->port]
		                                                : valid[port->border];
		item->fired[k] &= item->told[k][p] > 0;
	}
}

/* Is every reader of an output one that nothing outside depends on? */
static bool is_for_none(const struct stages *s, unsigned k, unsigned p)
{
	for (unsigned r = k + 1; r < s->count; r++)
		for (unsigned i = 0; i < s->list[r].actor.port_count; i++)
			if (stages_reads_inner(&s->list[r], i) && s->list[r].ports[i].stage == k &&
				s->list[r].ports[i].port == p && s->list[r].leads_out)
				return false;
	return true;
}

/* Of an output between stages, in an item that is the last anyway: all, some, or none where that harms nothing. */
static uint32_t inner_tokens(
	const struct stages *s, uint64_t item, unsigned k, unsigned p, uint32_t told, bool chosen)
{
	struct test_rng rng = { test_mix(s->list[k].ports[p].key ^ ~item) };

	if (test_chance(&rng, 50))
		return told;
	if (!chosen && is_for_none(s, k, p) && test_chance(&rng, 30))
		return 0;
	return test_between(&rng, 1, s->list[k].actor.ports[p].rate);
}

/* PSTK_DONE: a stage that leaves a window must return it, else any one. */
static void choose_done(const struct stages *s, struct stages_item *item)
{
	const struct net_actor *whole = &s->net->actors[s->number];
	struct test_rng rng = { test_mix(s->net->seed + s->number) };
	unsigned any = test_between(&rng, 0, s->count - 1);

	for (unsigned p = 0; p < whole->port_count; p++)
		if (!whole->last_valid[p]) {
			item->left[s->border[p].stage][s->border[p].port] = true;
			item->done[s->border[p].stage] = true;
		}
	if (!whole->last_again)
		item->done[item->fired[any] ? any : 0] = true;
}

void stages_foretell(const struct stages *s, uint64_t number, const uint32_t *valid, struct stages_item *item)
{
	const struct net_actor *whole = &s->net->actors[s->number];
	bool chosen = number == whole->last, last = chosen && !whole->last_again;

	memset(item, 0, sizeof *item);
	for (unsigned p = 0; p < whole->port_count; p++)
		last |= net_reads(whole->ports[p].kind)
		                ? valid[p] < whole->ports[p].rate
		                : chosen && whole->last_valid[p] < whole->ports[p].rate;
	for (unsigned k = 0; k < s->count; k++) {
		const struct stage *stage = &s->list[k];

		see_inputs(s, k, valid, item);
		for (unsigned p = 0; p < stage->actor.port_count; p++) {
			unsigned border = stage->ports[p].border;

			if (net_reads(stage->actor.ports[p].kind) || !item->fired[k])
				continue;
			item->told[k][p] = net_default_valid(&stage->actor, p, item->told[k]);
			if (border == STAGES_INNER)
				item->moved[k][p] =
					!last ? item->told[k][p]
					      : inner_tokens(s, number, k, p, item->told[k][p], chosen);
			else if (chosen && whole->last_valid[border] < whole->ports[border].rate)
				item->moved[k][p] = whole->last_valid[border];
			else
				item->moved[k][p] = net_default_valid(whole, border, valid);
		}
	}
	if (chosen)
		choose_done(s, item);
}
