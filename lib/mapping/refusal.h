/* SPDX-License-Identifier: MIT */
/* Refusal: says in a caller's buffer what is wrong. */
#ifndef PENSTOCK_MAPPING_REFUSAL_H
#define PENSTOCK_MAPPING_REFUSAL_H

#include "penstock/core/types.h"

#include <stdarg.h>
#include <stdio.h>

/* text: NULL, or a size of 0: nothing is said. Returns -EINVAL. */
PSTK_PRINTF(3, 4) static inline int ps_refuse(char *text, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (text && size)
		vsnprintf(text, size, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

#endif
