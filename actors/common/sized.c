/* SPDX-License-Identifier: MIT */
#include "actors/common/sized.h"

#include <errno.h>
#include <inttypes.h>

int ps_sized_check(struct pstk_actor *self, unsigned port, size_t bytes, const char *what)
{
	size_t token = pstk_actor_port_token_size(self, port), wanted = pstk_sized_bytes(bytes);

	if (token == wanted)
		return 0;
	return pstk_actor_error(self, -EINVAL,
		"port '%s' has tokens of %zu bytes, %s needs %zu: make the FIFO's token size "
		"pstk_sized_bytes(%zu)",
		pstk_actor_get_type(self)->ports[port].name, token, what, wanted, bytes);
}

int ps_sized_read(struct pstk_actor *self, const void *token, const struct pstk_frame_size *largest,
	struct pstk_frame_size *size)
{
	*size = pstk_sized_get(token);
	if (size->width <= largest->width && size->height <= largest->height)
		return 0;
	return pstk_actor_error(self, -EINVAL,
		"a frame of %" PRIu32 " x %" PRIu32 " pixels: the largest is %" PRIu32 " x %" PRIu32,
		size->width, size->height, largest->width, largest->height);
}
