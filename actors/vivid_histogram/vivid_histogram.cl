/* SPDX-License-Identifier: MIT */
/*
 * vivid_histogram on a device, bit for bit what the cores make. Arguments behind the firing: uint width, height of the
 * largest frame, filters, rows (none here), steps. Dimension 0 is cells of a row, 1 rows of cells, 2 steps: a work-item
 * makes a cell, whose sums lie together.
 */
enum { CELL = 8, HEAD = 64 };

static inline size_t sized(size_t bytes)
{
	return HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
}

__kernel void vivid_histogram(__global const float *value, __global const uchar *index, __global float *hist,
	ulong firing, uint width, uint height, uint filters, uint rows, uint steps)
{
	const size_t pixels = (size_t)width * height, step = get_global_id(2), i = get_global_id(0),
		     row = get_global_id(1);
	const size_t cells = (size_t)(width / CELL) * (height / CELL);
	__global const uint *size;
	size_t w, h;

	if (step >= steps)
		return;
	value += step * (sized(pixels * sizeof(float)) / sizeof(float));
	index += step * sized(pixels);
	hist += step * (sized(cells * filters * sizeof(float)) / sizeof(float));
	size = (__global const uint *)value;
	w = min(size[0], width);
	h = min(size[1], height);
	if (!i && !row) {
		((__global uint *)hist)[0] = (uint)w;
		((__global uint *)hist)[1] = (uint)h;
	}
	if (i >= w / CELL || row >= h / CELL)
		return;
	value += HEAD / sizeof(float) + row * CELL * w + i * CELL;
	index += HEAD + row * CELL * w + i * CELL;
	hist += HEAD / sizeof(float) + (row * (w / CELL) + i) * filters;
	for (uint k = 0; k < filters; k++)
		hist[k] = 0;
	for (uint y = 0; y < CELL; y++, value += w, index += w)
		for (uint x = 0; x < CELL; x++)
			if (index[x] < filters)
				hist[index[x]] += value[x];
}
