/* SPDX-License-Identifier: MIT */
#include "lib/firing/reorder.h"

static struct pstk_firing *oldest(const struct pstk_actor *a)
{
	return &a->slots[atomic_load(&a->published) % a->slot_count];
}

/* Call with a->publishing set. */
static void publish_done(struct pstk_actor *a)
{
	struct pstk_firing *firing;

	while (firing = oldest(a), atomic_load(&firing->done)) {
		atomic_store(&firing->done, false);
		if (atomic_load(&a->over))
			ps_firing_drop(firing);
		else
			ps_firing_publish(firing);
	}
}

void ps_reorder_done(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	atomic_store(&firing->done, true);
	/* who finds somebody publishing leaves it to him: he looks once more when he has stopped */
	while (atomic_load(&oldest(a)->done) && !atomic_exchange(&a->publishing, true)) {
		publish_done(a);
		atomic_store(&a->publishing, false);
	}
}
