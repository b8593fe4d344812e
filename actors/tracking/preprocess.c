/* SPDX-License-Identifier: MIT */
/* Levels of frames: four loops over rows, each of which needs what the one before has made. */
#include "actors/tracking/tracking.h"

#include "penstock/pipeline.h"

struct frame {
	const uint8_t *frame;
	float *levels;
	struct ps_levels l;
};

static void blur_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t y = from; y < to; y++)
		ps_levels_blur(f->levels, &f->l, f->frame, y);
}

static void halve_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t y = from; y < to; y++)
		ps_levels_halve(f->levels, &f->l, y);
}

static void slope_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t y = from; y < to; y++)
		ps_levels_slope(f->levels, &f->l, 0, y);
}

static void small_slope_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t y = from; y < to; y++)
		ps_levels_slope(f->levels, &f->l, 1, y);
}

static void make_levels(struct pstk_firing *f, struct frame *frame)
{
	pstk_parallel_for(f, frame->l.h[0], 0, blur_rows, frame);
	pstk_parallel_for(f, frame->l.h[0], 0, slope_rows, frame);
	pstk_parallel_for(f, frame->l.h[1], 0, halve_rows, frame);
	pstk_parallel_for(f, frame->l.h[1], 0, small_slope_rows, frame);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_frame_size *largest = pstk_actor_arg(self);
	const unsigned char *in = pstk_fifo_read_start(f, PS_PREPROCESS_IN);
	unsigned char *out = pstk_fifo_write_start(f, PS_PREPROCESS_OUT);

	for (size_t k = 0; k < pstk_firing_steps(f); k++) {
		struct pstk_frame_size size;
		struct frame frame = { ps_sized_data(in), ps_sized_room(out), { { 0 }, { 0 }, { { 0 } } } };
		int err = ps_sized_read(self, in, largest, &size);

		if (err)
			return err;
		pstk_sized_set(out, size.width, size.height);
		frame.l = ps_levels_of(size.width, size.height);
		if (size.width && size.height)
			make_levels(f, &frame);
		in += pstk_actor_port_token_size(self, PS_PREPROCESS_IN);
		out += pstk_actor_port_token_size(self, PS_PREPROCESS_OUT);
	}
	pstk_fifo_read_end(f, PS_PREPROCESS_IN);
	pstk_fifo_write_end(f, PS_PREPROCESS_OUT);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_frame_size *largest = pstk_actor_arg(self);
	int err = ps_sized_check(self, PS_PREPROCESS_IN, (size_t)largest->width * largest->height, "a frame");

	return err ? err
	           : ps_sized_check(self, PS_PREPROCESS_OUT,
			     sizeof(float) * pstk_levels_count(largest->width, largest->height),
			     "its levels");
}

const struct pstk_actor_type *pstk_preprocess_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		{ .name = "width",
			.type = "u32",
			.range = "1..32768",
			.help = "pixels of a row, the most",
			.offset = offsetof(struct pstk_frame_size, width) },
		{ .name = "height",
			.type = "u32",
			.range = "1..32768",
			.help = "rows, the most",
			.offset = offsetof(struct pstk_frame_size, height) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "preprocess",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_frame_size),
		.state_size = sizeof(struct ps_tracking_state),
		.stateless = true,
		.init = init,
		.fire = fire,
		.finish = ps_tracking_finish,
#ifdef HAVE_OPENCL
		.open_place = ps_preprocess_open,
		.fire_cl = ps_preprocess_fire_cl,
#endif
	};

	return &type;
}
