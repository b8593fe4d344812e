/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/copy.h"
#include "penstock/actors.h"

#include <string.h>

enum { IN, OUT };

static int rates(struct pstk_actor *self)
{
	const struct pstk_repeat_arg *arg = pstk_actor_arg(self);

	/* 0: the parameter is not set; with a rate of 0 the first message would be of the FIFO */
	return pstk_actor_set_rate(self, OUT, arg->times ? arg->times : 1);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_repeat_arg *arg = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, OUT);
	const unsigned char *in = pstk_fifo_read_start(f, IN);
	unsigned char *out = pstk_fifo_write_start(f, OUT);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++)
		for (uint32_t i = 0; i < arg->times; i++, out += token)
			memcpy(out, in + step * token, token);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_repeat_arg *arg = pstk_actor_arg(self);

	return ps_copy_init(self, OUT, &arg->times, sizeof arg->times);
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/common/copy.clh"
#include "actors/repeat/repeat.clh"
		, .name = "repeat",
};

const struct pstk_actor_type *pstk_repeat_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT },
	};
	static const struct pstk_param params[] = {
		{ .name = "times",
			.type = "u32",
			.range = "1..",
			.help = "how often each token is written",
			.offset = offsetof(struct pstk_repeat_arg, times) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "repeat",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_repeat_arg),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &kernel,
		.rates = rates,
	};

	return &type;
}
