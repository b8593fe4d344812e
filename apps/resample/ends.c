/* SPDX-License-Identifier: MIT */
/*
 * The sink writes plan_length(n) frames of those that come, n the frames that the source has given so far. While
 * samples come it has not got more than that: each filter waits for all that it sees. What is more is made of the zeros
 * behind the stream. So the length is right for a pipe and after a signal, too, whose end is not known before.
 */
#include "config.h"

#include "apps/resample/ends.h"

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

static int sink_rates(struct pstk_actor *self)
{
	const struct sink *sink = pstk_actor_arg(self);

	return pstk_actor_set_rate(self, ONLY, sink->input->format.channels);
}

static int fail(struct pstk_actor *self, int err)
{
	const struct sink *sink = pstk_actor_arg(self);

	if (err == -EFBIG && sink->output->writer.regular)
		return pstk_actor_error(self, err,
			"%s: %s, or has 4 GiB, which a WAV file can't: cut the input in parts",
			sink->output->label, strerror(-err));
	return pstk_actor_error(
		self, err, "%s: %s", sink->output->label, err == -ECANCELED ? "stopped" : strerror(-err));
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct sink *sink = pstk_actor_arg(self);
	uint64_t given = atomic_load(&sink->input->given);
	uint64_t left = plan_length(sink->plan, given) - sink->output->frames;
	uint32_t frames = pstk_port_valid(f, ONLY) / sink->input->format.channels;
	const float *samples = pstk_fifo_read_start(f, ONLY);
	int err = wav_output_write(sink->output, samples, frames < left ? frames : (size_t)left);

	if (err)
		return fail(self, err);
	pstk_fifo_read_end(f, ONLY);
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	const struct sink *sink = pstk_actor_arg(self);
	int err = 0;

	if (!pstk_network_failed(pstk_actor_network(self)))
		err = wav_output_complete(sink->output);
	return err ? fail(self, err) : 0;
}

/* A stop lets the samples under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	const struct sink *sink = pstk_actor_arg(self);

	if (pstk_network_failed(pstk_actor_network(self)))
		ps_writer_stop(&sink->output->writer);
}

#define SOURCE(may_wait)                                                                                    \
	{                                                                                                   \
		.struct_size = sizeof(struct pstk_actor_type), .name = "wav_source", .ports = source_ports, \
		.port_count = 1, .blocks = (may_wait), .rates = source_rates, .fire = source_fire,          \
		.unblock = source_unblock,                                                                  \
	}
#define SINK(may_wait)                                                                                  \
	{                                                                                               \
		.struct_size = sizeof(struct pstk_actor_type), .name = "wav_sink", .ports = sink_ports, \
		.port_count = 1, .blocks = (may_wait), .rates = sink_rates, .fire = sink_fire,          \
		.finish = sink_finish, .unblock = sink_unblock,                                         \
	}

static const struct pstk_port source_ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};
static const struct pstk_port sink_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
};

const struct pstk_actor_type *source_type(const struct wav_input *in)
{
	static const struct pstk_actor_type waits = SOURCE(true), prompt = SOURCE(false);

	return in->reader.regular ? &prompt : &waits;
}

const struct pstk_actor_type *sink_type(const struct wav_output *out)
{
	static const struct pstk_actor_type waits = SINK(true), prompt = SINK(false);

	return out->writer.waits ? &waits : &prompt;
}
