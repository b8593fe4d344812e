/* SPDX-License-Identifier: MIT */
/* Puts a small frame into the corner of a large one. */
__kernel void enlarge(__global const uchar *in, __global uchar *out, ulong firing)
{
	size_t x = get_global_id(0), y = get_global_id(1);

	out[y * 3840 + x] = in[y * 64 + x];
}
