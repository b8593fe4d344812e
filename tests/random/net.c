/* SPDX-License-Identifier: MIT */
#include "tests/random/net.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *net_origin_name(enum net_origin origin)
{
	static const char *const names[NET_ORIGINS] = { "sane", "loose", "flipped", "undelayed", "moved",
		"regrouped", "twins" };

	return names[origin];
}

void net_begin(struct net *net, uint64_t seed)
{
	memset(net, 0, sizeof *net);
	net->seed = seed;
	net->threads = -1;
}

unsigned net_add_actor(struct net *net, unsigned values)
{
	unsigned a = net->actor_count++;

	assert(a < NET_ACTORS);
	net->actors[a] = (struct net_actor){ .values = values, .last = NET_NEVER, .core = -1 };
	snprintf(net->actors[a].name, sizeof net->actors[a].name, "a%u", a);
	return a;
}

unsigned net_add_port(struct net *net, unsigned a, enum net_kind kind, uint32_t on)
{
	unsigned p = net->actors[a].port_count++;

	assert(p < NET_PORTS);
	net->actors[a].ports[p] = (struct net_port){ .kind = kind, .on = on, .group = -1 };
	return p;
}

unsigned net_add_fifo(struct net *net, unsigned src, unsigned src_port, unsigned dst, unsigned dst_port,
	uint32_t rate, uint32_t delay)
{
	unsigned f = net->fifo_count++;
	size_t size = net->actors[dst].ports[dst_port].kind == NET_CONTROL ? 4 : 8;

	assert(f < NET_FIFOS);
	net->fifos[f] = (struct net_fifo){ src, src_port, dst, dst_port, rate, delay, 2, size,
		test_mix(~net->seed + f), rate, rate };
	net->actors[src].ports[src_port].rate = net->actors[dst].ports[dst_port].rate = rate;
	net->actors[src].ports[src_port].token_size = net->actors[dst].ports[dst_port].token_size = size;
	return f;
}

void net_set_token_size(struct net *net, unsigned f, size_t size)
{
	for (unsigned o = 0; o < net->fifo_count; o++) {
		struct net_fifo *fifo = &net->fifos[o];

		if (fifo->src != net->fifos[f].src || fifo->src_port != net->fifos[f].src_port)
			continue;
		fifo->token_size = size;
		net->actors[fifo->src].ports[fifo->src_port].token_size = size;
		net->actors[fifo->dst].ports[fifo->dst_port].token_size = size;
	}
}

unsigned net_add_group(struct net *net, unsigned conf, unsigned port, unsigned values)
{
	unsigned g = net->group_count++;

	assert(g < NET_GROUPS);
	net->groups[g] = (struct net_group){ conf, port, values, g };
	net->actors[conf].ports[port].group = (int)g;
	return g;
}

unsigned net_add_member(struct net *net, unsigned group)
{
	const struct net_group *g = &net->groups[group];
	unsigned a = net_add_actor(net, g->values);

	net_add_fifo(net, g->conf, g->port, a, net_add_port(net, a, NET_CONTROL, 0), 1, 0);
	return a;
}

unsigned net_join(struct net *net, unsigned src, uint32_t src_on, unsigned dst, uint32_t dst_on,
	uint32_t rate, uint32_t delay)
{
	unsigned out = net_add_port(net, src, src_on ? NET_DYNAMIC_OUTPUT : NET_OUTPUT, src_on);
	unsigned in = net_add_port(net, dst, dst_on ? NET_DYNAMIC_INPUT : NET_INPUT, dst_on);

	return net_add_fifo(net, src, out, dst, in, rate, delay);
}

void net_end_at(struct net *net, unsigned a, uint64_t last)
{
	struct net_actor *actor = &net->actors[a];

	actor->last = last;
	for (unsigned p = 0; p < actor->port_count; p++)
		actor->last_valid[p] = actor->ports[p].rate;
}

bool net_reads(enum net_kind kind)
{
	return kind == NET_INPUT || kind == NET_DYNAMIC_INPUT || kind == NET_CONTROL;
}

bool net_is_dynamic(enum net_kind kind)
{
	return kind == NET_DYNAMIC_INPUT || kind == NET_DYNAMIC_OUTPUT;
}

