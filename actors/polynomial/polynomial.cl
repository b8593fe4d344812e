/* SPDX-License-Identifier: MIT */
/*
 * polynomial on a device. The terms come by rising powers of a = re^2 + im^2, with a POWER between two of them as often as
 * the power rises; SIGN is - for a conjugate one. Argument behind the firing: uint samples (those that are data).
 */
#define POWER power *= a;

__kernel void polynomial(
	__global const float *re, __global const float *im, PORTS ulong firing, uint samples)
{
	size_t end = strip_end(samples), i = strip_from(samples);

#define TERM(RE, IM, SIGN)                     \
	if (RE) {                              \
		STORE(x * power, RE + i);      \
		STORE(SIGN y * power, IM + i); \
	}
	for (; i + LANES <= end; i += strip_step()) {
		floats x = LOAD(re + i), y = LOAD(im + i), a = x * x + y * y, power = 1;

		TERMS
	}
#undef TERM

#define TERM(RE, IM, SIGN)              \
	if (RE) {                       \
		RE[i] = x * power;      \
		IM[i] = SIGN y * power; \
	}
	for (; i < end; i++) {
		float x = re[i], y = im[i], a = x * x + y * y, power = 1;

		TERMS
	}
#undef TERM
}
