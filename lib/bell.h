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

/* How often it has been rung. Read it before looking whether there is something to wait for. */
unsigned ps_bell_count(struct ps_bell *);

/* Any thread, no lock held. */
void ps_bell_ring(struct ps_bell *);

/* Returns when it has been rung since `seen`, or after ns nanoseconds. */
void ps_bell_wait(struct ps_bell *, unsigned seen, uint64_t ns);

#endif
