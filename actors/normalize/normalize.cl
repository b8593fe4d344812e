/* SPDX-License-Identifier: MIT */
/*
 * normalize on a device, bit for bit what normalize.c makes: three kernels, one behind the other.
 *
 * measure    a work-item takes a row: its bounds, and the sum of its values less the least one; dimension 1 is the map
 * change     a work-item takes a map: what becomes of its pixels
 * apply      each pixel; dimensions are columns, rows, maps
 */
#pragma OPENCL FP_CONTRACT OFF

enum { LANES = 32 };

static inline float least_of(float16 v)
{
	float8 a = fmin(v.lo, v.hi);
	float4 b = fmin(a.lo, a.hi);

	return fmin(fmin(b.x, b.y), fmin(b.z, b.w));
}

/* Pairwise, as normalize.c does: lane k and lane k + half. */
static inline float pairwise(float16 low, float16 high)
{
	float16 a = low + high;
	float8 b = a.lo + a.hi;
	float4 c = b.lo + b.hi;
	float2 d = c.lo + c.hi;

	return d.x + d.y;
}

/* The row's last pixels, fewer than LANES. Behind them the row's first one again, or zeros. */
static inline void load_rest(__global const float *p, uint n, float filler, float *rest)
{
	for (uint k = 0; k < LANES; k++)
		rest[k] = k < n ? p[k] : filler;
}

__kernel void measure(__global const float *in, __global float *rows, uint width, uint height)
{
	size_t row = get_global_id(1) * height + get_global_id(0);
	__global const float *p = in + row * width;
	uint whole = width / LANES * LANES;
	float rest[LANES], least;
	float16 min0 = p[0], max0 = p[0], sum0 = 0, sum1 = 0;

	load_rest(p + whole, width - whole, p[0], rest);
	for (uint x = 0; x < whole; x += 16) {
		float16 v = vload16(0, p + x);

		min0 = fmin(min0, v);
		max0 = fmax(max0, v);
	}
	for (uint k = 0; k < LANES; k += 16) {
		float16 v = vload16(0, rest + k);

		min0 = fmin(min0, v);
		max0 = fmax(max0, v);
	}
	least = least_of(min0);
	for (uint x = 0; x < whole; x += LANES) {
		sum0 += vload16(0, p + x) - least;
		sum1 += vload16(1, p + x) - least;
	}
	load_rest(p + whole, width - whole, least, rest);
	sum0 += vload16(0, rest) - least;
	sum1 += vload16(1, rest) - least;
	rows[row * 3] = least;
	rows[row * 3 + 1] = -least_of(-max0);
	rows[row * 3 + 2] = pairwise(sum0, sum1);
}

/* 1 / x by integers, because devices may round divisions as they like. */
static inline float reciprocal(float x)
{
	uint bits = as_uint(x), m = (bits & 0x7fffff) | 0x800000;
	ulong q = ((1ul << 47) + m / 2) / m;

	return ldexp((float)q, 103 - (int)(bits >> 23 & 0xff));
}

/* changes: least value, scale, threshold, and whether it is flat; for each map */
__kernel void change(__global const float *rows, __global float *changes, uint width, uint height, float flat,
	float share)
{
	size_t map = get_global_id(0);
	__global const float *r = rows + map * height * 3;
	__global float *to = changes + map * 4;
	float min = r[0], max = r[1], sum = 0, range, inverse, rest, scale;

	for (uint y = 1; y < height; y++) {
		min = fmin(min, r[y * 3]);
		max = fmax(max, r[y * 3 + 1]);
	}
	for (uint y = 0; y < height; y++)
		sum += r[y * 3 + 2] + (r[y * 3] - min) * (float)width;
	range = max - min;
	to[3] = range > flat ? 0 : 1;
	inverse = reciprocal(range);
	rest = 1 - sum * inverse * share;
	scale = inverse * (rest * rest);
	to[0] = min;
	to[1] = scale;
	to[2] = 0.2f * (range * scale);
}

__kernel void apply(__global const float *in, __global float *out, uint width, uint height,
	__global const float *changes)
{
	size_t x = get_global_id(0), map = get_global_id(2);
	size_t at = (map * height + get_global_id(1)) * width + x;
	__global const float *c = changes + map * 4;

	if (x < width) {
		float value = (in[at] - c[0]) * c[1];

		out[at] = c[3] == 0 && value > c[2] ? (value - c[2]) * 1.25f : 0;
	}
}
