/* SPDX-License-Identifier: MIT */
/*
 * openings on a device, bit for bit what openings.c makes.
 *
 * unit   an erosion or a dilation by the unit element: a work-item has a strip of a row
 * ones   each group counts the pixels of its share of an image, and writes the number to a place of its own; dimension
 *        1 is the image
 * total  one work-item for each image adds these; dimension 1 is the image
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

/* Where the rows around a row are, in words from it. Where there is none the distance is 0: that changes no OR. */
struct around {
	size_t above, below, front, back;
};

/* flip: all ones for the complement. */
ulong row_of(__global const ulong *s, ulong flip, size_t above, size_t below)
{
	return (s[0] ^ flip) | (*(s - above) ^ flip) | (s[below] ^ flip);
}

/* A word and those around it in its column. */
ulong column(__global const ulong *s, ulong flip, struct around a)
{
	return row_of(s, flip, a.above, a.below) | row_of(s - a.front, flip, a.above, a.below) |
	       row_of(s + a.back, flip, a.above, a.below);
}

ulong rest_of(__global const ulong *s, ulong flip, struct around a)
{
	return (*(s - a.above) ^ flip) | (s[a.below] ^ flip) | (*(s - a.front) ^ flip) | (s[a.back] ^ flip);
}

ulong spread(ulong before, ulong here, ulong behind)
{
	return here | here << 1 | here >> 1 | before >> TOP | behind << TOP;
}

/* Any word of a row. left, right: 1, or 0 where there is none on that side. next, end: the bits that are pixels in the
 * right one and in this one. */
ulong outer(__global const ulong *s, ulong flip, uint cross, struct around a, size_t left, size_t right, ulong next,
	ulong end)
{
	struct around none = { 0, 0, 0, 0 }, of = cross ? none : a;
	ulong before = left ? column(s - left, flip, of) : 0, behind = right ? column(s + right, flip, of) & next : 0;
	ulong word = spread(before, column(s, flip, of) & end, behind) | (cross ? rest_of(s, flip, a) : 0);

	return (word ^ flip) & end;
}

/* Words that have one on either side, and of which all bits are pixels: plain loops, of which compilers for CPUs make
 * loops of vectors. */
void inner(__global const ulong *s, __global ulong *d, size_t n, ulong flip, uint cross, uint volume, struct around a)
{
	if (cross)
		for (size_t i = 0; i < n; i++)
			d[i] = (spread(s[i - 1] ^ flip, s[i] ^ flip, s[i + 1] ^ flip) | rest_of(s + i, flip, a)) ^ flip;
	else if (volume)
		for (size_t i = 0; i < n; i++)
			d[i] = spread(column(s + i - 1, flip, a), column(s + i, flip, a), column(s + i + 1, flip, a)) ^
			       flip;
	else
		for (size_t i = 0; i < n; i++)
			d[i] = spread(row_of(s + i - 1, flip, a.above, a.below), row_of(s + i, flip, a.above, a.below),
				       row_of(s + i + 1, flip, a.above, a.below)) ^
			       flip;
}

/* Dimension 0 is a strip of so many words of a row, 1 the row, 2 the image. flip: all ones for an erosion, which is the
 * dilation of the complement. clears: a closed gate makes zeros. */
__kernel void unit(__global const ulong *restrict src, __global ulong *restrict dst, __global const ulong *counts,
	ulong flip, uint gate, uint clears, uint results, SHAPE, uint strip)
{
	size_t x = get_global_id(0) * strip, to = min(x + strip, (size_t)words), row = get_global_id(1);
	size_t image = get_global_id(2), plane = (size_t)words * height;
	size_t inside = min(to, (size_t)(words - min(words, 2u)));
	size_t y = depth > 1 ? row % height : row, z = depth > 1 ? row / height : 0;
	struct around a = { y > 0 ? words : 0, y + 1 < height ? words : 0, z > 0 ? plane : 0,
		z + 1 < depth ? plane : 0 };
	__global const ulong *s = src + image * size + row * words;
	__global ulong *d = dst + image * size + row * words;

	if (row >= (size_t)height * depth)
		return;
	if (is_closed(counts + image * results, gate)) {
		for (; clears && x < to; x++)
			d[x] = 0;
		return;
	}
	if (x == 0 && to > 0) {
		d[0] = outer(s, flip, cross, a, 0, words > 1, words == 2 ? last : ~0UL, words == 1 ? last : ~0UL);
		x = 1;
	}
	if (x < inside) {
		inner(s + x, d + x, inside - x, flip, cross, depth > 1, a);
		x = inside;
	}
	for (; x < to; x++)
		d[x] = outer(s + x, flip, cross, a, 1, x + 1 < words, last, x + 1 < words ? ~0UL : last);
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
