/* SPDX-License-Identifier: MIT */
/*
 * kissfft allocates in three places: for its state, which it can be given; for a transform in place, and for
 * prime factors above 5, neither of which happens here. So all memory is had when it is created.
 */
#include "config.h"

#include "actors/common/fft.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_KISSFFT
#include <kiss_fft.h>

_Static_assert(sizeof(kiss_fft_cpx) == sizeof(struct pstk_cf32) && sizeof(kiss_fft_scalar) == sizeof(float),
	"kissfft is built for float");

/* One block of memory: kissfft's state lies behind it. */
struct ps_fft {
	kiss_fft_cfg plan;
	_Alignas(max_align_t) unsigned char state[];
};

int ps_fft_create(struct ps_fft **fft, size_t size, bool inverse)
{
	size_t bytes = 0;

	*fft = NULL;
	kiss_fft_alloc((int)size, inverse, NULL, &bytes); /* only asks for the size */
	if (!bytes)
		return -ENOMEM;
	*fft = malloc(sizeof **fft + bytes);
	if (!*fft)
		return -ENOMEM;
	(*fft)->plan = kiss_fft_alloc((int)size, inverse, (*fft)->state, &bytes);
	return 0;
}

void ps_fft_run(struct ps_fft *fft, struct pstk_cf32 *restrict out, const struct pstk_cf32 *restrict in)
{
	kiss_fft(fft->plan, (const kiss_fft_cpx *)(const void *)in, (kiss_fft_cpx *)(void *)out);
}

#else

int ps_fft_create(struct ps_fft **fft, size_t size, bool inverse)
{
	(void)size;
	(void)inverse;
	*fft = NULL;
	return -ENOTSUP;
}

/* Never called: there is no struct ps_fft. */
void ps_fft_run(struct ps_fft *fft, struct pstk_cf32 *restrict out, const struct pstk_cf32 *restrict in)
{
	(void)fft;
	(void)out;
	(void)in;
}

#endif

void ps_fft_destroy(struct ps_fft *fft)
{
	free(fft);
}
