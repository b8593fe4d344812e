/* SPDX-License-Identifier: MIT */
/* Text: a line that the library puts together in a buffer. What does not fit is left out. */
#ifndef PENSTOCK_TEXT_H
#define PENSTOCK_TEXT_H

#include "penstock/penstock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The ending that makes a word behind a number its plural. */
static inline const char *ps_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Room for a time; the time, in three digits: "3.12 ms". */
enum { PS_TEXT_TIME = 32 };

static inline const char *ps_text_time(double ns, char text[static PS_TEXT_TIME])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;

	for (; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	snprintf(text, PS_TEXT_TIME, "%.*f %s",
		!unit || ns >= 99.95 ? 0
		: ns >= 9.995        ? 1
				     : 2,
		ns, units[unit]);
	return text;
}

/* The letters that two words have in common at their beginning and, behind that, at their end. */
static inline size_t ps_text_likeness(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), head = 0, tail = 0;

	while (head < la && head < lb && a[head] == b[head])
		head++;
	while (tail < la - head && tail < lb - head && a[la - 1 - tail] == b[lb - 1 - tail])
		tail++;
	return head + tail;
}

/* The bytes of a control character at the beginning of a text, which could steer a terminal or end a line: one, or
 * UTF-8's two (C1). 0: there is none. */
static inline unsigned ps_text_control(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2;
	return (*c && *c < ' ') || *c == 0x7f;
}

struct ps_text {
	char *buffer;
	size_t size, length; /* without the 0 that ends it; length < size */
};

static inline struct ps_text ps_text(char *buffer, size_t size)
{
	buffer[0] = 0;
	return (struct ps_text){ .buffer = buffer, .size = size };
}

/* Ends a full buffer of at least 8 bytes with "..", behind a whole letter of UTF-8. */
static inline void ps_text_cut(char *buffer, size_t size)
{
	size_t end = size - 3;

	while (end && ((unsigned char)buffer[end] & 0xC0) == 0x80)
		end--;
	memcpy(buffer + end, "..", 3);
}

/* Adds a formatted text. false: it did not fit. Then as much as fits is there, and later calls add nothing. */
PSTK_PRINTF(2, 3)
static inline bool ps_text_add(struct ps_text *t, const char *format, ...)
{
	size_t room = t->size - t->length;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->buffer + t->length, room, format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < room) {
		t->length += (size_t)n;
		return true;
	}
	if (n >= 0 && room > 1) {
		ps_text_cut(t->buffer, t->size);
		t->length = strlen(t->buffer);
		t->size = t->length + 1;
	}
	return false;
}

/* Adds at most so many bytes of a text, with control characters as \x1b. false: as ps_text_add(). */
static inline bool ps_text_add_shown(struct ps_text *t, const char *text, size_t most)
{
	bool fits = true;

	for (const char *c = text, *end = text + most; fits && c < end && *c;) {
		unsigned control = ps_text_control(c);

		c += control > 1; /* the last byte is the character's number */
		fits = control ? ps_text_add(t, "\\x%02x", (unsigned char)*c) : ps_text_add(t, "%c", *c);
		c++;
	}
	return fits;
}

#endif
