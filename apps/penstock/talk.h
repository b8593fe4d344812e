/* SPDX-License-Identifier: MIT */
/*
 * Talk: what the processes of a command tell each other, in rounds: each rank says something of one size, and hears
 * what all have said. Over a transport of its own, beside the one of the network.
 *
 * The receives of a round are posted before a rank says that it has begun the round before, so no message goes without
 * its receive. Two slots do: a rank is at most one round ahead.
 */
#ifndef PENSTOCK_COMMAND_TALK_H
#define PENSTOCK_COMMAND_TALK_H

#include <penstock/transport.h>

enum {
	TALK_BYTES = 1024 /* that are said in a round, at most */,
	TALK_BULK = 6 /* messages of a bulk channel */
};

struct talk;

/* bulk: bytes of a message of the two bulk channels between each two ranks; 0: there are none. The transport stays the
 * caller's. NULL: *err is a negative errno. */
struct talk *talk_open(struct pstk_transport *, uint64_t bulk, int *err);

/* A round. all: gets what each rank has said, in order of ranks. Negative errno: a rank can't be reached. */
int talk_round(struct talk *, const void *mine, size_t bytes, void *all);

/* Tells all ranks what each has to say, of any length. Returns those of all ranks, for talk_free(); NULL: *err is a
 * negative errno. */
char **talk_texts(struct talk *, const char *mine, int *err);
void talk_free(char **texts, unsigned ranks);

/* Of the bulk channels: posts a message to or from a rank, in each slot from 0 on, which is free then. A round lies
 * between a receive that is posted and its message. Negative errno. */
int talk_send(struct talk *, unsigned rank, unsigned slot, const void *buffer, uint64_t bytes);
int talk_receive(struct talk *, unsigned rank, unsigned slot, void *buffer, uint64_t bytes);

/* Waits until no more than so many messages of the bulk channels are posted and not through. It takes a core. Negative
 * errno. */
int talk_await(struct talk *, unsigned left);

/* Ends it, in all ranks after as many rounds. Takes NULL. */
void talk_close(struct talk *);

#endif
