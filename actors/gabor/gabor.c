/* SPDX-License-Identifier: MIT */
/*
 * Turning the axes leaves distances as they are, so a Gabor filter, a Gaussian around the point f (cos t, sin t), is a
 * product of one factor for each column and one for each row. The factors are tables, as long as a row and a column.
 *
 * Factors below 10^-12 are 0: far below what single precision adds to what the filter lets pass, and products of such
 * numbers would come to those that processors are slow with. ifft2d leaves rows of zeros out.
 */
#include "config.h"

#include "actors/common/plane.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The actor's state. Constant after init(). */
struct state {
	float *columns, *rows; /* of each map; one block of memory */
};

static const double pi = 3.14159265358979323846, least = 1e-12;

/* Of one side, n long: the factors around `centre`. sign: of the frequencies. */
static void make_factors(float *to, uint32_t n, double centre, double sigma, int sign)
{
	for (uint32_t k = 0; k < n; k++) {
		double frequency = sign * (k < (n + 1) / 2 ? (double)k : (double)k - n) / n;
		double away = (frequency - centre) / sigma, factor = exp(-away * away / 2);

		to[k] = factor < least ? 0 : (float)factor;
	}
}

static void make_filters(struct state *s, const struct pstk_frame_size *size)
{
	for (uint32_t map = 0; map < PS_PLANE_MAPS; map++) {
		uint32_t orientation = map / PS_PLANE_BANDS, band = map % PS_PLANE_BANDS;
		double angle = (90 + 30 * orientation) * pi / 180, f = ldexp(1.0 / 32, (int)band);
		double sigma = ldexp(2 / (2 * pi * 3.9) / 8, (int)band);

		make_factors(s->columns + (size_t)map * size->width, size->width, f * cos(angle), sigma, 1);
		make_factors(s->rows + (size_t)map * size->height, size->height, f * sin(angle), sigma, -1);
	}
}

static int finish(struct pstk_actor *self)
{
	struct state *s = pstk_actor_state(self);

	free(s->columns);
	s->columns = NULL;
	return 0;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	struct state *s = pstk_actor_state(self);
	size_t columns = (size_t)PS_PLANE_MAPS * size->width, rows = (size_t)PS_PLANE_MAPS * size->height;
	int err = ps_plane_init(self, PS_PLANE_SPECTRUM, PS_PLANE_SPECTRUM);

	if (err)
		return err;
	s->columns = malloc((columns + rows) * sizeof *s->columns);
	if (!s->columns)
		return pstk_actor_error(self, -ENOMEM, "out of memory for filters");
	s->rows = s->columns + columns;
	make_filters(s, size);
	err = pstk_actor_set_arg(self, 0, columns * sizeof *s->columns, s->columns);
	if (!err)
		err = pstk_actor_set_arg(self, 1, rows * sizeof *s->rows, s->rows);
	if (!err)
		err = ps_plane_set_kernel(self, 2, PS_PLANE_MAPS);
	if (err)
		finish(self);
	return err;
}

/* A row of a spectrum by the factors of its columns and its own. */
static void filter_row(struct pstk_cf32 *restrict to, const struct pstk_cf32 *restrict from,
	const float *restrict columns, float row, size_t w)
{
	if (row == 0) {
		memset(to, 0, w * sizeof *to);
		return;
	}
	for (size_t x = 0; x < w; x++) {
		float factor = columns[x] * row;

		to[x].re = from[x].re * factor;
		to[x].im = from[x].im * factor;
	}
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	const struct state *s = pstk_actor_state(self);
	const struct pstk_cf32 *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t w = size->width, h = size->height;

	for (size_t step = 0; step < pstk_firing_steps(f); step++, in += w * h)
		for (size_t map = 0; map < PS_PLANE_MAPS; map++)
			for (size_t y = 0; y < h; y++, out += w)
				filter_row(out, in + y * w, s->columns + map * w, s->rows[map * h + y], w);
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/gabor/gabor.clh"
		, .name = "gabor",
};

const struct pstk_actor_type *pstk_gabor_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "cf32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "cf32", .rate = PS_PLANE_MAPS },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "gabor",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_plane_params,
		.param_count = PS_PLANE_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.state_size = sizeof(struct state),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &kernel,
		.finish = finish,
	};

	return &type;
}
