/* SPDX-License-Identifier: MIT */
/*
 * bits on a device, bit for bit what bits.c makes. Arguments behind the firing: ulong pixels and words of a row, ulong
 * rows of an image, uint images (those in the window that are data), uint threshold.
 *
 * Any work size gives the right result: dimension 0 shares out the words of a row, dimension 1 the rows of all images.
 */

enum { WORD_BITS = 64 };

__kernel void bits(__global const uchar *in, __global ulong *out, ulong firing, ulong width, ulong words, ulong rows,
	uint images, uint threshold)
{
	for (size_t y = get_global_id(1); y < rows * images; y += get_global_size(1))
		for (size_t i = get_global_id(0); i < words; i += get_global_size(0)) {
			__global const uchar *row = in + y * width;
			size_t from = i * WORD_BITS, n = min(width - from, (ulong)WORD_BITS);
			ulong word = 0;

			for (size_t k = 0; k < n; k++)
				word |= (ulong)(row[from + k] > threshold) << k;
			out[y * words + i] = word;
		}
}
