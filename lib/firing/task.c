/* SPDX-License-Identifier: MIT */
#include "lib/firing/task.h"
#include "lib/base/memory.h"

#include <errno.h>

struct ps_task *ps_task_create(struct pstk_actor *a)
{
	struct ps_task *t = ps_memory_zalloc_lines(sizeof *t);

	if (!t)
		return NULL;
	t->actor = a;
	t->network = a->network;
	t->is_source = a->is_source;
	t->dynamic = a->control_port != PS_NO_PORT;
	t->member = -1;
	atomic_store(&t->over, ps_actor_away(a));
	atomic_store(&t->ended, ps_actor_away(a));
	atomic_flag_clear(&t->told_unwanted);
	a->task = t;
	return t;
}

/* Of the actors that are here, or of those that are away: behind the first `count` tasks. Returns how many there are
 * then; fewer than there should be: memory is out. */
static unsigned create_those(struct pstk_network *net, bool away, unsigned count)
{
	for (unsigned i = 0; i < net->actor_count; i++) {
		if (ps_actor_away(net->actors[i]) != away)
			continue;
		net->tasks[count] = ps_task_create(net->actors[i]);
		if (!net->tasks[count])
			break;
		count++;
	}
	return count;
}

int ps_tasks_create(struct pstk_network *net)
{
	net->tasks = ps_memory_zalloc(net->actor_count, sizeof(*net->tasks));
	if (!net->tasks)
		return -ENOMEM;
	net->task_count = create_those(net, false, 0);
	return create_those(net, true, net->task_count) == net->actor_count ? 0 : -ENOMEM;
}

void ps_tasks_free(struct pstk_network *net)
{
	for (unsigned i = 0; net->tasks && i < net->actor_count; i++)
		ps_memory_free(net->tasks[i]);
	ps_memory_free(net->tasks);
}
