/* SPDX-License-Identifier: MIT */
#include "tests/opencl/cl_chain.h"
#include "tests/common/common.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

const struct pstk_port cl_chain_ports[2] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = 4, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 4, .token_type = "u32" },
};

int cl_chain_source_fire(struct pstk_firing *f)
{
	struct cl_chain *c = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	uint32_t *out = pstk_fifo_write_start(f, 0);

	while (c->hold_at && c->next + rate >= c->hold_at && !atomic_load(&c->go) &&
		!pstk_network_failed(c->net))
		sched_yield();
	while (n < rate && (c->tokens == CL_CHAIN_ALL || c->next < c->tokens))
		out[n++] = ++c->next;
	pstk_fifo_write_end_partial(f, 0, n);
	return c->tokens == CL_CHAIN_ALL || c->next < c->tokens ? PSTK_AGAIN : PSTK_DONE;
}

int cl_chain_sink_fire(struct pstk_firing *f)
{
	struct cl_chain *c = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t n = pstk_port_valid(f, 0), count = atomic_load(&c->count);

	for (uint32_t i = 0; i < n; i++, count++)
		if (count < CL_CHAIN_MAX)
			c->got[count] = in[i];
	atomic_store(&c->count, count);
	pstk_fifo_read_end(f, 0);
	return c->wanted && pstk_firing_index(f) + 1 == c->wanted ? PSTK_DONE : PSTK_AGAIN;
}

const char *cl_chain_device(const char *pocl, const char *memory)
{
	static struct pstk_device_info info;

	setenv("POCL_DEVICES", pocl, 1);
	setenv("PENSTOCK_MEMORY", memory, 1);
	if (pstk_devices(&info, 1) > 0)
		return info.selector;
	printf("no OpenCL device: skipped\n");
	return NULL;
}

void cl_chain_build(struct cl_chain *c, const struct pstk_actor_type *type, void *arg, const char *device)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	c->tokens = c->tokens ? c->tokens : 32;
	c->rate = c->rate ? c->rate : 1;
	c->next = 0;
	atomic_store(&c->count, 0);
	spec.rate = c->rate;
	spec.delay = c->delay;
	spec.token_size = 4;
	c->net = pstk_network_create("chain");
	c->source = pstk_network_add(c->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &cl_chain_ports[1], .port_count = 1,
			.fire = cl_chain_source_fire),
		c);
	c->tested = pstk_network_add(c->net, "tested", type, arg);
	c->sink = pstk_network_add(c->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &cl_chain_ports[0], .port_count = 1,
			.fire = cl_chain_sink_fire),
		c);
	spec.depth = c->depths[0];
	c->in = pstk_connect(c->source, "out", c->tested, "in", &spec);
	spec.depth = c->depths[1];
	c->out = pstk_connect(c->tested, "out", c->sink, "in", &spec);
	if (device)
		ck_assert_int_eq(pstk_actor_map(c->tested, device), 0);
}

void cl_chain_expect(struct cl_chain *c, uint32_t a, uint32_t b)
{
	int err = pstk_network_run(c->net);

	ck_assert_msg(!err, "%s", pstk_network_error(c->net));
	pstk_network_destroy(c->net);
	ck_assert_uint_eq(c->count, c->tokens + 2 * c->delay);
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t delayed = i < 2 * c->delay ? b : a * (i - 2 * c->delay + 1) + b;

		if (i < c->delay)
			delayed = 0;
		ck_assert_msg(c->got[i] == delayed, "token %u is %u, not %u", i, c->got[i], delayed);
	}
}

void cl_chain_fails(struct cl_chain *c, int err, const char *const *words, size_t count)
{
	ck_assert_int_eq(pstk_network_run(c->net), err);
	test_says(pstk_network_error(c->net), words, count);
	pstk_network_destroy(c->net);
}
