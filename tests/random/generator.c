/* SPDX-License-Identifier: MIT */
/*
 * The generator: what a network consists of, then how its actors behave, which threads run it and where. Dynamic
 * networks grow clock by clock on a few static actors, so that the rules prove them; then some are spoiled.
 */
#include "tests/random/generator.h"
#include "lib/fifo/fifo.h"
#include "lib/plan/bundles.h"

#include "tests/random/pair.h"
#include "tests/random/rules.h"

#include <assert.h>
#include <string.h>

enum { CLOCKS = 12, MORE_ACTORS = 16, MOST_ACTORS = 24, MOST_PORTS = 12, MOST_VALUES = 8 };

/* The times at which something fires: clock 0 always, another one when `group` (itself of some clock) has
 * a value in `on`. */
struct clock {
	unsigned group;
	uint32_t on;
};

struct make {
	struct net *net;
	struct test_rng rng;
	bool loose, sizes; /* sizes: tokens of any size */
	struct clock clocks[CLOCKS];
	unsigned clock_count;
	unsigned clock_of[MOST_ACTORS];
	uint64_t rank[MOST_ACTORS]; /* a FIFO to an actor of no higher rank closes a cycle */
};

/* An actor that could have a port of some clock. */
struct place {
	unsigned actor;
	bool dynamic;
	uint32_t on;
};

static bool has_room(const struct net *net, unsigned actor)
{
	return net->actors[actor].port_count < MOST_PORTS;
}

/* All that could have a port of this clock: actors of it, and members of its group. */
static unsigned places(struct make *m, unsigned clock, struct place *list)
{
	unsigned n = 0;

	for (unsigned a = 0; a < m->net->actor_count; a++) {
		if (!has_room(m->net, a))
			continue;
		if (m->clock_of[a] == clock && m->net->actors[a].values && test_chance(&m->rng, 20))
			list[n++] = (struct place){ a, true, net_all(m->net->actors[a].values) };
		else if (m->clock_of[a] == clock)
			list[n++] = (struct place){ a, false, 0 };
		else if (clock && net_group_of(m->net, a) == m->clocks[clock].group)
			list[n++] = (struct place){ a, true, m->clocks[clock].on };
	}
	return n;
}

static unsigned new_actor(struct make *m, unsigned clock, uint64_t rank)
{
	unsigned a = net_add_actor(m->net, 0);

	m->clock_of[a] = clock;
	m->rank[a] = rank;
	return a;
}

static uint64_t random_rank(struct make *m)
{
	return test_random(&m->rng) >> 8;
}

static unsigned output_of(struct make *m, struct place w, unsigned *like)
{
	struct net_actor *actor = &m->net->actors[w.actor];

	*like = m->net->fifo_count;
	for (unsigned p = 0; p < actor->port_count && test_chance(&m->rng, 30); p++) {
		if (net_reads(actor->ports[p].kind) || actor->ports[p].group >= 0 ||
			net_is_dynamic(actor->ports[p].kind) != w.dynamic || actor->ports[p].on != w.on)
			continue;
		for (*like = 0; m->net->fifos[*like].src != w.actor || m->net->fifos[*like].src_port != p;
			++*like)
			;
		return p; /* a broadcast */
	}
	return net_add_port(m->net, w.actor, w.dynamic ? NET_DYNAMIC_OUTPUT : NET_OUTPUT, w.on);
}

static uint32_t random_delay(struct make *m, uint32_t rate, bool forward)
{
	if (m->loose || forward)
		return test_chance(&m->rng, 60) ? 0 : test_between(&m->rng, 0, 3 * rate + 2);
	return test_between(&m->rng, rate, 3 * rate + 2);
}

static void join(struct make *m, struct place w, struct place r)
{
	struct net *net = m->net;
	unsigned like, out, in;
	uint32_t rate = test_chance(&m->rng, 30) ? 1 : test_between(&m->rng, 1, 16);
	size_t size;

	if (net->fifo_count == NET_FIFOS || net->actors[w.actor].port_count + 2u > MOST_PORTS ||
		net->actors[r.actor].port_count + 2u > MOST_PORTS)
		return;
	out = output_of(m, w, &like);
	in = net_add_port(net, r.actor, r.dynamic ? NET_DYNAMIC_INPUT : NET_INPUT, r.on);
	if (like < net->fifo_count)
		rate = net->fifos[like].rate;
	size = like < net->fifo_count ? net->fifos[like].token_size
	       : m->sizes             ? net_random_token_size(&m->rng)
	                              : 8;
	like = net_add_fifo(net, w.actor, out, r.actor, in, rate,
		random_delay(m, rate, m->rank[w.actor] < m->rank[r.actor]));
	net_set_token_size(net, like, size);
	net->fifos[like].depth = test_between(&m->rng, 1, 4);
}

