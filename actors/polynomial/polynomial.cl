/* SPDX-License-Identifier: MIT */
/*
 * polynomial on a device. The terms come by rising powers of a = re^2 + im^2, with a POWER between two of them as often as
 * the power rises; SIGN is - for a conjugate one. Argument behind the firing: uint samples (those that are data).
 */
__kernel void polynomial(
	__global const float *re, __global const float *im, PORTS ulong firing, uint samples)
{
	size_t end = last_sample(samples);

	for (size_t i = first_chunk(samples); i < end; i += next_chunk()) {
		uint n = min((size_t)CHUNK, end - i);
		floats a[VECTORS], power[VECTORS];

		FOR_VECTORS(n)
		{
			floats x = LOAD(re + i + v), y = LOAD(im + i + v);

			a[v / LANES] = x * x + y * y;
			power[v / LANES] = 1;
		}
#define POWER FOR_VECTORS(n) power[v / LANES] *= a[v / LANES];
#define TERM(RE, IM, SIGN)                                                                        \
	if (IS_ON(RE)) {                                                                          \
		FOR_VECTORS(n) STORE(LOAD(re + i + v) * power[v / LANES], RE + i + v);            \
		FOR_VECTORS(n) STORE(SIGN LOAD(im + i + v) * power[v / LANES], IM + i + v);       \
	}
		TERMS
#undef TERM
#undef POWER

		FOR_REST(n)
		{
			float x = re[i + s], y = im[i + s], square = x * x + y * y, factor = 1;

#define POWER factor *= square;
#define TERM(RE, IM, SIGN)                      \
	if (IS_ON(RE)) {                        \
		RE[i + s] = x * factor;         \
		IM[i + s] = SIGN y * factor;    \
	}
			TERMS
#undef TERM
#undef POWER
		}
	}
}
