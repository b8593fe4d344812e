/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/round_robin.h"

#include <string.h>

/* The tokens of one input, each `width` of them to their place in each row. */
static void spread(
	unsigned char *to, const unsigned char *from, size_t row_bytes, size_t width_bytes, uint32_t rows)
{
	for (uint32_t row = 0; row < rows; row++)
		memcpy(to + row * row_bytes, from + row * width_bytes, width_bytes);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_round *round = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, PS_ROUND_ALL);
	unsigned char *out = pstk_fifo_write_start(f, PS_ROUND_ALL);

	for (unsigned i = 0; i < round->count; i++) {
		size_t bytes = round->widths[i] * token;

		spread(out, pstk_fifo_read_start(f, PS_ROUND_FIRST + i), round->row * token, bytes,
			pstk_firing_steps(f));
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
