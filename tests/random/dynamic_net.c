/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_net.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *dyn_origin_name(enum dyn_origin origin)
{
	static const char *const names[DYN_ORIGINS] = { "sane", "loose", "flipped", "undelayed", "moved",
		"regrouped", "twins" };

	return names[origin];
}

bool dyn_reads(enum dyn_kind kind)
{
	return kind == DYN_INPUT || kind == DYN_DYNAMIC_INPUT || kind == DYN_CONTROL;
}

bool dyn_is_dynamic(enum dyn_kind kind)
{
	return kind == DYN_DYNAMIC_INPUT || kind == DYN_DYNAMIC_OUTPUT;
}

uint32_t dyn_all(unsigned values)
{
	return (UINT32_C(1) << values) - 1;
}

unsigned dyn_into(const struct dyn_net *net, unsigned a, unsigned p)
{
	unsigned f = 0;

	while (f < net->fifo_count && (net->fifos[f].dst != a || net->fifos[f].dst_port != p))
		f++;
	assert(f < net->fifo_count);
	return f;
}

unsigned dyn_control_port(const struct dyn_actor *actor)
{
	for (unsigned p = 0; p < actor->port_count; p++)
		if (actor->ports[p].kind == DYN_CONTROL)
			return p;
	return DYN_PORTS;
}

unsigned dyn_group_of(const struct dyn_net *net, unsigned a)
{
	unsigned p = dyn_control_port(&net->actors[a]);

	if (p == DYN_PORTS)
		return DYN_GROUPS;
	const struct dyn_fifo *f = &net->fifos[dyn_into(net, a, p)];
	return (unsigned)net->actors[f->src].ports[f->src_port].group;
}

bool dyn_on(const struct dyn_actor *actor, unsigned p, uint32_t value)
{
	if (dyn_is_dynamic(actor->ports[p].kind))
		return actor->ports[p].on >> value & 1;
	return actor->ports[p].kind != DYN_CONTROL;
}

unsigned dyn_add_actor(struct dyn_net *net, unsigned values)
{
	unsigned a = net->actor_count++;

	assert(a < DYN_ACTORS);
	net->actors[a] = (struct dyn_actor){ .values = values };
	snprintf(net->actors[a].name, sizeof net->actors[a].name, "a%u", a);
	return a;
}

unsigned dyn_add_port(struct dyn_net *net, unsigned a, enum dyn_kind kind, uint32_t on)
{
	unsigned p = net->actors[a].port_count++;

	assert(p < DYN_PORTS);
	net->actors[a].ports[p] = (struct dyn_port){ .kind = kind, .on = on, .group = -1 };
	return p;
}

unsigned dyn_add_fifo(struct dyn_net *net, unsigned src, unsigned src_port, unsigned dst, unsigned dst_port,
	uint32_t rate, uint32_t delay)
{
	unsigned f = net->fifo_count++;

	assert(f < DYN_FIFOS);
	net->fifos[f] = (struct dyn_fifo){ src, src_port, dst, dst_port, rate, delay, 2 };
	return f;
}

unsigned dyn_add_group(struct dyn_net *net, unsigned conf, unsigned port, unsigned values)
{
	unsigned g = net->group_count++;

	assert(g < DYN_GROUPS);
	net->groups[g] = (struct dyn_group){ conf, port, values, g };
	net->actors[conf].ports[port].group = (int)g;
	return g;
}

unsigned dyn_add_member(struct dyn_net *net, unsigned group)
{
	const struct dyn_group *g = &net->groups[group];
	unsigned a = dyn_add_actor(net, g->values);

	dyn_add_fifo(net, g->conf, g->port, a, dyn_add_port(net, a, DYN_CONTROL, 0), 1, 0);
	return a;
}

uint32_t dyn_value(const struct dyn_net *net, const struct dyn_sequences *s, unsigned group, uint64_t index)
{
	unsigned g = net->groups[group].twin;

	return s->values[g][index % s->length[g]];
}

void dyn_random_sequences(
	const struct dyn_net *net, struct dyn_sequences *s, unsigned longest, struct test_rng *rng)
{
	for (unsigned g = 0; g < net->group_count; g++) {
		unsigned last = net->groups[g].values - 1, favourite = test_between(rng, 0, last);
		unsigned often = test_between(rng, 0, 90); /* runs of one value as well as an even mixture */

		s->length[g] = test_between(rng, 1, longest);
		for (unsigned i = 0; i < s->length[g]; i++)
			s->values[g][i] =
				(uint8_t)(test_chance(rng, often) ? favourite : test_between(rng, 0, last));
	}
}
