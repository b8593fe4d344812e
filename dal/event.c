/* SPDX-License-Identifier: MIT */
/* Events: the program's function that hears of DAL_send_event(), and the end of the application. */
#include "dal/process.h"

#include <errno.h>

int pstk_dal_set_event(struct pstk_network *net,
	int (*heard)(void *data, const char *process, const char *message), void *data)
{
	unsigned count = pstk_network_actor_count(net), found = 0;

	if (!net)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++) {
		struct ps_dal_actor *actor = ps_dal_actor_of(pstk_network_actor(net, i));

		if (!actor)
			continue;
		actor->heard = heard;
		actor->heard_data = data;
		found++;
	}
	return found ? 0
	             : pstk_network_refuse(net, -ENOENT,
			       "no DAL process is in it: call pstk_dal_build() before "
			       "pstk_dal_set_event()");
}

int DAL_send_event(const void *message, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	struct pstk_network *net;

	if (!run || !message || run->finishing)
		return -1;
	if (run->actor->heard &&
		!run->actor->heard(run->actor->heard_data, pstk_actor_name(run->self), message))
		return 0;
	net = pstk_actor_network(run->self);
	for (unsigned i = 0; i < pstk_network_actor_count(net); i++) {
		struct ps_dal_actor *actor = ps_dal_actor_of(pstk_network_actor(net, i));

		if (actor)
			atomic_store(&actor->stopped, true);
	}
	pstk_network_stop(net);
	return 0;
}
