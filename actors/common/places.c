/* SPDX-License-Identifier: MIT */
#include "actors/common/places.h"

#include <errno.h>

bool ps_places_cores(const struct pstk_actor *self)
{
	struct pstk_device_info info;
	unsigned i = 0;
	int err;

	while (!(err = pstk_actor_get_place(self, i, &info)))
		i++;
	return err == -ENODEV;
}

bool ps_places_device(const struct pstk_actor *self, struct pstk_device_info *info)
{
	unsigned i = 0;
	int err;

	while ((err = pstk_actor_get_place(self, i, info)) == -ENODEV)
		i++;
	return !err;
}
