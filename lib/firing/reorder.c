/* SPDX-License-Identifier: MIT */
#include "lib/firing/reorder.h"
#include "lib/firing/tracing.h"

static struct pstk_firing *oldest(const struct ps_task *t)
{
	return &t->slots[atomic_load(&t->published) % t->slot_count];
}

static void drop(struct pstk_firing *firing)
{
	if (firing->task->trace)
		ps_tracing_dropped(firing);
	ps_firing_drop(firing);
}

/* Call with t->publishing set. */
static void publish_done(struct ps_task *t)
{
	struct pstk_firing *firing;

	while (firing = oldest(t), atomic_load(&firing->done)) {
		atomic_store(&firing->done, false);
		if (atomic_load(&t->over))
			drop(firing);
		else
			ps_firing_publish(firing);
	}
}

void ps_reorder_done(struct pstk_firing *firing)
{
	struct ps_task *t = firing->task;

	atomic_store(&firing->done, true);
	/* a thread that finds another one publishing leaves it to that one, which looks again when it has stopped */
	while (atomic_load(&oldest(t)->done) && !atomic_exchange(&t->publishing, true)) {
		publish_done(t);
		atomic_store(&t->publishing, false);
	}
}
