/* SPDX-License-Identifier: MIT */
/*
 * adder on a device. Arguments behind the firing: uint samples (those that are data), the constant's parts.
 */
__kernel void adder(__global float *re, __global float *im, PORTS ulong firing, uint samples, float constant_re,
	float constant_im)
{
	size_t end = strip_end(samples), i = strip_from(samples);

#define TERM(RE, IM)                \
	if (RE) {                   \
		x += LOAD(RE + i); \
		y += LOAD(IM + i); \
	}
	for (; i + LANES <= end; i += strip_step()) {
		floats x = 0, y = 0;

		TERMS
		STORE(x + constant_re, re + i);
		STORE(y + constant_im, im + i);
	}
#undef TERM

#define TERM(RE, IM)        \
	if (RE) {           \
		x += RE[i]; \
		y += IM[i]; \
	}
	for (; i < end; i++) {
		float x = 0, y = 0;

		TERMS
		re[i] = x + constant_re;
		im[i] = y + constant_im;
	}
#undef TERM
}
