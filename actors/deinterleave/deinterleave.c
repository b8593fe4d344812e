/* SPDX-License-Identifier: MIT */
/* The last row of a stream may not be full: then each output gets the tokens of it that are its own, perhaps none. */
#include "config.h"

#include "actors/common/round_robin.h"

/* How many of `valid` tokens belong to an output with this width, behind so many others in each row. */
static uint32_t share(uint32_t valid, uint32_t row, uint32_t before, uint32_t width)
{
	uint32_t rest = valid % row, own = rest > before ? rest - before : 0;

	return valid / row * width + (own < width ? own : width);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_round *round = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, PS_ROUND_ALL);
	uint32_t valid = pstk_port_valid(f, PS_ROUND_ALL), before = 0;
	const unsigned char *in = pstk_fifo_read_start(f, PS_ROUND_ALL);

	for (unsigned i = 0; i < round->count; i++) {
		uint32_t width = round->widths[i];

		/* behind the last token the window has zeros, so the last row may be copied whole */
		ps_round_copy(pstk_fifo_write_start(f, PS_ROUND_FIRST + i), width * token,
			in + before * token, round->row * token, width * token, pstk_firing_steps(f));
		pstk_fifo_write_end_partial(f, PS_ROUND_FIRST + i, share(valid, round->row, before, width));
		before += width;
	}
	pstk_fifo_read_end(f, PS_ROUND_ALL);
	return PSTK_AGAIN;
}

static const char kernel[] =
#include "actors/deinterleave/deinterleave.clh"
	;

struct pstk_actor *pstk_deinterleave_add(
	struct pstk_network *net, const char *name, const uint32_t *widths, unsigned count)
{
	static const struct ps_round_type type = {
		.name = "deinterleave", .all = "in", .each = "out", .fire = fire, .kernel = kernel
	};

	return ps_round_add(net, name, &type, widths, count);
}
