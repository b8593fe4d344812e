/* SPDX-License-Identifier: MIT */
#include "tests/random/rules.h"

#include <string.h>

/* The clock of a port: that of an actor (of its class), or a group's values. */
struct term {
	bool derived;
	unsigned actor; /* not derived: the class's root */
	unsigned group;
	uint32_t on;
};

static unsigned find(const struct rules_verdict *v, unsigned a)
{
	while (v->clock[a] != a)
		a = v->clock[a];
	return a;
}

static struct term clock_of_port(const struct net *net, const struct rules_verdict *v, unsigned a, unsigned p)
{
	const struct net_actor *actor = &net->actors[a];

	if (net_is_dynamic(actor->ports[p].kind) && actor->ports[p].on != net_all(actor->values))
		return (struct term){ true, 0, net_group_of(net, a), actor->ports[p].on };
	return (struct term){ false, find(v, a), 0, 0 };
}

/* The class ticks when the group has these values: true unless it ticks at other times. */
static bool bind(struct rules_verdict *v, unsigned root, unsigned group, uint32_t on)
{
	if (v->when[root].group == NET_GROUPS) {
		v->when[root].group = group;
		v->when[root].on = on;
		return true;
	}
	return v->when[root].group == group && v->when[root].on == on;
}

static bool unify(struct rules_verdict *v, struct term x, struct term y)
{
	if (x.derived && y.derived)
		return x.group == y.group && x.on == y.on;
	if (x.derived)
		return bind(v, y.actor, x.group, x.on);
	if (y.derived)
		return bind(v, x.actor, y.group, y.on);
	if (x.actor == y.actor)
		return true;
	v->clock[x.actor] = y.actor;
	return v->when[x.actor].group == NET_GROUPS ||
	       bind(v, y.actor, v->when[x.actor].group, v->when[x.actor].on);
}

/* The class at whose ticks the group's values come: that of any member. */
static unsigned base(const struct net *net, const struct rules_verdict *v, unsigned group)
{
	unsigned a = 0;

	while (net_group_of(net, a) != group)
		a++;
	return find(v, a);
}

static bool clocks_agree(const struct net *net, struct rules_verdict *v)
{
	bool agree = true;

	for (unsigned a = 0; a < net->actor_count; a++) {
		v->clock[a] = a;
		v->when[a].group = NET_GROUPS;
	}
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];

		v->clash[f] = !unify(v, clock_of_port(net, v, fifo->src, fifo->src_port),
			clock_of_port(net, v, fifo->dst, fifo->dst_port));
		agree = agree && !v->clash[f];
	}
	for (unsigned a = 0; a < net->actor_count; a++) {
		unsigned root = find(v, a), steps = 0;

		for (; v->when[root].group != NET_GROUPS; steps++) {
			if (steps > net->actor_count)
				return false; /* it depends on itself */
			root = base(net, v, v->when[root].group);
		}
	}
	return agree;
}

/* Takes away, again and again, an actor without a FIFO from one that is left; what stays has a cycle. */
static bool cycle_under(const struct net *net, const uint32_t *vector)
{
	uint64_t left = (UINT64_C(1) << net->actor_count) - 1, before;

	do {
		uint64_t fed = 0;

		for (unsigned f = 0; f < net->fifo_count; f++) {
			const struct net_fifo *fifo = &net->fifos[f];
			unsigned g = net_group_of(net, fifo->src);

			if (fifo->delay < fifo->rate && left >> fifo->src & 1 &&
				net_on(&net->actors[fifo->src], fifo->src_port,
					g < NET_GROUPS ? vector[g] : 0))
				fed |= UINT64_C(1) << fifo->dst;
		}
		before = left;
		left &= fed;
	} while (left != before);
	return left != 0;
}

/* Could there be one, if every FIFO that can be on was on at once? */
static bool cycle_possible(const struct net *net)
{
	static struct net all;
	static const uint32_t vector[NET_GROUPS];

	all = *net;
	for (unsigned a = 0; a < all.actor_count; a++)
		for (unsigned p = 0; p < all.actors[a].port_count; p++)
			if (all.actors[a].ports[p].on)
				all.actors[a].ports[p].on |= 1;
	return cycle_under(&all, vector);
}

