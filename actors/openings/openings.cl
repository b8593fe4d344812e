/* SPDX-License-Identifier: MIT */
/*
 * openings on a device, bit for bit what openings.c makes. Dimension 1 is the image in all kernels.
 *
 * unit   an erosion or a dilation by the unit element: a work-item a word
 * ones   each group counts the pixels of its share of an image, and writes the number to a place of its own
 * total  one work-item for each image adds these
 *
 * The count of an opening is a gate for those behind it: where it is 0 they do nothing, as the host, which has enqueued
 * them all, does not know it. `gate` is its index, NONE: there is no such count. results: counts of an image.
 */

enum { TOP = 63, NONE = 0xffffffff, LOCAL = 64 };

/* size: words of an image; last: of a row's last word the bits that are pixels; words: of a row; cross: bool */
#define SHAPE ulong size, ulong last, uint words, uint height, uint depth, uint cross

bool is_closed(__global const ulong *counts, uint gate)
{
	return gate != (uint)NONE && counts[gate] == 0;
}

/* flip: all ones for an erosion, which is the dilation of the complement. clears: a closed gate makes zeros. */
__kernel void unit(__global const ulong *src, __global ulong *dst, __global const ulong *counts, ulong flip, uint gate,
	uint clears, uint results, SHAPE)
{
	size_t i = get_global_id(0), image = get_global_id(1), row = i / words;
	uint x = (uint)(i % words), y = (uint)(row % height), z = (uint)(row / height);
	ulong before = 0, here = 0, behind = 0, rest = 0;

	if (i >= size)
		return;
	src += image * size;
	dst += image * size;
	if (is_closed(counts + image * results, gate)) {
		if (clears)
			dst[i] = 0;
		return;
	}
	for (uint c = z ? z - 1 : z; c <= z + 1 && c < depth; c++)
		for (uint b = y ? y - 1 : y; b <= y + 1 && b < height; b++) {
			__global const ulong *s = src + ((size_t)c * height + b) * words + x;
			ulong word = (*s ^ flip) & (x + 1 == words ? last : ~0UL);

			if (cross && (b != y || c != z)) {
				rest |= b == y || c == z ? word : 0;
				continue;
			}
			here |= word;
			before |= x ? s[-1] ^ flip : 0;
			behind |= x + 1 < words ? (s[1] ^ flip) & (x + 2 == words ? last : ~0UL) : 0;
		}
	here |= here << 1 | here >> 1 | before >> TOP | behind << TOP | rest;
	dst[i] = (here ^ flip) & (x + 1 == words ? last : ~0UL);
}

/* The local size is LOCAL or less. partial: a number for each group, those of an image side by side. */
__kernel void ones(__global const ulong *src, __global ulong *partial, __global const ulong *counts, uint gate,
	uint results, ulong size)
{
	__local ulong sums[LOCAL];
	size_t image = get_global_id(1), id = get_local_id(0);
	ulong sum = 0;

	src += image * size;
	if (!is_closed(counts + image * results, gate))
		for (size_t i = get_global_id(0); i < size; i += get_global_size(0))
			sum += popcount(src[i]);
	sums[id] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (id == 0) {
		for (size_t k = 1; k < get_local_size(0); k++)
			sum += sums[k];
		partial[image * get_num_groups(0) + get_group_id(0)] = sum;
	}
}

/* groups: those of `ones` in dimension 0; result: the index of the count */
__kernel void total(__global const ulong *partial, __global ulong *counts, uint groups, uint results, uint result)
{
	size_t image = get_global_id(1);
	ulong sum = 0;

	for (uint g = 0; g < groups; g++)
		sum += partial[image * groups + g];
	counts[image * results + result] = sum;
}
