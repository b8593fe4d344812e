/* SPDX-License-Identifier: MIT */
/*
 * Bell: wakes a thread that waits for something outside of the library, an event of a device.
 *
 * Drivers may call back late, after the network is gone, or never. So a bell's memory is never given back to the
 * system: bells are lent and taken back, and a ring that comes too late wakes somebody for nothing.
 */
#ifndef PENSTOCK_BELL_H
#define PENSTOCK_BELL_H

#include <stdint.h>

struct ps_bell;

/* How long to wait at most: a driver may forget to call back (PoCL 3.1 does when an event fails). */
#define PS_BELL_LOOK_AGAIN_NS 100000000u

/* BUILD or start(). NULL: out of memory. */
struct ps_bell *ps_bell_get(void);
void ps_bell_put(struct ps_bell *);

#define PS_BELL_FOR_EVER UINT64_MAX

/* How often it has been rung. Read it before looking whether there is something to wait for. */
unsigned ps_bell_count(struct ps_bell *);

/* Any thread, no lock held. Wakes everybody who waits, or one of them. */
void ps_bell_ring(struct ps_bell *);
void ps_bell_ring_one(struct ps_bell *);

/* Returns when it has been rung since `seen`, or after ns nanoseconds. */
void ps_bell_wait(struct ps_bell *, unsigned seen, uint64_t ns);

/*
 * For who looks at many things before it waits, and whom others ring only if there is somebody to hear it: expect, look,
 * wait if there is nothing, leave. Who changes something rings when ps_bell_awaited() says so afterwards: either it sees who
 * expects, or that one sees the change.
 */
unsigned ps_bell_expect(struct ps_bell *); /* returns what ps_bell_wait() has to have seen */
void ps_bell_leave(struct ps_bell *);

/* How many expect. hint: a glance that may be old; awaited: after everything that this thread has changed before. */
unsigned ps_bell_hint(struct ps_bell *);
unsigned ps_bell_awaited(struct ps_bell *);

#endif
