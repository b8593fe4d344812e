/* SPDX-License-Identifier: MIT */
/*
 * Remote: carries windows of FIFOs between this process and others, over a transport (<penstock/transport.h>). It knows
 * no actor, no network and no MPI.
 *
 *	this rank                                    another rank
 *	writer --> [ FIFO ] --> sender ==windows==> receiver --> [ FIFOs ] --> readers
 *	                               <==credits==
 *
 * A sender owns the reader's end of a FIFO, a receiver the writer's end of one FIFO or several (a broadcast). Windows
 * leave from, and arrive in, the memory of the FIFOs. A rank that only forwards has a receiver and a sender at one
 * FIFO. doc/internals/remote.md has the protocol.
 *
 * One thread, the remote thread, owns all these ends and makes all calls of the transport but those of
 * ps_remote_begin(), before it runs, and of ps_remote_end(), after it. It holds no lock then.
 *
 * A rank has failed when a message to it or from it fails, when it says what makes no sense, or when it is silent for
 * four seconds after it was heard. It stays so: its channels are closed, and nothing more is told to it. A rank that
 * was never heard may still have to begin: this one waits for it without a limit, if nothing else was agreed (met).
 */
#ifndef PENSTOCK_REMOTE_H
#define PENSTOCK_REMOTE_H

#include "lib/fifo/fifo.h"
#include "penstock/transport.h"

/* A user message has at most so many bytes; so many may wait for each rank. */
enum { PS_REMOTE_MESSAGE = 496, PS_REMOTE_WAITING = 8 };

/* Bytes of the text of an abort, at most. */
enum { PS_REMOTE_TEXT = PS_REMOTE_MESSAGE - sizeof(int32_t) };

/* Functions may be NULL, but for fault. The remote thread calls them, without a lock. */
struct ps_remote_calls {
	void *user; /* given to each */
	/* All ranks are about to begin: a rank that is never heard is silent, too. */
	bool met;
	/* What messages call a rank; NULL: the machine that it runs on. Borrowed. */
	const char *(*name)(void *user, uint32_t rank);
	/* A rank has failed, or of this rank: the transport, or the place of a FIFO. Once for each other rank. The ends
	 * that the remote thread owns are closed after the call. */
	void (*fault)(void *user, uint32_t rank, const char *text);
	/* A message of ps_remote_tell() has come. */
	void (*message)(void *user, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size);
	/* The remote thread has published or freed windows of this FIFO, or closed its end. */
	void (*changed)(void *user, struct ps_fifo *);
	/* Closes the remote thread's end of this FIFO: the writer's or the reader's. NULL: it does so itself. */
	void (*close)(void *user, struct ps_fifo *, bool writes);
	/* The place of this FIFO has failed; NULL: fault() is called. */
	void (*failed)(void *user, struct ps_fifo *, bool writes);
	/*
	 * Is this rank's work over without its end? Then it has called ps_remote_abort(). Asked behind each look that
	 * found the other end of a FIFO closed, or a partly filled window: the other ranks are not to take that for the
	 * end of the stream.
	 */
	bool (*over)(void *user);
	/* A letter of so many bytes has come. Both buffers are the caller's until it sends one. of_letters: their
	 * user. */
	void (*letter)(void *user, void *of_letters, uint64_t bytes);
	/* A rank has called ps_remote_abort(), or ps_remote_stop(). Only the first abort is told. */
	void (*aborted)(void *user, uint32_t rank, int err, const char *text);
	void (*stopped)(void *user, uint32_t rank);
	/* All channels of all ranks are through, and each rank that has not failed has called ps_remote_done().
	 * Once. */
	void (*through)(void *user);
	/* The remote thread's first and last act. */
	void (*enter)(void *user);
	void (*leave)(void *user);
	/* The remote thread has looked at everything once (rests.h). */
	void (*looked)(void *user);
	/* Nanoseconds by which silence is measured. NULL: the clock's. */
	uint64_t (*now)(void *user);
};

struct ps_remote;

/* BUILD. The transport stays the caller's, and outlives it. NULL: out of memory. */
struct ps_remote *ps_remote_new(struct pstk_transport *, const struct ps_remote_calls *);

