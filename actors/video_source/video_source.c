/* SPDX-License-Identifier: MIT */
/* The source: frames of a video input, a window at a time. */
#include "config.h"

#include "actors/common/take.h"
#include "actors/video_source/input.h"

#include <errno.h>
#include <inttypes.h>

static int source_init(struct pstk_actor *self)
{
	struct pstk_video_input *input = pstk_actor_arg(self);
	size_t token = pstk_actor_port_token_size(self, 0);
	struct pstk_video_info info;

	if (pstk_video_input_get_info(input, &info))
		return pstk_actor_error(self, -EINVAL, "its arg is no video input");
	if (token != (size_t)info.width * info.height)
		return pstk_actor_error(self, -EINVAL,
			"frames of %" PRIu32 "x%" PRIu32 " into tokens of %zu byte%s", info.width,
			info.height, token, ps_plural(token));
	return ps_take(self, &input->taken, "input", "open one for each");
}

static int source_fire(struct pstk_firing *firing)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	struct pstk_video_input *input = pstk_actor_arg(self);
	size_t size = pstk_actor_port_token_size(self, 0);
	uint32_t rate = pstk_actor_port_rate(self, 0), n;
	unsigned char *frames = pstk_fifo_write_start(firing, 0);
	int got = 1;

	for (n = 0; n < rate; n++) {
		got = pstk_video_input_read(input, frames + n * size);
		if (got != 1)
			break;
	}
	if (got < 0)
		return pstk_actor_error(self, got, "%s", pstk_video_input_error(input));
	if (n == rate)
		pstk_fifo_write_end(firing, 0);
	else if (n > 0)
		pstk_fifo_write_end_partial(firing, 0, n);
	return n == rate && ps_input_has_more(input) ? PSTK_AGAIN : PSTK_DONE;
}

static int source_finish(struct pstk_actor *self)
{
	struct pstk_video_input *input = pstk_actor_arg(self);

	atomic_store(&input->taken, false);
	return 0;
}

static void source_unblock(struct pstk_actor *self)
{
	pstk_video_input_stop(pstk_actor_arg(self));
}

static const struct pstk_port ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
};

#define SOURCE_TYPE(may_wait)                                                                    \
	{                                                                                        \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), .name = "video_source", \
		.ports = ports, .port_count = 1, .blocks = (may_wait), .init = source_init,      \
		.fire = source_fire, .finish = source_finish, .unblock = source_unblock,         \
	}

const struct pstk_actor_type *pstk_video_source_type(void)
{
	static const struct pstk_actor_type type = SOURCE_TYPE(true);

	return &type;
}

const struct pstk_actor_type *pstk_video_source_type_for(const struct pstk_video_input *input)
{
	static const struct pstk_actor_type prompt = SOURCE_TYPE(false);

	return !input || ps_input_waits(input) ? pstk_video_source_type() : &prompt;
}