uint32_t net_common(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

uint32_t net_all(unsigned values)
{
	return (UINT32_C(1) << values) - 1;
}

unsigned net_readers(const struct net *net, unsigned f)
{
	unsigned readers = 0;

	for (const struct net_fifo *o = net->fifos; o < net->fifos + net->fifo_count; o++)
		readers += o->src == net->fifos[f].src && o->src_port == net->fifos[f].src_port;
	return readers;
}

unsigned net_into(const struct net *net, unsigned a, unsigned p)
{
	unsigned f = 0;

	while (f < net->fifo_count && (net->fifos[f].dst != a || net->fifos[f].dst_port != p))
		f++;
	assert(f < net->fifo_count);
	return f;
}

unsigned net_at(const struct net *net, unsigned a, unsigned p)
{
	unsigned f = 0;

	if (net_reads(net->actors[a].ports[p].kind))
		return net_into(net, a, p);
	while (f < net->fifo_count && (net->fifos[f].src != a || net->fifos[f].src_port != p))
		f++;
	assert(f < net->fifo_count);
	return f;
}

bool net_is_control(const struct net *net, unsigned f)
{
	return net->actors[net->fifos[f].dst].ports[net->fifos[f].dst_port].kind == NET_CONTROL;
}

unsigned net_control_port(const struct net_actor *actor)
{
	for (unsigned p = 0; p < actor->port_count; p++)
		if (actor->ports[p].kind == NET_CONTROL)
			return p;
	return NET_PORTS;
}

unsigned net_group_of(const struct net *net, unsigned a)
{
	unsigned p = net->actors[a].values ? net_control_port(&net->actors[a]) : NET_PORTS;

	if (p == NET_PORTS)
		return NET_GROUPS;
	const struct net_fifo *f = &net->fifos[net_into(net, a, p)];
	return (unsigned)net->actors[f->src].ports[f->src_port].group;
}

bool net_on(const struct net_actor *actor, unsigned p, uint32_t value)
{
	if (net_is_dynamic(actor->ports[p].kind))
		return actor->ports[p].on >> value & 1;
	return actor->ports[p].kind != NET_CONTROL;
}

unsigned net_count(const struct net_actor *actor, bool inputs)
{
	unsigned count = 0;

	for (unsigned p = 0; p < actor->port_count; p++)
		count += net_reads(actor->ports[p].kind) == inputs;
	return count;
}

uint32_t net_default_depth(unsigned threads)
{
	return threads ? 2 * threads : 2;
}

uint32_t net_depth_or(const struct net *net, unsigned f, uint32_t otherwise)
{
	const struct net_fifo *fifo = &net->fifos[f];
	const struct net_actor *ends[2] = { &net->actors[fifo->src], &net->actors[fifo->dst] };
	uint32_t depth = otherwise;

	for (unsigned i = 0; i < 2; i++)
		if (net_is_pipeline(ends[i]) && ends[i]->in_flight > depth)
			depth = ends[i]->in_flight;
	return fifo->depth ? fifo->depth : depth;
}

uint32_t net_depth(const struct net *net, unsigned f)
{
	return net_depth_or(net, f, net_default_depth(net->threads > 0 ? (unsigned)net->threads : 0));
}

uint32_t net_value(const struct net *net, const struct net_sequences *s, unsigned group, uint64_t index)
{
	unsigned g = net->groups[group].twin;

	return s->values[g][index % s->length[g]];
}

void net_random_sequences(
	const struct net *net, struct net_sequences *s, unsigned longest, struct test_rng *rng)
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

void net_random_hosts(const struct net *net, unsigned hosts[NET_ACTORS], unsigned count, struct test_rng *rng)
{
	unsigned stays = test_between(rng, 0, 100), here = test_between(rng, 0, count - 1);

	for (unsigned a = 0; a < net->actor_count; a++) {
		if (!test_chance(rng, stays))
			here = test_between(rng, 0, count - 1);
		hosts[a] = here;
	}
}

uint64_t net_moved(
	const struct net *net, const struct net_sequences *s, unsigned a, unsigned p, uint64_t ticks)
{
	const struct net_actor *actor = &net->actors[a];
	unsigned group;
	uint64_t moved = 0;

	if (!net_is_dynamic(actor->ports[p].kind))
		return ticks;
	group = net_group_of(net, a);
	for (uint64_t i = 0; i < ticks; i++)
		moved += net_on(actor, p, net_value(net, s, group, i));
	return moved;
}

uint64_t net_fired(const struct net *net, const struct net_sequences *s, unsigned a, uint64_t ticks)
{
	const struct net_actor *actor = &net->actors[a];
	unsigned group = net_group_of(net, a);
	uint32_t any = 0;
	uint64_t fired = 0;

	if (group == NET_GROUPS)
		return ticks;
	for (unsigned p = 0; p < actor->port_count; p++)
		if (actor->ports[p].kind != NET_CONTROL)
			any |= net_is_dynamic(actor->ports[p].kind) ? actor->ports[p].on : UINT32_MAX;
	for (uint64_t i = 0; i < ticks; i++)
		fired += any >> net_value(net, s, group, i) & 1;
	return fired;
}

void net_fill(uint64_t key, uint64_t number, unsigned char *bytes, size_t size)
{
	uint64_t word = test_mix(key + number);

	for (size_t at = 0; at < size; at += 8, word = test_mix(word))
		memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
}

uint64_t net_written_key(const struct net *net, unsigned a, unsigned p)
{
	return test_mix(test_mix(net->seed + a) + p);
}

void net_token(const struct net *net, unsigned f, uint64_t t, unsigned char *bytes)
{
	const struct net_fifo *fifo = &net->fifos[f];

	if (t >= fifo->delay)
		net_fill(net_written_key(net, fifo->src, fifo->src_port), t - fifo->delay, bytes,
			fifo->token_size);
	else if (fifo->initial == NET_ZEROS)
		memset(bytes, 0, fifo->token_size);
	else
		net_fill(fifo->initial, t, bytes, fifo->token_size);
}

uint32_t net_steps(const struct net_actor *actor, const uint32_t *valid)
{
	uint32_t least = actor->steps;

	for (unsigned p = 0; p < actor->port_count && actor->steps; p++) {
		uint32_t step = actor->ports[p].rate / actor->steps, whole = valid[p] / step;

		if (!net_reads(actor->ports[p].kind) || !valid[p])
			continue;
		if (valid[p] % step && !actor->whole_steps)
			whole++;
		least = whole < least ? whole : least;
	}
	return least;
}

/* rate x min over the inputs of valid / rate, rounded up; or what its steps give. */
uint32_t net_default_valid(const struct net_actor *actor, unsigned port, const uint32_t *valid)
{
	uint32_t rate = actor->ports[port].rate, least = rate;

	if (actor->steps)
		return rate / actor->steps * net_steps(actor, valid);
	for (unsigned p = 0; p < actor->port_count; p++) {
		const struct net_port *in = &actor->ports[p];
		uint64_t part;

		if (!net_reads(in->kind) || in->kind == NET_CONTROL || !valid[p])
			continue;
		part = ((uint64_t)rate * valid[p] + in->rate - 1) / in->rate;
		least = part < least ? (uint32_t)part : least;
	}
	return least;
}
