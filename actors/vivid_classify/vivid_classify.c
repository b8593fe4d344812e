/* SPDX-License-Identifier: MIT */
/*
 * |a - b|^2 = |a|^2 - 2 a b + |b|^2, and a b for all cells a and rows b is a product of matrices. A tile of it, eight
 * cells by eight rows, stays in registers: the rows' coefficients lie side by side (the arg keeps them transposed, in
 * groups of eight rows), so a step of the sum is a vector of rows times one number of a cell. Cells are gone through in
 * blocks, so that their histograms stay in the first-level cache and what is written is whole cache lines.
 *
 * A sum goes on from the first filter to the last, whatever tile and block a pair is in. Where little is left of the
 * difference, single precision has lost it: then it is summed up from its squares.
 */
#include "config.h"

#include "actors/common/vivid.h"
#include "actors/common/wide.h"
#include "penstock/pipeline.h"

#include <string.h>

enum { HIST, DIST };
enum { GROUP = 8, TILE = 8, BLOCK = 16 }; /* rows of a group; cells of a tile, of a block */

/* Less of the sum of both squares is summed up again. vivid_classify.cl has it, too. */
#define LITTLE 0.25f

#define LANES 4
#include "actors/vivid_classify/product.h"
#define LANES 8
#include "actors/vivid_classify/product.h"

static const char source[] =
#include "actors/vivid_classify/vivid_classify.clh"
	;

/* Groups of rows, each of GROUP; the last one's others are zeros. */
static size_t groups_of(uint32_t rows)
{
	return ((size_t)rows + GROUP - 1) / GROUP;
}

/* The coefficients of a group, `filters` times GROUP. Behind all of them are the squares of all groups. */
static const float *group_of(const struct ps_vivid *v, size_t group)
{
	return v->coefficients + group * v->filters * GROUP;
}

static const float *squares_of(const struct ps_vivid *v)
{
	return group_of(v, groups_of(v->rows));
}

struct frame {
	const struct ps_vivid *v;
	size_t cells;
	const float *hist;
	float *dist;
};

/* A tile: cells from `first` on, of which n count. */
struct tile {
	const float *cell[TILE];
	float squares[TILE];
	size_t first, n;
};

/* From the squares of the differences. */
PS_WIDE_BODY static float sum_up(const float *cell, const float *row, size_t filters)
{
	float sum = 0;

	for (size_t k = 0; k < filters; k++) {
		float d = cell[k] - row[k * GROUP];

		sum += d * d;
	}
	return sum;
}

/* Of the rows of a group. */
PS_WIDE_BODY static void compare(const struct frame *f, const struct tile *t, size_t group, int lanes)
{
	const struct ps_vivid *v = f->v;
	const float *rows = group_of(v, group), *squares = squares_of(v) + group * GROUP;
	const size_t left = v->rows - group * GROUP, count = left < GROUP ? left : GROUP;
	float *dist = f->dist + group * GROUP * f->cells + t->first, product[TILE][GROUP];

	for (int i = 0; i < GROUP; i += lanes)
		if (lanes == 8)
			multiply8(&product[0][i], t->cell, rows + i, v->filters);
		else
			multiply4(&product[0][i], t->cell, rows + i, v->filters);
	for (size_t r = 0; r < count; r++, dist += f->cells)
		for (size_t c = 0; c < t->n; c++) {
			float both = squares[r] + t->squares[c], d = both - 2 * product[c][r];

			dist[c] = d < LITTLE * both ? sum_up(t->cell[c], rows + r, v->filters) : d;
		}
}

/* Beyond the block's cells the last one stands in. */
PS_WIDE_BODY static void make_tile(struct tile *t, const struct frame *f, size_t first, size_t end)
{
	const size_t filters = f->v->filters;

	t->first = first;
	t->n = end - first < TILE ? end - first : TILE;
	for (size_t c = 0; c < TILE; c++) {
		t->cell[c] = f->hist + (first + (c < t->n ? c : t->n - 1)) * filters;
		t->squares[c] = 0;
		for (size_t k = 0; k < filters; k++)
			t->squares[c] += t->cell[c][k] * t->cell[c][k];
	}
}

