/* SPDX-License-Identifier: MIT */
/*
 * interleave on a device, behind copy.cl. In front of it the host has put PORTS, a pointer for each input, as
 * parameters, and LIST, their names. Arguments behind the firing: the widths, ulong bytes of a token, uint steps.
 */
__kernel void interleave(__global uchar *out, PORTS ulong firing, __global const uint *widths, ulong token, uint steps)
{
	__global const uchar *const in[] = { LIST };
	const uint count = sizeof in / sizeof *in;
	size_t row = 0;

	for (uint i = 0; i < count; i++)
		row += widths[i];
	for (uint i = 0; i < count; i++) {
		copy_rows(out, row, in[i], widths[i], widths[i], steps, token);
		out += widths[i] * token;
	}
}
