/* SPDX-License-Identifier: MIT */
/*
 * vivid_filters on a device. Arguments behind the firing: the filters; uint width, height of the largest frame,
 * filters, rows (none here), steps. Dimension 0 is strips of eight pixels, 1 rows, 2 steps. A work-item keeps the nine
 * neighbourhoods of its strip in registers while all filters pass over them.
 */
enum { STRIP = 8, HEAD = 64, TAPS = 9 };

/* Bytes of a token, as pstk_sized_bytes() has them. */
static inline size_t sized(size_t bytes)
{
	return HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
}

static inline float8 load(__global const uchar *at)
{
	return convert_float8(vload8(0, at));
}

/* in: the pixel of the row before, left of the strip. */
static inline void strip(__global float *value, __global uchar *index, __global const uchar *in, size_t w,
	__constant const float *f, uint filters)
{
	const float8 a = load(in), b = load(in + 1), c = load(in + 2), d = load(in + w), e = load(in + w + 1),
		     g = load(in + w + 2), h = load(in + 2 * w), i = load(in + 2 * w + 1),
		     j = load(in + 2 * w + 2);
	float8 best = -1.0f;
	int8 which = 0;

	for (uint k = 0; k < filters; k++, f += TAPS) {
		float8 sum = a * f[0] + b * f[1] + c * f[2] + (d * f[3] + e * f[4] + g * f[5]) +
			     (h * f[6] + i * f[7] + j * f[8]);
		int8 more;

		sum = fabs(sum);
		more = sum > best;
		best = select(best, sum, more);
		which = select(which, (int8)(int)k, more);
	}
	vstore8(best, 0, value);
	vstore8(convert_uchar8(which), 0, index);
}

/* One pixel of a row too short for a strip. */
static inline void pixel(__global float *value, __global uchar *index, __global const uchar *in, size_t w,
	__constant const float *f, uint filters)
{
	float best = -1.0f;
	uint which = 0;

	for (uint k = 0; k < filters; k++, f += TAPS) {
		float sum = 0;

		for (uint i = 0; i < TAPS; i++)
			sum += in[i / 3 * w + i % 3] * f[i];
		sum = fabs(sum);
		which = sum > best ? k : which;
		best = fmax(sum, best);
	}
	*value = best;
	*index = (uchar)which;
}

__kernel void vivid_filters(__global const uchar *in, __global float *value, __global uchar *index, ulong firing,
	__constant const float *coefficients, uint width, uint height, uint filters, uint rows, uint steps)
{
	const size_t pixels = (size_t)width * height, step = get_global_id(2), y = get_global_id(1);
	__global const uint *size;
	size_t w, h, x = get_global_id(0) * STRIP;

	if (step >= steps)
		return;
	in += step * sized(pixels);
	value += step * (sized(pixels * sizeof(float)) / sizeof(float));
	index += step * sized(pixels);
	size = (__global const uint *)in;
	w = min(size[0], width);
	h = min(size[1], height);
	if (!x && !y) {
		((__global uint *)value)[0] = ((__global uint *)index)[0] = (uint)w;
		((__global uint *)value)[1] = ((__global uint *)index)[1] = (uint)h;
	}
	if (x >= w || y >= h)
		return;
	in += HEAD + (y ? (y - 1) * w : 0);
	value += HEAD / sizeof(float) + y * w;
	index += HEAD + y * w;
	if (!y || y + 1 >= h || w < 3) {
		for (size_t end = min(x + STRIP, w); x < end; x++) {
			value[x] = 0;
			index[x] = 0;
		}
		return;
	}
	if (!x) {
		value[0] = value[w - 1] = 0;
		index[0] = index[w - 1] = 0;
	}
	if (w - 2 >= STRIP) {
		if (x < w - 2) {
			x = min(x, w - 2 - STRIP); /* the last one overlaps */
			strip(value + 1 + x, index + 1 + x, in + x, w, coefficients, filters);
		}
		return;
	}
	for (size_t end = w - 2; x < end; x++)
		pixel(value + 1 + x, index + 1 + x, in + x, w, coefficients, filters);
}
