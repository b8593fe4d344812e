/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/wav_sink.h"

#include <errno.h>
#include <string.h>

enum { ONLY };

static int sink_rates(struct pstk_actor *self)
{
	const struct wav_sink *sink = pstk_actor_arg(self);

	return pstk_actor_set_rate(self, ONLY, sink->channels);
}

static int fail(struct pstk_actor *self, int err)
{
	const struct wav_output *out = ((const struct wav_sink *)pstk_actor_arg(self))->output;

	if (err == -EFBIG && out->writer.regular)
		return pstk_actor_error(self, err,
			"%s: %s, or has 4 GiB, which a WAV file can't: cut the input in parts", out->label,
			strerror(-err));
	return pstk_actor_error(
		self, err, "%s: %s", out->label, err == -ECANCELED ? "stopped" : strerror(-err));
}

/* What can't say its length in the header later, a pipe, may have any. */
static int write_frames(const struct wav_sink *sink, const float *samples, uint64_t n)
{
	struct wav_output *out = sink->output;

	if (sink->length) {
		uint64_t left = sink->length(sink->data) - out->frames;

		n = n < left ? n : left;
	}
	if (!sink->live && out->writer.regular && !wav_output_has_room(out, n))
		return -EFBIG;
	return wav_output_write(out, samples, (size_t)n);
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct wav_sink *sink = pstk_actor_arg(self);
	const float *samples = pstk_fifo_read_start(f, ONLY);
	int err = sink->output ? write_frames(sink, samples, pstk_port_valid(f, ONLY) / sink->channels) : 0;

	if (err)
		return fail(self, err);
	pstk_fifo_read_end(f, ONLY);
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	const struct wav_sink *sink = pstk_actor_arg(self);
	int err = 0;

	if (sink->output && !pstk_network_failed(pstk_actor_network(self)))
		err = wav_output_complete(sink->output);
	return err ? fail(self, err) : 0;
}

/* A stop lets the samples under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	const struct wav_sink *sink = pstk_actor_arg(self);

	if (sink->output && pstk_network_failed(pstk_actor_network(self)))
		ps_writer_stop(&sink->output->writer);
}

#define SINK(may_wait)                                                                             \
	{                                                                                          \
		.struct_size = sizeof(struct pstk_actor_type), .name = "wav_sink", .ports = ports, \
		.port_count = 1, .blocks = (may_wait), .rates = sink_rates, .fire = sink_fire,     \
		.finish = sink_finish, .unblock = sink_unblock,                                    \
	}

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
};

const struct pstk_actor_type *wav_sink_type(const struct wav_sink *sink)
{
	static const struct pstk_actor_type waits = SINK(true), prompt = SINK(false);

	return sink->output && sink->output->writer.waits ? &waits : &prompt;
}
