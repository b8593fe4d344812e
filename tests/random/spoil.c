/* SPDX-License-Identifier: MIT */
/* What makes a sane network another one. Each change returns whether it has changed anything. */
#include "tests/random/generator.h"

#include <string.h>

enum { MOST_PORTS = 12 };

struct spoil {
	struct net *net;
	struct test_rng rng;
	const unsigned *clock_of; /* of its actors, as they were made */
	const uint64_t *rank;
};

/* Now and then one that is never on: pstk_port_enable() was forgotten. */
uint32_t net_random_set(struct test_rng *rng, uint32_t most)
{
	return test_chance(rng, 8) ? 0 : test_between(rng, 1, most);
}

static bool has_room(const struct net *net, unsigned actor)
{
	return net->actors[actor].port_count < MOST_PORTS;
}

/*
 * Spoiling. Each returns whether it has changed anything.
 */

static bool flip(struct spoil *m)
{
	for (unsigned tries = 0; tries < 50; tries++) {
		struct net_actor *a = &m->net->actors[test_between(&m->rng, 0, m->net->actor_count - 1)];
		unsigned p = a->port_count ? test_between(&m->rng, 0, a->port_count - 1) : 0;

		if (!a->port_count || !net_is_dynamic(a->ports[p].kind))
			continue;
		a->ports[p].on ^= UINT32_C(1) << test_between(&m->rng, 0, a->values - 1);
		return true;
	}
	return false;
}

static bool undelay(struct spoil *m)
{
	for (unsigned tries = 0; tries < 50; tries++) {
		struct net_fifo *f = &m->net->fifos[test_between(&m->rng, 0, m->net->fifo_count - 1)];

		if (f->delay < f->rate)
			continue;
		f->delay = test_between(&m->rng, 0, f->rate - 1);
		return true;
	}
	return false;
}

static void remove_port(struct net *net, unsigned a, unsigned p)
{
	struct net_actor *actor = &net->actors[a];

	memmove(&actor->ports[p], &actor->ports[p + 1], (--actor->port_count - p) * sizeof *actor->ports);
	for (unsigned f = 0; f < net->fifo_count; f++) {
		net->fifos[f].src_port -= net->fifos[f].src == a && net->fifos[f].src_port > p;
		net->fifos[f].dst_port -= net->fifos[f].dst == a && net->fifos[f].dst_port > p;
	}
	for (unsigned g = 0; g < net->group_count; g++)
		net->groups[g].port -= net->groups[g].conf == a && net->groups[g].port > p;
}

/* May the port go? Its actor keeps a port, a dynamic one if it is dynamic. */
static bool removable(const struct net_actor *actor, unsigned port)
{
	unsigned dynamic = 0;

	for (unsigned p = 0; p < actor->port_count; p++)
		dynamic += p != port && net_is_dynamic(actor->ports[p].kind);
	return actor->ports[port].kind != NET_CONTROL &&
	       (actor->values ? dynamic > 0 : actor->port_count > 1);
}

static bool move(struct spoil *m)
{
	struct net *net = m->net;

	for (unsigned tries = 0; tries < 50; tries++) {
		struct net_fifo *f = &net->fifos[test_between(&m->rng, 0, net->fifo_count - 1)];
		unsigned a = test_between(&m->rng, 0, net->actor_count - 1), from = f->dst,
			 port = f->dst_port;
		bool dynamic = net->actors[a].values && test_chance(&m->rng, 50);

		if (a == from || !has_room(net, a) || !removable(&net->actors[from], port))
			continue;
		f->dst = a;
		f->dst_port = net_add_port(net, a, dynamic ? NET_DYNAMIC_INPUT : NET_INPUT,
			dynamic ? net_random_set(&m->rng, net_all(net->actors[a].values)) : 0);
		net->actors[a].ports[f->dst_port].rate = f->rate;
		net->actors[a].ports[f->dst_port].token_size = f->token_size;
		remove_port(net, from, port);
		return true;
	}
	return false;
}

static bool regroup(struct spoil *m)
{
	struct net *net = m->net;

	for (unsigned tries = 0; tries < 50; tries++) {
		unsigned a = test_between(&m->rng, 0, net->actor_count - 1), old = net_group_of(net, a), g;
		unsigned members = 0;

		if (old == NET_GROUPS)
			continue;
		for (unsigned b = 0; b < net->actor_count; b++)
			members += net_group_of(net, b) == old;
		g = test_between(&m->rng, 0, net->group_count - 1);
		if (g == old || members < 2 || net->groups[g].values != net->groups[old].values)
			continue;
		struct net_fifo *f = &net->fifos[net_into(net, a, net_control_port(&net->actors[a]))];
		f->src = net->groups[g].conf;
		f->src_port = net->groups[g].port;
		return true;
	}
	return false;
}

static unsigned some_member(struct spoil *m, unsigned group)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		unsigned a = test_between(&m->rng, 0, m->net->actor_count - 1);

		if (net_group_of(m->net, a) == group && has_room(m->net, a))
			return a;
	}
	return NET_ACTORS;
}

static void join_forward(struct spoil *m, unsigned src, unsigned dst, uint32_t on)
{
	uint32_t rate = test_chance(&m->rng, 30) ? 1 : test_between(&m->rng, 1, 16);
	uint32_t delay = test_chance(&m->rng, 60) ? 0 : test_between(&m->rng, 0, 3 * rate + 2);
	unsigned out = net_add_port(m->net, src, NET_DYNAMIC_OUTPUT, on);
	unsigned f = net_add_fifo(
		m->net, src, out, dst, net_add_port(m->net, dst, NET_DYNAMIC_INPUT, on), rate, delay);

	m->net->fifos[f].depth = test_between(&m->rng, 1, 4);
}

/* Two groups of one clock get the same values from different actors: no fault, but the rules can't see that. */
static bool twin(struct spoil *m)
{
	struct net *net = m->net;

	for (unsigned g = 0; g < net->group_count; g++)
		for (unsigned h = g + 1; h < net->group_count; h++) {
			unsigned a = some_member(m, g), b = some_member(m, h);
			uint32_t on = net_random_set(&m->rng, net_all(net->groups[g].values) - 1);

			if (a == NET_ACTORS || b == NET_ACTORS || m->clock_of[a] != m->clock_of[b])
				continue;
			if (net->groups[g].values != net->groups[h].values)
				continue;
			net->groups[h].twin = g;
			if (m->rank[a] < m->rank[b])
				join_forward(m, a, b, on);
			else
				join_forward(m, b, a, on);
			return true;
		}
	return false;
}

static bool spoil(struct spoil *m)
{
	switch (m->net->origin) {
	case NET_FLIPPED:
		return flip(m);
	case NET_UNDELAYED:
		return undelay(m);
	case NET_MOVED:
		return move(m);
	case NET_REGROUPED:
		return regroup(m);
	case NET_TWINS:
		return twin(m);
	default:
		return false;
	}
}

bool net_spoil(struct net *net, struct test_rng *rng, const unsigned *clock_of, const uint64_t *rank)
{
	struct spoil m = { net, *rng, clock_of, rank };
	bool changed = spoil(&m);

	*rng = m.rng;
	return changed;
}
