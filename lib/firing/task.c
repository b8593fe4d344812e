/* SPDX-License-Identifier: MIT */
#include "lib/firing/task.h"
#include "lib/base/memory.h"

#include <errno.h>

static struct ps_task *create(struct pstk_actor *const *actors, unsigned count)
{
	struct ps_task *t = ps_memory_zalloc(1, sizeof *t + count * sizeof(*t->actors));

	if (!t)
		return NULL;
	t->network = actors[0]->network;
	t->member = -1;
	atomic_flag_clear(&t->told_unwanted);
	t->actor_count = count;
	for (unsigned i = 0; i < count; i++) {
		t->actors[i] = actors[i];
		actors[i]->task = t;
	}
	return t;
}

int ps_tasks_create(struct pstk_network *net)
{
	net->tasks = ps_memory_zalloc(net->actor_count, sizeof(*net->tasks));
	if (!net->tasks)
		return -ENOMEM;
	for (; net->task_count < net->actor_count; net->task_count++) {
		struct ps_task *t = create(&net->actors[net->task_count], 1);

		if (!t)
			return -ENOMEM;
		net->tasks[net->task_count] = t;
	}
	return 0;
}

void ps_tasks_free(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->task_count; i++)
		ps_memory_free(net->tasks[i]);
	ps_memory_free(net->tasks);
}
