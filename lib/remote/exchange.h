/* SPDX-License-Identifier: MIT */
/*
 * Exchange: all ranks of a transport give some bytes, and get those of all. The program's thread does it, while nothing
 * else runs over the transport: it is opened for it, and closed again.
 *
 *	rank 0                                     rank 1
 *	hello: I have 70 bytes     ----->
 *	                           <-----          hello: I have 5
 *	gets memory for 5, posts                   gets memory for 70, posts
 *	posted                     ----->
 *	                           <-----          posted
 *	70 bytes                   ----->
 *	                           <-----          5 bytes
 *
 * Exchanges may follow each other, and runs (remote.h), while some ranks are further than others: meeting.h says why.
 * Between two runs there is an exchange of all ranks: receives of the first one are cancelled by then.
 */
#ifndef PENSTOCK_REMOTE_EXCHANGE_H
#define PENSTOCK_REMOTE_EXCHANGE_H

#include "penstock/transport.h"

#include <stddef.h>

/* What each rank gave; a rank's own too. A byte 0 is behind each, which is not counted. */
struct ps_exchanged {
	unsigned char **bytes;
	size_t *sizes;
	uint32_t ranks;
};

/* All zeros: all ranks get all, and wait without a limit. */
struct ps_exchange_how {
	uint32_t subject;     /* what it is about: the ranks compare it */
	bool gathers;         /* only rank 0 gets all; another one gets its own, and waits only for rank 0 */
	uint64_t patience_ns; /* ends when nothing has come from some rank for so long; 0: never */
	bool (*stop)(void *user); /* asked now and then; true ends it. NULL: nothing does */
	void *user;
};

/*
 * Waits for all ranks. Sleeps while nothing moves. text: why it failed, with the other rank's number and host.
 * After an error *to is empty, and the ranks are out of step: the transport is of use for nothing but its abort().
 *   -EINVAL: the transport is of another version
 *   -EMSGSIZE: more than 2 GiB
 *   -ENOMEM
 *   -ETIMEDOUT: patience is at its end
 *   -ECANCELED: stop() has said so
 *   -EPROTO: another rank says what makes no sense, or is at another exchange
 *   another negative errno: the transport's
 */
int ps_exchange_with(struct pstk_transport *, const struct ps_exchange_how *, const void *bytes, size_t size,
	struct ps_exchanged *to, char *text, size_t text_size);

/* The same, of all and about nothing in particular. */
int ps_exchange(struct pstk_transport *, const void *bytes, size_t size, uint64_t patience_ns,
	struct ps_exchanged *to, char *text, size_t text_size);

/* It may be empty. */
void ps_exchanged_free(struct ps_exchanged *);

/* Bytes of a message; what is longer goes in pieces. Only tests set it, alike for all ranks. */
enum { PS_EXCHANGE_PIECES = 8 };
extern uint64_t ps_exchange_piece;

#endif
