/* SPDX-License-Identifier: MIT */
#include "actors/common/frame.h"
#include "actors/common/message.h"
#include "actors/common/ports.h"

#include <errno.h>
#include <inttypes.h>

const struct pstk_param ps_frame_params[PS_FRAME_PARAMS] = {
	{ .name = "width",
		.type = "u32",
		.range = "1..",
		.help = "pixels of a row",
		.offset = offsetof(struct pstk_frame_size, width) },
	{ .name = "height",
		.type = "u32",
		.range = "1..",
		.help = "rows of a frame",
		.offset = offsetof(struct pstk_frame_size, height) },
};

int ps_frame_init(struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	uint64_t bytes = (uint64_t)size->width * size->height;
	size_t token = pstk_actor_port_token_size(self, 0);

	if (token != bytes)
		return pstk_actor_error(self, -EINVAL,
			"port '%s' has tokens of %zu byte%s, a frame of %" PRIu32 " x %" PRIu32
			" has %" PRIu64 ": make the FIFOs' token size width x height",
			pstk_actor_get_type(self)->ports[0].name, token, ps_plural(token), size->width,
			size->height, bytes);
	return ps_ports_check(self);
}

int ps_frame_init_kernel(struct pstk_actor *self, ps_frame_work_size work_size)
{
	enum { IN, OUT };
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	struct ps_work_size work;
	int err = ps_frame_init(self);

	if (err)
		return err;
	work = work_size(size->width, size->height, pstk_actor_port_rate(self, OUT));
	err = pstk_actor_set_work_size(self, PS_WORK_DIMS, work.global, work.local);
	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof size->width, &size->width);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof size->height, &size->height);
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof(uint32_t), PSTK_ARG_VALID(OUT));
	return err;
}

int ps_frame_fire(struct pstk_firing *f, ps_frame_filter filter)
{
	enum { IN, OUT };
	const struct pstk_frame_size *size = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *src = pstk_fifo_read_start(f, IN);
	uint8_t *dst = pstk_fifo_write_start(f, OUT);
	size_t bytes = (size_t)size->width * size->height, frames = pstk_port_valid(f, OUT);

	for (size_t i = 0; i < frames; i++)
		filter(dst + i * bytes, src + i * bytes, size->width, size->height);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}
