/* SPDX-License-Identifier: MIT */
/*
 * Joined: one trace of several processes. Each packs what its own has, one of them takes that and joins all. Their
 * times are then of that one's clock. The joined trace is whole where all of them are.
 */
#ifndef PENSTOCK_TRACE_JOINED_H
#define PENSTOCK_TRACE_JOINED_H

#include "lib/base/bytes.h"
#include "lib/trace/trace.h"

/* The trace of another process. */
struct ps_trace_part {
	struct ps_trace_part *next;
	uint64_t from, until, fired;
	uint32_t track_count, record_count;
	struct ps_trace_track_name {
		uint32_t owner, number, host;
	} * tracks;
	struct ps_trace_record *records;
	uint32_t *track_of; /* by record */
};

/* After ps_trace_collect(). */
void ps_trace_pack(const struct ps_trace *, struct ps_bytes *);

/* host: whose it is; ahead: ns by which its clock is ahead of this one's. actors: of the network. NULL: *err: -EPROTO:
 * it makes no sense; -ENOMEM. */
struct ps_trace_part *ps_trace_take(
	struct ps_bytes_left *, uint32_t host, int64_t ahead, uint32_t actors, int *err);
void ps_trace_part_free(struct ps_trace_part *);

/* own: after ps_trace_collect(), of this host. The joined trace is collected, too. NULL: out of memory. */
struct ps_trace *ps_trace_join(const struct ps_trace *own, uint32_t host, const struct ps_trace_part *parts);

#endif
