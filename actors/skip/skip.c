/* SPDX-License-Identifier: MIT */
/* A step sees the token that it writes and the `count` before it. The stream's first ones fill that, so they are not
 * written. */
#include "config.h"

#include "actors/common/copy.h"
#include "penstock/actors.h"

#include <string.h>

enum { IN, OUT };

static int rates(struct pstk_actor *self)
{
	const struct pstk_skip_arg *arg = pstk_actor_arg(self);

	return pstk_actor_set_peek(self, IN, arg->count + 1);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_skip_arg *arg = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, OUT);
	const unsigned char *in = pstk_fifo_read_start(f, IN);

	memcpy(pstk_fifo_write_start(f, OUT), in + arg->count * token, pstk_firing_steps(f) * token);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_skip_arg *arg = pstk_actor_arg(self);

	return ps_copy_init(self, OUT, &arg->count, sizeof arg->count);
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/common/copy.clh"
#include "actors/skip/skip.clh"
		, .name = "skip",
};

const struct pstk_actor_type *pstk_skip_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .rate = 1 },
	};
	static const struct pstk_param params[] = {
		{ .name = "count",
			.type = "u32",
			.range = "0..4294967294",
			.help = "tokens that are dropped",
			.offset = offsetof(struct pstk_skip_arg, count) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "skip",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_skip_arg),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &kernel,
		.rates = rates,
	};

	return &type;
}