PS_WIDE_BODY static void compare_block_body(const struct frame *f, size_t first, size_t end, int lanes)
{
	enum { TILES = BLOCK / TILE };
	struct tile tiles[TILES];
	size_t n = 0;

	for (; first < end; first += TILE)
		make_tile(&tiles[n++], f, first, end);
	for (size_t group = 0; group < groups_of(f->v->rows); group++)
		for (size_t i = 0; i < n; i++)
			compare(f, &tiles[i], group, lanes);
}

PS_WIDE_LANES(compare_block, (const struct frame *f, size_t first, size_t end), f, first, end)

/* Blocks of a frame. */
static void compare_blocks(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t i = from; i < to; i++)
		compare_block(f, i * BLOCK, (i + 1) * BLOCK < f->cells ? (i + 1) * BLOCK : f->cells);
}

static int compare_frame(struct pstk_firing *firing, const void *hist, void *dist)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	const struct ps_vivid *v = pstk_actor_arg(self);
	struct pstk_frame_size size;
	struct frame f = { v, 0, ps_sized_data(hist), ps_sized_room(dist) };
	int err = ps_sized_read(self, hist, &v->largest, &size);

	if (err)
		return err;
	f.cells = pstk_vivid_cells(size.width, size.height);
	pstk_sized_set(dist, size.width, size.height);
	return pstk_parallel_for(firing, (f.cells + BLOCK - 1) / BLOCK, 0, compare_blocks, &f);
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *hist = pstk_fifo_read_start(f, HIST);
	char *dist = pstk_fifo_write_start(f, DIST);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = compare_frame(f, hist + i * pstk_actor_port_token_size(self, HIST),
			dist + i * pstk_actor_port_token_size(self, DIST));
	if (err)
		return err;
	pstk_fifo_read_end(f, HIST);
	pstk_fifo_write_end(f, DIST);
	return PSTK_AGAIN;
}

/* Numbers that the arg keeps. */
static size_t kept(const struct pstk_vivid_spec *spec)
{
	return groups_of(spec->rows) * GROUP * (spec->filters + (size_t)1);
}

static int init(struct pstk_actor *self)
{
	const struct ps_vivid *v = pstk_actor_arg(self);
	const size_t cells = pstk_vivid_cells(v->largest.width, v->largest.height);
	int err = ps_vivid_check_cells(self, HIST, v->filters * sizeof(float));

	if (!err)
		err = ps_vivid_check_cells(self, DIST, v->rows * sizeof(float));
	if (!err)
		err = pstk_actor_set_arg(self, 0,
			groups_of(v->rows) * GROUP * (v->filters + (size_t)1) * sizeof *v->coefficients,
			v->coefficients);
	if (err)
		return err;
	return ps_vivid_set_kernel(self, 1, groups_of(v->rows), (cells + TILE - 1) / TILE);
}

static void lay(float *to, const struct pstk_vivid_spec *spec)
{
	float *squares = to + groups_of(spec->rows) * GROUP * spec->filters;

	for (size_t row = 0; row < spec->rows; row++) {
		const float *from = spec->coefficients + row * spec->filters;
		float *group = to + row / GROUP * GROUP * spec->filters + row % GROUP;
		double sum = 0;

		for (size_t k = 0; k < spec->filters; k++) {
			group[k * GROUP] = from[k];
			sum += (double)from[k] * from[k];
		}
		squares[row] = (float)sum;
	}
}

static size_t token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	const struct ps_vivid *v = pstk_actor_arg(self);

	return ps_vivid_cells(came_in, port == HIST ? v->filters : v->rows);
}

struct pstk_actor *pstk_vivid_classify_add(
	struct pstk_network *net, const char *name, const struct pstk_vivid_spec *spec)
{
	static const struct pstk_port ports[] = {
		[HIST] = { .name = "hist", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		[DIST] = { .name = "dist", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	struct ps_vivid_type type = { .name = "vivid_classify",
		.kernel = source,
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.init = init,
		.fire = fire,
		.token_bytes = token_bytes,
		.what = "classifier",
		.lay = lay };

	if (ps_vivid_check(net, name, type.name, spec))
		return NULL;
	if (!spec->rows) {
		pstk_network_refuse(net, -EINVAL, "'%s': a classifier without rows: give it at least one",
			name ? name : "");
		return NULL;
	}
	type.given = (size_t)spec->rows * spec->filters;
	type.kept = kept(spec);
	return ps_vivid_add(net, name, &type, spec);
}
