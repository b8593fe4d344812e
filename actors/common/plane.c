/* SPDX-License-Identifier: MIT */
#include "actors/common/plane.h"
#include "actors/common/message.h"

#include <errno.h>
#include <inttypes.h>

const struct pstk_param ps_plane_params[PS_PLANE_PARAMS] = { PS_PLANE_SIDES };

size_t ps_plane_pixels(const struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);

	return (size_t)size->width * size->height;
}

/* Steps, because a last one that is not whole is dropped. */
size_t ps_plane_tokens(const struct pstk_firing *f, unsigned port)
{
	const struct pstk_actor *self = pstk_firing_actor(f);

	return (size_t)pstk_firing_steps(f) * pstk_actor_get_type(self)->ports[port].rate;
}

static int check(struct pstk_actor *self, unsigned port, size_t element)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	uint64_t bytes = (uint64_t)size->width * size->height * element;
	size_t token = pstk_actor_port_token_size(self, port);

	if (token == bytes)
		return 0;
	return pstk_actor_error(self, -EINVAL,
		"port '%s' has tokens of %zu byte%s, %" PRIu32 " x %" PRIu32 " of %zu byte%s have %" PRIu64
		": make the FIFO's token size width x height x %zu",
		pstk_actor_get_type(self)->ports[port].name, token, ps_plural(token), size->width,
		size->height, element, ps_plural(element), bytes, element);
}

int ps_plane_init(struct pstk_actor *self, size_t in, size_t out)
{
	int err = check(self, PS_PLANE_IN, in);

	return err ? err : check(self, PS_PLANE_OUT, out);
}

size_t ps_plane_round(size_t n, size_t group)
{
	return (n + group - 1) / group * group;
}

/* A multiple of 64, which GPUs like, but no more than a row needs. */
size_t ps_plane_group(size_t row)
{
	size_t group = ps_plane_round(row, 64);

	return group < PS_PLANE_GROUP ? group : PS_PLANE_GROUP;
}

int ps_plane_set_kernel(struct pstk_actor *self, unsigned index, size_t depth)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	size_t group = ps_plane_group(size->width);
	const size_t local[] = { group, 1, 1 }, global[] = { ps_plane_round(size->width, group), size->height,
		pstk_actor_steps(self) * depth };
	int err = pstk_actor_set_work_size(self, 3, global, local);

	if (!err)
		err = pstk_actor_set_arg(self, index, sizeof size->width, &size->width);
	if (!err)
		err = pstk_actor_set_arg(self, index + 1, sizeof size->height, &size->height);
	return err ? err : pstk_actor_set_arg(self, index + 2, sizeof(uint32_t), PSTK_ARG_STEPS);
}
