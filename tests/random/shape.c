/* SPDX-License-Identifier: MIT */
/* Static networks of a shape, and the static actors that dynamic networks grow on. */
#include "tests/random/generator.h"

#include <string.h>

const char *net_shape_name(enum net_shape shape)
{
	static const char *const names[NET_SHAPES] = { "pipeline", "out-tree", "in-tree", "split-join",
		"diamonds", "acyclic", "cyclic", "ring" };

	return names[shape];
}

static void add_edge(struct net_edges *edges, unsigned src, unsigned dst)
{
	unsigned out = 0, in = 0;

	for (unsigned e = 0; e < edges->count; e++) {
		out += edges->list[e].src == src || edges->list[e].dst == src;
		in += edges->list[e].src == dst || edges->list[e].dst == dst;
	}
	if (edges->count == NET_FIFOS || out >= NET_PORTS - 1 || in >= NET_PORTS - 1)
		return;
	edges->list[edges->count].src = src;
	edges->list[edges->count++].dst = dst;
}

static void add_diamonds(struct net_edges *edges, unsigned actors)
{
	for (unsigned a = 0; a + 1 < actors; a++) {
		add_edge(edges, a, a + 1);
		if (a % 2 == 0 && a + 2 < actors)
			add_edge(edges, a, a + 2);
	}
}

static void add_forward(struct net_edges *edges, unsigned actors, struct test_rng *rng)
{
	for (unsigned a = 1; a < actors; a++)
		for (unsigned k = test_between(rng, test_chance(rng, 90), 3); k > 0; k--)
			add_edge(edges, test_between(rng, 0, a - 1), a);
}

/* Random edges on top; they may go back, or from an actor to itself. */
static void add_any(struct net_edges *edges, unsigned actors, unsigned count, struct test_rng *rng)
{
	for (unsigned k = 0; k < count; k++)
		add_edge(edges, test_between(rng, 0, actors - 1), test_between(rng, 0, actors - 1));
}

void net_make_edges(struct net_edges *edges, enum net_shape shape, unsigned actors, struct test_rng *rng)
{
	edges->count = 0;
	for (unsigned a = 1; a < actors && shape <= NET_SPLIT_JOIN; a++) {
		if (shape == NET_PIPELINE)
			add_edge(edges, a - 1, a);
		else if (shape == NET_OUT_TREE)
			add_edge(edges, test_between(rng, 0, a - 1), a);
		else if (shape == NET_IN_TREE)
			add_edge(edges, a, test_between(rng, 0, a - 1));
		else if (a + 1 < actors)
			add_edge(edges, 0, a);
	}
	for (unsigned a = 1; a + 1 < actors && shape == NET_SPLIT_JOIN; a++)
		add_edge(edges, a, actors - 1);
	if (shape == NET_SPLIT_JOIN && actors <= 2)
		add_edge(edges, 0, actors - 1);
	if (shape == NET_DIAMONDS)
		add_diamonds(edges, actors);
	if (shape == NET_ACYCLIC || shape == NET_CYCLIC)
		add_forward(edges, actors, rng);
	for (unsigned a = 0; a < actors && shape == NET_RING; a++)
		add_edge(edges, a, (a + 1) % actors);
	if (shape == NET_CYCLIC || shape == NET_RING)
		add_any(edges, actors, test_between(rng, shape == NET_CYCLIC, 3), rng);
}

/* The output of `actor` that one more reader may share, or a new one: NET_PORTS. */
static unsigned shared_output(const struct net *net, unsigned actor)
{
	for (unsigned p = 0; p < net->actors[actor].port_count; p++) {
		unsigned readers = 0;

		if (net->actors[actor].ports[p].kind != NET_OUTPUT)
			continue;
		for (unsigned f = 0; f < net->fifo_count; f++)
			readers += net->fifos[f].src == actor && net->fifos[f].src_port == p;
		if (readers < NET_READERS)
			return p;
	}
	return NET_PORTS;
}

