/* SPDX-License-Identifier: MIT */
/*
 * Hosts' standstill: what the ranks of a network tell each other, beside the windows, about what they do:
 *
 *   - that they stand still, until rank 0 finds a deadlock (standstill.h), collects which actor waits for what
 *     (lib/schedule/still.h), and fails the network;
 *   - that something has moved, for the watchdogs of the others;
 *   - that snapshots are wanted.
 *
 * lib/run/hosts.c calls it: from the remote thread, if nothing else is said.
 */
#ifndef PENSTOCK_HOSTS_STILL_H
#define PENSTOCK_HOSTS_STILL_H

#include "lib/model/network.h"
#include "lib/remote/remote.h"

struct ps_hosts_still;

/* start(), when the network has its tasks, before its watcher. NULL: out of memory. */
struct ps_hosts_still *ps_hosts_still_new(
	struct pstk_network *, struct ps_remote *, uint32_t rank, uint32_t ranks);
void ps_hosts_still_free(struct ps_hosts_still *);

/* Any thread: the actors run from now on. */
void ps_hosts_still_go(struct ps_hosts_still *);

/* ps_remote_calls.looked() */
void ps_hosts_still_look(struct ps_hosts_still *);

/* ps_remote_calls.message() */
void ps_hosts_still_hear(
	struct ps_hosts_still *, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size);

/* So long nothing must have moved before a rank looks whether it stands still. Only tests change it. */
extern uint64_t ps_hosts_still_after_ns;

#endif
