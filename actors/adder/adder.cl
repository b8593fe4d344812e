/* SPDX-License-Identifier: MIT */
/*
 * adder on a device. The sums of a vector of samples stay in registers while all signals are added.
 * Arguments behind the firing: uint samples (those that are data), the constant's parts.
 */
struct term {
	__global const float *re, *im;
};

__kernel void adder(__global float *re, __global float *im, PORTS ulong firing, uint samples,
	float constant_re, float constant_im)
{
	const struct term terms[] = { TERMS };
	size_t end = last_sample(samples);

	for (size_t i = first_chunk(samples); i < end; i += next_chunk()) {
		uint n = min((size_t)CHUNK, end - i);

		FOR_VECTORS
		{
			floats x = 0, y = 0;

			FOR_TERMS(t)
			{
				if (!terms[t].re)
					continue;
				x += LOAD(terms[t].re + i + v);
				y += LOAD(terms[t].im + i + v);
			}
			STORE(x + constant_re, re + i + v);
			STORE(y + constant_im, im + i + v);
		}
		FOR_REST
		{
			float x = 0, y = 0;

			FOR_TERMS(t)
			{
				if (!terms[t].re)
					continue;
				x += terms[t].re[i + s];
				y += terms[t].im[i + s];
			}
			re[i + s] = x + constant_re;
			im[i + s] = y + constant_im;
		}
	}
}
