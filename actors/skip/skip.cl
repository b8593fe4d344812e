/* SPDX-License-Identifier: MIT */
/* skip on a device, behind copy.cl. Arguments behind the firing: uint count, ulong bytes of a token, uint steps. */
__kernel void skip(
	__global const uchar *in, __global uchar *out, ulong firing, uint count, ulong token, uint steps)
{
	copy_rows(out, 1, in + count * token, 1, 1, steps, token);
}
