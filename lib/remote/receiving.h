/* SPDX-License-Identifier: MIT */
/*
 * Receiving: windows from another rank, into one FIFO or several.
 *
 * A receive is posted into each window that all FIFOs have room for; the sender is told how many there are (credits).
 * Messages arrive in order. What has come is copied to FIFOs with a memory of their own, and published. When all
 * readers have ended the sender is told, and says how many messages there are in all; receives behind that are
 * cancelled, as behind the stream's last message.
 *
 * Only for the files of this folder, in the remote thread.
 */
#ifndef PENSTOCK_REMOTE_RECEIVING_H
#define PENSTOCK_REMOTE_RECEIVING_H

#include "lib/remote/state.h"

/* Posts what may be posted, ends what has ended. Has anything moved? */
bool ps_receiving_pump(struct ps_remote *, struct ps_channel *);

/* The oldest message has come, or its receive was cancelled. */
void ps_receiving_through(struct ps_remote *, struct ps_channel *, const struct pstk_transport_done *);

/* The sender says something. false: that can't be. */
bool ps_receiving_hear(struct ps_channel *, enum ps_control_what, uint64_t total);

#endif
