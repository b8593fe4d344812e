/* SPDX-License-Identifier: MIT */
#include "actors/common/copy.h"
#include "actors/common/ports.h"
#include "actors/common/strips.h"

int ps_copy_init(struct pstk_actor *self, unsigned port, const void *value, size_t size)
{
	const uint64_t token = pstk_actor_port_token_size(self, port);
	int err = ps_ports_check(self);

	if (!err)
		err = ps_strips_set_work_size(self, port);
	if (!err)
		err = pstk_actor_set_arg(self, 0, size, value);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof token, &token);
	return err ? err : pstk_actor_set_arg(self, 2, sizeof(uint32_t), PSTK_ARG_STEPS);
}