/* Does every FIFO with a clash join what no other FIFOs join? */
static bool clashes_apart(const struct net *net, const struct rules_verdict *v)
{
	unsigned part[NET_ACTORS];
	bool any = false;

	for (unsigned a = 0; a < net->actor_count; a++)
		part[a] = a;
	for (unsigned f = 0; f < net->fifo_count; f++) {
		unsigned from = part[net->fifos[f].src], to = part[net->fifos[f].dst];

		for (unsigned a = 0; a < net->actor_count && !v->clash[f]; a++)
			part[a] = part[a] == from ? to : part[a];
	}
	for (unsigned f = 0; f < net->fifo_count; f++) {
		if (v->clash[f] && part[net->fifos[f].src] == part[net->fifos[f].dst])
			return false;
		any = any || v->clash[f];
	}
	return any;
}

static void judge(const struct net *net, struct rules_verdict *v)
{
	memset(v, 0, sizeof *v);
	if (!clocks_agree(net, v)) {
		v->rule = RULES_CLOCKS;
		v->apart = clashes_apart(net, v);
		return;
	}
	if (!cycle_possible(net))
		return;
	for (;;) {
		unsigned g = 0;

		if (cycle_under(net, v->vector)) {
			v->rule = RULES_CYCLES;
			return;
		}
		while (g < net->group_count && ++v->vector[g] == net->groups[g].values)
			v->vector[g++] = 0;
		if (g == net->group_count)
			return;
	}
}

/* Does this port move no window whatever the values are, or because its actor waits for one that does not? */
static bool is_idle(const struct net *net, const bool *idle, unsigned a, unsigned p)
{
	return idle[a] || (net_is_dynamic(net->actors[a].ports[p].kind) && !net->actors[a].ports[p].on);
}

static void find_idle(const struct net *net, bool *idle)
{
	bool more;

	do {
		more = false;
		for (unsigned f = 0; f < net->fifo_count; f++) {
			const struct net_fifo *o = &net->fifos[f];
			bool from = is_idle(net, idle, o->src, o->src_port),
			     to = is_idle(net, idle, o->dst, o->dst_port);
			unsigned a = from ? o->dst : o->src, p = from ? o->dst_port : o->src_port;

			if (from == to || net_is_dynamic(net->actors[a].ports[p].kind))
				continue;
			more = idle[a] = true;
		}
	} while (more);
}

/* Would it be proven without the FIFOs that move nothing? */
static bool proven_but_for_idle(const struct net *net)
{
	static struct net rest;
	bool idle[NET_ACTORS] = { false };
	struct rules_verdict v;
	unsigned count = 0;

	find_idle(net, idle);
	rest = *net;
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *o = &net->fifos[f];

		if (net->actors[o->dst].ports[o->dst_port].kind == NET_CONTROL ||
			!is_idle(net, idle, o->src, o->src_port) || !is_idle(net, idle, o->dst, o->dst_port))
			rest.fifos[count++] = *o;
	}
	rest.fifo_count = count;
	judge(&rest, &v);
	return count < net->fifo_count && v.rule == RULES_PROVEN;
}

void rules_judge(const struct net *net, struct rules_verdict *v)
{
	judge(net, v);
	v->idle = v->rule != RULES_PROVEN && proven_but_for_idle(net);
}

bool rules_is_free(const struct net *net, const struct rules_verdict *v, unsigned actor)
{
	return !net->actors[actor].values && v->when[find(v, actor)].group == NET_GROUPS;
}

static uint64_t class_ticks(const struct net *net, const struct rules_verdict *v,
	const struct net_sequences *s, unsigned root, uint64_t ticks)
{
	unsigned group = v->when[root].group;
	uint64_t below, n = 0;

	if (group == NET_GROUPS)
		return ticks;
	below = class_ticks(net, v, s, base(net, v, group), ticks);
	for (uint64_t i = 0; i < below; i++)
		n += v->when[root].on >> net_value(net, s, group, i) & 1;
	return n;
}

uint64_t rules_ticks(const struct net *net, const struct rules_verdict *v, const struct net_sequences *s,
	unsigned actor, uint64_t ticks)
{
	return class_ticks(net, v, s, find(v, actor), ticks);
}