/* A FIFO of this clock between the actor (MOST_ACTORS: any) and another place. */
static void join_some(struct make *m, unsigned clock, unsigned actor)
{
	struct place list[MOST_ACTORS], one, other;
	unsigned n = places(m, clock, list), i = 0;

	if (!n)
		return;
	one = list[test_between(&m->rng, 0, n - 1)];
	other = list[test_between(&m->rng, 0, n - 1)];
	if (actor < MOST_ACTORS) {
		while (i < n && list[i].actor != actor)
			i++;
		if (i == n)
			return;
		one = list[i];
		if (n > 1 && other.actor == actor)
			other = list[(i + 1) % n];
	}
	/* mostly forward, where it needs no delay */
	if (test_chance(&m->rng, 75) == (m->rank[one.actor] < m->rank[other.actor]))
		join(m, one, other);
	else
		join(m, other, one);
}

static unsigned find_clock(struct make *m, unsigned group, uint32_t on)
{
	for (unsigned c = 1; c < m->clock_count; c++)
		if (m->clocks[c].group == group && m->clocks[c].on == on)
			return c;
	if (m->clock_count == CLOCKS)
		return 0;
	m->clocks[m->clock_count] = (struct clock){ group, on };
	return m->clock_count++;
}

static unsigned random_clock_on(struct make *m, unsigned group)
{
	unsigned values = m->net->groups[group].values;

	return find_clock(m, group, net_random_set(&m->rng, net_all(values) - 1));
}

static void grow_group(struct make *m, unsigned clock)
{
	struct place list[MOST_ACTORS], w = { MOST_ACTORS, false, 0 };
	unsigned n = places(m, clock, list), port, g, members = test_between(&m->rng, 1, 3);

	if (m->net->group_count == NET_GROUPS)
		return;
	if (n && test_chance(&m->rng, 50)) {
		w = list[test_between(&m->rng, 0, n - 1)];
	} else {
		w.actor = new_actor(m, clock, random_rank(m));
		join_some(m, clock, w.actor);
	}
	if (!has_room(m->net, w.actor))
		return;
	port = net_add_port(m->net, w.actor, w.dynamic ? NET_DYNAMIC_OUTPUT : NET_OUTPUT, w.on);
	g = net_add_group(m->net, w.actor, port, test_between(&m->rng, 2, MOST_VALUES));
	for (unsigned i = 0; i < members; i++) {
		unsigned a = net_add_member(m->net, g);

		m->net->fifos[m->net->fifo_count - 1].depth = test_between(&m->rng, 1, 4);
		m->clock_of[a] = clock;
		m->rank[a] = m->rank[w.actor] + 1 + random_rank(m) / 2;
		if (test_chance(&m->rng, 50))
			join_some(m, clock, a);
	}
}

static void grow(struct make *m)
{
	unsigned clock = test_between(&m->rng, 0, m->clock_count - 1);

	if (test_chance(&m->rng, 35) || !m->net->group_count) {
		grow_group(m, clock);
		return;
	}
	if (test_chance(&m->rng, 50))
		clock = random_clock_on(m, test_between(&m->rng, 0, m->net->group_count - 1));
	join_some(m, clock, new_actor(m, clock, random_rank(m)));
}

/* Each member needs a dynamic port. */
static void finish_members(struct make *m)
{
	for (unsigned a = 0; a < m->net->actor_count; a++) {
		bool any = !m->net->actors[a].values;

		for (unsigned p = 0; p < m->net->actors[a].port_count; p++)
			any = any || net_is_dynamic(m->net->actors[a].ports[p].kind);
		if (!any) {
			uint32_t on = net_random_set(&m->rng, net_all(m->net->actors[a].values));
			struct place self = { a, true, on };

			if (test_chance(&m->rng, 30) || m->net->actor_count == MOST_ACTORS)
				join(m, self, self);
			else /* a sink of its own, in a region of its own */
				join(m, self, (struct place){ new_actor(m, CLOCKS, UINT64_MAX), false, 0 });
		}
	}
}

