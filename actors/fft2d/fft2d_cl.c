/* SPDX-License-Identifier: MIT */
/* fft2d on a device: the map is widened to complex numbers in the output's window, and transformed in place. */
#include "actors/fft2d/fft2d.h"

enum { WIDEN };

static const char source[] =
#include "actors/fft2d/fft2d.clh"
	;

int ps_fft2d_open_place(struct pstk_actor *self, unsigned place)
{
	static const char *const kernels[] = { "widen", NULL };
	struct ps_fft2d *s = pstk_actor_state(self);
	struct ps_launch *l = &s->on_devices.at[place];
	const struct ps_clfft_way way = { .in_place = true, .batch = pstk_actor_steps(self) };
	const cl_ulong all = (cl_ulong)ps_plane_pixels(self) * pstk_actor_steps(self);
	int err = ps_clfft_make(self, &s->transforms.at[place], &way);

	if (!err)
		err = ps_launch_build(self, l, source, "fft2d.cl", kernels);
	return err ? err : ps_launch_arg(self, l, WIDEN, 2, sizeof all, &all);
}

int ps_fft2d_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_fft2d *s = pstk_actor_state(self);
	const struct ps_launch *l = ps_launch_here(&s->on_devices, f);
	const size_t local[] = { PS_PLANE_GROUP, 1, 1 };
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, PS_PLANE_IN, &in) || pstk_cl_window(f, PS_PLANE_OUT, &out))
		return -EPROTO;

	const size_t global[] = { ps_plane_round(ps_plane_pixels(self) * in.rate, PS_PLANE_GROUP), 1, 1 };

	err = ps_launch_arg(self, l, WIDEN, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, WIDEN, 1, sizeof out.buffer, &out.buffer);
	if (!err)
		err = ps_launch_run(f, l, WIDEN, global, local);
	return err ? err : ps_clfft_run(f, &s->transforms, false, out.buffer, NULL);
}
