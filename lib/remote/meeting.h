/* SPDX-License-Identifier: MIT */
/*
 * Meeting: ranks do something together, in the program's thread, while nothing else runs over their transport. It opens
 * the transport, and closes it again.
 *
 * A rank may be further than another one: it has met, and opens the transport for what comes next, while that one still
 * is at this meeting, or at what came before. So
 *	- a rank posts as many receives as messages will come: none is left that would take a later message;
 *	- the first message of each direction is an early one (<penstock/transport.h>), on a channel on which the
 *	  control messages of a run (calls.c) go the other way, because those do leave receives until they are
 *	  cancelled;
 *	- no rank is through before it has heard from each one that it meets. So none is further than one meeting.
 *
 * Only for the files of this folder.
 */
#ifndef PENSTOCK_REMOTE_MEETING_H
#define PENSTOCK_REMOTE_MEETING_H

#include "penstock/transport.h"

#include <stddef.h>

/* A message that was given up may be read until the process ends. So what it lies in is kept, with this in front. */
struct ps_given_up {
	struct ps_given_up *next;
};
void ps_meeting_give_up(struct ps_given_up *);

struct ps_meeting {
	struct pstk_transport *transport;
	char *text; /* where it says why it fails */
	size_t size;
	bool opened;
	uint64_t moved, sleep; /* when something has, and the last sleep: ns */
};

/* The numbers of two channels for early messages between this rank and another one. Both ranks get what the other one
 * gets for the other direction. */
static inline uint32_t ps_meeting_first(uint32_t from, uint32_t to)
{
	return from < to ? 1 : 0;
}

static inline uint32_t ps_meeting_second(uint32_t from, uint32_t to)
{
	return from < to ? 2 : 3;
}

/* Opens the transport. Negative errno, with a text. */
int ps_meeting_open(struct ps_meeting *, const struct pstk_transport_channel *, uint32_t count);

/* Post a message. rank: the other one, for the text. Negative errno, with a text. */
int ps_meeting_receive(
	struct ps_meeting *, uint32_t rank, uint32_t channel, uint32_t slot, void *, uint64_t bytes);
int ps_meeting_send(
	struct ps_meeting *, uint32_t rank, uint32_t channel, uint32_t slot, const void *, uint64_t bytes);

/* Looks, once. The messages that are through; negative errno, with a text. */
int ps_meeting_look(struct ps_meeting *, struct pstk_transport_done *, uint32_t room);

/* Behind a look: nothing has moved, or something has. Spins, then sleeps (pace.h). */
void ps_meeting_pause(struct ps_meeting *, bool moved);

/* Has nothing moved for so long? */
bool ps_meeting_is_still(const struct ps_meeting *, uint64_t ns);

/* Says "rank 1 (c1): ..". Returns err. */
int ps_meeting_blame(struct ps_meeting *, int err, uint32_t rank, const char *format, ...) PSTK_PRINTF(4, 5);

/* What the transport says of its last error goes behind that. */
int ps_meeting_blame_cause(struct ps_meeting *, int err, uint32_t rank, const char *what);

void ps_meeting_close(struct ps_meeting *);

#endif