unsigned net_add_edge(struct net *net, unsigned src, unsigned dst, bool share, uint32_t rate, size_t size)
{
	unsigned out = share ? shared_output(net, src) : NET_PORTS, f;

	if (out < NET_PORTS) {
		rate = net->actors[src].ports[out].rate;
		size = net->actors[src].ports[out].token_size;
	} else {
		out = net_add_port(net, src, NET_OUTPUT, 0);
	}
	f = net_add_fifo(net, src, out, dst, net_add_port(net, dst, NET_INPUT, 0), rate, 0);
	net_set_token_size(net, f, size);
	return f;
}

/* Is there a FIFO from `from` to `to` that gives its reader no first window? */
static int dead_fifo(const struct net *net, unsigned from, const bool *among)
{
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];

		if (fifo->src == from && among[fifo->dst] && fifo->delay < fifo->iteration)
			return (int)f;
	}
	return -1;
}

/* One step of the search for a loop without a first firing: leaves the actors that lead only out of such loops. */
static bool find_dead(const struct net *net, bool *among)
{
	bool changed = true, any = false;

	for (unsigned a = 0; a < net->actor_count; a++)
		among[a] = true;
	while (changed) {
		changed = any = false;
		for (unsigned a = 0; a < net->actor_count; a++) {
			if (among[a] && dead_fifo(net, a, among) < 0) {
				among[a] = false;
				changed = true;
			}
			any = any || among[a];
		}
	}
	return any;
}

void net_enliven(struct net *net, struct test_rng *rng, bool exact)
{
	bool among[NET_ACTORS];

	while (find_dead(net, among)) {
		unsigned at = 0;
		struct net_fifo *fifo;

		while (!among[at])
			at++;
		/* enough steps to be on a loop, then some more to any of its FIFOs */
		for (unsigned k = net->actor_count + test_between(rng, 0, 5); k > 0; k--)
			at = net->fifos[dead_fifo(net, at, among)].dst;
		fifo = &net->fifos[dead_fifo(net, at, among)];
		fifo->delay = fifo->iteration + (exact ? 0 : test_between(rng, 0, 2 * fifo->rate + 2));
	}
}

/* Which actors end because some actor upstream ends by its own choice. */
static void find_ending(const struct net *net, bool *ending)
{
	bool changed = true;

	for (unsigned a = 0; a < net->actor_count; a++)
		ending[a] = net->actors[a].last != NET_NEVER;
	while (changed) {
		changed = false;
		for (unsigned f = 0; f < net->fifo_count; f++) {
			if (ending[net->fifos[f].src] && !ending[net->fifos[f].dst])
				ending[net->fifos[f].dst] = changed = true;
		}
	}
}

/* The actor ends after `tokens` tokens at each output; a partly filled last window says so by itself. */
static void set_tokens(struct net *net, unsigned a, uint64_t tokens, uint32_t rate)
{
	struct net_actor *actor = &net->actors[a];

	net_end_at(net, a, tokens ? (tokens - 1) / rate : 0);
	for (unsigned p = 0; p < actor->port_count; p++)
		if (!net_reads(actor->ports[p].kind))
			actor->last_valid[p] = tokens ? (uint32_t)((tokens - 1) % rate + 1) : 0;
	actor->last_again = tokens % rate != 0 && net_count(actor, false) > 0;
}

/* Delay tokens are random or, one FIFO in five, zeros. */
static void choose_initial(struct net *net, struct test_rng *rng)
{
	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].delay && test_chance(rng, 20))
			net->fifos[f].initial = NET_ZEROS;
}

void net_make(struct net *net, const struct net_plan *plan, uint64_t seed)
{
	struct test_rng rng = { seed };
	struct net_edges edges;
	bool ending[NET_ACTORS];

	net_begin(net, seed);
	for (unsigned a = 0; a < plan->actors; a++)
		net->actors[net_add_actor(net, 0)].dawdle = plan->dawdle;
	net_make_edges(&edges, plan->shape, plan->actors, &rng);
	for (unsigned e = 0; e < edges.count; e++) {
		unsigned f = net_add_edge(
			net, edges.list[e].src, edges.list[e].dst, plan->broadcast, plan->rate, 8);

		net->fifos[f].delay = plan->delay;
		net->fifos[f].depth = plan->depth;
	}
	net_enliven(net, &rng, true);
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_count(&net->actors[a], true) == 0)
			set_tokens(net, a, plan->tokens, plan->rate);
	for (unsigned a = 0; a < net->actor_count; a++) {
		find_ending(net, ending);
		if (!ending[a])
			set_tokens(net, a, plan->tokens, plan->rate);
	}
	choose_initial(net, &rng);
}

