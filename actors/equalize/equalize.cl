/* SPDX-License-Identifier: MIT */
/*
 * equalize on a device, bit for bit what equalize.c makes: three kernels, one behind the other, for the frames of a
 * window. Dimension 1 is the frame in all of them.
 *
 * histogram  each group counts its share of a frame in local memory and writes the counts to a place of its own, so
 *            that nothing must be zeroed between firings and no atomic operation leaves the group
 * table      a group for each frame: sums the groups' counts, accumulates them, makes the table
 * lookup     each pixel through its frame's table
 *
 * Any work size gives the right picture, if histogram and table have local sizes of 1 in dimension 1, and histogram as
 * many groups in dimension 0 as table is told.
 */

enum { VALUES = 256 };

/* counts: VALUES a group, groups of a frame side by side */
__kernel void histogram(__global const uchar *in, __global uint *counts, ulong pixels)
{
	__local uint own[VALUES];
	size_t frame = get_global_id(1), id = get_local_id(0), items = get_local_size(0);
	__global const uchar *s = in + frame * pixels;
	__global uint *to = counts + (frame * get_num_groups(0) + get_group_id(0)) * VALUES;

	for (size_t v = id; v < VALUES; v += items)
		own[v] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t i = get_global_id(0); i < pixels; i += get_global_size(0))
		atomic_inc(&own[s[i]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t v = id; v < VALUES; v += items)
		to[v] = own[v];
}

/* groups: those of histogram in dimension 0 */
__kernel void table(__global const uint *counts, __global uchar *tables, ulong pixels, uint groups)
{
	__local ulong upto[VALUES]; /* pixels with this value, then with this or a lower one */
	__local ulong lowest;
	size_t frame = get_global_id(1), id = get_local_id(0), items = get_local_size(0);
	__global const uint *from = counts + frame * groups * VALUES;

	for (size_t v = id; v < VALUES; v += items) {
		ulong sum = 0;

		for (uint g = 0; g < groups; g++)
			sum += from[g * VALUES + v];
		upto[v] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (id == 0) {
		lowest = upto[0];
		for (uint v = 1; v < VALUES; v++) {
			if (lowest == 0)
				lowest = upto[v];
			upto[v] += upto[v - 1];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t v = id; v < VALUES; v += items) {
		ulong n = pixels - lowest, above = upto[v] - min(upto[v], lowest);

		tables[frame * VALUES + v] = n ? (uchar)((255 * above + n / 2) / n) : (uchar)v;
	}
}

__kernel void lookup(__global const uchar *in, __global uchar *out, __global const uchar *tables, ulong pixels)
{
	size_t frame = get_global_id(1);
	__global const uchar *s = in + frame * pixels, *t = tables + frame * VALUES;
	__global uchar *d = out + frame * pixels;

	for (size_t i = get_global_id(0); i < pixels; i += get_global_size(0))
		d[i] = t[s[i]];
}
