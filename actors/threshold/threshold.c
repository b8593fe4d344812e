/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/threshold/threshold.h"
#include "actors/common/frame_cl.h"
#include "actors/common/ports.h"
#include "actors/common/wide.h"
#include "penstock/actors.h"

PS_WIDE_BODY static void compare_body(uint8_t *restrict dst, const uint8_t *restrict now,
	const uint8_t *restrict before, uint8_t threshold, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t most = now[i] > before[i] ? now[i] : before[i];
		uint8_t least = now[i] > before[i] ? before[i] : now[i];

		dst[i] = (uint8_t)(most - least) > threshold ? 255 : 0;
	}
}

PS_WIDE(compare,
	(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
		uint8_t threshold, size_t n),
	(dst, now, before, threshold, n))

void ps_threshold_bytes(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	uint8_t threshold, size_t n)
{
	compare(dst, now, before, threshold, n);
}

enum { NOW, BEFORE, OUT };

static int init(struct pstk_actor *self)
{
	const struct pstk_threshold_arg *arg = pstk_actor_arg(self);
	uint64_t bytes = pstk_actor_port_token_size(self, OUT);
	struct ps_work_size work;
	int err = ps_ports_check(self);

	if (err)
		return err;
	work = ps_threshold_work_size(bytes, pstk_actor_port_rate(self, OUT));
	err = pstk_actor_set_work_size(self, PS_WORK_DIMS, work.global, work.local);
	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof bytes, &bytes);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof(uint32_t), PSTK_ARG_VALID(OUT));
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof arg->threshold, &arg->threshold);
	return err;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_threshold_arg *arg = pstk_actor_arg(self);
	const uint8_t *now = pstk_fifo_read_start(f, NOW), *before = pstk_fifo_read_start(f, BEFORE);
	uint8_t *out = pstk_fifo_write_start(f, OUT);
	size_t bytes = pstk_port_valid(f, OUT) * pstk_actor_port_token_size(self, OUT);

	ps_threshold_bytes(out, now, before, (uint8_t)arg->threshold, bytes);
	pstk_fifo_read_end(f, NOW);
	pstk_fifo_read_end(f, BEFORE);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_threshold_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "now", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "before", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		{ .name = "threshold",
			.type = "u32",
			.default_value = "20",
			.range = "0..255",
			.help = "differences above it are motion",
			.offset = offsetof(struct pstk_threshold_arg, threshold) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "threshold",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_threshold_arg),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &ps_threshold_kernel,
	};

	return &type;
}
