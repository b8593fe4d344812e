/* SPDX-License-Identifier: MIT */
/* ifft2d on a device: all spectra of a window are transformed at once, into memory of the actor's own, because no actor
 * may write to its input. */
#include "actors/ifft2d/ifft2d.h"

enum { ENERGY };  /* kernel */
enum { INVERSE }; /* buffer */

static const char source[] =
#include "actors/ifft2d/ifft2d.clh"
	;

int ps_ifft2d_open_place(struct pstk_actor *self, unsigned place)
{
	static const char *const kernels[] = { "energy", NULL };
	struct ps_ifft2d *s = pstk_actor_state(self);
	struct ps_launch *l = &s->on_devices.at[place];
	const struct ps_clfft_way way = { .inverse = true, .batch = pstk_actor_steps(self) };
	const cl_ulong all = (cl_ulong)ps_plane_pixels(self) * pstk_actor_steps(self);
	int err = ps_clfft_make(self, &s->transforms.at[place], &way);

	if (!err)
		err = ps_launch_build(self, l, source, "ifft2d.cl", kernels);
	if (!err)
		err = ps_launch_buffer(self, l, INVERSE, all * PS_PLANE_SPECTRUM, NULL);
	if (!err)
		err = ps_launch_arg(self, l, ENERGY, 0, sizeof(cl_mem), &l->buffers[INVERSE]);
	return err ? err : ps_launch_arg(self, l, ENERGY, 2, sizeof all, &all);
}

int ps_ifft2d_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_ifft2d *s = pstk_actor_state(self);
	const struct ps_launch *l = ps_launch_here(&s->on_devices, f);
	const size_t local[] = { PS_PLANE_GROUP, 1, 1 };
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, PS_PLANE_IN, &in) || pstk_cl_window(f, PS_PLANE_OUT, &out))
		return -EPROTO;

	const size_t global[] = { ps_plane_round(ps_plane_pixels(self) * in.rate, PS_PLANE_GROUP), 1, 1 };

	err = ps_clfft_run(f, &s->transforms, true, in.buffer, l->buffers[INVERSE]);
	if (!err)
		err = ps_launch_arg(self, l, ENERGY, 1, sizeof out.buffer, &out.buffer);
	return err ? err : ps_launch_run(f, l, ENERGY, global, local);
}
