/* SPDX-License-Identifier: MIT */
/* The source: samples of an I/Q input, a window at a time. */
#include "config.h"

#include "actors/iq_source/input.h"
#include "actors/common/ports.h"
#include "actors/common/take.h"

#include <errno.h>

enum { RE, IM };

static int source_init(struct pstk_actor *self)
{
	struct pstk_iq_input *input = pstk_actor_arg(self);
	int err;

	if (!input)
		return pstk_actor_error(self, -EINVAL, "its arg is no I/Q input");
	err = ps_take(self, &input->taken, "input", "open one for each");
	/* nothing was cut off of one that had given all: its readers may have ended just before it */
	if (err || !atomic_load(&input->reader.stopped) || !ps_iq_input_has_more(input))
		return err;
	atomic_store(&input->taken, false);
	return pstk_actor_error(self, -EPIPE, "%s: was stopped: open it again", input->label);
}

static int source_fire(struct pstk_firing *firing)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	struct pstk_iq_input *input = pstk_actor_arg(self);
	uint32_t rate = pstk_actor_port_rate(self, RE);
	float *re = pstk_fifo_write_start(firing, RE), *im = pstk_fifo_write_start(firing, IM);
	int64_t got;

	input->begun = true;
	got = ps_iq_input_take(input, re, im, rate);
	if (got < 0)
		return pstk_actor_error(self, (int)got, "%s", pstk_iq_input_error(input));
	if (got > 0) {
		pstk_fifo_write_end_partial(firing, RE, (uint32_t)got);
		pstk_fifo_write_end_partial(firing, IM, (uint32_t)got);
	}
	return got == rate && ps_iq_input_has_more(input) ? PSTK_AGAIN : PSTK_DONE;
}

static int source_finish(struct pstk_actor *self)
{
	struct pstk_iq_input *input = pstk_actor_arg(self);

	/* it may have seen that its readers have ended before it was unblocked: what is left is no stream of its own */
	if (input->begun && !input->failed && ps_iq_input_has_more(input))
		pstk_iq_input_stop(input);
	atomic_store(&input->taken, false);
	return 0;
}

/* For good: what wakes a read that waits can't be taken back. */
static void source_unblock(struct pstk_actor *self)
{
	pstk_iq_input_stop(pstk_actor_arg(self));
}

static const struct pstk_port ports[] = {
	PS_PORT_F32("re", PSTK_OUTPUT),
	PS_PORT_F32("im", PSTK_OUTPUT),
};

#define SOURCE_TYPE(may_wait)                                                                 \
	{                                                                                     \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), .name = "iq_source", \
		.ports = ports, .port_count = 2, .blocks = (may_wait), .init = source_init,   \
		.fire = source_fire, .finish = source_finish, .unblock = source_unblock,      \
	}

const struct pstk_actor_type *pstk_iq_source_type(void)
{
	static const struct pstk_actor_type type = SOURCE_TYPE(true);

	return &type;
}

const struct pstk_actor_type *pstk_iq_source_type_for(const struct pstk_iq_input *input)
{
	static const struct pstk_actor_type prompt = SOURCE_TYPE(false);

	return input && (input->signal || input->reader.regular) ? &prompt : pstk_iq_source_type();
}
