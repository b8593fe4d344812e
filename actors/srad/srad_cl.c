/* SPDX-License-Identifier: MIT */
/* The stages on a device: each enqueues its kernel, reduce two, the loop two for each iteration and one in front. */
#include "actors/srad/srad.h"

#include <errno.h>

/* On a GPU so many work-items side by side take a row, on a CPU one; so many work-items share out rows there. */
enum { GROUP_MOST = 64, ITEMS_A_CORE = 16 };
enum { TABLE, SUMS = TABLE }; /* buffers: extract has one, reduce the other */
enum { REDUCE_SUMS, REDUCE_TOTAL };

static const char source[] =
#include "actors/srad/srad.clh"
	;

void ps_srad_set(struct pstk_actor *self, int *err, const struct ps_launch *l, unsigned kernel,
	unsigned index, size_t size, const void *value)
{
	if (!*err)
		*err = ps_launch_arg(self, l, kernel, index, size, value);
}

struct ps_srad_grid ps_srad_grid(
	const struct pstk_actor *self, const struct ps_launch *l, size_t rows, size_t tokens)
{
	const size_t h = ps_srad_largest(self)->height, group = l->sizes[PS_SRAD_GROUP];

	return (struct ps_srad_grid){ { group, rows < h ? rows : h, tokens }, { group, 1, 1 } };
}

static int choose_sizes(struct pstk_actor *self, struct ps_launch *l)
{
	const size_t cores = ps_launch_cores(self);

	l->sizes[PS_SRAD_ROWS] = cores ? ITEMS_A_CORE * cores : ps_srad_largest(self)->height;
	return ps_launch_group(self, l, cores ? 1 : GROUP_MOST, &l->sizes[PS_SRAD_GROUP]);
}

/* What extract and reduce have besides their windows. */
static int make_buffer(struct pstk_actor *self, struct ps_launch *l, const struct ps_srad_state *s)
{
	if (s->stage == &ps_srad_extract)
		return ps_launch_buffer(self, l, TABLE, sizeof s->table, s->table);
	if (s->stage == &ps_srad_reduce) {
		struct ps_srad_grid grid = ps_srad_grid(self, l, PS_SRAD_BANDS, 1);

		return ps_launch_buffer(self, l, SUMS,
			pstk_actor_steps(self) * grid.global[0] * grid.global[1] * sizeof(cl_float4), NULL);
	}
	return s->stage == &ps_srad_loop ? ps_srad_loop_open(self, l) : 0;
}

int ps_srad_open_place(struct pstk_actor *self, unsigned place)
{
	struct ps_srad_state *s = pstk_actor_state(self);
	struct ps_launch *l = &s->on_devices.at[place];
	int err = ps_launch_build(self, l, source, "srad.cl", s->stage->kernels);

	if (!err)
		err = choose_sizes(self, l);
	return err ? err : make_buffer(self, l, s);
}

/* width, height from `index` on. */
static void set_size(
	struct pstk_actor *self, int *err, const struct ps_launch *l, unsigned kernel, unsigned index)
{
	const struct pstk_frame_size *largest = ps_srad_largest(self);

	ps_srad_set(self, err, l, kernel, index, sizeof largest->width, &largest->width);
	ps_srad_set(self, err, l, kernel, index + 1, sizeof largest->height, &largest->height);
}

static int run_reduce(struct pstk_firing *f, const struct ps_launch *l, const struct pstk_cl_window *windows)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const size_t tokens = windows[0].valid, one[] = { 1, 1, 1 }, each[] = { 1, 1, tokens };
	const struct ps_srad_grid grid = ps_srad_grid(self, l, PS_SRAD_BANDS, tokens);
	const cl_uint count = (cl_uint)(grid.global[0] * grid.global[1]);
	int err = 0;

	for (unsigned i = 0; i < 2; i++)
		ps_srad_set(self, &err, l, REDUCE_SUMS, i, sizeof(cl_mem), &windows[i].buffer);
	ps_srad_set(self, &err, l, REDUCE_SUMS, 2, sizeof(cl_mem), &l->buffers[SUMS]);
	set_size(self, &err, l, REDUCE_SUMS, 3);
	ps_srad_set(self, &err, l, REDUCE_TOTAL, 0, sizeof(cl_mem), &windows[0].buffer);
	ps_srad_set(self, &err, l, REDUCE_TOTAL, 1, sizeof(cl_mem), &l->buffers[SUMS]);
	ps_srad_set(self, &err, l, REDUCE_TOTAL, 2, sizeof(cl_mem), &windows[2].buffer);
	set_size(self, &err, l, REDUCE_TOTAL, 3);
	ps_srad_set(self, &err, l, REDUCE_TOTAL, 5, sizeof count, &count);
	if (!err)
		err = ps_launch_run(f, l, REDUCE_SUMS, grid.global, grid.local);
	return err ? err : ps_launch_run(f, l, REDUCE_TOTAL, each, one);
}

/* A stage of one kernel: its windows, what it has of its own, and the sizes. */
static int run_one(struct pstk_firing *f, const struct ps_launch *l, const struct pstk_cl_window *windows)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_srad_state *s = pstk_actor_state(self);
	const struct ps_srad_grid grid = ps_srad_grid(self, l, l->sizes[PS_SRAD_ROWS], windows[0].valid);
	unsigned index = 0;
	int err = 0;

	while (index <= s->stage->inputs) {
		ps_srad_set(self, &err, l, 0, index, sizeof(cl_mem), &windows[index].buffer);
		index++;
	}
	if (s->stage == &ps_srad_extract)
		ps_srad_set(self, &err, l, 0, index++, sizeof(cl_mem), &l->buffers[TABLE]);
	set_size(self, &err, l, 0, index);
	if (s->stage == &ps_srad_2) {
		const struct pstk_srad2_arg *arg = pstk_actor_arg(self);
		const cl_float rate = arg->lambda / 4;

		ps_srad_set(self, &err, l, 0, index + 2, sizeof rate, &rate);
	}
	return err ? err : ps_launch_run(f, l, 0, grid.global, grid.local);
}

int ps_srad_fire_cl(struct pstk_firing *f)
{
	const struct ps_srad_state *s = pstk_actor_state(pstk_firing_actor(f));
	const struct ps_launch *l = ps_launch_here(&s->on_devices, f);
	struct pstk_cl_window windows[PS_SRAD_PORTS];

	for (unsigned port = 0; port <= s->stage->inputs; port++)
		if (pstk_cl_window(f, port, &windows[port]))
			return -EPROTO;
	if (s->stage == &ps_srad_reduce)
		return run_reduce(f, l, windows);
	if (s->stage == &ps_srad_loop)
		return ps_srad_loop_enqueue(f, l, windows[0].buffer, windows[1].buffer, windows[0].valid);
	return run_one(f, l, windows);
}
