/* SPDX-License-Identifier: MIT */
/*
 * The mean is taken off in integers but for its fraction, so that a frame of one value gives zeros: with the frame's
 * sum s and n pixels, a pixel is (value - s / n) - (s modulo n) / n.
 */
#include "actors/window/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 256 };

static const double pi = 3.14159265358979323846;

static float window_at(const char *name, uint32_t n, uint32_t k)
{
	double half = n / 2, away = (k - half) / half; /* half: rounded down */

	if (!name || !strcmp(name, "hann"))
		return (float)(0.5 - 0.5 * cos(2 * pi * k / (n - 1)));
	return strcmp(name, "flat8") != 0 ? 1 : (float)(1 - pow(away, 8));
}

static int finish(struct pstk_actor *self)
{
	struct ps_window *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_launch_end(&s->on_devices);
#endif
	free(s->columns);
	s->columns = NULL;
	return 0;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_window_arg *arg = pstk_actor_arg(self);
	struct ps_window *s = pstk_actor_state(self);
	int err = ps_plane_init(self, PS_PLANE_FRAME, PS_PLANE_MAP);

	if (err)
		return err;
	s->columns = malloc(((size_t)arg->size.width + arg->size.height) * sizeof *s->columns);
	if (!s->columns)
		return pstk_actor_error(self, -ENOMEM, "out of memory for a window");
	s->rows = s->columns + arg->size.width;
	for (uint32_t k = 0; k < arg->size.width; k++)
		s->columns[k] = window_at(arg->window, arg->size.width, k);
	for (uint32_t k = 0; k < arg->size.height; k++)
		s->rows[k] = window_at(arg->window, arg->size.height, k);
	return 0;
}

/* What each value becomes before the window. */
static void make_table(float *table, const uint8_t *frame, size_t pixels)
{
	uint64_t sum = 0, squares = 0, mean;
	float fraction, scale;

	for (size_t i = 0; i < pixels;) {
		/* 32 bits hold so many squares */
		size_t end = pixels - i < 65536 ? pixels : i + 65536;
		uint32_t some = 0, some_squares = 0;

		for (; i < end; i++) {
			some += frame[i];
			some_squares += (uint32_t)frame[i] * frame[i];
		}
		sum += some;
		squares += some_squares;
	}
	mean = sum / pixels;
	fraction = (float)(sum % pixels) / (float)pixels;
	scale = squares ? 1 / sqrtf((float)squares / (float)pixels) : 0;
	for (int v = 0; v < VALUES; v++)
		table[v] = ((float)(v - (int)mean) - fraction) * scale;
}

static void weigh(float *restrict to, const uint8_t *restrict frame, const struct pstk_frame_size *size,
	const struct ps_window *s)
{
	size_t w = size->width, h = size->height;
	float table[VALUES];

	make_table(table, frame, w * h);
	for (size_t y = 0; y < h; y++, to += w, frame += w) {
		float row = s->rows[y];

		for (size_t x = 0; x < w; x++)
			to[x] = table[frame[x]] * (s->columns[x] * row);
	}
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_window_arg *arg = pstk_actor_arg(self);
	const uint8_t *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	float *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t pixels = ps_plane_pixels(self), frames = ps_plane_tokens(f, PS_PLANE_OUT);

	for (size_t i = 0; i < frames; i++)
		weigh(out + i * pixels, in + i * pixels, &arg->size, pstk_actor_state(self));
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_window_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		PS_PLANE_SIDES,
		{ .name = "window",
			.type = "string",
			.default_value = "hann",
			.range = "hann|flat8|none",
			.help = "what a frame is weighed by",
			.offset = offsetof(struct pstk_window_arg, window) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "window",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_window_arg),
		.state_size = sizeof(struct ps_window),
		.stateless = true,
		.init = init,
		.fire = fire,
#ifdef HAVE_OPENCL
		.fire_cl = ps_window_fire_cl,
		.open_place = ps_window_open_place,
#endif
		.finish = finish,
	};

	return &type;
}
