/* SPDX-License-Identifier: MIT */
#include "tests/random/random_net.h"
#include "lib/fifo/fifo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *net_shape_name(enum net_shape shape)
{
	static const char *const names[NET_SHAPES] = { "pipeline", "out-tree", "in-tree", "split-join",
		"diamonds", "acyclic", "cyclic", "ring" };

	return names[shape];
}

/* Edges before they have ports. */
struct edges {
	unsigned count;
	struct {
		unsigned src, dst;
	} list[NET_FIFOS];
};

static void add_edge(struct edges *edges, unsigned src, unsigned dst)
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

static void add_diamonds(struct edges *edges, unsigned actors)
{
	for (unsigned a = 0; a + 1 < actors; a++) {
		add_edge(edges, a, a + 1);
		if (a % 2 == 0 && a + 2 < actors)
			add_edge(edges, a, a + 2);
	}
}

static void add_forward(struct edges *edges, unsigned actors, struct test_rng *rng)
{
	for (unsigned a = 1; a < actors; a++)
		for (unsigned k = test_between(rng, test_chance(rng, 90), 3); k > 0; k--)
			add_edge(edges, test_between(rng, 0, a - 1), a);
}

/* Random edges on top; they may go back, or from an actor to itself. */
static void add_any(struct edges *edges, unsigned actors, unsigned count, struct test_rng *rng)
{
	for (unsigned k = 0; k < count; k++)
		add_edge(edges, test_between(rng, 0, actors - 1), test_between(rng, 0, actors - 1));
}

static void make_edges(struct edges *edges, enum net_shape shape, unsigned actors, struct test_rng *rng)
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

static unsigned add_port(struct net_actor *actor, bool output, uint32_t rate, size_t token_size)
{
	actor->ports[actor->port_count] = (struct net_port){ output, rate, token_size };
	return actor->port_count++;
}

/* The output of `actor` that one more reader may share, or a new one of the given rate and size. */
static unsigned output_of(struct net_spec *net, unsigned actor, bool share, uint32_t rate, size_t token_size)
{
	for (unsigned p = 0; share && p < net->actors[actor].port_count; p++) {
		unsigned readers = 0;

		if (!net->actors[actor].ports[p].output)
			continue;
		for (unsigned f = 0; f < net->fifo_count; f++)
			readers += net->fifos[f].src == actor && net->fifos[f].src_port == p;
		if (readers < NET_READERS)
			return p;
	}
	return add_port(&net->actors[actor], true, rate, token_size);
}

static struct net_fifo *add_fifo(
	struct net_spec *net, unsigned src, unsigned dst, bool share, uint32_t rate, size_t size)
{
	struct net_fifo *fifo = &net->fifos[net->fifo_count];
	unsigned src_port = output_of(net, src, share, rate, size);
	const struct net_port *port = &net->actors[src].ports[src_port];

	*fifo = (struct net_fifo){ .src = src,
		.src_port = src_port,
		.dst = dst,
		.rate = port->rate,
		.token_size = port->token_size };
	fifo->dst_port = add_port(&net->actors[dst], false, port->rate, port->token_size);
	net->fifo_count++;
	return fifo;
}

static void begin(struct net_spec *net, unsigned actors, uint64_t seed)
{
	memset(net, 0, sizeof(*net));
	net->seed = seed;
	net->threads = -1;
	net->actor_count = actors;
	for (unsigned a = 0; a < actors; a++) {
		struct net_actor *actor = &net->actors[a];

		snprintf(actor->name, sizeof(actor->name), "a%u", a);
		actor->seed = test_mix(seed + a);
		actor->last = NET_NEVER;
		actor->core = -1;
	}
}

/* Is there a FIFO from `from` to `to` that gives its reader no first window? */
static int dead_fifo(const struct net_spec *net, unsigned from, const bool *among)
{
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];

		if (fifo->src == from && among[fifo->dst] && fifo->delay < fifo->rate)
			return (int)f;
	}
	return -1;
}

/* One step of the search for a loop without a first firing: leaves the actors that lead only out of such
 * loops. */
static bool find_dead(const struct net_spec *net, bool *among)
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

/* Gives each loop enough delay for a first firing: floor(delay / rate) >= 1 somewhere on it. */
static void enliven(struct net_spec *net, struct test_rng *rng, bool exact)
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
		fifo->delay = fifo->rate + (exact ? 0 : test_between(rng, 0, 2 * fifo->rate + 2));
	}
}

/* Which actors end because some actor upstream ends by its own choice. */
static void find_ending(const struct net_spec *net, bool *ending)
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

