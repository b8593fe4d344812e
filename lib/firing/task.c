/* SPDX-License-Identifier: MIT */
#include "lib/firing/task.h"
#include "lib/base/memory.h"

#include <errno.h>

static struct ps_task *create(struct pstk_actor *a)
{
	struct ps_task *t = ps_memory_zalloc_lines(sizeof *t);

	if (!t)
		return NULL;
	t->actor = a;
	t->network = a->network;
	t->is_source = a->is_source;
	t->dynamic = a->control_port != PS_NO_PORT;
	t->member = -1;
	atomic_flag_clear(&t->told_unwanted);
	a->task = t;
	return t;
}

int ps_tasks_create(struct pstk_network *net)
{
	net->tasks = ps_memory_zalloc(net->actor_count, sizeof(*net->tasks));
	if (!net->tasks)
		return -ENOMEM;
	for (; net->task_count < net->actor_count; net->task_count++) {
		net->tasks[net->task_count] = create(net->actors[net->task_count]);
		if (!net->tasks[net->task_count])
			return -ENOMEM;
	}
	return 0;
}

void ps_tasks_free(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->task_count; i++)
		ps_memory_free(net->tasks[i]);
	ps_memory_free(net->tasks);
}
