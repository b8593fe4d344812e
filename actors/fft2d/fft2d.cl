/* SPDX-License-Identifier: MIT */
/* fft2d on a device, before its transform: real numbers as complex ones. all: of them. */
__kernel void widen(__global const float *in, __global float2 *out, ulong all)
{
	size_t i = get_global_id(0);

	if (i < all)
		out[i] = (float2)(in[i], 0);
}
