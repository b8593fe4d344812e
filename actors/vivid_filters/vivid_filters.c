/* SPDX-License-Identifier: MIT */
/*
 * A strip of eight pixels at a time: their nine neighbourhoods stay in registers while all filters pass over them. A
 * sum has one order, whatever strip and part of the frame a pixel is in, so each thread computes the same.
 */
#include "config.h"

#include "actors/common/vivid.h"
#include "actors/common/wide.h"
#include "penstock/pipeline.h"

#include <string.h>

enum { IN, VALUE, INDEX };
enum { STRIP = 8, TAPS = 9, PADDED = STRIP + 2 };

#define LANES 4
#include "actors/vivid_filters/strip.h"
#define LANES 8
#include "actors/vivid_filters/strip.h"

static const char source[] =
#include "actors/vivid_filters/vivid_filters.clh"
	;

/* at: the pixel left of the strip, in a row and the ones above and below, `w` bytes apart. */
PS_WIDE_BODY static void filter_strip(float *value, uint8_t *index, const uint8_t *at, size_t w,
	const float *filters, uint32_t count, int lanes)
{
	for (int i = 0; i < STRIP; i += lanes) {
		const uint8_t *const row[3] = { at + i - w, at + i, at + i + w };

		if (lanes == 8)
			filter_strip8(value + i, index + i, row, filters, count);
		else
			filter_strip4(value + i, index + i, row, filters, count);
	}
}

/* A row of at least one inner pixel but fewer than a strip. */
PS_WIDE_BODY static void filter_short(float *value, uint8_t *index, const uint8_t *at, size_t w,
	const float *filters, uint32_t count, int lanes)
{
	uint8_t padded[3][PADDED] = { { 0 } }, indices[STRIP];
	float values[STRIP];

	for (int i = 0; i < 3; i++)
		memcpy(padded[i], at - w + (size_t)i * w, w);
	filter_strip(values, indices, padded[1], PADDED, filters, count, lanes);
	memcpy(value, values, (w - 2) * sizeof *value);
	memcpy(index, indices, w - 2);
}

/* An inner row, w pixels wide; to and from: its first pixel. */
PS_WIDE_BODY static void filter_row_body(float *value, uint8_t *index, const uint8_t *in, size_t w,
	const float *filters, uint32_t count, int lanes)
{
	const size_t inner = w - 2;

	value[0] = value[w - 1] = 0;
	index[0] = index[w - 1] = 0;
	if (inner < STRIP) {
		filter_short(value + 1, index + 1, in, w, filters, count, lanes);
		return;
	}
	for (size_t x = 0; x < inner; x += STRIP) {
		size_t at = x + STRIP <= inner ? x : inner - STRIP; /* the last one overlaps */

		filter_strip(value + 1 + at, index + 1 + at, in + at, w, filters, count, lanes);
	}
}

PS_WIDE_LANES(filter_row,
	(float *value, uint8_t *index, const uint8_t *in, size_t w, const float *filters, uint32_t count),
	value, index, in, w, filters, count)

struct frame {
	const struct ps_vivid *v;
	struct pstk_frame_size size;
	const uint8_t *in;
	float *value;
	uint8_t *index;
};

/* Rows of a frame. */
static void filter_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;
	size_t w = f->size.width, h = f->size.height;

	for (size_t y = from; y < to; y++) {
		if (y && y + 1 < h && w > 2) {
			filter_row(f->value + y * w, f->index + y * w, f->in + y * w, w, f->v->coefficients,
				f->v->filters);
			continue;
		}
		memset(f->value + y * w, 0, w * sizeof *f->value);
		memset(f->index + y * w, 0, w);
	}
}

static int filter_frame(struct pstk_firing *firing, const void *in, void *value, void *index)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	const struct ps_vivid *v = pstk_actor_arg(self);
	struct frame f = { v, { 0, 0 }, ps_sized_data(in), ps_sized_room(value), ps_sized_room(index) };
	int err = ps_sized_read(self, in, &v->largest, &f.size);

	if (err)
		return err;
	pstk_sized_set(value, f.size.width, f.size.height);
	pstk_sized_set(index, f.size.width, f.size.height);
	return pstk_parallel_for(firing, f.size.height, 0, filter_rows, &f);
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *in = pstk_fifo_read_start(f, IN);
	char *value = pstk_fifo_write_start(f, VALUE), *index = pstk_fifo_write_start(f, INDEX);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = filter_frame(f, in + i * pstk_actor_port_token_size(self, IN),
			value + i * pstk_actor_port_token_size(self, VALUE),
			index + i * pstk_actor_port_token_size(self, INDEX));
	if (err)
		return err;
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, VALUE);
	pstk_fifo_write_end(f, INDEX);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct ps_vivid *v = pstk_actor_arg(self);
	int err = ps_vivid_check_pixels(self, IN, 1);

	if (!err)
		err = ps_vivid_check_pixels(self, VALUE, sizeof(float));
	if (!err)
		err = ps_vivid_check_pixels(self, INDEX, 1);
	if (!err)
		err = pstk_actor_set_arg(
			self, 0, (size_t)v->filters * TAPS * sizeof *v->coefficients, v->coefficients);
	if (err)
		return err;
	return ps_vivid_set_kernel(self, 1, (v->largest.width + STRIP - 1) / STRIP, v->largest.height);
}

static void lay(float *to, const struct pstk_vivid_spec *spec)
{
	memcpy(to, spec->coefficients, (size_t)spec->filters * TAPS * sizeof *to);
}

static size_t token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	(void)self;
	return ps_sized_pixels(came_in, port == VALUE ? sizeof(float) : 1);
}

struct pstk_actor *pstk_vivid_filters_add(
	struct pstk_network *net, const char *name, const struct pstk_vivid_spec *spec)
{
	static const struct pstk_port ports[] = {
		[IN] = { .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[VALUE] = { .name = "value", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		[INDEX] = { .name = "index", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	struct ps_vivid_type type = { .name = "vivid_filters",
		.kernel = source,
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.init = init,
		.fire = fire,
		.token_bytes = token_bytes,
		.what = "filters",
		.lay = lay };

	if (ps_vivid_check(net, name, type.name, spec))
		return NULL;
	type.given = type.kept = (size_t)spec->filters * TAPS;
	return ps_vivid_add(net, name, &type, spec);
}
