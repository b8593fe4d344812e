/* SPDX-License-Identifier: MIT */
/*
 * Watchdog: says which actors are inside something when nothing moves in the whole network. It is the watcher's way of
 * waiting: no thread more, and nothing on the path of a firing, whose figures it compares from time to time.
 */
#ifndef PENSTOCK_WATCHDOG_H
#define PENSTOCK_WATCHDOG_H

#include "lib/model/network.h"

/* Watcher only. */
struct ps_watchdog {
	struct pstk_network *net;
	uint64_t commits, since; /* when they last changed */
	uint64_t looked, next;   /* the clock; next: 0: not set */
	unsigned flights;
	bool barked; /* has failed the network */
};

/* create() and destroy(): what the watchdog and snapshots keep of the network. -ENOMEM. */
int ps_watch_create(struct pstk_network *);
void ps_watch_free(struct pstk_network *);

/* start(): what the environment says, unless pstk_network_set_watchdog() was called. -ENOMEM. */
int ps_watchdog_prepare(struct pstk_network *);

void ps_watchdog_begin(struct ps_watchdog *, struct pstk_network *);

/* Waits for net->wake, or so long that it is time to look or to take samples; does so. */
void ps_watchdog_wait(struct ps_watchdog *);

/* So long pstk_network_wait() is silent while user code holds up the end of a network. */
extern uint64_t ps_watchdog_remind_ns;

/* Any thread that waits for the end: names the actors that hold it up, if the network has failed or was aborted. */
void ps_watchdog_remind(const struct pstk_network *);

#endif
