/* SPDX-License-Identifier: MIT */
/* Spec: structs that programs fill and that may grow; their first member is struct_size, the program's
 * sizeof. */
#ifndef PENSTOCK_ACTORS_SPEC_H
#define PENSTOCK_ACTORS_SPEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads a spec that a program gave: a smaller struct of an older program is zeros at its end; a larger one
 * may have nothing there that we don't know: -EINVAL. Here, because actors of several libraries need it. */
static inline int ps_copy_spec(void *to, size_t size, const void *from)
{
	const unsigned char *bytes = from;
	uint32_t given;

	memcpy(&given, from, sizeof given);
	if (given < sizeof given)
		return -EINVAL;
	for (size_t i = size; i < given; i++)
		if (bytes[i])
			return -EINVAL;
	memset(to, 0, size);
	memcpy(to, from, given < size ? given : size);
	return 0;
}

#endif
