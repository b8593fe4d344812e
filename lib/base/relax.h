/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_RELAX_H
#define PENSTOCK_RELAX_H

/* For loops that look again and again: leaves more of the core to its other hardware thread. */
static inline void ps_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
