/* SPDX-License-Identifier: MIT */
/* FIFOs beside others, between the same two actors: most are alike in all that the library may bundle them by. */
#include "tests/random/generator.h"

/* An actor that ends by its own choice: how full its last windows are; 0: left open. */
static void choose_last(struct net_actor *a, unsigned p, struct test_rng *rng)
{
	uint32_t rate = a->ports[p].rate;

	a->last_valid[p] = rate;
	if (!net_reads(a->ports[p].kind) && test_chance(rng, 50))
		a->last_valid[p] = test_between(rng, 1, rate);
	if (!a->last_again && test_chance(rng, 15))
		a->last_valid[p] = 0;
}

/* The values for which both ends are on. Another set than the FIFO's keeps what was proven only where one control
 * stream decides for both. */
static uint32_t random_on(const struct net *net, const struct net_fifo *fifo, struct test_rng *rng)
{
	uint32_t on = net->actors[fifo->src].ports[fifo->src_port].on;
	unsigned group = net_group_of(net, fifo->src);

	if (!on || group == NET_GROUPS || group != net_group_of(net, fifo->dst) ||
		on != net->actors[fifo->dst].ports[fifo->dst_port].on || test_chance(rng, 60))
		return on;
	return net_random_set(rng, net_all(net->groups[group].values));
}

static void add(struct net *net, unsigned f, struct test_rng *rng)
{
	struct net_fifo like = net->fifos[f];
	struct net_actor *src = &net->actors[like.src], *dst = &net->actors[like.dst];
	uint32_t on = random_on(net, &like, rng), dst_on = dst->ports[like.dst_port].on;
	unsigned out, in, added;

	if (net->fifo_count == NET_FIFOS || src->port_count + 2u > NET_PORTS ||
		dst->port_count + 2u > NET_PORTS)
		return;
	out = net_add_port(net, like.src, src->ports[like.src_port].kind, on);
	in = net_add_port(net, like.dst, dst->ports[like.dst_port].kind,
		on == src->ports[like.src_port].on ? dst_on : on);
	added = net_add_fifo(net, like.src, out, like.dst, in, like.rate,
		like.delay + (test_chance(rng, 10) ? like.rate : 0));
	net->fifos[added].depth = like.depth + test_chance(rng, 10);
	net_set_token_size(net, added, test_chance(rng, 50) ? like.token_size : net_random_token_size(rng));
	choose_last(src, out, rng);
	choose_last(dst, in, rng);
}

void net_add_beside(struct net *net)
{
	struct test_rng rng = { test_mix(net->seed ^ UINT64_C(0xbe51de)) };
	unsigned count = net->fifo_count;

	for (unsigned f = 0; f < count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];

		if (net_is_control(net, f) || net->actors[fifo->src].ports[fifo->src_port].group >= 0 ||
			net_readers(net, f) > 1 || test_chance(&rng, 50))
			continue;
		for (unsigned n = test_between(&rng, 1, 3); n; n--)
			add(net, f, &rng);
	}
}