/* How an actor ends by its own choice: whole windows, partly filled ones, some left open, with PSTK_DONE or
 * without. */
void net_choose_end(struct net_actor *actor, uint64_t firings, struct test_rng *rng)
{
	bool partly = false, open = false;

	actor->last = test_between(rng, 0, (uint32_t)firings - 1);
	for (unsigned p = 0; p < actor->port_count; p++)
		actor->last_valid[p] = actor->ports[p].rate;
	if (test_chance(rng, 30))
		return;
	for (unsigned p = 0; p < actor->port_count; p++) {
		if (!net_reads(actor->ports[p].kind) && test_chance(rng, 70))
			actor->last_valid[p] = test_between(rng, 1, actor->ports[p].rate);
		if (test_chance(rng, 10))
			actor->last_valid[p] = 0;
		open = open || actor->last_valid[p] == 0;
		partly = partly || (actor->last_valid[p] > 0 && actor->last_valid[p] < actor->ports[p].rate);
	}
	actor->last_again = partly && !open && test_chance(rng, 50);
}

uint32_t net_random_delay(uint32_t rate, struct test_rng *rng)
{
	if (test_chance(rng, 50))
		return 0;
	return test_chance(rng, 30) ? 1 : test_between(rng, 0, 3 * rate + 2);
}

size_t net_random_token_size(struct test_rng *rng)
{
	if (test_chance(rng, 30))
		return (size_t)1 << test_between(rng, 0, 6);
	return test_chance(rng, 80) ? test_between(rng, 0, 49) * 2 + 1 : test_between(rng, 1, 100);
}

/* Returns the most bytes of a window. */
static size_t make_fifos(struct net *net, const struct net_edges *edges, struct test_rng *rng)
{
	static const uint32_t most_rates[] = { 1, 2, 4, 8, 8, 16, 64 };
	uint32_t most_rate = most_rates[test_between(rng, 0, TEST_COUNT(most_rates) - 1)];
	bool same = test_chance(rng, 20);
	unsigned share = test_between(rng, 0, 100);
	size_t most = 1;

	for (unsigned e = 0; e < edges->count; e++) {
		uint32_t rate = same ? most_rate : test_between(rng, 1, most_rate);
		struct net_fifo *fifo = &net->fifos[net_add_edge(net, edges->list[e].src, edges->list[e].dst,
			test_chance(rng, share), rate, net_random_token_size(rng))];

		fifo->delay = net_random_delay(fifo->rate, rng);
		fifo->depth = test_between(rng, 0, 4);
		if (fifo->rate * fifo->token_size > most)
			most = fifo->rate * fifo->token_size;
	}
	return most;
}

void net_choose_ends(struct net *net, uint64_t firings, struct test_rng *rng)
{
	bool ending[NET_ACTORS], early = test_chance(rng, 25);

	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_count(&net->actors[a], true) == 0 || (early && test_chance(rng, 20)))
			net_choose_end(&net->actors[a], test_between(rng, 1, (uint32_t)firings), rng);
	for (unsigned a = 0; a < net->actor_count; a++) {
		find_ending(net, ending);
		if (!ending[a])
			net_choose_end(&net->actors[a], test_between(rng, 1, (uint32_t)firings), rng);
	}
}

