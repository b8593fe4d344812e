/* SPDX-License-Identifier: MIT */
#include "lib/firing/backend.h"
#include "lib/model/pipeline.h"

bool ps_backends_draining(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_backend_anywhere(net->actors[i]) && ps_backend_anywhere(net->actors[i])->draining(net))
			return true;
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (p->row && p->backend->draining(net))
			return true;
	return false;
}

void ps_backends_give_up(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_backend_anywhere(net->actors[i]))
			ps_backend_anywhere(net->actors[i])->give_up(net);
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (p->row)
			p->backend->give_up(net);
}
