/* SPDX-License-Identifier: MIT */
/* Number: a number as text and as bytes, the same in every locale. */
#ifndef PENSTOCK_NUMBER_H
#define PENSTOCK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ps_number_kind { PS_SIGNED, PS_UNSIGNED, PS_FLOAT };

/* The member of its kind counts. */
struct ps_number {
	int64_t i;
	uint64_t u;
	double f; /* of 4 bytes: rounded to what a float has */
};

/* Is the whole of the text a number that fits so many bytes: 1, 2, 4, 8; a float 4, 8? Decimal, or 0x..; a float with a
 * point. One that is too small for a float is 0. */
bool ps_number_parse(enum ps_number_kind, size_t size, const char *text, struct ps_number *);

/* The number at a place as the shortest text, of some lengths, that ps_number_parse() takes for it. */
enum { PS_NUMBER_TEXT = 32 };
void ps_number_format(enum ps_number_kind, size_t size, const void *from, char text[PS_NUMBER_TEXT]);

/* Puts it there, in the machine's order of bytes. It fits. */
void ps_number_store(enum ps_number_kind, size_t size, const struct ps_number *, void *to);

#endif
