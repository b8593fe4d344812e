/* SPDX-License-Identifier: MIT */
/* Text: a line that is put together in a buffer; what does not fit is left out. */
#ifndef PENSTOCK_TEXT_H
#define PENSTOCK_TEXT_H

#include "penstock/penstock.h"

#include <stdarg.h>
#include <stdio.h>

struct ps_text {
	char *buffer;
	size_t size, length; /* without the 0 that ends it; length < size */
};

static inline struct ps_text ps_text(char *buffer, size_t size)
{
	buffer[0] = 0;
	return (struct ps_text){ .buffer = buffer, .size = size };
}

/* false: it did not fit; as much as fits is there. */
PSTK_PRINTF(2, 3)
static inline bool ps_text_add(struct ps_text *t, const char *format, ...)
{
	size_t room = t->size - t->length;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->buffer + t->length, room, format, ap);
	va_end(ap);
	t->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
	return n >= 0 && (size_t)n < room;
}

#endif
