/* SPDX-License-Identifier: MIT */
/* A plug-in with three actor types: a source, a factor and a sink that prints. See the Makefile beside it. */
#include <penstock/plugin.h>

#include <stddef.h>

struct count {
	uint32_t least, most;
};

static int count_fire(struct pstk_firing *f)
{
	const struct count *c = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	uint32_t first = c->least + (uint32_t)pstk_firing_index(f) * rate;
	float *out = pstk_fifo_write_start(f, 0);

	for (; n < rate && first + n <= c->most; n++)
		out[n] = (float)(first + n);
	pstk_fifo_write_end_partial(f, 0, n);
	return n == rate ? PSTK_AGAIN : PSTK_DONE;
}

struct factor {
	float factor;
};

static int factor_fire(struct pstk_firing *f)
{
	const struct factor *a = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = a->factor * in[i];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int print_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		printf("%g\n", (double)in[i]);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
};

static const struct pstk_actor_type *count_type(void)
{
	static const struct pstk_param params[] = {
		{ .name = "least",
			.type = "u32",
			.default_value = "0",
			.help = "the first number",
			.offset = offsetof(struct count, least) },
		{ .name = "most",
			.type = "u32",
			.help = "the last number",
			.offset = offsetof(struct count, most) },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "count",
		.ports = &ports[1],
		.port_count = 1,
		.params = params,
		.param_count = 2,
		.arg_size = sizeof(struct count),
		.fire = count_fire };

	return &type;
}

static const struct pstk_actor_type *factor_type(void)
{
	static const struct pstk_param params[] = {
		{ .name = "factor",
			.type = "f32",
			.default_value = "2",
			.help = "of each sample",
			.offset = offsetof(struct factor, factor) },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "factor",
		.ports = ports,
		.port_count = 2,
		.params = params,
		.param_count = 1,
		.arg_size = sizeof(struct factor),
		.stateless = true,
		.fire = factor_fire };

	return &type;
}

static const struct pstk_actor_type *print_type(void)
{
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "print",
		.ports = ports,
		.port_count = 1,
		.fire = print_fire };

	return &type;
}

static const struct pstk_plugin_type types[] = {
	{ .help = "Counts", .type = count_type },
	{ .help = "Multiplies by a factor", .type = factor_type },
	{ .help = "Prints samples, one in a row", .type = print_type },
};

PSTK_PLUGIN(.name = "tones", .types = types, .type_count = sizeof types / sizeof *types);
