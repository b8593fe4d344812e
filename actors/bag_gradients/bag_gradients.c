/* SPDX-License-Identifier: MIT */
/*
 * Differences of 8-bit pixels are whole numbers, so an eighth of the circle follows from comparisons: from the line at
 * 0 degrees to that at 45 and so on, each line belonging to what is behind it.
 */
#include "config.h"

#include "actors/common/bag.h"
#include "actors/common/wide.h"
#include "penstock/pipeline.h"

#include <math.h>
#include <string.h>

enum { IN, MAGNITUDE, BIN };
enum { STRIP = 8 };

static const char source[] =
#include "actors/bag_gradients/bag_gradients.clh"
	;

/* Which eighth. */
PS_WIDE_BODY static uint8_t bin_of(int dx, int dy)
{
	/* turned by half a circle, the lower half is the upper one: to (0, 180) degrees from its first line on */
	int lower = (dy < 0) | ((dy == 0) & (dx < 0)), x = lower ? -dx : dx, y = lower ? -dy : dy;
	/* the second quarter turned by 90 degrees is the first one */
	int second = x <= 0 && y > 0, a = second ? y : x, b = second ? -x : y;

	return (uint8_t)(4 * lower + 2 * second + ((b >= a) & (a != 0)));
}

PS_WIDE_BODY static void take_pixel(float *square, uint8_t *bin, int dx, int dy)
{
	*square = (float)(dx * dx + dy * dy);
	*bin = bin_of(dx, dy);
}

/* A row; above, below: those beside it, or itself at the frame's edge. Square roots are apart, because they keep loops
 * from being vectors. */
PS_WIDE_BODY static void take_row_body(float *restrict magnitude, uint8_t *restrict bin,
	const uint8_t *restrict above, const uint8_t *restrict row, const uint8_t *restrict below, size_t w)
{
	take_pixel(magnitude, bin, 0, below[0] - above[0]);
	for (size_t x = 1; x + 1 < w; x++)
		take_pixel(magnitude + x, bin + x, row[x + 1] - row[x - 1], below[x] - above[x]);
	take_pixel(magnitude + w - 1, bin + w - 1, 0, below[w - 1] - above[w - 1]);
	for (size_t x = 0; x < w; x++)
		magnitude[x] = sqrtf(magnitude[x]) / 2;
}

PS_WIDE(take_row,
	(float *restrict magnitude, uint8_t *restrict bin, const uint8_t *restrict above,
		const uint8_t *restrict row, const uint8_t *restrict below, size_t w),
	(magnitude, bin, above, row, below, w))

struct frame {
	struct pstk_frame_size size;
	const uint8_t *in;
	float *magnitude;
	uint8_t *bin;
};

static void take_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;
	size_t w = f->size.width, h = f->size.height;

	for (size_t y = from; y < to; y++) {
		const uint8_t *row = f->in + y * w;
		bool inner = y && y + 1 < h;

		take_row(f->magnitude + y * w, f->bin + y * w, inner ? row - w : row, row,
			inner ? row + w : row, w);
	}
}

static int take_frame(struct pstk_firing *firing, const void *in, void *magnitude, void *bin)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	struct frame f = { { 0, 0 }, ps_sized_data(in), ps_sized_room(magnitude), ps_sized_room(bin) };
	int err = ps_sized_read(self, in, pstk_actor_arg(self), &f.size);

	if (err)
		return err;
	pstk_sized_set(magnitude, f.size.width, f.size.height);
	pstk_sized_set(bin, f.size.width, f.size.height);
	return pstk_parallel_for(firing, f.size.height, 0, take_rows, &f);
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *in = pstk_fifo_read_start(f, IN);
	char *magnitude = pstk_fifo_write_start(f, MAGNITUDE), *bin = pstk_fifo_write_start(f, BIN);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = take_frame(f, in + i * pstk_actor_port_token_size(self, IN),
			magnitude + i * pstk_actor_port_token_size(self, MAGNITUDE),
			bin + i * pstk_actor_port_token_size(self, BIN));
	if (err)
		return err;
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, MAGNITUDE);
	pstk_fifo_write_end(f, BIN);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_frame_size *largest = pstk_actor_arg(self);
	const uint32_t numbers[] = { largest->width, largest->height };
	int err = ps_sized_check(self, IN, (size_t)largest->width * largest->height, "a frame");

	if (!err)
		err = ps_bag_check_gradients(self, largest, MAGNITUDE, BIN);
	if (err)
		return err;
	return ps_sized_set_kernel(
		self, 0, numbers, 2, (largest->width + STRIP - 1) / STRIP, largest->height);
}

static size_t token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	(void)self;
	return ps_sized_pixels(came_in, port == MAGNITUDE ? sizeof(float) : 1);
}

struct pstk_actor *pstk_bag_gradients_add(
	struct pstk_network *net, const char *name, const struct pstk_bag_spec *spec)
{
	static const struct pstk_port ports[] = {
		[IN] = { .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[MAGNITUDE] = { .name = "magnitude", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		[BIN] = { .name = "bin", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_kernel kernel = { .source = source, .name = "bag_gradients" };
	struct pstk_frame_size largest;

	if (ps_bag_check(net, name, "bag_gradients", spec))
		return NULL;
	largest = (struct pstk_frame_size){ spec->width, spec->height };
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "bag_gradients", .ports = ports,
			.port_count = sizeof ports / sizeof *ports, .arg_size = sizeof largest,
			.stateless = true, .init = init, .fire = fire, .kernel = &kernel,
			.token_bytes = token_bytes),
		&largest);
}
