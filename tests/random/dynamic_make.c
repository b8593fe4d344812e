/* SPDX-License-Identifier: MIT */
/* The generator. It builds sane networks clock by clock, and then spoils some. */
#include "tests/random/dynamic_net.h"

#include <string.h>

enum { CLOCKS = 12, MORE_ACTORS = DYN_ACTORS - 8 };

/* The times at which something fires: clock 0 always, another one when `group` (itself of some clock) has
 * a value in `on`. */
struct clock {
	unsigned group;
	uint32_t on;
};

struct make {
	struct dyn_net *net;
	struct test_rng rng;
	bool loose;
	struct clock clocks[CLOCKS];
	unsigned clock_count;
	unsigned clock_of[DYN_ACTORS];
	uint64_t rank[DYN_ACTORS]; /* a FIFO to an actor of no higher rank closes a cycle */
};

/* An actor that could have a port of some clock. */
struct place {
	unsigned actor;
	bool dynamic;
	uint32_t on;
};

static bool has_room(const struct dyn_net *net, unsigned actor)
{
	return net->actors[actor].port_count < DYN_PORTS;
}

/* All that could have a port of this clock: actors of it, and members of its group. */
static unsigned places(struct make *m, unsigned clock, struct place *list)
{
	unsigned n = 0;

	for (unsigned a = 0; a < m->net->actor_count; a++) {
		if (!has_room(m->net, a))
			continue;
		if (m->clock_of[a] == clock && m->net->actors[a].values && test_chance(&m->rng, 20))
			list[n++] = (struct place){ a, true, dyn_all(m->net->actors[a].values) };
		else if (m->clock_of[a] == clock)
			list[n++] = (struct place){ a, false, 0 };
		else if (clock && dyn_group_of(m->net, a) == m->clocks[clock].group)
			list[n++] = (struct place){ a, true, m->clocks[clock].on };
	}
	return n;
}

static unsigned new_actor(struct make *m, unsigned clock, uint64_t rank)
{
	unsigned a = dyn_add_actor(m->net, 0);

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
	struct dyn_actor *actor = &m->net->actors[w.actor];

	*like = m->net->fifo_count;
	for (unsigned p = 0; p < actor->port_count && test_chance(&m->rng, 30); p++) {
		if (dyn_reads(actor->ports[p].kind) || actor->ports[p].group >= 0 ||
			dyn_is_dynamic(actor->ports[p].kind) != w.dynamic || actor->ports[p].on != w.on)
			continue;
		for (*like = 0; m->net->fifos[*like].src != w.actor || m->net->fifos[*like].src_port != p;
			++*like)
			;
		return p; /* a broadcast */
	}
	return dyn_add_port(m->net, w.actor, w.dynamic ? DYN_DYNAMIC_OUTPUT : DYN_OUTPUT, w.on);
}

static uint32_t random_delay(struct make *m, uint32_t rate, bool forward)
{
	if (m->loose || forward)
		return test_chance(&m->rng, 60) ? 0 : test_between(&m->rng, 0, 3 * rate + 2);
	return test_between(&m->rng, rate, 3 * rate + 2);
}

static void join(struct make *m, struct place w, struct place r)
{
	struct dyn_net *net = m->net;
	unsigned like, out, in;
	uint32_t rate = test_chance(&m->rng, 30) ? 1 : test_between(&m->rng, 1, 16);

	if (net->fifo_count == DYN_FIFOS || net->actors[w.actor].port_count + 2u > DYN_PORTS ||
		net->actors[r.actor].port_count + 2u > DYN_PORTS)
		return;
	out = output_of(m, w, &like);
	in = dyn_add_port(net, r.actor, r.dynamic ? DYN_DYNAMIC_INPUT : DYN_INPUT, r.on);
	if (like < net->fifo_count)
		rate = net->fifos[like].rate;
	like = dyn_add_fifo(net, w.actor, out, r.actor, in, rate,
		random_delay(m, rate, m->rank[w.actor] < m->rank[r.actor]));
	net->fifos[like].depth = test_between(&m->rng, 1, 4);
}

