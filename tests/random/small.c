/* SPDX-License-Identifier: MIT */
/* Small networks of one form with random details. */
#include "tests/random/generator.h"

/* A FIFO of rate 1 between these two, each end on for some values or, 0, always. */
static void join(struct net *net, struct test_rng *rng, unsigned src, uint32_t src_on, unsigned dst,
	uint32_t dst_on, uint32_t delay)
{
	net->fifos[net_join(net, src, src_on, dst, dst_on, 1, delay)].depth = test_between(rng, 1, 2);
}

/* The last event before a deadlock is often a control token that an actor takes before it waits for windows. */
void net_make_small(struct net *net, struct test_rng *rng)
{
	unsigned members = test_between(rng, 1, 2), values = test_between(rng, 1, 3), first;

	net->origin = NET_LOOSE;
	net_add_actor(net, 0);
	net_add_group(net, 0, net_add_port(net, 0, NET_OUTPUT, 0), values);
	first = net_add_member(net, 0);
	for (unsigned m = 1; m < members; m++)
		net_add_member(net, 0);
	for (unsigned f = 0; f < net->fifo_count; f++)
		net->fifos[f].depth = test_between(rng, 1, 2);
	for (unsigned m = 0; m < members; m++) {
		unsigned next = first + (m + 1) % members;
		uint32_t on = test_between(rng, 1, net_all(values));

		if (test_chance(rng, 80))
			join(net, rng, 0, 0, first + m, test_chance(rng, 50) ? 0 : on, 0);
		join(net, rng, first + m, on, next,
			test_chance(rng, 80) ? on : test_between(rng, 1, net_all(values)),
			test_chance(rng, 70) ? 0 : test_between(rng, 1, 2));
	}
}

/*
 * Probes:
 *
 *   source --0,1--> probe1 --2,3--> probe2 --4,5--> sink
 *          \-> tap         |\-----> probe3 --6,7--> sink
 *                           \-> tap
 *
 * All are under one control. Each control value turns any of the eight signals on, at their writers and at their
 * readers. The source of the control values may be a kernel, which is fed by another actor.
 */

enum { SIGNALS = 8, PROBE_RATE = 5, PROBE_ACTORS = 8, PROBE_FIRINGS = 40, NONE = SIGNALS };

/* Their first signal of two. */
static const struct {
	unsigned in, out;
} plan[PROBE_ACTORS] = { { NONE, 0 }, { 0, NONE }, { 0, 2 }, { 2, NONE }, { 2, 4 }, { 4, NONE }, { 2, 6 },
	{ 6, NONE } };

/* The actor whose output turns the control on; a second one before it where the first may be on a device. */
static unsigned add_control(struct net *net, struct test_rng *rng, unsigned values)
{
	bool behind = test_chance(rng, 30);
	unsigned source = net_add_actor(net, 0), conf = source;

	if (behind) {
		conf = net_add_actor(net, 0);
		net_join(net, source, 0, conf, 0, 1, 0);
	}
	net_add_group(net, conf, net_add_port(net, conf, NET_OUTPUT, 0), values);
	return source;
}

/* A port's place among those of its actor says on which side of the control port it is. */
static void add_probe(struct net *net, const uint32_t *on, unsigned which, unsigned *out)
{
	unsigned a = net_add_actor(net, net->groups[0].values);

	for (unsigned i = 0; i < 4; i++) {
		unsigned signal = (i < 2 ? plan[which].in : plan[which].out) + i % 2;

		if (i == 1)
			net_add_fifo(net, net->groups[0].conf, net->groups[0].port, a,
				net_add_port(net, a, NET_CONTROL, 0), 1, 0);
		if ((i < 2 ? plan[which].in : plan[which].out) == NONE)
			continue;
		if (i < 2)
			net_add_port(net, a, NET_DYNAMIC_INPUT, on[signal]);
		else
			out[signal] = net_add_port(net, a, NET_DYNAMIC_OUTPUT, on[signal]);
	}
}

static void connect_signals(struct net *net, struct test_rng *rng, unsigned first, const unsigned *out)
{
	uint32_t rates[SIGNALS];

	for (unsigned s = 0; s < SIGNALS; s++)
		rates[s] = test_between(rng, 1, PROBE_RATE);
	for (unsigned w = 0; w < PROBE_ACTORS; w++)
		for (unsigned i = 0; i < 2 && plan[w].in != NONE; i++) {
			unsigned signal = plan[w].in + i, src = 0, f;

			while (plan[src].out != plan[w].in)
				src++;
			f = net_add_fifo(net, first + src, out[signal], first + w, i ? 2 : 0, rates[signal],
				test_chance(rng, 50) ? test_between(rng, 0, 3 * rates[signal] + 2) : 0);
			net_set_token_size(net, f, 4);
			net->fifos[f].depth = test_between(rng, 1, 3);
		}
}

void net_make_probes(struct net *net, struct test_rng *rng)
{
	unsigned values = test_between(rng, 2, NET_VALUES), source = add_control(net, rng, values), first;
	uint32_t rarely = test_chance(rng, 30) ? (uint32_t)test_random(rng) : UINT32_MAX;
	uint32_t on[SIGNALS], depth = test_between(rng, 1, 3), last = test_between(rng, 1, PROBE_FIRINGS) - 1;
	unsigned out[SIGNALS];

	for (unsigned s = 0; s < SIGNALS; s++)
		on[s] = (uint32_t)test_random(rng) & rarely & net_all(values);
	first = net->actor_count;
	for (unsigned w = 0; w < PROBE_ACTORS; w++)
		add_probe(net, on, w, out);
	for (unsigned f = 0; f < net->fifo_count; f++)
		net->fifos[f].depth = depth;
	connect_signals(net, rng, first, out);
	net_random_sequences(net, &net->values, NET_SEQUENCE, rng);
	net_end_at(net, source, last);
	net_end_at(net, first, last);
	for (unsigned p = 0; p < net->actors[first].port_count; p++)
		if (test_chance(rng, 50))
			net->actors[first].last_valid[p] =
				test_between(rng, 1, net->actors[first].ports[p].rate);
}
