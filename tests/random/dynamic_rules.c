/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_rules.h"

#include <string.h>

/* The clock of a port: that of an actor (of its class), or a group's values. */
struct term {
	bool derived;
	unsigned actor; /* not derived: the class's root */
	unsigned group;
	uint32_t on;
};

static unsigned find(const struct dyn_verdict *v, unsigned a)
{
	while (v->clock[a] != a)
		a = v->clock[a];
	return a;
}

static struct term clock_of_port(
	const struct dyn_net *net, const struct dyn_verdict *v, unsigned a, unsigned p)
{
	const struct dyn_actor *actor = &net->actors[a];

	if (dyn_is_dynamic(actor->ports[p].kind) && actor->ports[p].on != dyn_all(actor->values))
		return (struct term){ true, 0, dyn_group_of(net, a), actor->ports[p].on };
	return (struct term){ false, find(v, a), 0, 0 };
}

/* The class ticks when the group has these values: true unless it ticks at other times. */
static bool bind(struct dyn_verdict *v, unsigned root, unsigned group, uint32_t on)
{
	if (v->when[root].group == DYN_GROUPS) {
		v->when[root].group = group;
		v->when[root].on = on;
		return true;
	}
	return v->when[root].group == group && v->when[root].on == on;
}

static bool unify(struct dyn_verdict *v, struct term x, struct term y)
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
	return v->when[x.actor].group == DYN_GROUPS ||
	       bind(v, y.actor, v->when[x.actor].group, v->when[x.actor].on);
}

/* The class at whose ticks the group's values come: that of any member. */
static unsigned base(const struct dyn_net *net, const struct dyn_verdict *v, unsigned group)
{
	unsigned a = 0;

	while (dyn_group_of(net, a) != group)
		a++;
	return find(v, a);
}

static bool clocks_agree(const struct dyn_net *net, struct dyn_verdict *v)
{
	bool agree = true;

	for (unsigned a = 0; a < net->actor_count; a++) {
		v->clock[a] = a;
		v->when[a].group = DYN_GROUPS;
	}
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct dyn_fifo *fifo = &net->fifos[f];

		v->clash[f] = !unify(v, clock_of_port(net, v, fifo->src, fifo->src_port),
			clock_of_port(net, v, fifo->dst, fifo->dst_port));
		agree = agree && !v->clash[f];
	}
	for (unsigned a = 0; a < net->actor_count; a++) {
		unsigned root = find(v, a), steps = 0;

		for (; v->when[root].group != DYN_GROUPS; steps++) {
			if (steps > net->actor_count)
				return false; /* it depends on itself */
			root = base(net, v, v->when[root].group);
		}
	}
	return agree;
}

/* Takes away, again and again, an actor without a FIFO from one that is left; what stays has a cycle. */
static bool cycle_under(const struct dyn_net *net, const uint32_t *vector)
{
	uint32_t left = dyn_all(net->actor_count), before;

	do {
		uint32_t fed = 0;

		for (unsigned f = 0; f < net->fifo_count; f++) {
			const struct dyn_fifo *fifo = &net->fifos[f];
			unsigned g = dyn_group_of(net, fifo->src);

			if (fifo->delay < fifo->rate && left >> fifo->src & 1 &&
				dyn_on(&net->actors[fifo->src], fifo->src_port,
					g < DYN_GROUPS ? vector[g] : 0))
				fed |= UINT32_C(1) << fifo->dst;
		}
		before = left;
		left &= fed;
	} while (left != before);
	return left != 0;
}

/* Could there be one, if every FIFO that can be on was on at once? */
static bool cycle_possible(const struct dyn_net *net)
{
	static struct dyn_net all;
	static const uint32_t vector[DYN_GROUPS];

	all = *net;
	for (unsigned a = 0; a < all.actor_count; a++)
		for (unsigned p = 0; p < all.actors[a].port_count; p++)
			if (all.actors[a].ports[p].on)
				all.actors[a].ports[p].on |= 1;
	return cycle_under(&all, vector);
}

