/* SPDX-License-Identifier: MIT */
/*
 * deinterleave on a device, behind copy.cl. In front of it the host has put PORTS, a pointer for each output, as
 * parameters, and LIST, their names. Arguments behind the firing: the widths, ulong bytes of a token, uint steps.
 */
__kernel void deinterleave(
	__global const uchar *in, PORTS ulong firing, __global const uint *widths, ulong token, uint steps)
{
	__global uchar *const out[] = { LIST };
	const uint count = sizeof out / sizeof *out;
	size_t row = 0;

	for (uint i = 0; i < count; i++)
		row += widths[i];
	for (uint i = 0; i < count; i++) {
		copy_rows(out[i], widths[i], in, row, widths[i], steps, token);
		in += widths[i] * token;
	}
}
