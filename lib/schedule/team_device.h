/* SPDX-License-Identifier: MIT */
/* Team device: what a team's actor waits for that no counter tells, commands of a device. For the member that has the
 * actor's `taking` flag. */
#ifndef PENSTOCK_TEAM_DEVICE_H
#define PENSTOCK_TEAM_DEVICE_H

#include "lib/firing/firing.h"

/* Is a window missing here only because a device is busy with its memory? */
bool ps_team_device_busy(const struct ps_fifo_end *);

/* The actor's next firing waits at `end`, NULL: for firings in flight. If that is for commands of a device the
 * eventcount is notified when they are through. */
void ps_team_device_announce(struct ps_task *, struct ps_fifo_end *, struct ps_eventcount *);

#endif
