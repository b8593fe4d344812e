/* SPDX-License-Identifier: MIT */
/* The loop on a device: maps go to and fro between the output and a buffer; the queue is in order. */
#include "actors/srad/srad.h"

#include <errno.h>

enum { BEGIN, DIFFUSE, ADVANCE };    /* kernels */
enum { MAP, COEFFICIENTS, SUMS };    /* buffers */
enum { HEAD = PSTK_SIZED_HEAD / 4 }; /* floats */

/* Arguments. */
enum { BEGIN_IN, BEGIN_SUMS, BEGIN_WIDTH, BEGIN_HEIGHT, BEGIN_TOKEN };
enum {
	DIFFUSE_IN,
	DIFFUSE_MAP,
	DIFFUSE_FROM,
	DIFFUSE_SUMS,
	DIFFUSE_C,
	DIFFUSE_WIDTH,
	DIFFUSE_HEIGHT,
	DIFFUSE_TOKEN,
	DIFFUSE_COUNT
};
enum {
	ADVANCE_IN,
	ADVANCE_MAP,
	ADVANCE_FROM,
	ADVANCE_C,
	ADVANCE_TO,
	ADVANCE_BEGIN,
	ADVANCE_SUMS,
	ADVANCE_WIDTH,
	ADVANCE_HEIGHT,
	ADVANCE_TOKEN,
	ADVANCE_RATE,
	ADVANCE_HEAD
};

/* Arguments that are the same in every firing. */
static int set_args(struct pstk_actor *self, const struct ps_launch *l)
{
	const struct pstk_srad_loop_arg *arg = pstk_actor_arg(self);
	const struct ps_srad_grid grid = ps_srad_grid(self, l, PS_SRAD_BANDS, 1);
	const cl_uint count = (cl_uint)(grid.global[0] * grid.global[1]);
	const cl_float rate = arg->lambda / 4;
	static const unsigned widths[] = { BEGIN_WIDTH, DIFFUSE_WIDTH, ADVANCE_WIDTH };
	int err = 0;

	for (unsigned k = BEGIN; k <= ADVANCE; k++) {
		ps_srad_set(self, &err, l, k, widths[k], sizeof arg->size.width, &arg->size.width);
		ps_srad_set(self, &err, l, k, widths[k] + 1, sizeof arg->size.height, &arg->size.height);
	}
	ps_srad_set(self, &err, l, BEGIN, BEGIN_SUMS, sizeof(cl_mem), &l->buffers[SUMS]);
	ps_srad_set(self, &err, l, DIFFUSE, DIFFUSE_SUMS, sizeof(cl_mem), &l->buffers[SUMS]);
	ps_srad_set(self, &err, l, DIFFUSE, DIFFUSE_C, sizeof(cl_mem), &l->buffers[COEFFICIENTS]);
	ps_srad_set(self, &err, l, DIFFUSE, DIFFUSE_COUNT, sizeof count, &count);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_C, sizeof(cl_mem), &l->buffers[COEFFICIENTS]);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_SUMS, sizeof(cl_mem), &l->buffers[SUMS]);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_RATE, sizeof rate, &rate);
	return err;
}

int ps_srad_loop_open(struct pstk_actor *self, struct ps_launch *l)
{
	const struct ps_srad_grid grid = ps_srad_grid(self, l, PS_SRAD_BANDS, 1);
	int err = 0;

	for (unsigned i = MAP; i <= COEFFICIENTS && !err; i++)
		err = ps_launch_buffer(self, l, i, ps_srad_pixels(self) * sizeof(cl_float), NULL);
	if (!err)
		err = ps_launch_buffer(
			self, l, SUMS, grid.global[0] * grid.global[1] * sizeof(cl_float4), NULL);
	return err ? err : set_args(self, l);
}

/* A map: which buffer, and where in it. */
struct place {
	cl_mem buffer;
	cl_ulong at;
};

static int iterate(struct pstk_firing *f, const struct ps_launch *l, const struct place *from,
	const struct place *to, bool is_output)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_srad_grid grid = ps_srad_grid(self, l, l->sizes[PS_SRAD_ROWS], 1),
				  bands = ps_srad_grid(self, l, PS_SRAD_BANDS, 1);
	const cl_uint head = is_output;
	int err = 0;

	ps_srad_set(self, &err, l, DIFFUSE, DIFFUSE_MAP, sizeof from->buffer, &from->buffer);
	ps_srad_set(self, &err, l, DIFFUSE, DIFFUSE_FROM, sizeof from->at, &from->at);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_MAP, sizeof from->buffer, &from->buffer);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_FROM, sizeof from->at, &from->at);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_TO, sizeof to->buffer, &to->buffer);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_BEGIN, sizeof to->at, &to->at);
	ps_srad_set(self, &err, l, ADVANCE, ADVANCE_HEAD, sizeof head, &head);
	if (!err)
		err = ps_launch_run(f, l, DIFFUSE, grid.global, grid.local);
	return err ? err : ps_launch_run(f, l, ADVANCE, bands.global, bands.local);
}

/* The last iteration writes to the output. */
static int run_token(struct pstk_firing *f, const struct ps_launch *l, cl_mem in, cl_mem out, cl_uint token)
{
	static const unsigned tokens[] = { BEGIN_TOKEN, DIFFUSE_TOKEN, ADVANCE_TOKEN };
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_srad_loop_arg *arg = pstk_actor_arg(self);
	const struct ps_srad_grid bands = ps_srad_grid(self, l, PS_SRAD_BANDS, 1);
	const cl_ulong at = token * ps_srad_token(self, 0) / sizeof(cl_float) + HEAD;
	const struct place ends[] = { { l->buffers[MAP], 0 }, { out, at } };
	struct place from = { in, at };
	int err = 0;

	for (unsigned k = BEGIN; k <= ADVANCE; k++) {
		ps_srad_set(self, &err, l, k, 0, sizeof in, &in);
		ps_srad_set(self, &err, l, k, tokens[k], sizeof token, &token);
	}
	if (!err)
		err = ps_launch_run(f, l, BEGIN, bands.global, bands.local);
	for (uint32_t left = arg->iterations; left && !err; left--) {
		const struct place *to = &ends[left % 2];

		if (pstk_network_failed(pstk_actor_network(self)))
			return -ECANCELED;
		err = iterate(f, l, &from, to, to->buffer == out);
		from = *to;
	}
	return err;
}

int ps_srad_loop_enqueue(
	struct pstk_firing *f, const struct ps_launch *l, cl_mem in, cl_mem out, size_t tokens)
{
	int err = 0;

	for (size_t k = 0; k < tokens && !err; k++)
		err = run_token(f, l, in, out, (cl_uint)k);
	return err;
}