/* A few static actors in some shape, by rising rank: edges that don't go forward have a window of delay tokens. */
static void make_base(struct make *m)
{
	unsigned actors = test_chance(&m->rng, 60) ? 1 : test_between(&m->rng, 2, 5);
	struct net_edges edges;
	uint64_t rank = 0;

	for (unsigned a = 0; a < actors; a++)
		new_actor(m, 0, rank += 1 + random_rank(m) / actors);
	if (actors == 1)
		m->rank[0] = random_rank(m);
	edges.count = 0;
	if (actors > 1)
		net_make_edges(
			&edges, (enum net_shape)test_between(&m->rng, 0, NET_SHAPES - 1), actors, &m->rng);
	for (unsigned e = 0; e < edges.count; e++)
		join(m, (struct place){ edges.list[e].src, false, 0 },
			(struct place){ edges.list[e].dst, false, 0 });
}

static void make_sane(struct make *m)
{
	unsigned actors = test_between(&m->rng, 3, MORE_ACTORS), extra = test_between(&m->rng, 0, actors);

	m->clock_count = 1;
	make_base(m);
	for (unsigned i = 0; m->net->actor_count < actors && i < 3 * actors; i++)
		grow(m);
	for (unsigned i = 0; i < extra; i++)
		join_some(m, test_between(&m->rng, 0, m->clock_count - 1), MOST_ACTORS);
	finish_members(m);
}

/* The control values that it gets are chosen, too. */
static void grow_dynamic(struct net *net, bool sane, struct test_rng *rng)
{
	struct make m = { .net = net, .rng = *rng };

	if (!sane && test_chance(&m.rng, 55))
		net->origin = (enum net_origin)test_between(&m.rng, NET_LOOSE, NET_ORIGINS - 1);
	m.loose = net->origin == NET_LOOSE;
	m.sizes = test_chance(&m.rng, 50);
	make_sane(&m);
	if (!m.loose && !net_spoil(net, &m.rng, m.clock_of, m.rank))
		net->origin = NET_SANE;
	*rng = m.rng;
}

void net_make_dynamic(struct net *net, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };

	net_begin(net, seed);
	grow_dynamic(net, false, &rng);
}

/* Do control tokens come to it or from it? Then it fires once in each of its ticks. */
static bool is_controlled(const struct net *net, unsigned a)
{
	bool conf = net->actors[a].values > 0;

	for (unsigned p = 0; p < net->actors[a].port_count; p++)
		conf = conf ||
		       (!net_reads(net->actors[a].ports[p].kind) && net->actors[a].ports[p].group >= 0);
	return conf;
}

/* The tokens of a tick at the output of FIFO f: as many windows of 1 token as each of its actors needs. */
static uint32_t tokens_of_tick(const struct net *net, unsigned f, const uint32_t *fires)
{
	const struct net_fifo *fifo = &net->fifos[f];
	uint32_t tokens = fires[fifo->src];

	for (unsigned o = 0; o < net->fifo_count; o++)
		if (net->fifos[o].src == fifo->src && net->fifos[o].src_port == fifo->src_port)
			tokens *= fires[net->fifos[o].dst] / net_common(tokens, fires[net->fifos[o].dst]);
	return fifo->rate * tokens;
}

/* Lets static actors fire several times in each tick of their clock, with windows of their own. What was proven of
 * ticks stays so: as many ticks' tokens are there at the beginning. fires: of each actor. */
static void split_ticks(struct net *net, uint32_t *fires, struct test_rng *rng)
{
	uint32_t tokens[NET_FIFOS];
	/* control tokens that come of a firing; of several groups one may decide about another */
	uint32_t decisions = net->group_count == 1 && test_chance(rng, 50) ? test_between(rng, 2, 3) : 1;

	net->rates = true;
	for (unsigned a = 0; a < net->actor_count; a++)
		fires[a] = a == net->groups[0].conf ? 1
		           : is_controlled(net, a)  ? decisions
		                                    : decisions * test_between(rng, 1, 4);
	for (unsigned f = 0; f < net->fifo_count; f++)
		tokens[f] = tokens_of_tick(net, f, fires);
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];
		uint32_t ticks = fifo->delay / fifo->rate, rest = fifo->delay % fifo->rate;

		fifo->depth = 0;
		if (net_is_control(net, f)) {
			fifo->rate = net->actors[fifo->src].ports[fifo->src_port].rate = decisions;
			continue;
		}
		fifo->delay = ticks * tokens[f] + (rest ? test_between(rng, 0, tokens[f] - 1) : 0);
		fifo->rate = tokens[f] / fires[fifo->src];
		fifo->read_rate = tokens[f] / fires[fifo->dst];
		net->actors[fifo->src].ports[fifo->src_port].rate = fifo->rate;
		net->actors[fifo->dst].ports[fifo->dst_port].rate = fifo->read_rate;
	}
}

