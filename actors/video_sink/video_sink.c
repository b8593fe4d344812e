/* SPDX-License-Identifier: MIT */
/* The sinks: each frame to every output; the outputs are completed when the network has ended well. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <errno.h>
#include <inttypes.h>

enum { MAP, FRAME };

static int check_output(struct pstk_actor *self, const struct pstk_video_output *output, unsigned ports)
{
	uint32_t w, h;

	if (!output)
		return pstk_actor_error(self, -EINVAL, "an output is NULL");
	w = output->spec.width;
	h = output->spec.height;
	if (output->spec.overlay != (ports > 1))
		return pstk_actor_error(self, -EINVAL, "%s: an output %s overlay", output->label,
			output->spec.overlay ? "with" : "without");
	for (unsigned port = 0; port < ports; port++) {
		size_t token = pstk_actor_port_token_size(self, port);

		if (token != (size_t)w * h)
			return pstk_actor_error(self, -EINVAL,
				"%s: tokens of %zu byte%s, frames of %" PRIu32 "x%" PRIu32, output->label,
				token, ps_plural(token), w, h);
	}
	return 0;
}

static void release_outputs(const struct pstk_video_sink_arg *arg, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		atomic_store(&arg->outputs[i]->taken, false);
}

/* All of them, or none. */
static int take_outputs(struct pstk_actor *self)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);

	for (unsigned i = 0; arg && i < arg->count; i++) {
		struct pstk_video_output *output = arg->outputs[i];
		bool taken = atomic_exchange(&output->taken, true);

		if (!taken && !output->completed)
			continue;
		release_outputs(arg, taken ? i : i + 1);
		if (taken)
			return pstk_actor_error(self, -EBUSY,
				"%s: another actor has this output, or it is here twice: open one for each",
				output->label);
		return pstk_actor_error(self, -EINVAL, "%s: is complete: open another output", output->label);
	}
	return 0;
}

static int sink_init(struct pstk_actor *self)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);
	unsigned ports = pstk_actor_get_type(self)->port_count;

	for (unsigned i = 0; arg && i < arg->count; i++) {
		int err = check_output(self, arg->outputs[i], ports);

		if (err)
			return err;
	}
	return take_outputs(self);
}

static int write_frame(struct pstk_actor *self, const unsigned char *map, const unsigned char *frame)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);

	for (unsigned i = 0; arg && i < arg->count; i++) {
		int err = pstk_video_output_write(arg->outputs[i], map, frame);

		if (err)
			return pstk_actor_error(self, err, "%s", pstk_video_output_error(arg->outputs[i]));
	}
	return 0;
}

static int fire(struct pstk_firing *firing, bool overlay)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	size_t size = pstk_actor_port_token_size(self, MAP);
	uint32_t valid = pstk_port_valid(firing, MAP);
	const unsigned char *maps = pstk_fifo_read_start(firing, MAP);
	const unsigned char *frames = overlay ? pstk_fifo_read_start(firing, FRAME) : NULL;

	for (uint32_t n = 0; n < valid; n++) {
		int err = write_frame(self, maps + n * size, frames ? frames + n * size : NULL);

		if (err)
			return err;
	}
	pstk_fifo_read_end(firing, MAP);
	if (overlay)
		pstk_fifo_read_end(firing, FRAME);
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *firing)
{
	return fire(firing, false);
}

static int overlay_fire(struct pstk_firing *firing)
{
	return fire(firing, true);
}

static int complete_outputs(struct pstk_actor *self)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);

	for (unsigned i = 0; i < arg->count; i++) {
		int err = pstk_video_output_complete(arg->outputs[i]);

		if (err)
			return pstk_actor_error(self, err, "%s", pstk_video_output_error(arg->outputs[i]));
	}
	return 0;
}

static int sink_finish(struct pstk_actor *self)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);
	int err = arg && !pstk_network_failed(pstk_actor_network(self)) ? complete_outputs(self) : 0;

	if (arg)
		release_outputs(arg, arg->count);
	return err;
}

/* A stop lets the frames under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	const struct pstk_video_sink_arg *arg = pstk_actor_arg(self);

	if (!pstk_network_failed(pstk_actor_network(self)))
		return;
	for (unsigned i = 0; arg && i < arg->count; i++)
		pstk_video_output_stop(arg->outputs[i]);
}

static bool may_wait(const struct pstk_video_sink_arg *arg)
{
	for (unsigned i = 0; arg && i < arg->count; i++)
		if (!arg->outputs[i] || arg->outputs[i]->writer.waits)
			return true;
	return false;
}

/* The overlay's; the other sink has the first one only. */
static const struct pstk_port ports[] = {
	{ .name = "map", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
	{ .name = "frame", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
};

#define SINK_TYPE(type_name, count, may_block, fired)                                            \
	{                                                                                        \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), .name = (type_name),    \
		.ports = ports, .port_count = (count), .blocks = (may_block), .init = sink_init, \
		.fire = (fired), .finish = sink_finish, .unblock = sink_unblock,                 \
	}

const struct pstk_actor_type *pstk_video_sink_type(void)
{
	static const struct pstk_actor_type type = SINK_TYPE("video_sink", 1, true, sink_fire);

	return &type;
}

const struct pstk_actor_type *pstk_video_sink_type_for(const struct pstk_video_sink_arg *arg)
{
	static const struct pstk_actor_type prompt = SINK_TYPE("video_sink", 1, false, sink_fire);

	return may_wait(arg) ? pstk_video_sink_type() : &prompt;
}

const struct pstk_actor_type *pstk_video_overlay_type(void)
{
	static const struct pstk_actor_type type = SINK_TYPE("video_overlay", 2, true, overlay_fire);

	return &type;
}

const struct pstk_actor_type *pstk_video_overlay_type_for(const struct pstk_video_sink_arg *arg)
{
	static const struct pstk_actor_type prompt = SINK_TYPE("video_overlay", 2, false, overlay_fire);

	return may_wait(arg) ? pstk_video_overlay_type() : &prompt;
}
