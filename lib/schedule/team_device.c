/* SPDX-License-Identifier: MIT */
#include "lib/schedule/team_device.h"
#include "lib/firing/backend.h"

bool ps_team_device_busy(const struct ps_fifo_end *end)
{
	const struct ps_fifo *f = end->fifo;

	return f->ops && (end == &f->writer ? ps_fifo_may_write(f) : ps_fifo_may_read(f));
}

/* A callback for each event is enough: it is still to come if nothing has changed. */
static void announce_window(struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	struct ps_fifo *f = end->fifo;
	bool writer = end == &f->writer;
	uint64_t n = atomic_load_explicit(&end->started, memory_order_relaxed);

	if (end->announced == n + 1)
		return;
	end->announced = n + 1;
	f->ops->announce(f->place, eventcount, f->ops->awaited(f->place, writer, n));
}

static void announce_room(struct ps_task *t, struct ps_eventcount *eventcount)
{
	struct pstk_actor *a = t->actors[0];

	if (t->announced == t->next_ran + 1)
		return;
	t->announced = t->next_ran + 1;
	a->backend->announce_room(t->actors[0], eventcount);
}

void ps_team_device_announce(struct ps_task *t, struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	struct pstk_actor *a = t->actors[0];

	if (end && ps_team_device_busy(end))
		announce_window(end, eventcount);
	else if (!end && a->backend)
		announce_room(t, eventcount);
}