/*
 * How it behaves.
 */

/* Static actors that nothing controls end by their own choice, all others with their streams. */
static void choose_dynamic_ends(struct net *net, const struct net_switches *s, const struct rules_verdict *v,
	const uint32_t *fires, struct test_rng *rng)
{
	uint32_t ticks = test_between(rng, 1, s->ticks);
	bool same = test_chance(rng, 50); /* whole windows, at the same firing */

	for (unsigned a = 0; a < net->actor_count; a++) {
		if (!rules_is_free(net, v, a))
			continue;
		if (same)
			net_end_at(net, a, (uint64_t)ticks * fires[a] - 1);
		else
			net_choose_end(&net->actors[a], ticks, rng);
	}
}

/* Takes delay tokens from some FIFOs. */
static void starve(struct net *net)
{
	struct test_rng rng = { test_mix(net->seed ^ 0xdead) };
	unsigned percent = test_chance(&rng, 50) ? 30 : 100;

	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].delay && test_chance(&rng, percent))
			net->fifos[f].delay = test_between(&rng, 0, net->fifos[f].delay - 1);
}

/* The reader of the same output with the most delay tokens. */
static const struct net_fifo *most_delayed(const struct net *net, const struct net_fifo *fifo)
{
	const struct net_fifo *most = fifo;

	for (const struct net_fifo *o = net->fifos; o < net->fifos + net->fifo_count; o++)
		if (o->src == fifo->src && o->src_port == fifo->src_port && o->delay > most->delay)
			most = o;
	return most;
}

/* Gives most readers of a broadcast the delay tokens of that one which has most, so that they can share memory.
 * They never get fewer: a network that lives goes on living. */
static void equal_delays(struct net *net)
{
	struct test_rng rng = { test_mix(net->seed ^ 0xe40a1) };

	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];
		const struct net_fifo *most = most_delayed(net, fifo);

		if (most == fifo || (fifo->delay == 0 && test_chance(&rng, 50)) || test_chance(&rng, 20))
			continue;
		fifo->delay = most->delay;
		fifo->initial = most->initial;
	}
}

/* The least windows of the FIFOs at an actor: more firings side by side are refused. */
static uint32_t least_depth(const struct net *net, unsigned a)
{
	uint32_t least = 256;

	for (unsigned f = 0; f < net->fifo_count; f++)
		if ((net->fifos[f].src == a || net->fifos[f].dst == a) && net_depth(net, f) < least)
			least = net_depth(net, f);
	return least;
}

/* The threads that run it, from numbers of their own: a seed's network is the same in each mode, but for the actors'
 * state. */
static void choose_mode(struct net *net, const struct net_switches *s)
{
	struct test_rng rng = { test_mix(net->seed ^ 0x7ea3) };
	unsigned stateless = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 100);
	unsigned blocks = test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 100);
	unsigned pins = test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 100);
	unsigned dawdle = test_chance(&rng, 50) ? 0 : test_between(&rng, 1, 40);

	net->threads = (int)test_team(&rng);
	if (s->most_team)
		net->threads = (int)test_between(&rng, s->least_team, s->most_team);
	ps_fifo_warm_least = test_chance(&rng, 50) ? 1 : 4096; /* small windows, too, go where it is warm */
	for (unsigned a = 0; a < net->actor_count; a++) {
		struct net_actor *actor = &net->actors[a];

		if (s->form != NET_STATIC) /* these have drawn theirs, in an order that old seeds rely on */
			actor->dawdle = dawdle;
		actor->stateless = test_chance(&rng, stateless) && !actor->kahn;
		actor->blocks = test_chance(&rng, blocks);
		if (actor->stateless && test_chance(&rng, 50))
			actor->concurrency = test_between(&rng, 1, least_depth(net, a));
		if (test_chance(&rng, pins))
			actor->core = (int)test_between(&rng, 0, 7);
	}
	ps_bundles_wanted = test_chance(&rng, 75);
}

/* It has few ports, and does not end by its own choice. */
static bool can_on_device(const struct net_actor *actor)
{
	unsigned windows = actor->port_count - (actor->values > 0);

	return actor->last == NET_NEVER && !actor->kahn && !net_is_pipeline(actor) && windows &&
	       windows <= NET_WINDOWS;
}

