/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/round_robin.h"

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_round *round = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, PS_ROUND_ALL);
	unsigned char *out = pstk_fifo_write_start(f, PS_ROUND_ALL);

	for (unsigned i = 0; i < round->count; i++) {
		size_t bytes = round->widths[i] * token;

		ps_round_copy(out, round->row * token, pstk_fifo_read_start(f, PS_ROUND_FIRST + i), bytes,
			bytes, pstk_firing_steps(f));
		pstk_fifo_read_end(f, PS_ROUND_FIRST + i);
		out += bytes;
	}
	pstk_fifo_write_end(f, PS_ROUND_ALL);
	return PSTK_AGAIN;
}

static const char kernel[] =
#include "actors/interleave/interleave.clh"
	;

struct pstk_actor *pstk_interleave_add(
	struct pstk_network *net, const char *name, const uint32_t *widths, unsigned count)
{
	static const struct ps_round_type type = { .name = "interleave",
		.all = "out",
		.each = "in",
		.inputs = true,
		.whole_steps = true,
		.fire = fire,
		.kernel = kernel };

	return ps_round_add(net, name, &type, widths, count);
}
