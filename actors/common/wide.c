/* SPDX-License-Identifier: MIT */
#include "actors/common/wide.h"

#include <stdatomic.h>

/* Constant but in tests. */
static _Atomic enum ps_wide limit = PS_WIDE_AVX512;

enum ps_wide ps_wide_level(void)
{
	enum ps_wide level = PS_WIDE_ANY;

#if defined(__x86_64__) || defined(__i386__)
	if (__builtin_cpu_supports("avx2"))
		level = PS_WIDE_AVX2;
	if (__builtin_cpu_supports("avx512f"))
		level = PS_WIDE_AVX512;
#endif
	return level < atomic_load(&limit) ? level : atomic_load(&limit);
}

enum ps_wide ps_wide_limit(enum ps_wide most)
{
	return atomic_exchange(&limit, most);
}