/*
 * BUILD. Adds a channel: up to `windows` of them are on their way. Both ranks give it the same number; from one rank to
 * another one each channel has its own. The FIFOs have their memory, stay the caller's, and outlive the remote thread.
 * Sender: the FIFO has one rate and neither delay, history nor tail. Receiver: `owners` are the FIFOs that own memory;
 * those that share it come along. All have the same write rate, and windows as large as the sender's.
 *   -EINVAL: such a rank, such windows or such a FIFO can't be
 *   -EEXIST: the number is used
 *   -EMSGSIZE: a window above 2 GiB
 *   -ENOMEM
 */
int ps_remote_add_sender(
	struct ps_remote *, uint32_t rank, uint32_t number, uint32_t windows, struct ps_fifo *);
int ps_remote_add_receiver(struct ps_remote *, uint32_t rank, uint32_t number, uint32_t windows,
	struct ps_fifo *const owners[], uint32_t count);

/*
 * BUILD. Letters with another rank: this one asks, or it answers; one at a time is on its way. Both ranks give them the
 * same number, which no channel between them has. What goes is sent from `out`, what comes is in `in`; they stay the
 * caller's, and outlive the remote thread. user: for calls.letter(). *letters: for ps_remote_send_letter().
 *   -EMSGSIZE: above 2 GiB
 *   -ENOMEM */
struct ps_letters;
struct ps_letters_of {
	uint32_t rank, number;
	bool asks;
	void *out, *in, *user;
	size_t out_most, in_most;
};
int ps_remote_add_letters(struct ps_remote *, const struct ps_letters_of *, struct ps_letters **letters);

/* Any thread, whose turn it is: sends so many bytes of `out`. The asking thread waits for calls.letter(), which
 * does not come if the other rank fails. ps_remote_abort() ends no letters: the rank that is asked answers always. */
void ps_remote_send_letter(struct ps_remote *, struct ps_letters *, size_t bytes);

/* Why a call was refused: names the channel. Borrowed. */
const char *ps_remote_error(const struct ps_remote *);

/* BUILD. Opens the transport and begins the thread, which says signs of life and hears messages. No window moves yet.
 * Nothing is allocated afterwards. After an error only ps_remote_free() may follow.
 *   -EINVAL: the transport's table lacks functions
 *   -ENOMEM
 *   -EAGAIN: the system has no thread left
 *   another negative errno: the transport's */
int ps_remote_begin(struct ps_remote *);

/* Any thread, before ps_remote_end(). The remote thread goes round, and calls.looked(), at once. */
void ps_remote_wake(struct ps_remote *);

/* Windows may move from now on. */
void ps_remote_go(struct ps_remote *);

/*
 * Any thread, before ps_remote_end(). Has all ranks stop: calls.stopped(). Once, however often it is called.
 */
void ps_remote_stop(struct ps_remote *);

/*
 * Any thread, before ps_remote_end(). This rank's work is over without its end, and so is that of all: calls.aborted()
 * there. The first call counts, of this rank or another one. No window that is not on its way moves any more: what is
 * wanted no more is told to the senders, and then the channels are closed. err: a negative errno.
 */
void ps_remote_abort(struct ps_remote *, int err, const char *text);

/* Any thread. The work of this rank is done, once its channels are through. Does not wait: calls.through(). */
void ps_remote_done(struct ps_remote *);

/* Any thread. Tells a rank something, behind what it was told before. Also after ps_remote_end() was called elsewhere,
 * as long as that has not returned. 0 is no promise that it comes: what still waits is dropped when the rank fails.
 *   -EINVAL: no other rank, or too many bytes
 *   -EAGAIN: too many messages wait
 *   -EPIPE: that rank has failed, or this one has said its last word */
int ps_remote_tell(struct ps_remote *, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size);

/* Waits until all channels are through and all ranks that have not failed are here, too; ends the thread, and closes
 * the transport. The writers and readers of this rank's FIFOs have ended, or will; or ps_remote_abort() was called. */
void ps_remote_end(struct ps_remote *);

/* BUILD, or after ps_remote_end(). NULL is allowed. */
void ps_remote_free(struct ps_remote *);

#endif
