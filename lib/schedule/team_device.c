/* SPDX-License-Identifier: MIT */
#include "lib/schedule/team_device.h"
#include "lib/firing/backend.h"

bool ps_team_device_busy(const struct ps_fifo_end *end)
{
	return end->ops && ps_fifo_may(end);
}

/* A callback for each event is enough: it is still to come if nothing has changed. */
static void announce_window(struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	uint64_t n = atomic_load_explicit(&end->started, memory_order_relaxed);

	if (end->announced == n + 1)
		return;
	end->announced = n + 1;
	end->ops->announce(end->place, eventcount, end->ops->awaited(end->place, end->writes, n));
}

static void announce_room(struct ps_task *t, struct ps_eventcount *eventcount)
{
	struct pstk_actor *a = t->actor;

	if (t->announced == t->next_ran + 1)
		return;
	t->announced = t->next_ran + 1;
	a->backend->announce_room(t->actor, eventcount);
}

void ps_team_device_announce(struct ps_task *t, struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	struct pstk_actor *a = t->actor;

	if (end && ps_team_device_busy(end))
		announce_window(end, eventcount);
	else if (!end && a->backend)
		announce_room(t, eventcount);
}
