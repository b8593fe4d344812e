/* SPDX-License-Identifier: MIT */
#include "actors/common/sized.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

enum { SIDE_MOST = 32768, GROUP = 256, UNIT = 64 };

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

int ps_sized_check_sides(struct pstk_network *net, const char *name, uint32_t width, uint32_t height)
{
	if (width && height && width <= SIDE_MOST && height <= SIDE_MOST)
		return 0;
	return pstk_network_refuse(net, -EINVAL,
		"'%s': frames of %" PRIu32 " x %" PRIu32 " pixels: width and height are 1 to %d", name, width,
		height, SIDE_MOST);
}

int ps_sized_check_numbers(
	struct pstk_network *net, const char *name, const char *what, const float *numbers, size_t count)
{
	if (!numbers)
		return pstk_network_refuse(net, -EINVAL, "'%s': %s at NULL: give the numbers", name, what);
	for (size_t i = 0; i < count; i++)
		if (!isfinite(numbers[i]))
			return pstk_network_refuse(net, -EINVAL,
				"'%s': number %zu of the %s is %g: they are finite", name, i, what,
				(double)numbers[i]);
	return 0;
}

int ps_sized_set_kernel(struct pstk_actor *self, unsigned index, const uint32_t *numbers, unsigned count,
	size_t items, size_t lines)
{
	size_t some = (items + !items + UNIT - 1) / UNIT * UNIT, group = some < GROUP ? some : GROUP;
	const size_t local[] = { group, 1, 1 }, global[] = { (some + group - 1) / group * group,
		lines + !lines, pstk_actor_steps(self) };
	int err = pstk_actor_set_work_size(self, 3, global, local);

	for (unsigned i = 0; i < count && !err; i++)
		err = pstk_actor_set_arg(self, index + i, sizeof *numbers, &numbers[i]);
	return err ? err : pstk_actor_set_arg(self, index + count, sizeof(uint32_t), PSTK_ARG_STEPS);
}
