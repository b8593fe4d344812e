/* SPDX-License-Identifier: MIT */
/*
 * Tracing: what records of a trace say of firings. Each call puts records for the thread that calls it. Call them only
 * where the task has a trace.
 *
 *	kind      begin, took          number                        value
 *	FIRE      fire()               pstk_firing.ran; of a kahn    the ports whose windows it has ended, a bit each;
 *	                               actor its firing              PS_TRACING_ENQUEUED
 *	MORE      as its FIRE, which   as its FIRE                   port << 32 | a bit for each of the 32 ports from it
 *	          comes next
 *	PARTIAL   "                    "                             port << 32 | tokens: an output's last window
 *	DROPPED   when, 0              as its FIRE, whose windows    -
 *	                               were not published
 *	MOVED     when, 0              of a kahn actor: windows      port << 32 | tokens
 *	                               that this end had moved
 *	WAIT      the wait             the port; PS_NO_PORT: for     the FIFO
 *	                               its firings in flight
 *	SLEEP     of a member          -                             -
 *	CONTROL   when, 0              of the control token          its value
 *	KERNEL    on its device        pstk_firing.ran               its times are off by so many ns at most
 *	TRANSFER  on its device        bytes                         the FIFO * 2, to the device: and 1
 *	(these two with the place of the actor at that device, ps_trace_place())
 *
 * The last two are put by lib/opencl/cl_trace, later than they end.
 */
#ifndef PENSTOCK_TRACING_H
#define PENSTOCK_TRACING_H

#include "lib/firing/task.h"
#include "lib/trace/trace.h"

/* Ports whose bits are in a FIRE, and in a MORE. */
enum { PS_TRACING_FIRST = 63, PS_TRACING_MORE = 32 };

/* In the value of PS_TRACE_FIRE: it was an enqueue, on a device. */
#define PS_TRACING_ENQUEUED (UINT64_C(1) << PS_TRACING_FIRST)

/* Its fire() has returned. */
void ps_tracing_fired(const struct pstk_firing *, uint64_t begin, uint64_t end);

/* It will not be published. */
void ps_tracing_dropped(const struct pstk_firing *);

/* A kahn actor is about to end so many windows, with so many tokens in all. */
void ps_tracing_moves(const struct pstk_firing *, unsigned port, uint32_t tokens);

/* f: NULL: it has waited for firings in flight, and port is PS_NO_PORT. */
void ps_tracing_waited(
	const struct ps_task *, unsigned port, const struct pstk_fifo *f, uint64_t begin, uint64_t ns);

/* A member of a team has slept: there was nothing to fire. */
void ps_tracing_slept(struct ps_trace *, uint64_t begin, uint64_t ns);

/* It has taken its control token. */
void ps_tracing_control(const struct pstk_firing *, uint32_t value);

#endif
