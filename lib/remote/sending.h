/* SPDX-License-Identifier: MIT */
/*
 * Sending: the windows of one FIFO, to another rank.
 *
 * Message n is window n, as many bytes as its valid tokens have. The one with fewer than a window's is the last: that
 * window is partly filled, or there is none. A message is sent only when its receive is posted over there (credits).
 * A window is freed when its message is through. When the receiver wants nothing more, no message is sent any more, and
 * it is told how many there were; the FIFO discards when they are through.
 *
 * Only for the files of this folder, in the remote thread.
 */
#ifndef PENSTOCK_REMOTE_SENDING_H
#define PENSTOCK_REMOTE_SENDING_H

#include "lib/remote/state.h"

/* Sends what may be sent. Has anything moved? */
bool ps_sending_pump(struct ps_remote *, struct ps_channel *);

/* The oldest message is through. */
void ps_sending_through(struct ps_remote *, struct ps_channel *, const struct pstk_transport_done *);

/* The receiver says something. false: that can't be. */
bool ps_sending_hear(struct ps_channel *, enum ps_control_what, uint64_t total);

#endif
