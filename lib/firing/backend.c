/* SPDX-License-Identifier: MIT */
#include "lib/firing/backend.h"

bool ps_backends_draining(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (net->actors[i]->backend && net->actors[i]->backend->draining(net))
			return true;
	return false;
}

void ps_backends_give_up(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (net->actors[i]->backend)
			net->actors[i]->backend->give_up(net);
}
