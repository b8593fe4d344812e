/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/vivid.h"
#include "penstock/pipeline.h"

#include <string.h>

enum { VALUE, INDEX, HIST };
enum { CELL = PSTK_VIVID_CELL };

static const char source[] =
#include "actors/vivid_histogram/vivid_histogram.clh"
	;

struct frame {
	size_t w, across, filters; /* across: cells of a row */
	const float *value;
	const uint8_t *index;
	float *hist;
};

/* value, index: the cell's first pixel. */
static void add_cell(const struct frame *f, float *hist, const float *value, const uint8_t *index)
{
	memset(hist, 0, f->filters * sizeof *hist);
	for (size_t y = 0; y < CELL; y++, value += f->w, index += f->w)
		for (size_t x = 0; x < CELL; x++)
			if (index[x] < f->filters)
				hist[index[x]] += value[x];
}

/* Rows of cells. */
static void add_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t row = from; row < to; row++)
		for (size_t i = 0; i < f->across; i++) {
			size_t at = row * CELL * f->w + i * CELL;

			add_cell(f, f->hist + (row * f->across + i) * f->filters, f->value + at,
				f->index + at);
		}
}

static int add_frame(struct pstk_firing *firing, const void *value, const void *index, void *hist)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	const struct ps_vivid *v = pstk_actor_arg(self);
	struct pstk_frame_size size;
	struct frame f = {
		.filters = v->filters,
		.value = ps_sized_data(value),
		.index = ps_sized_data(index),
		.hist = ps_sized_room(hist),
	};
	int err = ps_sized_read(self, value, &v->largest, &size);

	if (err)
		return err;
	f.w = size.width;
	f.across = size.width / CELL;
	pstk_sized_set(hist, size.width, size.height);
	return pstk_parallel_for(firing, size.height / CELL, 0, add_rows, &f);
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *value = pstk_fifo_read_start(f, VALUE), *index = pstk_fifo_read_start(f, INDEX);
	char *hist = pstk_fifo_write_start(f, HIST);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = add_frame(f, value + i * pstk_actor_port_token_size(self, VALUE),
			index + i * pstk_actor_port_token_size(self, INDEX),
			hist + i * pstk_actor_port_token_size(self, HIST));
	if (err)
		return err;
	pstk_fifo_read_end(f, VALUE);
	pstk_fifo_read_end(f, INDEX);
	pstk_fifo_write_end(f, HIST);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct ps_vivid *v = pstk_actor_arg(self);
	int err = ps_vivid_check_pixels(self, VALUE, sizeof(float));

	if (!err)
		err = ps_vivid_check_pixels(self, INDEX, 1);
	if (!err)
		err = ps_vivid_check_cells(self, HIST, v->filters * sizeof(float));
	if (err)
		return err;
	return ps_vivid_set_kernel(self, 0, v->largest.width / CELL, v->largest.height / CELL);
}

static size_t token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	const struct ps_vivid *v = pstk_actor_arg(self);

	if (port == HIST)
		return ps_vivid_cells(came_in, v->filters);
	return ps_sized_pixels(came_in, port == VALUE ? sizeof(float) : 1);
}

struct pstk_actor *pstk_vivid_histogram_add(
	struct pstk_network *net, const char *name, const struct pstk_vivid_spec *spec)
{
	static const struct pstk_port ports[] = {
		[VALUE] = { .name = "value", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		[INDEX] = { .name = "index", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[HIST] = { .name = "hist", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	const struct ps_vivid_type type = { .name = "vivid_histogram",
		.kernel = source,
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.init = init,
		.fire = fire,
		.token_bytes = token_bytes };

	return ps_vivid_check(net, name, type.name, spec) ? NULL : ps_vivid_add(net, name, &type, spec);
}
