/* SPDX-License-Identifier: MIT */
#include "actors/fir/fir.h"
#include "actors/common/wide.h"

static void make_one(const struct ps_fir_part *p, size_t i)
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

/* The outputs from the i-th on, which are too few for a vector; so do make_any() and make_fma(), with shorter
 * vectors. */
static void make_singly(const struct ps_fir_part *p, size_t i)
{
	for (; i < p->n; i++)
		make_one(p, i);
}

#define LOOP ps_fir_loop_any
#define LANES 4
#define VECTORS 4
#define KEEP(a)
#define REST make_singly
#define TARGET
#include "actors/fir/loop.h"

#if defined(__x86_64__) || defined(__i386__)
static struct ps_fir_part part_from(const struct ps_fir_part *p, size_t i)
{
	struct ps_fir_part part = *p;

	part.x = (struct ps_fir_samples){ p->x.re + i, p->x.im + i };
	part.re += i;
	part.im += i;
	part.n -= i;
	return part;
}

static void make_any(const struct ps_fir_part *p, size_t i)
{
	const struct ps_fir_part part = part_from(p, i);

	ps_fir_loop_any(&part);
}

#define IN_REGISTER(vector) __asm__("" : "+v"(vector))

/* Not by target_clones: a vector that the baseline does not have is slower than its own. Twelve sums, the
 * taps' parts and a sample's are the 16 registers. */
#define LOOP ps_fir_loop_fma
#define LANES 8
#define VECTORS 6
#define KEEP IN_REGISTER
#define REST make_any
#define TARGET __attribute__((target("fma")))
#include "actors/fir/loop.h"

static void make_fma(const struct ps_fir_part *p, size_t i)
{
	const struct ps_fir_part part = part_from(p, i);

	ps_fir_loop_fma(&part);
}

#define LOOP ps_fir_loop_avx512
#define LANES 16
#define VECTORS 8
#define KEEP IN_REGISTER
#define REST make_fma
#define TARGET __attribute__((target("avx512f")))
#include "actors/fir/loop.h"

ps_fir_loop ps_fir_loop_best(void)
{
	enum ps_wide level = __builtin_cpu_supports("fma") ? ps_wide_level() : PS_WIDE_ANY;

	if (level >= PS_WIDE_AVX512)
		return ps_fir_loop_avx512;
	return level >= PS_WIDE_AVX2 ? ps_fir_loop_fma : ps_fir_loop_any;
}
#else
ps_fir_loop ps_fir_loop_best(void)
{
	return ps_fir_loop_any;
}
#endif
