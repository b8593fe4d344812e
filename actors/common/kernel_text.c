/* SPDX-License-Identifier: MIT */
#include "actors/common/kernel_text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void ps_kernel_print(struct ps_kernel_text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at, text->room, format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < text->room);
	text->at += n;
	text->room -= (size_t)n;
}
