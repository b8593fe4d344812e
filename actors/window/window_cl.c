/* SPDX-License-Identifier: MIT */
/* window on a device: two kernels a firing. */
#include "actors/window/window.h"

enum { TOTALS, WEIGH };                     /* kernels */
enum { PARTS, COLUMNS, ROWS };              /* buffers */
enum { GROUPS = 32, GROUP = 64, SUMS = 2 }; /* of `totals`: for a frame; what a group leaves */

static const char source[] =
#include "actors/window/window.clh"
	;

static int make(struct pstk_actor *self, struct ps_launch *l)
{
	static const char *const kernels[] = { "totals", "weigh", NULL };
	const struct pstk_window_arg *arg = pstk_actor_arg(self);
	const struct ps_window *s = pstk_actor_state(self);
	size_t parts = (size_t)pstk_actor_steps(self) * GROUPS * SUMS * sizeof(cl_ulong);
	int err = ps_launch_build(self, l, source, "window.cl", kernels);

	if (!err)
		err = ps_launch_buffer(self, l, PARTS, parts, NULL);
	if (!err)
		err = ps_launch_buffer(self, l, COLUMNS, arg->size.width * sizeof(cl_float), s->columns);
	return err ? err : ps_launch_buffer(self, l, ROWS, arg->size.height * sizeof(cl_float), s->rows);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self, const struct ps_launch *l)
{
	const struct pstk_window_arg *arg = pstk_actor_arg(self);
	const cl_ulong pixels = ps_plane_pixels(self);
	int err = ps_launch_arg(self, l, TOTALS, 1, sizeof(cl_mem), &l->buffers[PARTS]);

	if (!err)
		err = ps_launch_arg(self, l, TOTALS, 2, sizeof pixels, &pixels);
	for (unsigned i = PARTS; i <= ROWS && !err; i++)
		err = ps_launch_arg(self, l, WEIGH, 2 + i, sizeof(cl_mem), &l->buffers[i]);
	if (!err)
		err = ps_launch_arg(self, l, WEIGH, 5, sizeof arg->size.width, &arg->size.width);
	return err ? err : ps_launch_arg(self, l, WEIGH, 6, sizeof arg->size.height, &arg->size.height);
}

int ps_window_open_place(struct pstk_actor *self, unsigned place)
{
	struct ps_window *s = pstk_actor_state(self);
	struct ps_launch *l = &s->on_devices.at[place];
	int err = make(self, l);

	return err ? err : set_args(self, l);
}

int ps_window_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_window_arg *arg = pstk_actor_arg(self);
	const struct ps_window *s = pstk_actor_state(self);
	const struct ps_launch *l = ps_launch_here(&s->on_devices, f);
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, PS_PLANE_IN, &in) || pstk_cl_window(f, PS_PLANE_OUT, &out))
		return -EPROTO;
	err = ps_launch_arg(self, l, TOTALS, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, WEIGH, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, WEIGH, 1, sizeof out.buffer, &out.buffer);
	if (err)
		return err;

	const size_t group = ps_plane_group(arg->size.width),
		     columns = ps_plane_round(arg->size.width, group);
	const size_t sums[] = { (size_t)GROUPS * GROUP, in.rate, 1 }, sums_local[] = { GROUP, 1, 1 },
		     all[] = { columns, arg->size.height, in.rate }, all_local[] = { group, 1, 1 };

	err = ps_launch_run(f, l, TOTALS, sums, sums_local);
	return err ? err : ps_launch_run(f, l, WEIGH, all, all_local);
}
