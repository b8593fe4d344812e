/* SPDX-License-Identifier: MIT */
#include "lib/schedule/team_device.h"
#include "lib/firing/backend.h"

bool ps_team_device_busy(const struct ps_fifo_end *end)
{
	return end->ops && ps_fifo_may(end);
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
		ps_fifo_announce(end, eventcount);
	else if (!end && a->backend)
		announce_room(t, eventcount);
}
