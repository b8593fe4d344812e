/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/source.h"

#include <penstock/actors.h>

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct source *s = pstk_actor_arg(self);
	const struct size *size = &s->inputs->size;
	uint64_t *bits = pstk_fifo_write_start(f, 0);
	int got = inputs_read(s->inputs, s->grey);

	if (got < 0)
		return pstk_actor_error(self, got, "%s", s->inputs->error);
	if (!got)
		return PSTK_DONE;
	pstk_bits_pack(bits, s->grey, size->width, size->height, size->depth, s->threshold);
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static void source_unblock(struct pstk_actor *self)
{
	struct source *s = pstk_actor_arg(self);

	inputs_stop(s->inputs);
}

static const struct pstk_port ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64", .rate = 1 },
};

#define SOURCE(may_wait)                                                                               \
	{                                                                                              \
		.struct_size = sizeof(struct pstk_actor_type), .name = "image_source", .ports = ports, \
		.port_count = 1, .blocks = (may_wait), .fire = source_fire, .unblock = source_unblock, \
	}

const struct pstk_actor_type *source_type(const struct source *s)
{
	static const struct pstk_actor_type waits = SOURCE(true), prompt = SOURCE(false);

	return s->inputs->waits ? &waits : &prompt;
}
