/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/frame_source.h"

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct frame_source *s = pstk_actor_arg(self);
	void *token;
	int got;

	if (!s->left)
		return PSTK_DONE;
	token = pstk_fifo_write_start(f, 0);
	got = inputs_read(s->inputs, (uint8_t *)token + PSTK_SIZED_HEAD);
	if (got < 0)
		return pstk_actor_error(self, got, "%s", s->inputs->error);
	if (!got)
		return PSTK_DONE;
	s->ring[s->count++ % FRAME_SOURCE_RING] = (struct frame_origin){ s->inputs->at, s->inputs->number };
	pstk_sized_set(token, s->inputs->now.width, s->inputs->now.height);
	pstk_fifo_write_end(f, 0);
	return --s->left ? PSTK_AGAIN : PSTK_DONE;
}

static void source_unblock(struct pstk_actor *self)
{
	struct frame_source *s = pstk_actor_arg(self);

	inputs_stop(s->inputs);
}

static const struct pstk_port ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
};

#define SOURCE(may_wait)                                                                               \
	{                                                                                              \
		.struct_size = sizeof(struct pstk_actor_type), .name = "frame_source", .ports = ports, \
		.port_count = 1, .blocks = (may_wait), .fire = source_fire, .unblock = source_unblock, \
	}

const struct pstk_actor_type *frame_source_type(const struct frame_source *s)
{
	static const struct pstk_actor_type waits = SOURCE(true), prompt = SOURCE(false);

	return s->inputs->waits ? &waits : &prompt;
}
