/* SPDX-License-Identifier: MIT */
/* Spec: structs that programs fill and that may grow; their first member is struct_size, the program's
 * sizeof. */
#ifndef PENSTOCK_ACTORS_SPEC_H
#define PENSTOCK_ACTORS_SPEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PS_SPEC_MAX = 4096 }; /* no spec will grow so large */

/* Reads the struct WHAT_spec that a program gave to WHAT_open(); -EINVAL: no such struct, and error (error_size bytes,
 * may be NULL) says why. An older program's is at least as large as its first release had it (`first` bytes); what it
 * lacks is zero. A newer program's may be larger, but have nothing there that we don't know. Here, because actors of
 * several libraries need it. */
static inline int ps_copy_spec(void *to, size_t size, size_t first, const void *from, const char *what,
	char *error, size_t error_size)
{
	const unsigned char *bytes = from;
	uint32_t given;
	size_t behind = size;

	memcpy(&given, from, sizeof given);
	if (given >= first && given <= PS_SPEC_MAX) {
		while (behind < given && !bytes[behind])
			behind++;
		if (behind >= given) {
			memset(to, 0, size);
			memcpy(to, from, given < size ? given : size);
			return 0;
		}
	}
	if (error && error_size)
		snprintf(error, error_size,
			"%s_open: struct_size of its struct %s_spec is %u, expected %zu, or more with "
			"zeros behind that: set .struct_size = sizeof(struct %s_spec), as "
			"%s_spec_init() does",
			what, what, given, size, what, what);
	return -EINVAL;
}

#endif
