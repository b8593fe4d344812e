/* SPDX-License-Identifier: MIT */
/* Faults: of another rank, of the transport, of a FIFO's place. Only for the files of this folder, in the remote
 * thread. */
#ifndef PENSTOCK_REMOTE_FAULT_H
#define PENSTOCK_REMOTE_FAULT_H

#include "lib/remote/state.h"

/* A rank has failed: says why, once, and closes the ends of its channels. */
void ps_fault_rank(struct ps_remote *, uint32_t rank, const char *format, ...) PSTK_PRINTF(3, 4);

/* May channels move, or be closed? Before ps_remote_go() a rank that ends only closes them. */
bool ps_fault_may_move(const struct ps_remote *);

/* Ends the channels of a rank that has failed. Again and again: a rank may have failed before they might be closed. */
void ps_fault_end(struct ps_remote *, struct ps_peer *);

/* The transport can't go on: so have all ranks. */
void ps_fault_transport(struct ps_remote *);

/* The place of this FIFO, one of the channel's, has failed: says so, once. */
void ps_fault_place(struct ps_remote *, struct ps_channel *, struct ps_fifo *);

/* Closes the ends of a channel, and says that they have changed. Nothing that is posted will touch them. */
void ps_fault_close(struct ps_remote *, struct ps_channel *);

/* Is the work of this rank over without its end? Then all ranks are told before anything that is said from now on. */
bool ps_fault_is_over(struct ps_remote *);

/* What the transport says about its last error. */
const char *ps_fault_cause(struct ps_remote *);

#endif
