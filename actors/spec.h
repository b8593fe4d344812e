/* SPDX-License-Identifier: MIT */
/* Spec: structs that programs fill and that may grow; their first member is struct_size, the program's
 * sizeof. */
#ifndef PENSTOCK_ACTORS_SPEC_H
#define PENSTOCK_ACTORS_SPEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads a spec that a program gave; -EINVAL: no such struct. A newer program's may be larger, but have
 * nothing there that we don't know. No release has had a smaller one; when a spec grows, its first release's
 * size is to be passed, too, and what an older program lacks is zero. Here, because actors of several
 * libraries need it. */
static inline int ps_copy_spec(void *to, size_t size, const void *from)
{
	const unsigned char *bytes = from;
	uint32_t given;

	memcpy(&given, from, sizeof given);
	if (given < size)
		return -EINVAL;
	for (size_t i = size; i < given; i++)
		if (bytes[i])
			return -EINVAL;
	memcpy(to, from, size);
	return 0;
}

#endif
