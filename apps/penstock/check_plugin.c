/* SPDX-License-Identifier: MIT */
/* A plug-in for the command's tests: a source that counts and a sink that expects just that. */
#include "penstock/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <stddef.h>

struct count {
	uint64_t tokens;
	bool slow;
};

static int count_fire(struct pstk_firing *f)
{
	const struct count *c = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), *out = pstk_fifo_write_start(f, 0);
	uint64_t first = pstk_firing_index(f) * rate;

	for (volatile uint32_t i = c->slow ? 1000000 : 0; i > 0; i--)
		;
	for (uint32_t i = 0; i < rate; i++)
		out[i] = (uint32_t)(first + i);
	pstk_fifo_write_end(f, 0);
	return c->tokens && first + rate >= c->tokens ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_actor_type *count_type(void)
{
	static const struct pstk_port port = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
	static const struct pstk_param params[] = {
		{ .name = "tokens",
			.type = "u64",
			.default_value = "0",
			.help = "it ends after so many; 0: without end",
			.offset = offsetof(struct count, tokens) },
		{ .name = "slow",
			.type = "bool",
			.default_value = "false",
			.help = "a firing takes a million steps",
			.offset = offsetof(struct count, slow) },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "count",
		.ports = &port,
		.port_count = 1,
		.params = params,
		.param_count = 2,
		.arg_size = sizeof(struct count),
		.fire = count_fire };

	return &type;
}

static int expect_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	uint32_t rate = pstk_actor_port_rate(self, 0);
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint64_t first = pstk_firing_index(f) * rate;

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		if (in[i] != (uint32_t)(first + i))
			return pstk_actor_error(self, -EPROTO, "%u came at %llu", (unsigned)in[i],
				(unsigned long long)(first + i));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_actor_type *expect_type(void)
{
	static const struct pstk_port port = { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" };
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "expect",
		.ports = &port,
		.port_count = 1,
		.fire = expect_fire };

	return &type;
}

static int leave_fire(struct pstk_firing *f)
{
	(void)f;
	exit(0);
}

static const struct pstk_actor_type *leave_type(void)
{
	static const struct pstk_port port = { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" };
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "leave",
		.ports = &port,
		.port_count = 1,
		.fire = leave_fire };

	return &type;
}

static const struct pstk_actor_type *rude_type(void)
{
	static const struct pstk_actor_type type = { .struct_size = sizeof type, .name = "rude" };

	return &type;
}

static struct pstk_actor *add_rude(struct pstk_plugin_call *call)
{
	pstk_network_refuse(call->network, -EIO,
		"'%s': \033[31mred\a \xc2\x9b"
		"1m \xc3\xa9",
		call->name);
	return NULL;
}

static const struct pstk_plugin_type types[] = { { .help = "counts", .type = count_type },
	{ .help = "expects what count writes", .type = expect_type },
	{ .help = "ends the process", .type = leave_type },
	{ .help = "steers \033]0;the terminal\a", .type = rude_type, .add = add_rude } };

PSTK_PLUGIN(.name = "check", .types = types, .type_count = 4);
