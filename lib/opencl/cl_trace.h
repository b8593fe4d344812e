/* SPDX-License-Identifier: MIT */
/*
 * CL trace: what the commands of a queue took on their device, for the network's timeline. A command's event is kept
 * until it is through; a later command, or the end, puts its record: PS_TRACE_KERNEL or PS_TRACE_TRANSFER.
 */
#ifndef PENSTOCK_CL_TRACE_H
#define PENSTOCK_CL_TRACE_H

#include "lib/opencl/cl_clock.h"
#include "lib/trace/trace.h"

struct ps_cl_trace;

/* start(). Of the commands of one queue that has profiling; like: kind, actor, place (in number)
 * and, of a transfer, value of its records. NULL: out of memory. */
struct ps_cl_trace *ps_cl_trace_create(
	struct ps_trace *, struct ps_cl_clock *, const struct ps_trace_record *like);
void ps_cl_trace_free(struct ps_cl_trace *);

/* Any thread. The queue has this command: from its start, or where `from` is given from the end of that. number: of the
 * record. NULL: nothing is traced. */
void ps_cl_trace_add(struct ps_cl_trace *, cl_event from, cl_event, uint64_t number);

/* wait(), when nothing is in flight any more: the last ones. */
void ps_cl_trace_end(struct ps_cl_trace *);

#endif
