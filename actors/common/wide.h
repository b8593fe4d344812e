/* SPDX-License-Identifier: MIT */
/*
 * Wide: hot loops that gain from longer vectors than the baseline's are compiled for both; which of them runs
 * is chosen at run time. A loop is written once, as a function NAME_body that is `PS_WIDE_BODY static`, and
 * so are the functions that it calls;
 *
 *	PS_WIDE(NAME, (float *sum, const float *x, size_t n), (sum, x, n))
 *
 * behind it makes NAME_any, NAME_avx2 and NAME, which calls one of them. PS_WIDE_LANES() is the same for loops that
 * are written in vectors: NAME_body has one more parameter, behind the others, the floats of a vector, a constant. Not
 * by target_clones: tests must reach each, also in a build with a sanitizer, whose runtime is not ready when a loader
 * chooses. NAME should do a frame or a block: choosing costs a few instructions.
 */
#ifndef PENSTOCK_ACTORS_WIDE_H
#define PENSTOCK_ACTORS_WIDE_H

/* In rising order. PS_WIDE_AVX512 is only for loops that say so: fir's. */
enum ps_wide { PS_WIDE_ANY, PS_WIDE_AVX2, PS_WIDE_AVX512 };

/* The longest vectors that this processor has, but no longer than ps_wide_limit() says. */
enum ps_wide ps_wide_level(void);

/* For tests: any thread, while no loop runs. Returns the limit so far; PS_WIDE_AVX512: none. */
enum ps_wide ps_wide_limit(enum ps_wide);

#define PS_WIDE_BODY __attribute__((always_inline)) inline

#if defined(__x86_64__) || defined(__i386__)
#define PS_WIDE_TWO(name, parameters, any, avx2)                           \
	static void name##_any parameters                                  \
	{                                                                  \
		name##_body any;                                           \
	}                                                                  \
	__attribute__((target("avx2"))) static void name##_avx2 parameters \
	{                                                                  \
		name##_body avx2;                                          \
	}
#define PS_WIDE_CHOOSE(name, parameters, arguments)  \
	static void name parameters                  \
	{                                            \
		if (ps_wide_level() >= PS_WIDE_AVX2) \
			name##_avx2 arguments;       \
		else                                 \
			name##_any arguments;        \
	}
#define PS_WIDE(name, parameters, arguments)                \
	PS_WIDE_TWO(name, parameters, arguments, arguments) \
	PS_WIDE_CHOOSE(name, parameters, arguments)
#define PS_WIDE_LANES(name, parameters, ...)                              \
	PS_WIDE_TWO(name, parameters, (__VA_ARGS__, 4), (__VA_ARGS__, 8)) \
	PS_WIDE_CHOOSE(name, parameters, (__VA_ARGS__))
#else
#define PS_WIDE(name, parameters, arguments) \
	static void name parameters          \
	{                                    \
		name##_body arguments;       \
	}
#define PS_WIDE_LANES(name, parameters, ...) PS_WIDE(name, parameters, (__VA_ARGS__, 4))
#endif

#endif
