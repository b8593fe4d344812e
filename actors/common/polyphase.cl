/* SPDX-License-Identifier: MIT */
/*
 * polyphase on a device: the products of polyphase.c, added up in its order, so the same bits. Compiled with -DWIDTH=1,
 * or 2 for complex samples. Arguments behind the firing: the taps as struct filter has them; uint interpolation,
 * decimation, history; uint full, the phases that have history + 1 taps; uint outputs (those that are data).
 *
 * The groups share the window out, the work-items of a group take turns in its share: any work size gives the right
 * result.
 */

/* A fused multiply-add rounds once: other bits than the cores'. */
#pragma OPENCL FP_CONTRACT OFF

/* Vectors that pass through memory, because a call of them is not inlined, halve the speed. */
#define INLINE static inline __attribute__((always_inline))

/* n products, n a multiple of WIDTH; of real samples the sum is x + y. */
INLINE float2 sum_products(__global const float *taps, __global const float *x, size_t n)
{
	float16 all = 0;
	size_t i = 0;
	float8 half_sums;
	float4 quarter_sums;

	for (; i + 16 <= n; i += 16)
		all += vload16(0, taps + i) * vload16(0, x + i);
	if (n - i >= 8) {
		all.s01234567 += vload8(0, taps + i) * vload8(0, x + i);
		i += 8;
	}
	if (n - i >= 4) {
		all.s0123 += vload4(0, taps + i) * vload4(0, x + i);
		i += 4;
	}
	if (n - i >= 2) {
		all.s01 += vload2(0, taps + i) * vload2(0, x + i);
		i += 2;
	}
	if (i < n)
		all.s0 += taps[i] * x[i];
	half_sums = all.lo + all.hi;
	quarter_sums = half_sums.lo + half_sums.hi;
	return quarter_sums.lo + quarter_sums.hi;
}

__kernel void polyphase(__global const float *in, __global float *out, ulong firing, __global const float *taps,
	uint interpolation, uint decimation, uint history, uint full, uint outputs)
{
	size_t share = (outputs + get_num_groups(0) - 1) / get_num_groups(0), turn = get_local_size(0);
	size_t n = get_group_id(0) * share + get_local_id(0), end = min((get_group_id(0) + 1) * share, (size_t)outputs);
	ulong first = (ulong)n * decimation, next = (ulong)turn * decimation;
	size_t at = first / interpolation, whole = next / interpolation, stride = ((size_t)history + 1) * WIDTH;
	uint phase = first % interpolation, more = next % interpolation;

	for (; n < end; n += turn) {
		size_t products = ((size_t)history + (phase < full)) * WIDTH, missing = stride - products;
		float2 sum = sum_products(taps + phase * stride + missing, in + at * WIDTH + missing, products);

#if WIDTH == 1
		out[n] = sum.x + sum.y;
#else
		vstore2(sum, n, out);
#endif
		at += whole;
		phase += more;
		if (phase >= interpolation) {
			phase -= interpolation;
			at++;
		}
	}
}
