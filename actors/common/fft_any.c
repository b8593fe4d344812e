/* SPDX-License-Identifier: MIT */
/*
 * Sizes without prime factors above 5 are kissfft's. For others it allocates in each run, and takes a time that grows
 * with the factor, so these are made of a convolution (L. I. Bluestein, "A linear filtering approach to the computation
 * of the discrete Fourier transform", 1968): with c[n] = exp(-+ pi i n^2 / N)
 *
 *	X[k] = c[k] sum over n of (x[n] c[n]) conj(c[k - n])
 *
 * which three transforms of a size that kissfft likes do, from 2 N - 1 on; one of them is of a constant.
 */
#include "config.h"

#include "actors/common/fft_any.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_KISSFFT
#include <kiss_fft.h>

_Static_assert(sizeof(kiss_fft_cpx) == sizeof(struct pstk_cf32) && sizeof(kiss_fft_scalar) == sizeof(float),
	"kissfft is built for float");

struct ps_fft_any {
	size_t size, padded;      /* padded: of the convolution; 0: kissfft alone */
	kiss_fft_cfg plan, back;  /* back: the convolution's inverse */
	struct pstk_cf32 *chirp;  /* size of them; NULL: kissfft alone */
	struct pstk_cf32 *filter; /* padded of them: the transform of conj(c), divided by padded */
};

static size_t liked(size_t n)
{
	for (;; n++) {
		size_t rest = n;

		for (size_t prime = 2; prime <= 5; prime++)
			while (rest % prime == 0)
				rest /= prime;
		if (rest == 1)
			return n;
	}
}

static kiss_fft_cfg make_plan(size_t size, bool inverse)
{
	size_t bytes = 0;
	void *memory;

	kiss_fft_alloc((int)size, inverse, NULL, &bytes); /* only asks for the size */
	memory = bytes ? malloc(bytes) : NULL;
	return memory ? kiss_fft_alloc((int)size, inverse, memory, &bytes) : NULL;
}

static void run(kiss_fft_cfg plan, struct pstk_cf32 *restrict out, const struct pstk_cf32 *restrict in)
{
	kiss_fft(plan, (const kiss_fft_cpx *)(const void *)in, (kiss_fft_cpx *)(void *)out);
}

/* n^2 modulo 2 N: the angle is exact, however large n is. */
static void make_chirp(struct ps_fft_any *f, bool inverse)
{
	for (size_t n = 0; n < f->size; n++) {
		double angle = 3.14159265358979323846 * (double)(n * n % (2 * f->size)) / (double)f->size;

		f->chirp[n] =
			(struct pstk_cf32){ (float)cos(angle), (float)(inverse ? sin(angle) : -sin(angle)) };
	}
}

static int make_filter(struct ps_fft_any *f)
{
	struct pstk_cf32 *around = calloc(f->padded, sizeof *around);
	float scale = 1 / (float)f->padded;

	if (!around)
		return -ENOMEM;
	for (size_t n = 0; n < f->size; n++) {
		struct pstk_cf32 c = { f->chirp[n].re * scale, -f->chirp[n].im * scale };

		around[n] = c;
		around[(f->padded - n) % f->padded] = c;
	}
	run(f->plan, f->filter, around);
	free(around);
	return 0;
}

static int make_convolution(struct ps_fft_any *f, bool inverse)
{
	f->padded = liked(2 * f->size - 1);
	f->plan = make_plan(f->padded, false);
	f->back = make_plan(f->padded, true);
	f->chirp = malloc(f->size * sizeof *f->chirp);
	f->filter = malloc(f->padded * sizeof *f->filter);
	if (!f->plan || !f->back || !f->chirp || !f->filter)
		return -ENOMEM;
	make_chirp(f, inverse);
	return make_filter(f);
}

int ps_fft_any_create(struct ps_fft_any **fft, size_t size, bool inverse)
{
	struct ps_fft_any *f = *fft = calloc(1, sizeof *f);
	int err = 0;

	if (!f)
		return -ENOMEM;
	f->size = size;
	if (liked(size) == size) {
		f->plan = make_plan(size, inverse);
		err = f->plan ? 0 : -ENOMEM;
	} else {
		err = make_convolution(f, inverse);
	}
	if (err) {
		ps_fft_any_destroy(f);
		*fft = NULL;
	}
	return err;
}

size_t ps_fft_any_scratch(const struct ps_fft_any *f)
{
	return 2 * f->padded;
}

static struct pstk_cf32 times(struct pstk_cf32 a, struct pstk_cf32 b)
{
	return (struct pstk_cf32){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

void ps_fft_any_run(const struct ps_fft_any *f, struct pstk_cf32 *restrict out,
	const struct pstk_cf32 *restrict in, struct pstk_cf32 *restrict scratch)
{
	struct pstk_cf32 *x = scratch, *y = scratch + f->padded;

	if (!f->padded) {
		run(f->plan, out, in);
		return;
	}
	for (size_t n = 0; n < f->size; n++)
		x[n] = times(in[n], f->chirp[n]);
	memset(x + f->size, 0, (f->padded - f->size) * sizeof *x);
	run(f->plan, y, x);
	for (size_t k = 0; k < f->padded; k++)
		y[k] = times(y[k], f->filter[k]);
	run(f->back, x, y);
	for (size_t k = 0; k < f->size; k++)
		out[k] = times(x[k], f->chirp[k]);
}

void ps_fft_any_destroy(struct ps_fft_any *f)
{
	if (!f)
		return;
	free(f->plan);
	free(f->back);
	free(f->chirp);
	free(f->filter);
	free(f);
}

#else

int ps_fft_any_create(struct ps_fft_any **fft, size_t size, bool inverse)
{
	(void)size, (void)inverse;
	*fft = NULL;
	return -ENOTSUP;
}

/* Never called but for NULL: there is no struct ps_fft_any. */
size_t ps_fft_any_scratch(const struct ps_fft_any *f)
{
	(void)f;
	return 0;
}

void ps_fft_any_run(const struct ps_fft_any *f, struct pstk_cf32 *restrict out,
	const struct pstk_cf32 *restrict in, struct pstk_cf32 *restrict scratch)
{
	(void)f, (void)out, (void)in, (void)scratch;
}

void ps_fft_any_destroy(struct ps_fft_any *f)
{
	(void)f;
}

#endif
