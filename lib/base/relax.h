/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_RELAX_H
#define PENSTOCK_RELAX_H

/* In a loop that looks again and again: leaves the core's other thread more of it. */
static inline void ps_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
