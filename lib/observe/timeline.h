/* SPDX-License-Identifier: MIT */
/*
 * Timeline: the file that is made of a trace (lib/trace), in Chrome's trace format. "Trace Event Format", Google, 2016:
 * one JSON object, an event a line, so that a file that was cut short can be ended behind any line.
 */
#ifndef PENSTOCK_TIMELINE_H
#define PENSTOCK_TIMELINE_H

#include "lib/base/bytes.h"
#include "lib/model/network.h"

/* create() and destroy(). */
int ps_timeline_create(struct pstk_network *);
void ps_timeline_free(struct pstk_network *);

/* start(), when the threads are known: opens the file, takes the memory. A negative errno: the network has failed. */
int ps_timeline_prepare(struct pstk_network *);

/* wait(), when no thread fires any more. For another process that writes the file of all; and what one has packed. Then
 * the trace of this one, if it has one, is that of both. ahead: ns by which that clock is ahead of this one's.
 *   -EPROTO: it makes no sense
 *   -ENOMEM */
void ps_timeline_pack(const struct pstk_network *, struct ps_bytes *);
int ps_timeline_take(struct pstk_network *, unsigned host, int64_t ahead, struct ps_bytes_left *);

/* wait(), behind that: writes the file. When it ends early: the error with which the network has failed for it. Of a
 * trace that the environment asks for there is a warning only. */
int ps_timeline_write(struct pstk_network *);

#endif
