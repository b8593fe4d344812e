/* SPDX-License-Identifier: MIT */
/*
 * Rests: has the remote thread anything to do, and what has it done so far? For the layer above, which finds out with
 * it whether all ranks stand still. All calls: the remote thread, in calls.looked().
 */
#ifndef PENSTOCK_REMOTE_RESTS_H
#define PENSTOCK_REMOTE_RESTS_H

#include "lib/remote/remote.h"

/* What all channels of this rank have moved. At both ends of a channel equal numbers say that nothing is on its way. */
struct ps_remote_counts {
	uint64_t sent, come;       /* windows, and ends of streams */
	uint64_t granted, credits; /* receives that were told of, and heard of */
	uint64_t activity;         /* grows whenever something has changed for a channel */
};

void ps_remote_count(const struct ps_remote *, struct ps_remote_counts *);

/* Does each channel wait for another rank, or for an actor of this one? Not while a message is on its way from here, a
 * stream ends, or a device is busy with a window: that goes on by itself. The actors are held. false also if a rank has
 * failed, or one has aborted. */
bool ps_remote_rests(const struct ps_remote *);

/* The owner of the next window of this end is waited for: its counters don't allow it. */
bool ps_remote_end_waits(const struct ps_fifo_end *);

#endif
