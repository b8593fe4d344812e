/* SPDX-License-Identifier: MIT */
/*
 * Transport: what carries windows between the processes of a network. A table of functions, so that the library links
 * none: libpenstock-mpi has one over MPI (<penstock/mpi.h>), the tests one within a process.
 *
 * Ranks are the processes, numbered from 0. A channel goes from one rank to another one and keeps the order of its
 * messages. Both ranks name it by the same number. Between channels there is no order.
 *
 * One thread at a time calls these functions, not always the same one. None of them blocks, but for close(). Buffers
 * stay the caller's and must stay as they are until test() has told their end.
 *
 * The caller posts a receive before the other rank sends its message. The first messages of channels 0 to 3, as many as
 * they have slots, may come before: at the start the other rank may be later. It may not have opened its transport, or
 * not have closed it behind what it did before. They have at most 1 KiB each, and the transport keeps them.
 */
#ifndef PENSTOCK_TRANSPORT_H
#define PENSTOCK_TRANSPORT_H

#include <penstock/core/types.h>

/* One direction of one stream, as this rank sees it. */
struct pstk_transport_channel {
	uint32_t
		number; /* the same at both ranks; not used by another channel of that direction between them */
	uint32_t peer;  /* the other rank */
	bool sends;     /* this rank sends; false: it receives */
	uint32_t slots; /* messages that may be posted at once */
	uint64_t bytes; /* of a message, at most */
};

/* A posted message that is through. */
struct pstk_transport_done {
	uint32_t channel; /* its place in what open() was given */
	uint32_t slot;    /* as it was posted */
	uint64_t bytes;   /* that were sent, or have come */
	int err;          /* 0, -ECANCELED after cancel(), or another negative errno: error() says more */
};

struct pstk_transport {
	uint32_t struct_size; /* sizeof(struct pstk_transport) of what made it */
	const char *name;     /* "mpi" */
	void *self;           /* given to each function */
	uint32_t rank, ranks;

	/* The name of the machine that a rank runs on. Borrowed. */
	const char *(*host_name)(void *self, uint32_t rank);

	/* Before anything is posted: the channels of this rank. Called again only after close(). Negative errno. */
	int (*open)(void *self, const struct pstk_transport_channel *, uint32_t count);

	/* Posts a message: where the next one of that channel is to lie (up to so many bytes), or what to send, also 0
	 * bytes. slot: below the channel's slots, and not posted now. A slot mostly has the same buffer each time.
	 * Negative errno. */
	int (*receive)(void *self, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes);
	int (*send)(void *self, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes);

	/* Ends the receives of a channel that are posted and to which nothing will come: test() tells each. Nothing is
	 * posted there until test() has told them all. Negative errno. */
	int (*cancel)(void *self, uint32_t channel);

	/* Looks once at all that is posted. Tells the messages that are through: those of each channel in order.
	 * Returns how many, 0 to room. After a negative errno nothing is known of what is posted. */
	int (*test)(void *self, struct pstk_transport_done *, uint32_t room);

	/* Why a call, or a message, has failed. Borrowed, until the next call. */
	const char *(*error)(void *self);

	/* Ends all ranks at once, with this status. It may return; then the caller ends its own process. */
	void (*abort)(void *self, int status);

	/*
	 * Frees what open() has made, and gives up what is posted. Something is only where
	 *   - a first receive was refused;
	 *   - a rank has failed: sends to it;
	 *   - test() or cancel() has failed.
	 * It waits until a receive that is given up has ended: no buffer is written afterwards. A send that is given up
	 * may be read until the process ends.
	 */
	void (*close)(void *self);
};

#endif
