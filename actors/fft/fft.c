/* SPDX-License-Identifier: MIT */
/*
 * Transforms of blocks that overlap. The history of the input's FIFO is what a block shares with those before it, so
 * nothing is kept or copied.
 *
 * The Hann window comes behind the transform, in its result: there it is a sum of three neighbours, because the window
 * is 1/2 - cos(2 pi n / size) / 2. So no firing needs memory of its own for a block under the window.
 */
#include "config.h"

#include "actors/common/fft.h"
#include "actors/common/places.h"
#include "penstock/iq.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN, OUT };

enum { SIZE_LEAST = 2, SIZE_MOST = 1 << 20 };

static uint32_t hop_of(const struct pstk_fft_arg *arg)
{
	return arg->hop ? arg->hop : arg->size;
}

static int rates(struct pstk_actor *self)
{
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);

	if (arg->size < SIZE_LEAST || arg->size > SIZE_MOST || arg->size & (arg->size - 1))
		return pstk_actor_error(self, -EINVAL,
			"a size of %" PRIu32 ": it is a power of two, %d .. %d", arg->size, SIZE_LEAST,
			SIZE_MOST);
	if (arg->hop > arg->size)
		return pstk_actor_error(self, -EINVAL,
			"a hop of %" PRIu32 ": it is at most the size, %" PRIu32, arg->hop, arg->size);
	pstk_actor_set_history(self, IN, arg->size - hop_of(arg));
	pstk_actor_set_rate(self, IN, hop_of(arg));
	return pstk_actor_set_rate(self, OUT, arg->size);
}

/* The state is a pointer to the plan, which firings side by side only read; NULL if it is never on the cores. */
static struct ps_fft **plan(struct pstk_actor *self)
{
	return pstk_actor_state(self);
}

static bool is_hann(const struct pstk_fft_arg *arg)
{
	return arg->window && !strcmp(arg->window, "hann");
}

static int out_of_memory(struct pstk_actor *self)
{
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);

	return pstk_actor_error(self, -ENOMEM, "out of memory for a transform of %" PRIu32, arg->size);
}

/* The work size and the arguments of fft.cl: a group for each block, on a CPU of one work-item. */
static int set_kernel(
	struct pstk_actor *self, const struct pstk_device_info *device, const struct pstk_cf32 *roots)
{
	enum { GROUP = 64 };
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);
	const uint32_t hop = hop_of(arg), hann = is_hann(arg);
	const size_t local = strstr(device->selector, ":cpu:") ? 1 : GROUP;
	const size_t global = pstk_actor_steps(self) * local;
	int err = pstk_actor_set_work_size(self, 1, &global, &local);

	if (!err)
		err = pstk_actor_set_arg(self, 0, arg->size / 2 * sizeof *roots, roots);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof arg->size, &arg->size);
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof hop, &hop);
	if (!err)
		err = pstk_actor_set_arg(self, 3, sizeof hann, &hann);
	return err ? err : pstk_actor_set_arg(self, 4, sizeof(uint32_t), PSTK_ARG_STEPS);
}

static int init_device(struct pstk_actor *self, const struct pstk_device_info *device)
{
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);
	struct pstk_cf32 *roots = malloc(arg->size / 2 * sizeof *roots);
	int err;

	if (!roots)
		return out_of_memory(self);
	for (uint32_t k = 0; k < arg->size / 2; k++) {
		double angle = (arg->inverse ? 2 : -2) * PS_PI * k / arg->size;

		roots[k] = (struct pstk_cf32){ (float)cos(angle), (float)sin(angle) };
	}
	err = set_kernel(self, device, roots);
	free(roots);
	return err;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);
	struct pstk_device_info device;
	int err = 0;

	if (ps_places_device(self, &device))
		err = init_device(self, &device);
	if (err || !ps_places_cores(self))
		return err;
	err = ps_fft_create(plan(self), arg->size, arg->inverse);
	if (err == -ENOTSUP)
		return pstk_actor_error(self, err, "this build has no kissfft");
	return err ? out_of_memory(self) : 0;
}

/* In place: bin k becomes x[k] / 2 - (x[k - 1] + x[k + 1]) / 4; the last one is the first one's neighbour. */
static void apply_hann(struct pstk_cf32 *x, size_t size)
{
	struct pstk_cf32 first = x[0], before = x[size - 1];

	for (size_t k = 0; k < size; k++) {
		struct pstk_cf32 now = x[k], after = k + 1 < size ? x[k + 1] : first;

		x[k].re = now.re / 2 - (before.re + after.re) / 4;
		x[k].im = now.im / 2 - (before.im + after.im) / 4;
		before = now;
	}
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_fft_arg *arg = pstk_actor_arg(self);
	const struct pstk_cf32 *in = pstk_fifo_read_start(f, IN);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, OUT);
	bool hann = is_hann(arg);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++) {
		ps_fft_run(*plan(self), out, in);
		if (hann)
			apply_hann(out, arg->size);
		in += hop_of(arg);
		out += arg->size;
	}
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static int finish(struct pstk_actor *self)
{
	ps_fft_destroy(*plan(self));
	return 0;
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/fft/fft.clh"
		, .name = "fft",
};

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(struct pstk_cf32), .token_type = "cf32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(struct pstk_cf32), .token_type = "cf32" },
};

static const struct pstk_param params[] = {
	{ .name = "size",
		.type = "u32",
		.default_value = "1024",
		.range = "2..1048576",
		.help = "samples of a block, a power of two",
		.offset = offsetof(struct pstk_fft_arg, size) },
	{ .name = "hop",
		.type = "u32",
		.default_value = "0",
		.range = "0..1048576",
		.help = "samples from block to block; 0: size",
		.offset = offsetof(struct pstk_fft_arg, hop) },
	{ .name = "window",
		.type = "string",
		.default_value = "rect",
		.range = "rect|hann",
		.help = "what each block is multiplied by",
		.offset = offsetof(struct pstk_fft_arg, window) },
	{ .name = "inverse",
		.type = "bool",
		.default_value = "false",
		.help = "exp(+..) in place of exp(-..)",
		.offset = offsetof(struct pstk_fft_arg, inverse) },
};

const struct pstk_actor_type *pstk_fft_type(void)
{
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "fft",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_fft_arg),
		.state_size = sizeof(struct ps_fft *),
		.stateless = true,
		.init = init,
		.fire = fire,
		.finish = finish,
		.rates = rates,
		.kernel = &kernel,
	};

	return &type;
}
