/* SPDX-License-Identifier: MIT */
/* The sink: samples to an I/Q output, a window at a time; it is completed when the network has ended well. */
#include "config.h"

#include "actors/iq_sink/output.h"
#include "actors/common/ports.h"
#include "actors/common/take.h"

#include <errno.h>
#include <inttypes.h>

enum { RE, IM };

static int sink_init(struct pstk_actor *self)
{
	struct pstk_iq_output *output = pstk_actor_arg(self);
	int err = output ? ps_take(self, &output->taken, "output", "open one for each") : 0;

	if (err || !output || !output->completed)
		return err;
	atomic_store(&output->taken, false);
	return pstk_actor_error(self, -EINVAL, "%s: has been completed: open another one", output->label);
}

static int sink_fire(struct pstk_firing *firing)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	struct pstk_iq_output *output = pstk_actor_arg(self);
	uint32_t samples = pstk_port_valid(firing, RE), others = pstk_port_valid(firing, IM);
	const float *re = pstk_fifo_read_start(firing, RE), *im = pstk_fifo_read_start(firing, IM);
	int err;

	if (samples != others)
		return pstk_actor_error(self, -EPROTO,
			"re ends with %" PRIu32 " sample%s, im with %" PRIu32 ": they are not of one signal",
			samples, ps_plural(samples), others);
	err = output ? ps_iq_output_put(output, re, im, samples) : 0;
	if (err)
		return pstk_actor_error(self, err, "%s", pstk_iq_output_error(output));
	pstk_fifo_read_end(firing, RE);
	pstk_fifo_read_end(firing, IM);
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	struct pstk_iq_output *output = pstk_actor_arg(self);
	int err = 0;

	if (!output)
		return 0;
	if (!pstk_network_failed(pstk_actor_network(self)))
		err = pstk_iq_output_complete(output);
	if (err)
		pstk_actor_error(self, err, "%s", pstk_iq_output_error(output));
	atomic_store(&output->taken, false);
	return err;
}

/* A stop lets the samples under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	if (pstk_network_failed(pstk_actor_network(self)))
		pstk_iq_output_stop(pstk_actor_arg(self));
}

static const struct pstk_port ports[] = {
	PS_PORT_F32("re", PSTK_INPUT),
	PS_PORT_F32("im", PSTK_INPUT),
};

#define SINK_TYPE(may_wait)                                                                                 \
	{                                                                                                   \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), .name = "iq_sink", .ports = ports, \
		.port_count = 2, .blocks = (may_wait), .init = sink_init, .fire = sink_fire,                \
		.finish = sink_finish, .unblock = sink_unblock,                                             \
	}

const struct pstk_actor_type *pstk_iq_sink_type(void)
{
	static const struct pstk_actor_type type = SINK_TYPE(true);

	return &type;
}

const struct pstk_actor_type *pstk_iq_sink_type_for(const struct pstk_iq_output *output)
{
	static const struct pstk_actor_type prompt = SINK_TYPE(false);

	return output && output->writer.waits ? pstk_iq_sink_type() : &prompt;
}
