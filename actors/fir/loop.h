/* SPDX-License-Identifier: MIT */
/*
 * Included by loop.c once for each length of vector, so without a guard: defines LOOP, of LANES floats at once, compiled with
 * the attributes TARGET. A step makes VECTORS vectors of outputs with all taps, so that the sums stay in registers: loops over
 * outputs in a loop over taps move them through memory, and compilers shuffle samples that they could load again. KEEP(vector)
 * keeps samples in a register: each is used twice, and loading it for each use, as compilers like to do, takes longer than the
 * multiplying. What is left is less than a vector: REST(part, i) makes it.
 */
#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b) JOIN_AGAIN(a, b)
#define VECTOR JOIN(vector, LANES)
#define ANYWHERE JOIN(anywhere, LANES)
#define STEP JOIN(step, LANES)
#define EACH _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++)

typedef float VECTOR __attribute__((vector_size(4 * LANES)));
typedef float ANYWHERE __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* Outputs i .. i + vectors * LANES - 1, of at most VECTORS vectors. */
TARGET static inline __attribute__((always_inline)) void STEP(
	const struct ps_fir_part *p, size_t i, size_t vectors)
{
	const float *re = p->x.re + i, *im = p->x.im + i;
	VECTOR sum_re[VECTORS] = { { 0 } }, sum_im[VECTORS] = { { 0 } };

	for (size_t k = 0; k < p->count; k++) {
		float tap_re = p->taps[k].re, tap_im = p->taps[k].im;

		EACH
		{
			VECTOR a = *(const ANYWHERE *)(re + v * LANES - k),
			       b = *(const ANYWHERE *)(im + v * LANES - k);

			KEEP(a);
			KEEP(b);
			sum_re[v] = sum_re[v] + tap_re * a - tap_im * b;
			sum_im[v] = sum_im[v] + tap_re * b + tap_im * a;
		}
	}
	EACH if (p->add)
	{
		sum_re[v] += *(ANYWHERE *)(p->re + i + v * LANES);
		sum_im[v] += *(ANYWHERE *)(p->im + i + v * LANES);
	}
	EACH
	{
		*(ANYWHERE *)(p->re + i + v * LANES) = sum_re[v];
		*(ANYWHERE *)(p->im + i + v * LANES) = sum_im[v];
	}
}

TARGET void LOOP(const struct ps_fir_part *part)
{
	const struct ps_fir_part p = *part; /* so that no store can change it */
	size_t i = 0;

	for (; i + VECTORS * LANES <= p.n; i += VECTORS * LANES)
		STEP(&p, i, VECTORS);
	for (; i + 2 * LANES <= p.n; i += 2 * LANES)
		STEP(&p, i, 2);
	for (; i + LANES <= p.n; i += LANES)
		STEP(&p, i, 1);
	if (i < p.n)
		REST(&p, i);
}

#undef JOIN_AGAIN
#undef JOIN
#undef VECTOR
#undef ANYWHERE
#undef STEP
#undef EACH
#undef LOOP
#undef LANES
#undef VECTORS
#undef KEEP
#undef REST
#undef TARGET
