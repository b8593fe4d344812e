/* SPDX-License-Identifier: MIT */
/* ifft2d on a device, behind its transform: squared magnitudes. all: of them. */
__kernel void energy(__global const float2 *in, __global float *out, ulong all)
{
	size_t i = get_global_id(0);

	if (i < all)
		out[i] = in[i].x * in[i].x + in[i].y * in[i].y;
}
