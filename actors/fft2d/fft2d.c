/* SPDX-License-Identifier: MIT */
#include "actors/fft2d/fft2d.h"
#include "actors/common/places.h"

static int finish(struct pstk_actor *self)
{
	struct ps_fft2d *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_clfft_end(&s->transforms);
	ps_launch_end(&s->on_devices);
#endif
	ps_fft_plane_destroy(s->on_cores);
	s->on_cores = NULL;
	return 0;
}

static int init(struct pstk_actor *self)
{
	struct ps_fft2d *s = pstk_actor_state(self);
	int err = ps_plane_init(self, PS_PLANE_MAP, PS_PLANE_SPECTRUM);

	if (err || !ps_places_cores(self))
		return err;
	return ps_fft_plane_create(&s->on_cores, self, false, false);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_fft2d *s = pstk_actor_state(self);
	const float *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t pixels = ps_plane_pixels(self), maps = ps_plane_tokens(f, PS_PLANE_OUT);

	for (size_t i = 0; i < maps; i++)
		ps_fft_plane_real(s->on_cores, out + i * pixels, in + i * pixels);
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_fft2d_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "cf32", .rate = 1 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "fft2d",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_plane_params,
		.param_count = PS_PLANE_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.state_size = sizeof(struct ps_fft2d),
		.stateless = true,
		.init = init,
		.fire = fire,
#ifdef HAVE_OPENCL
		.fire_cl = ps_fft2d_fire_cl,
		.open_place = ps_fft2d_open_place,
#endif
		.finish = finish,
	};

	return &type;
}
