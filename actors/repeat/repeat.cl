/* SPDX-License-Identifier: MIT */
/* repeat on a device, behind copy.cl. Arguments behind the firing: uint times, ulong bytes of a token, uint steps. */
__kernel void repeat(
	__global const uchar *in, __global uchar *out, ulong firing, uint times, ulong token, uint steps)
{
	for (uint i = 0; i < times; i++)
		copy_rows(out + i * token, times, in, 1, 1, steps, token);
}
