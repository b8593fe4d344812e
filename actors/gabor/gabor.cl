/* SPDX-License-Identifier: MIT */
/*
 * gabor on a device. Arguments behind the state, which is the cores', and the firing: the factors of each map's columns
 * and rows; uint width, height, steps. Dimensions are columns, rows, maps of all steps.
 */
__kernel void gabor(__global const float2 *in, __global float2 *out, __global uchar *state, ulong firing,
	__global const float *columns, __global const float *rows, uint width, uint height, uint steps)
{
	enum { MAPS = 24 };
	size_t x = get_global_id(0), y = get_global_id(1), map = get_global_id(2) % MAPS,
	       step = get_global_id(2) / MAPS;
	size_t pixels = (size_t)width * height;

	if (x < width && step < steps)
		out[get_global_id(2) * pixels + y * width + x] =
			in[step * pixels + y * width + x] * (columns[map * width + x] * rows[map * height + y]);
}
