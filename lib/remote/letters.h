/* SPDX-License-Identifier: MIT */
/*
 * Letters: question and answer between two ranks, one at a time. Each side has two buffers of its caller's, one for
 * what goes and one for what comes, of up to some bytes.
 *
 *	the rank that asks                            the rank that answers
 *	                                              its receive is posted from the beginning
 *	                         <--- READY ---       .. which it says once (control.h)
 *	posts its receive
 *	sends the question       ------------->
 *	                                              posts its receive again
 *	                         <-------------       sends the answer
 *
 * So a message always finds its receive. The caller hears of a letter when what went before it is through, too: then
 * both buffers are its own until it sends the next one.
 *
 * A rank is not done (PS_CONTROL_DONE) while an answer is to come. So when all ranks are done no letter is on its way,
 * and the receives that are posted are cancelled.
 *
 * Only for the files of this folder, in the remote thread, but for the calls of remote.h.
 */
#ifndef PENSTOCK_LETTERS_H
#define PENSTOCK_LETTERS_H

#include "lib/remote/state.h"

/* Before the thread runs: posts the receives of those that answer. Negative errno: the transport's. */
int ps_letters_begin(struct ps_remote *);

/* Sends what is to go, and at the end cancels. Has anything moved? */
bool ps_letters_pump(struct ps_remote *);

/* A message of its first (which: 0, out) or second channel is through. */
void ps_letters_through(
	struct ps_remote *, struct ps_letters *, unsigned which, const struct pstk_transport_done *);

/* The other rank has said READY. false: it has none of this number. */
bool ps_letters_hear(struct ps_remote *, uint32_t rank, uint32_t number);

/* Is an answer to come? Is nothing posted any more? */
bool ps_letters_wait(const struct ps_remote *);
bool ps_letters_have_ended(const struct ps_remote *);

#endif
