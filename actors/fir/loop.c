/* SPDX-License-Identifier: MIT */
#include "actors/fir/fir.h"

static inline __attribute__((always_inline)) void make_one(const struct ps_fir_part *p, size_t i)
{
	float re = 0, im = 0;

	for (size_t k = 0; k < p->count; k++) {
		float tap_re = p->taps[k].re, tap_im = p->taps[k].im, a = *(p->x.re + i - k),
		      b = *(p->x.im + i - k);

		re = re + tap_re * a - tap_im * b;
		im = im + tap_re * b + tap_im * a;
	}
	p->re[i] = p->add ? p->re[i] + re : re;
	p->im[i] = p->add ? p->im[i] + im : im;
}

#define LOOP ps_fir_loop_any
#define LANES 4
#define TARGET
#include "actors/fir/loop.h"

#if defined(__x86_64__) || defined(__i386__)
/* Not by target_clones: a vector that the baseline does not have is slower than its own. */
#define LOOP ps_fir_loop_fma
#define LANES 8
#define TARGET __attribute__((target("fma")))
#include "actors/fir/loop.h"

ps_fir_loop ps_fir_loop_best(void)
{
	return __builtin_cpu_supports("fma") ? ps_fir_loop_fma : ps_fir_loop_any;
}
#else
ps_fir_loop ps_fir_loop_best(void)
{
	return ps_fir_loop_any;
}
#endif
