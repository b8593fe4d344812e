/* SPDX-License-Identifier: MIT */
/* normalize on a device: three kernels a firing. */
#include "actors/normalize/normalize.h"

enum { MEASURE, CHANGE, APPLY }; /* kernels */
enum { ROWS, CHANGES };          /* buffers */
enum { ROW_VALUES = 3, CHANGE_VALUES = 4 };

static const char source[] =
#include "actors/normalize/normalize.clh"
	;

static int make(struct pstk_actor *self, struct ps_launch *l)
{
	static const char *const kernels[] = { "measure", "change", "apply", NULL };
	const struct pstk_normalize_arg *arg = pstk_actor_arg(self);
	size_t maps = pstk_actor_steps(self);
	int err = ps_launch_build(self, l, source, "normalize.cl", kernels);

	if (!err)
		err = ps_launch_buffer(
			self, l, ROWS, maps * arg->size.height * ROW_VALUES * sizeof(cl_float), NULL);
	return err ? err : ps_launch_buffer(self, l, CHANGES, maps * CHANGE_VALUES * sizeof(cl_float), NULL);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self, const struct ps_launch *l)
{
	const struct pstk_normalize_arg *arg = pstk_actor_arg(self);
	const cl_float share = 1 / (float)ps_plane_pixels(self);
	int err = ps_launch_arg(self, l, MEASURE, 1, sizeof(cl_mem), &l->buffers[ROWS]);

	for (unsigned k = MEASURE; k <= APPLY && !err; k++)
		err = ps_launch_arg(self, l, k, 2, sizeof arg->size.width, &arg->size.width);
	for (unsigned k = MEASURE; k <= APPLY && !err; k++)
		err = ps_launch_arg(self, l, k, 3, sizeof arg->size.height, &arg->size.height);
	if (!err)
		err = ps_launch_arg(self, l, CHANGE, 0, sizeof(cl_mem), &l->buffers[ROWS]);
	if (!err)
		err = ps_launch_arg(self, l, CHANGE, 1, sizeof(cl_mem), &l->buffers[CHANGES]);
	if (!err)
		err = ps_launch_arg(self, l, CHANGE, 4, sizeof arg->flat, &arg->flat);
	if (!err)
		err = ps_launch_arg(self, l, CHANGE, 5, sizeof share, &share);
	return err ? err : ps_launch_arg(self, l, APPLY, 4, sizeof(cl_mem), &l->buffers[CHANGES]);
}

int ps_normalize_open_place(struct pstk_actor *self, unsigned place)
{
	struct ps_launches *on_devices = pstk_actor_state(self);
	struct ps_launch *l = &on_devices->at[place];
	int err = make(self, l);

	return err ? err : set_args(self, l);
}

int ps_normalize_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_normalize_arg *arg = pstk_actor_arg(self);
	const struct ps_launch *l = ps_launch_here(pstk_actor_state(self), f);
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, PS_PLANE_IN, &in) || pstk_cl_window(f, PS_PLANE_OUT, &out))
		return -EPROTO;
	err = ps_launch_arg(self, l, MEASURE, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, APPLY, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, APPLY, 1, sizeof out.buffer, &out.buffer);
	if (err)
		return err;

	const size_t group = ps_plane_group(arg->size.width),
		     columns = ps_plane_round(arg->size.width, group);
	const size_t rows[] = { arg->size.height, in.rate, 1 }, maps[] = { in.rate, 1, 1 },
		     pixels[] = { columns, arg->size.height, in.rate }, one[] = { 1, 1, 1 },
		     local[] = { group, 1, 1 };

	err = ps_launch_run(f, l, MEASURE, rows, one);
	if (!err)
		err = ps_launch_run(f, l, CHANGE, maps, one);
	return err ? err : ps_launch_run(f, l, APPLY, pixels, local);
}
