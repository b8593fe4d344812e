/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/resample/source.h"

#include <errno.h>
#include <string.h>

enum { ONLY };

static int source_rates(struct pstk_actor *self)
{
	const struct wav_input *in = pstk_actor_arg(self);

	return pstk_actor_set_rate(self, ONLY, in->format.channels);
}

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct wav_input *in = pstk_actor_arg(self);
	uint32_t channels = in->format.channels, frames = pstk_actor_port_rate(self, ONLY) / channels;
	int64_t got = wav_input_read(in, pstk_fifo_write_start(f, ONLY), frames);

	if (got < 0)
		return pstk_actor_error(self, (int)got, "%s: %s", in->label, strerror((int)-got));
	atomic_fetch_add(&in->given, (uint64_t)got);
	pstk_fifo_write_end_partial(f, ONLY, (uint32_t)got * channels);
	return got == frames && in->left ? PSTK_AGAIN : PSTK_DONE;
}

static void source_unblock(struct pstk_actor *self)
{
	struct wav_input *in = pstk_actor_arg(self);

	ps_reader_stop(&in->reader);
}

#define SOURCE(may_wait)                                                                                    \
	{                                                                                                   \
		.struct_size = sizeof(struct pstk_actor_type), .name = "wav_source", .ports = source_ports, \
		.port_count = 1, .blocks = (may_wait), .rates = source_rates, .fire = source_fire,          \
		.unblock = source_unblock,                                                                  \
	}

static const struct pstk_port source_ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};

const struct pstk_actor_type *source_type(const struct wav_input *in)
{
	static const struct pstk_actor_type waits = SOURCE(true), prompt = SOURCE(false);

	return in->reader.regular ? &prompt : &waits;
}