static void set_last(struct net_actor *actor, uint64_t last)
{
	actor->last = last;
	for (unsigned p = 0; p < actor->port_count; p++)
		actor->last_valid[p] = actor->ports[p].rate;
}

/* The actor ends after `tokens` tokens at each output; a partly filled last window says so by itself. */
static void set_tokens(struct net_actor *actor, uint64_t tokens, uint32_t rate)
{
	set_last(actor, tokens ? (tokens - 1) / rate : 0);
	for (unsigned p = 0; p < actor->port_count; p++)
		if (actor->ports[p].output)
			actor->last_valid[p] = tokens ? (uint32_t)((tokens - 1) % rate + 1) : 0;
	actor->last_again = tokens % rate != 0 && net_output_count(actor) > 0;
}

static void fill_initial(struct net_spec *net, struct test_rng *rng)
{
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];

		if (fifo->delay == 0 || test_chance(rng, 20))
			continue;
		fifo->initial = malloc(fifo->delay * fifo->token_size);
		if (!fifo->initial)
			abort();
		for (size_t i = 0; i < fifo->delay * fifo->token_size; i++)
			fifo->initial[i] = (unsigned char)test_random(rng);
	}
}

void net_make(struct net_spec *net, const struct net_plan *plan, uint64_t seed)
{
	struct test_rng rng = { seed };
	struct edges edges;
	bool ending[NET_ACTORS];

	begin(net, plan->actors, seed);
	make_edges(&edges, plan->shape, plan->actors, &rng);
	for (unsigned e = 0; e < edges.count; e++) {
		struct net_fifo *fifo =
			add_fifo(net, edges.list[e].src, edges.list[e].dst, plan->broadcast, plan->rate, 8);

		fifo->delay = plan->delay;
		fifo->depth = plan->depth;
	}
	enliven(net, &rng, true);
	for (unsigned a = 0; a < net->actor_count; a++) {
		net->actors[a].dawdle = plan->dawdle;
		if (net_input_count(&net->actors[a]) == 0)
			set_tokens(&net->actors[a], plan->tokens, plan->rate);
	}
	for (unsigned a = 0; a < net->actor_count; a++) {
		find_ending(net, ending);
		if (!ending[a])
			set_tokens(&net->actors[a], plan->tokens, plan->rate);
	}
	fill_initial(net, &rng);
}

/* How an actor ends by its own choice: whole windows, partly filled ones, some left open, with PSTK_DONE or
 * without. */
static void choose_end(struct net_actor *actor, uint64_t firings, struct test_rng *rng)
{
	bool partly = false, open = false;

	set_last(actor, test_between(rng, 0, (uint32_t)firings - 1));
	if (test_chance(rng, 30))
		return;
	for (unsigned p = 0; p < actor->port_count; p++) {
		if (actor->ports[p].output && test_chance(rng, 70))
			actor->last_valid[p] = test_between(rng, 1, actor->ports[p].rate);
		if (test_chance(rng, 10))
			actor->last_valid[p] = 0;
		open = open || actor->last_valid[p] == 0;
		partly = partly || (actor->last_valid[p] > 0 && actor->last_valid[p] < actor->ports[p].rate);
	}
	actor->last_again = partly && !open && test_chance(rng, 50);
}

static uint32_t random_delay(uint32_t rate, struct test_rng *rng)
{
	if (test_chance(rng, 50))
		return 0;
	return test_chance(rng, 30) ? 1 : test_between(rng, 0, 3 * rate + 2);
}

static size_t random_token_size(struct test_rng *rng)
{
	if (test_chance(rng, 30))
		return (size_t)1 << test_between(rng, 0, 6);
	return test_chance(rng, 80) ? test_between(rng, 0, 49) * 2 + 1 : test_between(rng, 1, 100);
}

/* Returns the most bytes of a window. */
static size_t make_fifos(struct net_spec *net, const struct edges *edges, struct test_rng *rng)
{
	static const uint32_t most_rates[] = { 1, 2, 4, 8, 8, 16, 64 };
	uint32_t most_rate = most_rates[test_between(rng, 0, TEST_COUNT(most_rates) - 1)];
	bool same = test_chance(rng, 20);
	unsigned share = test_between(rng, 0, 100);
	size_t most = 1;

	for (unsigned e = 0; e < edges->count; e++) {
		uint32_t rate = same ? most_rate : test_between(rng, 1, most_rate);
		struct net_fifo *fifo = add_fifo(net, edges->list[e].src, edges->list[e].dst,
			test_chance(rng, share), rate, random_token_size(rng));

		fifo->delay = random_delay(fifo->rate, rng);
		fifo->depth = test_between(rng, 0, 4);
		if (fifo->rate * fifo->token_size > most)
			most = fifo->rate * fifo->token_size;
	}
	return most;
}