/* A FIFO of this clock between the actor (DYN_ACTORS: any) and another place. */
static void join_some(struct make *m, unsigned clock, unsigned actor)
{
	struct place list[DYN_ACTORS], one, other;
	unsigned n = places(m, clock, list), i = 0;

	if (!n)
		return;
	one = list[test_between(&m->rng, 0, n - 1)];
	other = list[test_between(&m->rng, 0, n - 1)];
	if (actor < DYN_ACTORS) {
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

/* Now and then one that is never on: pstk_port_enable() was forgotten. */
static uint32_t random_set(struct make *m, uint32_t most)
{
	return test_chance(&m->rng, 8) ? 0 : test_between(&m->rng, 1, most);
}

static unsigned random_clock_on(struct make *m, unsigned group)
{
	unsigned values = m->net->groups[group].values;

	return find_clock(m, group, random_set(m, dyn_all(values) - 1));
}

static void grow_group(struct make *m, unsigned clock)
{
	struct place list[DYN_ACTORS], w = { DYN_ACTORS, false, 0 };
	unsigned n = places(m, clock, list), port, g, members = test_between(&m->rng, 1, 3);

	if (m->net->group_count == DYN_GROUPS)
		return;
	if (n && test_chance(&m->rng, 50)) {
		w = list[test_between(&m->rng, 0, n - 1)];
	} else {
		w.actor = new_actor(m, clock, random_rank(m));
		join_some(m, clock, w.actor);
	}
	if (!has_room(m->net, w.actor))
		return;
	port = dyn_add_port(m->net, w.actor, w.dynamic ? DYN_DYNAMIC_OUTPUT : DYN_OUTPUT, w.on);
	g = dyn_add_group(m->net, w.actor, port, test_between(&m->rng, 2, DYN_VALUES));
	for (unsigned i = 0; i < members; i++) {
		unsigned a = dyn_add_member(m->net, g);

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
			any = any || dyn_is_dynamic(m->net->actors[a].ports[p].kind);
		if (!any) {
			uint32_t on = random_set(m, dyn_all(m->net->actors[a].values));
			struct place self = { a, true, on };

			if (test_chance(&m->rng, 30) || m->net->actor_count == DYN_ACTORS)
				join(m, self, self);
			else /* a sink of its own, in a region of its own */
				join(m, self, (struct place){ new_actor(m, CLOCKS, UINT64_MAX), false, 0 });
		}
	}
}

static void make_sane(struct make *m)
{
	unsigned actors = test_between(&m->rng, 3, MORE_ACTORS), extra = test_between(&m->rng, 0, actors);

	m->clock_count = 1;
	new_actor(m, 0, random_rank(m));
	for (unsigned i = 0; m->net->actor_count < actors && i < 3 * actors; i++)
		grow(m);
	for (unsigned i = 0; i < extra; i++)
		join_some(m, test_between(&m->rng, 0, m->clock_count - 1), DYN_ACTORS);
	finish_members(m);
}

/*
 * Spoiling. Each returns whether it has changed anything.
 */

static bool flip(struct make *m)
{
	for (unsigned tries = 0; tries < 50; tries++) {
		struct dyn_actor *a = &m->net->actors[test_between(&m->rng, 0, m->net->actor_count - 1)];
		unsigned p = a->port_count ? test_between(&m->rng, 0, a->port_count - 1) : 0;

		if (!a->port_count || !dyn_is_dynamic(a->ports[p].kind))
			continue;
		a->ports[p].on ^= UINT32_C(1) << test_between(&m->rng, 0, a->values - 1);
		return true;
	}
	return false;
}

static bool undelay(struct make *m)
{
	for (unsigned tries = 0; tries < 50; tries++) {
		struct dyn_fifo *f = &m->net->fifos[test_between(&m->rng, 0, m->net->fifo_count - 1)];

		if (f->delay < f->rate)
			continue;
		f->delay = test_between(&m->rng, 0, f->rate - 1);
		return true;
	}
	return false;
}

static void remove_port(struct dyn_net *net, unsigned a, unsigned p)
{
	struct dyn_actor *actor = &net->actors[a];

	memmove(&actor->ports[p], &actor->ports[p + 1], (--actor->port_count - p) * sizeof *actor->ports);
	for (unsigned f = 0; f < net->fifo_count; f++) {
		net->fifos[f].src_port -= net->fifos[f].src == a && net->fifos[f].src_port > p;
		net->fifos[f].dst_port -= net->fifos[f].dst == a && net->fifos[f].dst_port > p;
	}
	for (unsigned g = 0; g < net->group_count; g++)
		net->groups[g].port -= net->groups[g].conf == a && net->groups[g].port > p;
}

/* May the port go? Its actor keeps a port, a dynamic one if it is dynamic. */
static bool removable(const struct dyn_actor *actor, unsigned port)
{
	unsigned dynamic = 0;

	for (unsigned p = 0; p < actor->port_count; p++)
		dynamic += p != port && dyn_is_dynamic(actor->ports[p].kind);
	return actor->ports[port].kind != DYN_CONTROL &&
	       (actor->values ? dynamic > 0 : actor->port_count > 1);
}

static bool move(struct make *m)
{
	struct dyn_net *net = m->net;

	for (unsigned tries = 0; tries < 50; tries++) {
		struct dyn_fifo *f = &net->fifos[test_between(&m->rng, 0, net->fifo_count - 1)];
		unsigned a = test_between(&m->rng, 0, net->actor_count - 1), from = f->dst,
			 port = f->dst_port;
		bool dynamic = net->actors[a].values && test_chance(&m->rng, 50);

		if (a == from || !has_room(net, a) || !removable(&net->actors[from], port))
			continue;
		f->dst = a;
		f->dst_port = dyn_add_port(net, a, dynamic ? DYN_DYNAMIC_INPUT : DYN_INPUT,
			dynamic ? random_set(m, dyn_all(net->actors[a].values)) : 0);
		remove_port(net, from, port);
		return true;
	}
	return false;
}

static bool regroup(struct make *m)
{
	struct dyn_net *net = m->net;

	for (unsigned tries = 0; tries < 50; tries++) {
		unsigned a = test_between(&m->rng, 0, net->actor_count - 1), old = dyn_group_of(net, a), g;
		unsigned members = 0;

		if (old == DYN_GROUPS)
			continue;
		for (unsigned b = 0; b < net->actor_count; b++)
			members += dyn_group_of(net, b) == old;
		g = test_between(&m->rng, 0, net->group_count - 1);
		if (g == old || members < 2 || net->groups[g].values != net->groups[old].values)
			continue;
		struct dyn_fifo *f = &net->fifos[dyn_into(net, a, dyn_control_port(&net->actors[a]))];
		f->src = net->groups[g].conf;
		f->src_port = net->groups[g].port;
		return true;
	}
	return false;
}

static unsigned some_member(struct make *m, unsigned group)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		unsigned a = test_between(&m->rng, 0, m->net->actor_count - 1);

		if (dyn_group_of(m->net, a) == group && has_room(m->net, a))
			return a;
	}
	return DYN_ACTORS;
}

