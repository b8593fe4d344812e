/* SPDX-License-Identifier: MIT */
/*
 * bag_gradients on a device. Arguments behind the firing: uint width, height of the largest frame, steps. Dimension 0
 * is strips of eight pixels, 1 rows, 2 steps. Bins are those of the cores, magnitudes to the rounding of sqrt().
 */
enum { STRIP = 8, HEAD = 64 };

static inline size_t sized(size_t bytes)
{
	return HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
}

static inline uchar bin_of(int dx, int dy)
{
	int lower = dy < 0 || (dy == 0 && dx < 0), x = lower ? -dx : dx, y = lower ? -dy : dy;
	int second = x <= 0 && y > 0, a = second ? y : x, b = second ? -x : y;

	return (uchar)(4 * lower + 2 * second + (b >= a && a != 0));
}

__kernel void bag_gradients(__global const uchar *in, __global float *magnitude, __global uchar *bin, ulong firing,
	uint width, uint height, uint steps)
{
	const size_t pixels = (size_t)width * height, step = get_global_id(2), y = get_global_id(1);
	__global const uint *size;
	__global const uchar *row, *above, *below;
	size_t w, h, x = get_global_id(0) * STRIP;

	if (step >= steps)
		return;
	in += step * sized(pixels);
	magnitude += step * (sized(pixels * sizeof(float)) / sizeof(float));
	bin += step * sized(pixels);
	size = (__global const uint *)in;
	w = min(size[0], width);
	h = min(size[1], height);
	if (!x && !y) {
		((__global uint *)magnitude)[0] = ((__global uint *)bin)[0] = (uint)w;
		((__global uint *)magnitude)[1] = ((__global uint *)bin)[1] = (uint)h;
	}
	if (x >= w || y >= h)
		return;
	row = in + HEAD + y * w;
	above = y && y + 1 < h ? row - w : row;
	below = y && y + 1 < h ? row + w : row;
	magnitude += HEAD / sizeof(float) + y * w;
	bin += HEAD + y * w;
	for (size_t end = min(x + STRIP, w); x < end; x++) {
		int dx = x && x + 1 < w ? row[x + 1] - row[x - 1] : 0, dy = below[x] - above[x];

		magnitude[x] = sqrt((float)(dx * dx + dy * dy)) * 0.5f;
		bin[x] = bin_of(dx, dy);
	}
}
