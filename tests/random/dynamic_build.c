/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_build.h"

#include <stdio.h>

uint64_t dyn_written_token(const struct dyn_net *net, unsigned actor, unsigned port, uint64_t t)
{
	return test_mix(test_mix(test_mix(net->seed + actor) + port) + t);
}

uint64_t dyn_token(const struct dyn_net *net, unsigned f, uint64_t t)
{
	const struct dyn_fifo *fifo = &net->fifos[f];

	if (t < fifo->delay)
		return test_mix(test_mix(~net->seed + f) + t);
	return dyn_written_token(net, fifo->src, fifo->src_port, t - fifo->delay);
}

static int obey(struct pstk_firing *firing, uint32_t value)
{
	const struct dyn_arg *arg = pstk_actor_arg(pstk_firing_actor(firing));

	for (unsigned p = 0; p < arg->actor->port_count; p++)
		if (dyn_is_dynamic(arg->actor->ports[p].kind) && dyn_on(arg->actor, p, value))
			pstk_port_enable(firing, p, true);
	return 0;
}

static void add(struct dyn_built *b, const struct dyn_net *net, unsigned a, dyn_describe describe, void *data)
{
	static const enum pstk_port_kind kinds[] = { PSTK_INPUT, PSTK_OUTPUT, PSTK_DYNAMIC_INPUT,
		PSTK_DYNAMIC_OUTPUT, PSTK_CONTROL };
	const struct dyn_actor *actor = &net->actors[a];
	struct pstk_actor_type type = pstk_actor_type_init();
	struct pstk_port ports[DYN_PORTS];
	char names[DYN_PORTS][16];

	for (unsigned p = 0; p < actor->port_count; p++) {
		snprintf(names[p], sizeof names[p], "p%u", p);
		ports[p] = (struct pstk_port){ .name = names[p], .kind = kinds[actor->ports[p].kind] };
	}
	type.name = "dynamic";
	type.ports = ports;
	type.port_count = actor->port_count;
	type.control_values = actor->values;
	type.control = actor->values ? obey : NULL;
	void *arg = describe(data, a, &type);

	b->actors[a] = pstk_network_add(b->network, actor->name, &type, arg);
}

static void connect(struct dyn_built *b, const struct dyn_net *net, unsigned f)
{
	const struct dyn_fifo *fifo = &net->fifos[f];
	bool control = net->actors[fifo->dst].ports[fifo->dst_port].kind == DYN_CONTROL;
	uint64_t initial[64];
	char out[16], in[16];

	ck_assert_uint_le(fifo->delay, TEST_COUNT(initial));
	for (unsigned t = 0; t < fifo->delay; t++)
		initial[t] = dyn_token(net, f, t);
	snprintf(out, sizeof out, "p%u", fifo->src_port);
	snprintf(in, sizeof in, "p%u", fifo->dst_port);
	b->fifos[f] = pstk_connect(b->actors[fifo->src], out, b->actors[fifo->dst], in,
		PSTK_FIFO(.rate = fifo->rate, .delay = fifo->delay, .depth = fifo->depth,
			.token_size = control ? sizeof(uint32_t) : sizeof(uint64_t),
			.initial = fifo->delay ? initial : NULL));
}

void dyn_build(struct dyn_built *b, const struct dyn_net *net, dyn_describe describe, void *data)
{
	*b = (struct dyn_built){ .network = pstk_network_create("dynamic") };
	for (unsigned a = 0; a < net->actor_count; a++)
		add(b, net, a, describe, data);
	for (unsigned f = 0; f < net->fifo_count; f++)
		connect(b, net, f);
	ck_assert_msg(!pstk_network_problem(b->network, 0), "seed %llu: %s", (unsigned long long)net->seed,
		pstk_network_problem(b->network, 0));
}
