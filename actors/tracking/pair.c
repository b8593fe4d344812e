/* SPDX-License-Identifier: MIT */
#include "actors/common/ports.h"
#include "actors/common/sized.h"

#include <string.h>

enum { IN, OUT };

static int init(struct pstk_actor *self)
{
	return ps_ports_check(self);
}

/* Of a token: what its frame has. */
static void copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
	size_t used = bytes < PSTK_SIZED_HEAD ? bytes : ps_sized_pixels(from, 1);

	memcpy(to, from, used < bytes ? used : bytes);
}

static int fire(struct pstk_firing *f)
{
	const size_t bytes = pstk_actor_port_token_size(pstk_firing_actor(f), IN);
	const unsigned char *in = pstk_fifo_read_start(f, IN);
	unsigned char *out = pstk_fifo_write_start(f, OUT);

	for (size_t k = 0; k < pstk_firing_steps(f); k++, in += bytes, out += 2 * bytes) {
		copy(out, in, bytes);
		copy(out + bytes, in + bytes, bytes);
	}
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_pair_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .rate = 1, .peek = 2 },
		{ .name = "out", .kind = PSTK_OUTPUT, .rate = 2 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "pair",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.stateless = true,
		.init = init,
		.fire = fire,
	};

	return &type;
}
