/* SPDX-License-Identifier: MIT */
/*
 * vivid_classify on a device. Arguments behind the firing: the rows' coefficients, transposed in groups of eight, and
 * behind them their squares; uint width, height of the largest frame, filters, rows, steps. Dimension 0 is groups of
 * rows, 1 eights of cells, 2 steps: a work-item makes a tile of eight by eight.
 */
enum { LANES = 8, TILE = 8, CELL = 8, HEAD = 64 };

#define LITTLE 0.25f

static inline size_t sized(size_t bytes)
{
	return HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
}

static inline float sum_up(__global const float *cell, __global const float *row, uint filters)
{
	float sum = 0;

	for (uint k = 0; k < filters; k++) {
		float d = cell[k] - row[k * LANES];

		sum += d * d;
	}
	return sum;
}

static inline float square(__global const float *cell, uint filters)
{
	float8 sums = 0;
	float sum = 0;
	uint k = 0;

	for (; k + 8 <= filters; k += 8) {
		float8 some = vload8(0, cell + k);

		sums += some * some;
	}
	for (; k < filters; k++)
		sum += cell[k] * cell[k];
	return sum + (sums.s0 + sums.s1 + sums.s2 + sums.s3) + (sums.s4 + sums.s5 + sums.s6 + sums.s7);
}

/* A cell's distances to a group: to dist, whose rows are `cells` apart; n of them count. */
static inline void put(__global float *dist, float8 product, float squares, float8 row_squares,
	__global const float *cell, __global const float *group, uint filters, size_t cells, uint n)
{
	float d[LANES], all[LANES];

	vstore8(squares + row_squares - 2.0f * product, 0, d);
	vstore8(squares + row_squares, 0, all);
	for (uint r = 0; r < n; r++)
		dist[r * cells] = d[r] < LITTLE * all[r] ? sum_up(cell, group + r, filters) : d[r];
}

__kernel void vivid_classify(__global const float *hist, __global float *dist, ulong firing,
	__global const float *coefficients, uint width, uint height, uint filters, uint rows, uint steps)
{
	const size_t step = get_global_id(2), most = (size_t)(width / CELL) * (height / CELL);
	const size_t group = get_global_id(0), groups = (rows + LANES - 1) / LANES, first = get_global_id(1) * TILE;
	__global const uint *size;
	__global const float *c[TILE], *row = coefficients + group * filters * LANES;
	float8 sum[TILE], row_squares;
	size_t w, h, cells;

	if (step >= steps)
		return;
	hist += step * (sized(most * filters * sizeof(float)) / sizeof(float));
	dist += step * (sized(most * rows * sizeof(float)) / sizeof(float));
	size = (__global const uint *)hist;
	w = min(size[0], width);
	h = min(size[1], height);
	cells = (w / CELL) * (h / CELL);
	if (!group && !first) {
		((__global uint *)dist)[0] = (uint)w;
		((__global uint *)dist)[1] = (uint)h;
	}
	if (group >= groups || first >= cells)
		return;
	for (uint i = 0; i < TILE; i++) {
		c[i] = hist + HEAD / sizeof(float) + min(first + i, cells - 1) * filters;
		sum[i] = 0;
	}
	for (uint k = 0; k < filters; k++) {
		float8 b = vload8(k, row);

#pragma unroll
		for (uint i = 0; i < TILE; i++)
			sum[i] += b * c[i][k];
	}
	row_squares = vload8(0, coefficients + (groups * filters + group) * LANES);
	dist += HEAD / sizeof(float) + group * LANES * cells + first;
	for (uint i = 0; i < TILE && first + i < cells; i++)
		put(dist + i, sum[i], square(c[i], filters), row_squares, c[i], row, filters, cells,
			(uint)min((size_t)LANES, rows - group * LANES));
}
