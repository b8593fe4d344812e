/* SPDX-License-Identifier: MIT */
/*
 * adder on a device. Arguments behind the firing: uint samples (those that are data), the constant's parts.
 */
__kernel void adder(__global float *re, __global float *im, PORTS ulong firing, uint samples, float constant_re,
	float constant_im)
{
	size_t end = last_sample(samples);

	for (size_t i = first_chunk(samples); i < end; i += next_chunk()) {
		uint n = min((size_t)CHUNK, end - i);
		floats x[VECTORS] = { 0 }, y[VECTORS] = { 0 };

#define TERM(RE, IM)                                                 \
	if (IS_ON(RE)) {                                             \
		FOR_VECTORS(n) x[v / LANES] += LOAD(RE + i + v);     \
		FOR_VECTORS(n) y[v / LANES] += LOAD(IM + i + v);     \
	}
		TERMS
#undef TERM
		FOR_VECTORS(n) STORE(x[v / LANES] + constant_re, re + i + v);
		FOR_VECTORS(n) STORE(y[v / LANES] + constant_im, im + i + v);

		FOR_REST(n)
		{
			float sum_re = 0, sum_im = 0;

#define TERM(RE, IM)                    \
	if (IS_ON(RE)) {                \
		sum_re += RE[i + s];    \
		sum_im += IM[i + s];    \
	}
			TERMS
#undef TERM
			re[i + s] = sum_re + constant_re;
			im[i + s] = sum_im + constant_im;
		}
	}
}