/* Two groups of one clock get the same values from different actors: no fault, but nobody can see that. */
static bool twin(struct make *m)
{
	struct dyn_net *net = m->net;

	for (unsigned g = 0; g < net->group_count; g++)
		for (unsigned h = g + 1; h < net->group_count; h++) {
			unsigned a = some_member(m, g), b = some_member(m, h);
			uint32_t on = random_set(m, dyn_all(net->groups[g].values) - 1);

			if (a == DYN_ACTORS || b == DYN_ACTORS || m->clock_of[a] != m->clock_of[b])
				continue;
			if (net->groups[g].values != net->groups[h].values)
				continue;
			net->groups[h].twin = g;
			if (m->rank[a] < m->rank[b])
				join(m, (struct place){ a, true, on }, (struct place){ b, true, on });
			else
				join(m, (struct place){ b, true, on }, (struct place){ a, true, on });
			return true;
		}
	return false;
}

static bool spoil(struct make *m)
{
	switch (m->net->origin) {
	case DYN_FLIPPED:
		return flip(m);
	case DYN_UNDELAYED:
		return undelay(m);
	case DYN_MOVED:
		return move(m);
	case DYN_REGROUPED:
		return regroup(m);
	case DYN_TWINS:
		return twin(m);
	default:
		return false;
	}
}

void dyn_make_random(struct dyn_net *net, uint64_t seed)
{
	struct make m = { .net = net, .rng = { test_mix(seed) } };

	memset(net, 0, sizeof *net);
	net->seed = seed;
	if (test_chance(&m.rng, 55))
		net->origin = (enum dyn_origin)test_between(&m.rng, DYN_LOOSE, DYN_ORIGINS - 1);
	m.loose = net->origin == DYN_LOOSE;
	make_sane(&m);
	if (!m.loose && !spoil(&m))
		net->origin = DYN_SANE;
}