/* Chooses how often each actor fires in an iteration, and rates with which that comes out. */
static void choose_rates(struct net *net, struct test_rng *rng, bool depths, uint32_t scale)
{
	uint32_t q[NET_ACTORS], most = test_between(rng, 1, 6);

	net->rates = true;
	for (unsigned a = 0; a < net->actor_count; a++)
		q[a] = test_between(rng, 1, most);
	for (unsigned a = 0; a < net->actor_count; a++)
		for (unsigned p = 0; p < net->actors[a].port_count; p++) {
			uint32_t rate = test_between(rng, 1, 3);

			if (net_reads(net->actors[a].ports[p].kind))
				continue;
			for (unsigned f = 0; f < net->fifo_count; f++) {
				uint32_t least =
					q[net->fifos[f].dst] / net_common(q[a], q[net->fifos[f].dst]);

				if (net->fifos[f].src == a && net->fifos[f].src_port == p)
					rate *= least / net_common(rate, least);
			}
			net->actors[a].ports[p].rate = rate * scale;
		}
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];

		fifo->rate = net->actors[fifo->src].ports[fifo->src_port].rate;
		fifo->read_rate = fifo->rate * q[fifo->src] / q[fifo->dst];
		net->actors[fifo->dst].ports[fifo->dst_port].rate = fifo->read_rate;
		fifo->iteration = fifo->rate * q[fifo->src];
		fifo->delay =
			test_chance(rng, 60) ? 0 : test_between(rng, 0, 2 * (fifo->rate + fifo->read_rate));
		fifo->depth = depths ? test_between(rng, 1, 4) : 0;
	}
}

static uint32_t random_divisor(uint32_t of, struct test_rng *rng)
{
	uint32_t n = test_between(rng, 1, of);

	while (of % n)
		n--;
	return n;
}

static void choose_steps(struct net_actor *actor, struct test_rng *rng)
{
	uint32_t common = 0;

	for (unsigned p = 0; p < actor->port_count; p++)
		common = net_common(common, actor->ports[p].rate);
	if (test_chance(rng, 25) || !common)
		return;
	actor->steps = random_divisor(common, rng);
	actor->whole_steps = test_chance(rng, 30);
	actor->given = test_chance(rng, 50);
	actor->declares = (enum net_declares)test_between(rng, NET_BY_TYPE, NET_BY_RATES);
}

/* What readers see in front of the new tokens and behind the stream. Where there are loops the tokens that a peek sees
 * first are there from the beginning: else a loop would need more than an iteration's. */
static void choose_sight(struct net *net, bool loops, struct test_rng *rng)
{
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];

		fifo->history = test_chance(rng, 50) ? 0 : test_between(rng, 1, 2 * fifo->read_rate + 3);
		fifo->peek = fifo->history && net->actors[fifo->dst].steps && test_chance(rng, 50);
		fifo->tail = test_chance(rng, 75) ? 0 : test_between(rng, 1, 3 * fifo->read_rate);
		fifo->iteration += fifo->peek ? fifo->history : 0;
		fifo->delay += fifo->peek && loops ? fifo->history : 0;
	}
}

void net_make_static(struct net *net, struct test_rng *rng, const struct net_switches *s)
{
	unsigned actors = test_chance(rng, 95) ? test_between(rng, 2, 10) : test_between(rng, 10, NET_ACTORS);
	unsigned dawdle = test_chance(rng, 50) ? 0 : test_between(rng, 1, 40);
	struct net_edges edges;
	enum net_shape shape;
	uint64_t firings;

	for (unsigned a = 0; a < actors; a++)
		net->actors[net_add_actor(net, 0)].dawdle = dawdle;
	shape = (enum net_shape)test_between(rng, 0, NET_SHAPES - 1);
	net_make_edges(&edges, shape, actors, rng);
	firings = 30000 / make_fifos(net, &edges, rng);
	if (s->rates)
		choose_rates(net, rng, !s->proven, s->steps ? test_between(rng, 1, 6) : 1);
	net->steps = s->steps;
	for (unsigned a = 0; a < net->actor_count && s->steps; a++)
		choose_steps(&net->actors[a], rng);
	if (s->steps)
		choose_sight(net, shape > NET_ACYCLIC, rng);
	net_enliven(net, rng, test_chance(rng, 50));
	net_choose_ends(net, firings > 80 ? 80 : firings < 4 ? 4 : firings, rng);
	choose_initial(net, rng);
}