/* Maps random actors to these devices, one at least if there is any that can. */
static void choose_devices(
	struct net *net, const struct net_switches *s, const char *const *devices, unsigned count)
{
	unsigned most = s->most_on_devices ? s->most_on_devices : NET_ACTORS;
	struct test_rng rng = { test_mix(net->seed ^ UINT64_C(0xdec1ce)) };
	unsigned share = test_between(&rng, 30, 100), mapped = 0;

	for (unsigned round = 0; round < 2 && !mapped; round++)
		for (unsigned a = 0; a < net->actor_count && mapped < most; a++) {
			struct net_actor *actor = &net->actors[a];

			if (!can_on_device(actor) || !(round ? !mapped : test_chance(&rng, share)))
				continue;
			actor->device = devices[test_between(&rng, 0, count - 1)];
			/* the kernels have a state, and nothing of them blocks */
			actor->stateless = actor->blocks = false;
			actor->concurrency = 0;
			mapped++;
		}
}

/* May it be a kernel that keeps nothing? What it finds wrong only its readers can tell. */
static bool can_be_plain(const struct net_actor *actor)
{
	bool writes = false;

	for (unsigned p = 0; p < actor->port_count; p++) {
		if (actor->ports[p].group >= 0 && !net_reads(actor->ports[p].kind))
			return false;
		writes |= !net_reads(actor->ports[p].kind);
	}
	return writes && !actor->values;
}

/* Gives actors that have, or could have, a device more places, and puts some of them on the cores first. */
static void choose_places(struct net *net, const char *const *devices, unsigned count)
{
	struct test_rng rng = { test_mix(net->seed ^ UINT64_C(0x9a1ace5)) };
	unsigned share = test_between(&rng, 40, 100), movers = 0;

	for (unsigned a = 0; a < net->actor_count; a++) {
		struct net_actor *actor = &net->actors[a];

		if (!can_on_device(actor) || movers == 4 ||
			!test_chance(&rng, actor->device ? share : share / 3))
			continue;
		movers++;
		actor->blocks = false;
		actor->concurrency = 0;
		actor->plain = actor->stateless = can_be_plain(actor) && test_chance(&rng, 50);
		if (actor->device && test_chance(&rng, 30))
			actor->device = NULL;
		/* a place may be there twice, or be the first one: the library takes that out */
		actor->place_count = test_between(&rng, 1, NET_PLACES);
		for (unsigned i = 0; i < actor->place_count; i++)
			actor->places[i] =
				test_chance(&rng, 30) ? NULL : devices[test_between(&rng, 0, count - 1)];
		if (!actor->device) /* which needs one at least */
			actor->places[0] = devices[test_between(&rng, 0, count - 1)];
	}
}

static void make_form(struct net *net, const struct net_switches *s, struct test_rng *rng)
{
	struct pair pair;

	switch (s->form) {
	case NET_STATIC:
		net_make_static(net, rng, s);
		break;
	case NET_DYNAMIC:
		grow_dynamic(net, s->rates, rng);
		break;
	case NET_SMALL:
		net_make_small(net, rng);
		break;
	case NET_PAIR:
		pair_random(&pair, rng);
		pair_net(&pair, net);
		break;
	case NET_PROBES:
		net_make_probes(net, rng);
		break;
	}
}

bool net_make_random(struct net *net, const struct net_switches *s, uint64_t seed, const char *const *devices,
	unsigned count)
{
	struct test_rng rng = { test_mix(seed) };
	struct rules_verdict verdict;
	uint32_t fires[NET_ACTORS];

	net_begin(net, seed);
	make_form(net, s, &rng);
	if (s->beside)
		net_add_beside(net);
	if (!s->own_delays)
		equal_delays(net);
	if (s->starved)
		starve(net);
	net->unchecked = !s->proven;
	net->undeclared = s->undeclared && test_chance(&rng, 50);
	if (s->form == NET_DYNAMIC || s->form == NET_SMALL) {
		rules_judge(net, &verdict);
		if (!net->group_count || (s->proven && verdict.rule != RULES_PROVEN))
			return false;
		for (unsigned a = 0; a < net->actor_count; a++)
			fires[a] = 1;
		if (s->rates)
			split_ticks(net, fires, &rng);
		choose_dynamic_ends(net, s, &verdict, fires, &rng);
		net_random_sequences(net, &net->values, NET_SEQUENCE, &rng);
	}
	choose_mode(net, s);
	if (s->pipelines && !net_choose_pipelines(net))
		return false;
	if (count)
		choose_devices(net, s, devices, count);
	if (count && s->moves)
		choose_places(net, devices, count);
	return true;
}
