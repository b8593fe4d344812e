/* SPDX-License-Identifier: MIT */
/* Kernel text: the source of a kernel that is written for a number of ports, into a buffer of a known size. */
#ifndef PENSTOCK_ACTORS_KERNEL_TEXT_H
#define PENSTOCK_ACTORS_KERNEL_TEXT_H

#include "penstock/penstock.h"

struct ps_kernel_text {
	char *at;
	size_t room; /* with the terminating 0 */
};

PSTK_PRINTF(2, 3) void ps_kernel_print(struct ps_kernel_text *, const char *format, ...);

#endif
