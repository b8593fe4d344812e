/* SPDX-License-Identifier: MIT */
#include "tests/common/simple.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

static int count_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct simple_count *count = pstk_actor_arg(self);
	uint64_t given = atomic_load(&count->given), left = count->tokens - given;
	uint32_t rate = pstk_actor_port_rate(self, 0), valid = left < rate ? (uint32_t)left : rate;
	uint64_t *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < valid; i++)
		out[i] = given + i;
	atomic_store(&count->given, given + valid);
	if (valid == 0)
		return PSTK_DONE;
	if (valid < rate) {
		pstk_fifo_write_end_partial(f, 0, valid);
		return PSTK_AGAIN;
	}
	pstk_fifo_write_end(f, 0);
	return left == rate ? PSTK_DONE : PSTK_AGAIN;
}

static int relay_fire(struct pstk_firing *f)
{
	struct simple_relay *relay = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	memcpy(out, in, pstk_port_valid(f, 0) * sizeof(*in));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	if (relay)
		atomic_fetch_add(&relay->firings, 1);
	return PSTK_AGAIN;
}

static int join_fire(struct pstk_firing *f)
{
	const uint64_t *a = pstk_fifo_read_start(f, 0), *b = pstk_fifo_read_start(f, 1);
	uint64_t *out = pstk_fifo_write_start(f, 2);

	for (uint32_t i = 0; i < pstk_port_valid(f, 2); i++)
		out[i] = a[i] + b[i];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

static int collect_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct simple_collect *collect = pstk_actor_arg(self);
	uint64_t position = atomic_load(&collect->tokens);
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	while (atomic_load(&collect->firings) >= atomic_load(&collect->allowed)) {
		if (pstk_network_failed(pstk_actor_network(self)))
			break;
		sched_yield();
	}
	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++, position++)
		if (in[i] != (position < collect->delay ? 0 : position - collect->delay))
			atomic_fetch_add(&collect->wrong, 1);
	pstk_fifo_read_end(f, 0);
	atomic_store(&collect->tokens, position);
	return atomic_fetch_add(&collect->firings, 1) + 1 == collect->wanted ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port count_ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

static const struct pstk_port relay_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
};

static const struct pstk_port join_ports[] = {
	{ .name = "a", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "b", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
};

static const struct pstk_port collect_ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 } };

static const struct pstk_actor_type count_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "count",
	.ports = count_ports,
	.port_count = 1,
	.fire = count_fire };
static const struct pstk_actor_type relay_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "relay",
	.ports = relay_ports,
	.port_count = 2,
	.fire = relay_fire };
static const struct pstk_actor_type join_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "join",
	.ports = join_ports,
	.port_count = 3,
	.fire = join_fire };
static const struct pstk_actor_type collect_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "collect",
	.ports = collect_ports,
	.port_count = 1,
	.fire = collect_fire };
static const struct pstk_actor_type held_type = { .struct_size = sizeof(struct pstk_actor_type),
	.name = "collect",
	.ports = collect_ports,
	.port_count = 1,
	.blocks = true,
	.fire = collect_fire };

const struct pstk_actor_type *simple_count_type(void)
{
	return &count_type;
}

const struct pstk_actor_type *simple_relay_type(void)
{
	return &relay_type;
}

const struct pstk_actor_type *simple_join_type(void)
{
	return &join_type;
}

const struct pstk_actor_type *simple_collect_type(void)
{
	return &collect_type;
}

const struct pstk_actor_type *simple_held_type(void)
{
	return &held_type;
}

static void make(struct simple_chain *chain, unsigned relays, uint64_t tokens,
	const struct pstk_fifo_spec *spec, const struct pstk_actor_type *sink)
{
	memset(chain, 0, sizeof(*chain));
	chain->relays = relays;
	chain->count.tokens = tokens;
	chain->collect.delay = (uint64_t)(relays + 1) * spec->delay;
	chain->collect.wanted = SIMPLE_ALL;
	atomic_store(&chain->collect.allowed, SIMPLE_ALL);
	chain->net = pstk_network_create("chain");
	chain->actors[0] = pstk_network_add(chain->net, "count", &count_type, &chain->count);
	for (unsigned i = 0; i < relays; i++) {
		char name[16];

		snprintf(name, sizeof(name), "relay%u", i);
		chain->actors[i + 1] = pstk_network_add(chain->net, name, &relay_type, &chain->relay[i]);
	}
	chain->actors[relays + 1] = pstk_network_add(chain->net, "collect", sink, &chain->collect);
	for (unsigned i = 0; i <= relays; i++)
		chain->fifos[i] = pstk_connect(chain->actors[i], "out", chain->actors[i + 1], "in", spec);
}

void simple_chain(struct simple_chain *chain, unsigned relays, uint64_t tokens, uint32_t rate, uint32_t delay,
	uint32_t depth)
{
	make(chain, relays, tokens,
		PSTK_FIFO(.rate = rate, .delay = delay, .depth = depth, .token_size = sizeof(uint64_t)),
		&collect_type);
}

void simple_chain_held(struct simple_chain *chain, unsigned relays, uint64_t tokens, uint32_t rate,
	uint32_t delay, uint32_t depth)
{
	make(chain, relays, tokens,
		PSTK_FIFO(.rate = rate, .delay = delay, .depth = depth, .token_size = sizeof(uint64_t)),
		&held_type);
}
