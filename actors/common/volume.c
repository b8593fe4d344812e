/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/volume.h"

#include <errno.h>
#include <inttypes.h>

static bool times(size_t *product, size_t factor)
{
	return !__builtin_mul_overflow(*product, factor, product);
}

int ps_volume_init(struct ps_volume *v, struct pstk_network *net, const char *name, uint32_t width,
	uint32_t height, uint32_t depth)
{
	uint32_t rest = width % PS_WORD_BITS;
	size_t pixels = width, bytes = sizeof(uint64_t);

	depth = depth ? depth : 1;
	*v = (struct ps_volume){ .width = width,
		.height = height,
		.depth = depth,
		.words = (size_t)width / PS_WORD_BITS + (rest != 0),
		.last = rest ? (UINT64_C(1) << rest) - 1 : UINT64_MAX };
	v->size = v->words;
	if (!width || !height)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': images of %" PRIu32 "x%" PRIu32 "x%" PRIu32
			": give width and height, at least 1",
			name, width, height, depth);
	if (!times(&v->size, height) || !times(&v->size, depth) || !times(&bytes, v->size) ||
		!times(&pixels, height) || !times(&pixels, depth))
		return pstk_network_refuse(net, -EINVAL,
			"'%s': images of %" PRIu32 "x%" PRIu32 "x%" PRIu32
			" have more bytes than memory can have",
			name, width, height, depth);
	return 0;
}
