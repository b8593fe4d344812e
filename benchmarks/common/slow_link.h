/* SPDX-License-Identifier: MIT */
/*
 * A slow link, as a model: between two ranks of one machine a message is there, and its sender's buffer is free, when
 * the link is through with it. Each direction takes latency + bytes / rate for a message, one after the other; what is
 * no larger than a packet waits for none before it. The bytes go by MPI meanwhile, which must be quicker.
 *
 *	sender     leave()    the message begins: when is the link through with it?
 *	receiver   arrival()  of the n-th message of that stream, once MPI has brought it
 *
 * Both ranks have one clock, and memory in which the sender says when each message is through.
 */
#ifndef PENSTOCK_BENCHMARKS_SLOW_LINK_H
#define PENSTOCK_BENCHMARKS_SLOW_LINK_H

#include <stdint.h>

struct slow_link;

/* Both ranks call these, after MPI has begun and before it ends; each waits for the other. rate: bytes/s. NULL: the two
 * ranks are not on one machine, or there is no memory. */
struct slow_link *slow_link_new(double rate, double latency);
void slow_link_free(struct slow_link *); /* takes NULL */

/* The clock, ns; and a sleep until then. */
uint64_t slow_link_now(void);
void slow_link_sleep(uint64_t until);

/* One thread of a rank calls these. Message n of a stream, from 0 on; both sides name the stream by the same number,
 * below SLOW_LINK_STREAMS. At most SLOW_LINK_MESSAGES of it are on their way. */
enum { SLOW_LINK_STREAMS = 64, SLOW_LINK_MESSAGES = 64 };
uint64_t slow_link_leave(struct slow_link *, uint32_t stream, uint64_t n, uint64_t bytes);
uint64_t slow_link_arrival(const struct slow_link *, uint32_t stream, uint64_t n);

/* Waits until both ranks are here, and sleeps meanwhile: MPI_Barrier() would take a core from the other rank. */
void slow_link_meet(void);

#endif