/* Does every FIFO with a clash join what no other FIFOs join? */
static bool clashes_apart(const struct dyn_net *net, const struct dyn_verdict *v)
{
	unsigned part[DYN_ACTORS];
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

static void judge(const struct dyn_net *net, struct dyn_verdict *v)
{
	memset(v, 0, sizeof *v);
	if (!clocks_agree(net, v)) {
		v->rule = DYN_CLOCKS;
		v->apart = clashes_apart(net, v);
		return;
	}
	if (!cycle_possible(net))
		return;
	for (;;) {
		unsigned g = 0;

		if (cycle_under(net, v->vector)) {
			v->rule = DYN_CYCLES;
			return;
		}
		while (g < net->group_count && ++v->vector[g] == net->groups[g].values)
			v->vector[g++] = 0;
		if (g == net->group_count)
			return;
	}
}

/* Does this port move no window whatever the values are, or because its actor waits for one that does not? */
static bool is_idle(const struct dyn_net *net, const bool *idle, unsigned a, unsigned p)
{
	return idle[a] || (dyn_is_dynamic(net->actors[a].ports[p].kind) && !net->actors[a].ports[p].on);
}

static void find_idle(const struct dyn_net *net, bool *idle)
{
	bool more;

	do {
		more = false;
		for (unsigned f = 0; f < net->fifo_count; f++) {
			const struct dyn_fifo *o = &net->fifos[f];
			bool from = is_idle(net, idle, o->src, o->src_port),
			     to = is_idle(net, idle, o->dst, o->dst_port);
			unsigned a = from ? o->dst : o->src, p = from ? o->dst_port : o->src_port;

			if (from == to || dyn_is_dynamic(net->actors[a].ports[p].kind))
				continue;
			more = idle[a] = true;
		}
	} while (more);
}

/* Would it be proven without the FIFOs that move nothing? */
static bool proven_but_for_idle(const struct dyn_net *net)
{
	static struct dyn_net rest;
	bool idle[DYN_ACTORS] = { false };
	struct dyn_verdict v;
	unsigned count = 0;

	find_idle(net, idle);
	rest = *net;
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct dyn_fifo *o = &net->fifos[f];

		if (net->actors[o->dst].ports[o->dst_port].kind == DYN_CONTROL ||
			!is_idle(net, idle, o->src, o->src_port) || !is_idle(net, idle, o->dst, o->dst_port))
			rest.fifos[count++] = *o;
	}
	rest.fifo_count = count;
	judge(&rest, &v);
	return count < net->fifo_count && v.rule == DYN_PROVEN;
}

void dyn_judge(const struct dyn_net *net, struct dyn_verdict *v)
{
	judge(net, v);
	v->idle = v->rule != DYN_PROVEN && proven_but_for_idle(net);
}

bool dyn_is_free(const struct dyn_net *net, const struct dyn_verdict *v, unsigned actor)
{
	return !net->actors[actor].values && v->when[find(v, actor)].group == DYN_GROUPS;
}

static uint64_t class_ticks(const struct dyn_net *net, const struct dyn_verdict *v,
	const struct dyn_sequences *s, unsigned root, uint64_t ticks)
{
	unsigned group = v->when[root].group;
	uint64_t below, n = 0;

	if (group == DYN_GROUPS)
		return ticks;
	below = class_ticks(net, v, s, base(net, v, group), ticks);
	for (uint64_t i = 0; i < below; i++)
		n += v->when[root].on >> dyn_value(net, s, group, i) & 1;
	return n;
}

uint64_t dyn_ticks(const struct dyn_net *net, const struct dyn_verdict *v, const struct dyn_sequences *s,
	unsigned actor, uint64_t ticks)
{
	return class_ticks(net, v, s, find(v, actor), ticks);
}
