/* SPDX-License-Identifier: MIT */
/*
 * Self-timed execution: how long an iteration takes when each actor fires as soon as it can.
 *
 * An actor fires an iteration at once, and one iteration at a time. A place runs as many actors as it has cores, a
 * direction of a link one transfer. Those that wait for one begin in the order in which they could, as the commands of
 * a device do; of several at once the one that is furthest behind, then the first one in the order of the schedule, or
 * of the buffers. A window's slot is taken when its filling begins, and is free when all that read it have ended.
 * Merged buffers take turns as merge.c's groups do at run time:
 *
 * 	write n of a member begins when window n of the member before it was read;
 * 	write n of the first one when window n - K of the last one was, K the group's depth.
 */
#ifndef PENSTOCK_SELFTIMED_H
#define PENSTOCK_SELFTIMED_H

#include "lib/mapping/outline.h"

/*
 * Seconds an iteration: the mean of the later half of those that were executed, from when the last actor has ended the
 * former half to when the last one has ended all; never below the bound, which places that were ahead by then would
 * be. merge: buffers share memory.
 * NAN: the network is too large for that (more than PS_SELFTIMED_MOST firings and transfers would be needed).
 * -EDEADLK: it can't go on; -ENOMEM.
 */
enum { PS_SELFTIMED_MOST = 1000000 };
int ps_selftimed(const struct ps_outline *, bool merge, double *period);

#endif
