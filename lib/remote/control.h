/* SPDX-License-Identifier: MIT */
/*
 * Control: what two ranks say to each other beside the windows. Running totals of channels, messages of the user, signs
 * of life, and the last word.
 *
 * A message goes only where its receive is posted. The other rank posts one again when it has read a message, and
 * acknowledges each PS_CONTROL_BATCH of them by a message without bytes. Receives of acknowledgements are always
 * posted, so these need no credit. While no message may go, changes wait for the next one.
 *
 * The last word (BYE) follows when all channels are through and ps_remote_end() was called. Both ranks know how many
 * acknowledgements there are for all messages. When these have come, the receives that are left are cancelled.
 *
 * Only for the files of this folder, in the remote thread.
 */
#ifndef PENSTOCK_REMOTE_CONTROL_H
#define PENSTOCK_REMOTE_CONTROL_H

#include "lib/remote/state.h"

/* Four seconds without a word from a rank that was heard before are a fault. A rank that has no news says something
 * each second. */
#define PS_CONTROL_SILENCE_NS 4000000000u
#define PS_CONTROL_QUIET_NS 1000000000u

/* Before the thread runs: posts the receives. Negative errno: the transport's. */
int ps_control_begin(struct ps_remote *, struct ps_peer *);

/* How far this rank is. */
enum ps_control_end {
	PS_CONTROL_GOES_ON,
	PS_CONTROL_IS_DONE, /* it has no channel left, and no work: ps_remote_done() */
	PS_CONTROL_ENDS     /* .. and ps_remote_end() was called */
};

/* Says what is to be said. Has anything moved? */
bool ps_control_pump(struct ps_remote *, struct ps_peer *, enum ps_control_end);

/* A message of one of the rank's channels is through. */
void ps_control_through(
	struct ps_remote *, struct ps_peer *, enum ps_peer_channel, const struct pstk_transport_done *);

/* Something has come from the rank. */
void ps_control_heard(struct ps_peer *);

/* Time has passed: is the rank silent? */
void ps_control_wait(struct ps_remote *, struct ps_peer *, uint64_t ns);

/* Is nothing posted any more? Sends to a rank that has failed don't count. */
bool ps_control_has_ended(const struct ps_peer *);

#endif
