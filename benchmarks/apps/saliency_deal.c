/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_deal.h"

#include <string.h>

/* One token from a port to another; the ends of both streams are the network's business. */
static int pass(struct pstk_firing *f, unsigned from, unsigned to)
{
	const void *token = pstk_fifo_read_start(f, from);
	void *place = token ? pstk_fifo_write_start(f, to) : NULL;

	if (!place)
		return PSTK_DONE;
	memcpy(place, token, pstk_actor_port_token_size(pstk_firing_actor(f), from));
	pstk_fifo_read_end(f, from);
	pstk_fifo_write_end(f, to);
	return PSTK_AGAIN;
}

static int deal(struct pstk_firing *f)
{
	return pass(f, 0, 1 + (unsigned)(pstk_firing_index(f) % 2));
}

static int collect(struct pstk_firing *f)
{
	return pass(f, (unsigned)(pstk_firing_index(f) % 2), 2);
}

static const struct pstk_port deal_ports[] = {
	{ .name = "in", .rate = 1 },
	{ .name = "out1", .kind = PSTK_OUTPUT, .rate = 1 },
	{ .name = "out2", .kind = PSTK_OUTPUT, .rate = 1 },
};
static const struct pstk_port collect_ports[] = {
	{ .name = "in1", .rate = 1 },
	{ .name = "in2", .rate = 1 },
	{ .name = "out", .kind = PSTK_OUTPUT, .rate = 1 },
};

struct pstk_actor *saliency_deal_add(struct pstk_network *net)
{
	return pstk_network_add(net, "deal",
		PSTK_ACTOR_TYPE(.name = "deal", .ports = deal_ports, .port_count = 3, .kahn = true,
			.fire = deal),
		NULL);
}

struct pstk_actor *saliency_collect_add(struct pstk_network *net)
{
	return pstk_network_add(net, "collect",
		PSTK_ACTOR_TYPE(.name = "collect", .ports = collect_ports, .port_count = 3, .kahn = true,
			.fire = collect),
		NULL);
}
