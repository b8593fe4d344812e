/* SPDX-License-Identifier: MIT */
#include "actors/threshold/threshold.h"
#include "actors/frame.h"

void ps_threshold_bytes(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	uint8_t threshold, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t most = now[i] > before[i] ? now[i] : before[i];
		uint8_t least = now[i] > before[i] ? before[i] : now[i];

		dst[i] = (uint8_t)(most - least) > threshold ? 255 : 0;
	}
}

static int fire(struct pstk_firing *f)
{
	enum { NOW, BEFORE, OUT };
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
		{ .name = "now", .kind = PSTK_INPUT, .token_type = "u8" },
		{ .name = "before", .kind = PSTK_INPUT, .token_type = "u8" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8" },
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
		.init = ps_frame_check_ports,
		.fire = fire,
	};

	return &type;
}
