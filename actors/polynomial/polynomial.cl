/* SPDX-License-Identifier: MIT */
/*
 * polynomial on a device. Terms come by rising powers of a = re^2 + im^2, so that each power is made once.
 * Argument behind the firing: uint samples (those that are data).
 */
struct term {
	__global float *re, *im;
	uint power;
	float sign; /* of im: -1 for a conjugate */
};

/* out = sign x power, n samples. A part at a time: one stream is written faster than many in turns. */
void write_part(__global float *out, __global const float *x, const float *power, float sign, uint n)
{
	FOR_VECTORS STORE(sign * LOAD(x + v) * LOAD(power + v), out + v);
	FOR_REST out[s] = sign * x[s] * power[s];
}

/* a, and its power 0 */
void square(float *a, float *power, __global const float *re, __global const float *im, uint n)
{
	FOR_VECTORS
	{
		STORE(LOAD(re + v) * LOAD(re + v) + LOAD(im + v) * LOAD(im + v), a + v);
		STORE((floats)(1), power + v);
	}
	FOR_REST
	{
		a[s] = re[s] * re[s] + im[s] * im[s];
		power[s] = 1;
	}
}

void multiply(float *power, const float *a, uint n)
{
	FOR_VECTORS STORE(LOAD(power + v) * LOAD(a + v), power + v);
	FOR_REST power[s] *= a[s];
}

__kernel void polynomial(
	__global const float *re, __global const float *im, PORTS ulong firing, uint samples)
{
	const struct term terms[] = { TERMS };
	size_t end = last_sample(samples);

	for (size_t i = first_chunk(samples); i < end; i += next_chunk()) {
		uint n = min((size_t)CHUNK, end - i), reached = 0;
		float a[CHUNK] ALIGNED, power[CHUNK] ALIGNED;

		square(a, power, re + i, im + i, n);
		FOR_TERMS(t)
		{
			if (!terms[t].re)
				continue;
			for (; reached < terms[t].power; reached++)
				multiply(power, a, n);
			write_part(terms[t].re + i, re + i, power, 1, n);
			write_part(terms[t].im + i, im + i, power, terms[t].sign, n);
		}
	}
}
