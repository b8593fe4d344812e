/* SPDX-License-Identifier: MIT */
/* sum on a device, in sum.c's order. Arguments behind the firing: uint width, height, steps. Dimensions are columns,
 * rows, steps. Unrolled, work-items become vectors on cores. */
__kernel void sum(__global const float *in, __global float *out, ulong firing, uint width, uint height, uint steps)
{
	enum { MAPS = 24 };
	size_t x = get_global_id(0), step = get_global_id(2), pixels = (size_t)width * height;
	size_t at = get_global_id(1) * width + x;
	float all;

	if (x >= width || step >= steps)
		return;
	in += step * MAPS * pixels + at;
	all = in[0];
#pragma unroll
	for (uint map = 1; map < MAPS; map++)
		all += in[map * pixels];
	out[step * pixels + at] = all;
}
