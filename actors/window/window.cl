/* SPDX-License-Identifier: MIT */
/*
 * window on a device: two kernels, one behind the other.
 *
 * totals     each group sums its share of a frame, and the squares; dimension 1 is the frame
 * weigh      each pixel without the mean, weighed; dimensions are columns, rows, frames
 *
 * Sums are integers, as window.c has them.
 */

enum { GROUPS = 32, GROUP = 64 };

__kernel void totals(__global const uchar *in, __global ulong *parts, ulong pixels)
{
	__local ulong sums[GROUP], squares[GROUP];
	size_t frame = get_global_id(1), id = get_local_id(0);
	__global const uchar *s = in + frame * pixels;
	__global ulong *to = parts + (frame * GROUPS + get_group_id(0)) * 2;
	ulong sum = 0, square = 0;

	for (size_t i = get_global_id(0); i < pixels; i += get_global_size(0)) {
		uint v = s[i];

		sum += v;
		square += v * v;
	}
	sums[id] = sum;
	squares[id] = square;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (id == 0) {
		for (uint i = 1; i < GROUP; i++) {
			sum += sums[i];
			square += squares[i];
		}
		to[0] = sum;
		to[1] = square;
	}
}

__kernel void weigh(__global const uchar *in, __global float *out, __global const ulong *parts,
	__global const float *columns, __global const float *rows, uint width, uint height)
{
	__local float fraction, scale;
	__local int mean;
	size_t x = get_global_id(0), y = get_global_id(1), frame = get_global_id(2);
	size_t at = (frame * height + y) * width + x;
	ulong pixels = (ulong)width * height;

	if (get_local_id(0) == 0) {
		ulong sum = 0, square = 0;

		for (uint g = 0; g < GROUPS; g++) {
			sum += parts[(frame * GROUPS + g) * 2];
			square += parts[(frame * GROUPS + g) * 2 + 1];
		}
		mean = (int)(sum / pixels);
		fraction = (float)(sum % pixels) / (float)pixels;
		scale = square ? 1 / sqrt((float)square / (float)pixels) : 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x < width)
		out[at] = ((float)((int)in[at] - mean) - fraction) * scale * (columns[x] * rows[y]);
}
