/* SPDX-License-Identifier: MIT */
/* Events of a device: their state, and waiting for them without burning a core. */
#ifndef PENSTOCK_CL_EVENT_H
#define PENSTOCK_CL_EVENT_H

#include "lib/base/eventcount.h"
#include "lib/firing/arrival.h"
#include "lib/firing/backend.h"
#include "lib/opencl/cl_error.h"

enum ps_cl_event_state { PS_CL_EVENT_DONE, PS_CL_EVENT_PENDING, PS_CL_EVENT_FAILED };

/* NULL is done. FAILED: the fault says with which code; what: what the event is of, for the text. */
enum ps_cl_event_state ps_cl_event_state(cl_event, const char *what, const char *on, struct ps_cl_fault *);

/* With which code it has failed; CL_SUCCESS: it has not. NULL has not. */
cl_int ps_cl_event_code(cl_event);

/* The code of the first of so many events that has failed by itself. */
cl_int ps_cl_event_first_code(const cl_event *, unsigned count);

/* Rings the eventcount when the event is through, at once if it is or is NULL. Perhaps never if it fails. No lock may
 * be held. */
void ps_cl_event_announce(cl_event, struct ps_eventcount *);

/* Counts the arrival's cycle when the event is through, at once if it is or is NULL. Never if it fails. */
void ps_cl_event_arrives(cl_event, struct ps_arrival *);

/* Calls there() when the event is through, at once if it is or is NULL. Perhaps never if it fails. */
void ps_cl_event_await(cl_event, struct ps_awaited *);

/* After a command has been enqueued that waits for these: has one of them failed? It may have failed before; then PoCL
 * 3.1 never runs the command, and no message would say why. 0, or the fault's error. */
int ps_cl_event_check(cl_uint count, const cl_event *, const char *on, struct ps_cl_fault *);

/* Returns when the eventcount has been rung since `seen`, when the event is through, or after a while: look again then.
 * No lock may be held. PENSTOCK_WAIT=block (the default), spin or adaptive says how. */
void ps_cl_event_wait(cl_event, struct ps_eventcount *, unsigned seen);

/* *slot = event, whose reference it takes over; the old one is released. */
void ps_cl_event_put(cl_event *slot, cl_event);

/* The same, with a reference of its own. If that can't be had the slot is empty, and the code says why. */
cl_int ps_cl_event_keep(cl_event *slot, cl_event);

/* After a keep that has failed: an empty slot takes the caller's reference, and *event is NULL then. So the command is
 * waited for at the end. */
void ps_cl_event_hand_over(cl_event *slot, cl_event *event);

#endif
