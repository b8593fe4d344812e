/* SPDX-License-Identifier: MIT */
/*
 * Eventcount: wakes a thread that waits for something outside of the library, an event of a device.
 *
 * Drivers may call back late, after the network is gone, or never. So a eventcount's memory is never given back to the
 * system: eventcounts are lent and taken back, and a ring that comes too late wakes somebody for nothing.
 */
#ifndef PENSTOCK_EVENTCOUNT_H
#define PENSTOCK_EVENTCOUNT_H

#include <stdint.h>

struct ps_eventcount;

/* How long to wait at most: a driver may forget to call back (PoCL 3.1 does when an event fails). */
#define PS_EVENTCOUNT_LOOK_AGAIN_NS 100000000u

/* BUILD or start(). NULL: out of memory. */
struct ps_eventcount *ps_eventcount_get(void);
void ps_eventcount_put(struct ps_eventcount *);

#define PS_EVENTCOUNT_FOR_EVER UINT64_MAX

/* How often it has been rung. Read it before looking whether there is something to wait for. */
unsigned ps_eventcount_count(struct ps_eventcount *);

/* Any thread, no lock held. Wakes everybody who waits, or one of them. */
void ps_eventcount_notify(struct ps_eventcount *);
void ps_eventcount_notify_one(struct ps_eventcount *);

/* Returns when it has been rung since `seen`, or after ns nanoseconds. */
void ps_eventcount_wait(struct ps_eventcount *, unsigned seen, uint64_t ns);

/*
 * For who looks at many things before it waits, and whom others ring only if there is somebody to hear it: expect, look,
 * wait if there is nothing, leave. Who changes something rings when ps_eventcount_awaited() says so afterwards: either it sees who
 * expects, or that one sees the change.
 */
unsigned ps_eventcount_expect(
	struct ps_eventcount *); /* returns what ps_eventcount_wait() has to have seen */
void ps_eventcount_leave(struct ps_eventcount *);

/* How many expect. hint: a glance that may be old; awaited: after everything that this thread has changed before. */
unsigned ps_eventcount_hint(struct ps_eventcount *);
unsigned ps_eventcount_awaited(struct ps_eventcount *);

#endif