static uint64_t random_firings(size_t window_bytes, struct test_rng *rng)
{
	uint64_t most = 30000 / window_bytes;

	most = most > 80 ? 80 : most < 4 ? 4 : most;
	return test_between(rng, 1, (uint32_t)most);
}

static void choose_ends(struct net_spec *net, size_t window_bytes, struct test_rng *rng)
{
	bool ending[NET_ACTORS], early = test_chance(rng, 25);

	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_input_count(&net->actors[a]) == 0 || (early && test_chance(rng, 20)))
			choose_end(&net->actors[a], random_firings(window_bytes, rng), rng);
	for (unsigned a = 0; a < net->actor_count; a++) {
		find_ending(net, ending);
		if (!ending[a])
			choose_end(&net->actors[a], random_firings(window_bytes, rng), rng);
	}
}

/* The least windows of the FIFOs at an actor: more firings side by side are refused. */
static uint32_t least_depth(const struct net_spec *net, unsigned a)
{
	uint32_t least = 256;

	for (const struct net_fifo *f = net->fifos; f < net->fifos + net->fifo_count; f++) {
		uint32_t depth = f->depth ? f->depth : net_default_depth((unsigned)net->threads);

		if ((f->src == a || f->dst == a) && depth < least)
			least = depth;
	}
	return least;
}

/* Who runs it, from numbers of its own: a seed's network is the same in each mode, but for the actors' state. */
static void choose_mode(struct net_spec *net, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed ^ 0x7ea3) };
	unsigned stateless = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 100);
	unsigned blocks = test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 100);
	unsigned pins = test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 100);

	net->threads = (int)test_team(&rng);
	ps_fifo_warm_least = test_chance(&rng, 50) ? 1 : 4096; /* small windows, too, go where it is warm */
	for (unsigned a = 0; a < net->actor_count; a++) {
		struct net_actor *actor = &net->actors[a];

		actor->stateless = test_chance(&rng, stateless);
		actor->blocks = test_chance(&rng, blocks);
		if (actor->stateless && test_chance(&rng, 50))
			actor->concurrency = test_between(&rng, 1, least_depth(net, a));
		if (test_chance(&rng, pins))
			actor->core = (int)test_between(&rng, 0, 7);
	}
}

void net_make_random(struct net_spec *net, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };
	unsigned actors =
		test_chance(&rng, 95) ? test_between(&rng, 2, 10) : test_between(&rng, 10, NET_ACTORS);
	unsigned dawdle = test_chance(&rng, 50) ? 0 : test_between(&rng, 1, 40);
	struct edges edges;
	size_t window_bytes;

	begin(net, actors, seed);
	make_edges(&edges, (enum net_shape)test_between(&rng, 0, NET_SHAPES - 1), actors, &rng);
	window_bytes = make_fifos(net, &edges, &rng);
	enliven(net, &rng, test_chance(&rng, 50));
	choose_ends(net, window_bytes, &rng);
	for (unsigned a = 0; a < actors; a++) {
		net->actors[a].dawdle = dawdle;
		net->actors[a].core = test_chance(&rng, 10) ? (int)test_between(&rng, 0, 1) : -1;
	}
	choose_mode(net, seed);
	fill_initial(net, &rng);
}

/* The reader of the same output with the most delay tokens. */
static const struct net_fifo *most_delayed(const struct net_spec *net, const struct net_fifo *fifo)
{
	const struct net_fifo *most = fifo;

	for (const struct net_fifo *o = net->fifos; o < net->fifos + net->fifo_count; o++)
		if (o->src == fifo->src && o->src_port == fifo->src_port && o->delay > most->delay)
			most = o;
	return most;
}

void net_equal_delays(struct net_spec *net, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed ^ 0xe40a1) };

	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];
		const struct net_fifo *most = most_delayed(net, fifo);
		size_t bytes = most->delay * most->token_size;

		/* never fewer tokens: what lives goes on living */
		if (most == fifo || (fifo->delay == 0 && test_chance(&rng, 50)) || test_chance(&rng, 20))
			continue;
		free(fifo->initial);
		fifo->delay = most->delay;
		fifo->initial = most->initial ? malloc(bytes) : NULL;
		if (most->initial && !fifo->initial)
			abort();
		if (most->initial)
			memcpy(fifo->initial, most->initial, bytes);
	}
}
